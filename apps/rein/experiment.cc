#include "experiment.h"

#include "numbers.h"
#include "world/innermost.h"

namespace rein::app {
namespace {

// A table and a log are as long as their files; other worlds go on for as long as they are asked.
bool has_length(const Spec& world) {
  const std::string& name = innermost(world).name;
  return name == "table" || name == "log";
}

}  // namespace

void add_experiment(CLI::App& verb, ExperimentWords& words) {
  verb.add_option("--world", words.world, "the problem to run on; `rein list worlds` shows all")
      ->type_name("SPEC")
      ->capture_default_str();
  verb.add_option("--policy,--policies", words.policies,
                  "one or more policies, separated by commas or repeated [ccb]")
      ->type_name("SPEC")
      ->take_all();
  verb.add_option("--rounds", words.rounds,
                  "rounds of each run, as 20000 or 2e4 [10000; every row of a table or log]")
      ->type_name("N")
      ->check(not_empty("a whole number, as 20000 or 2e4"));
  verb.add_option("--seeds", words.seeds,
                  "runs per policy, each with new random numbers, the same for all")
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--first-seed", words.first_seed, "the first seed; the others follow it")
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--threads", words.threads, "0 uses all cores; results do not depend on it")
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("--delay", words.delay, "every outcome is learned this many rounds late")
      ->type_name("N")
      ->capture_default_str();
  verb.add_flag("--references", words.references,
                "also show references, which know more than a policy can");
  verb.add_option("--learner", words.learner,
                  "oracle of the reference that sees every outcome; vaw(memory=auto) forgets")
      ->capture_default_str();
  verb.add_option("--margin", words.margin,
                  "distance from the constraints, 0 to 1, for setting=slater")
      ->type_name("NUMBER")
      ->check(number_from(0.0, 1.0))
      ->capture_default_str();
  verb.add_option("--share", words.share,
                  "for policies with setting=slater: the share of rounds for ccv_share "
                  "[0.99]")
      ->type_name("NUMBER")
      ->check(number_from(0.0, 0.999999));
  verb.add_flag("--no-long-term", words.no_long_term,
                "skip the column long-term, which needs memory for every round");
  add_live(verb, words.live);
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
  options.learner = words.learner;
  options.delay = static_cast<int>(whole_number("--delay", words.delay, 0, 1'000'000));
  options.live = read_live(words.live);
  return experiment;
}

}  // namespace rein::app
