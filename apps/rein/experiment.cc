#include "experiment.h"

#include "numbers.h"
#include "rein/world.h"

namespace rein::app {
namespace {

// A table is as long as its file; other worlds go on for as long as they are asked.
bool has_length(const Spec& world) {
  if (world.name == "table") return true;
  return world.name == "subset" && make_world(world, 1, 0).ok();
}

}  // namespace

void add_experiment(CLI::App& verb, ExperimentWords& words) {
  verb.add_option("--world", words.world, "the world, as a spec; `rein list worlds` shows all")
      ->capture_default_str();
  verb.add_option("--policy,--policies", words.policies,
                  "a policy, as a spec, or several with commas; may be given again [ccb]")
      ->take_all();
  verb.add_option("--rounds", words.rounds,
                  "rounds of each run, as 20000 or 2e4 [10000; all of a table]");
  verb.add_option("--seeds", words.seeds, "how many worlds and noises")->capture_default_str();
  verb.add_option("--first-seed", words.first_seed, "seeds count from here")->capture_default_str();
  verb.add_option("--threads", words.threads, "0: all cores; results do not depend on it")
      ->capture_default_str();
  verb.add_option("--margin", words.margin, "Slater's margin, for setting=slater's benchmark")
      ->capture_default_str();
  verb.add_option("--share", words.share,
                  "share of rounds that ccv_share is about, for setting=slater's bound [0.99]")
      ->check(CLI::Range(0.0, 0.999999));
  verb.add_flag("--no-long-term", words.no_long_term,
                "skip the long-term benchmark, which remembers every round");
  verb.add_option("--delay", words.delay, "rounds that every outcome comes late")
      ->capture_default_str();
  verb.add_flag("--references", words.references,
                "also what full information, the best fixed mix and hindsight would have earned");
}

Experiment read_experiment(const ExperimentWords& words) {
  Experiment experiment;
  experiment.world = typed(parse_spec(words.world, "world spec"));
  for (const std::string& text : words.policies) {
    for (Spec& spec : typed(parse_specs(text, "policy spec"))) {
      experiment.policies.push_back(std::move(spec));
    }
  }
  if (experiment.policies.empty()) experiment.policies.push_back(Spec("ccb"));
  const bool table = has_length(experiment.world);
  const std::string rounds = !words.rounds.empty() ? words.rounds : table ? "0" : "10000";
  RunOptions& options = experiment.options;
  options.rounds = whole_number("--rounds", rounds, table ? 0 : 1, 1'000'000'000'000);
  options.seeds = static_cast<int>(whole_number("--seeds", words.seeds, 1, 1'000'000));
  options.first_seed = static_cast<std::uint64_t>(
      whole_number("--first-seed", words.first_seed, 0, std::int64_t{1} << 53));
  options.threads = static_cast<int>(whole_number("--threads", words.threads, 0, 1024));
  options.margin = words.margin;
  options.share = words.share;
  options.long_term = !words.no_long_term;
  options.references = words.references;
  options.delay = static_cast<int>(whole_number("--delay", words.delay, 0, 1'000'000));
  return experiment;
}

}  // namespace rein::app
