// rein run: policies on a world, the same noise for all; a table, a plot, JSON or CSV.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <memory>

#include "numbers.h"
#include "plot.h"
#include "progress.h"
#include "rein/evaluate.h"
#include "rein/world.h"
#include "table.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct RunWords {
  std::string world = "linear(k=8,d=8)";
  std::vector<std::string> policies;
  std::string rounds;  // empty: all of a table, 10000 elsewhere
  std::string seeds = "8";
  std::string first_seed = "1";
  std::string threads = "0";
  double margin = 0.0;
  bool json = false;
  bool csv = false;
  bool no_long_term = false;
  bool references = false;
  std::string delay = "0";
  std::string save;
};

constexpr const char kMarks[] = "*o+x#@%&";

std::vector<double> collect(const PolicyRun& run, const std::function<double(const Totals&)>& get) {
  std::vector<double> values;
  for (const Totals& totals : run.totals) values.push_back(get(totals));
  return values;
}

std::string shown(const std::vector<double>& values) {
  const Figure f = figure(values);
  if (std::isnan(f.mean)) return "-";
  if (std::isnan(f.low)) return brief(f.mean);
  return fmt::format("{} ± {}", brief(f.mean), brief((f.high - f.low) / 2.0));
}

std::string shown(const PolicyRun& run, const std::function<double(const Totals&)>& get) {
  return shown(collect(run, get));
}

// A bound above T says nothing.
std::string shown_bound(double bound, std::int64_t rounds) {
  if (std::isnan(bound)) return "none";
  if (bound > static_cast<double>(rounds)) return brief(bound) + " (vacuous)";
  return brief(bound);
}

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string main_table(const RunResult& result) {
  std::vector<std::string> header = {"policy", "reward", "regret", "long-term"};
  for (const std::string& cost : result.costs) header.push_back("CCV " + cost);
  header.insert(header.end(), {"explored", "oracle error"});
  TextTable table(header);
  for (std::size_t p = 0; p < result.policies.size(); ++p) {
    const PolicyRun& run = result.policies[p];
    std::vector<std::string> row = {
        fmt::format("{} {}", kMarks[p % (sizeof kMarks - 1)], run.spec.str()),
        shown(run, [](const Totals& t) { return t.reward; }),
        shown(run, [](const Totals& t) { return t.regret; }),
        shown(run, [](const Totals& t) { return t.regret_long_term; })};
    for (int i = 0; i < static_cast<int>(result.costs.size()); ++i) {
      row.push_back(shown(run, [i](const Totals& t) { return t.ccv[i]; }));
    }
    const double explored = figure(collect(run, [](const Totals& t) { return t.explored; })).mean;
    row.push_back(fmt::format("{:.0f} %", 100.0 * explored));
    row.push_back(shown(run, [](const Totals& t) { return t.oracle_error; }));
    table.add(row);
  }
  return table.str();
}

std::string bounds_table(const RunResult& result) {
  std::vector<std::string> header = {"promised by the theorem", "U", "regret at most"};
  for (const std::string& cost : result.costs) header.push_back("CCV " + cost + " at most");
  TextTable table(header);
  bool any = false;
  for (const PolicyRun& run : result.policies) {
    if (run.totals.empty() || !run.totals[0].bounds.regret) continue;
    const Totals& totals = run.totals[0];
    std::vector<std::string> row = {run.spec.str(), brief(totals.u),
                                    shown_bound(*totals.bounds.regret, result.rounds)};
    for (int i = 0; i < static_cast<int>(result.costs.size()); ++i) {
      row.push_back(
          shown_bound(totals.bounds.ccv.empty() ? kNone : totals.bounds.ccv[i], result.rounds));
    }
    table.add(row);
    any = true;
  }
  return any ? table.str() : std::string();
}

std::string budget_table(const RunResult& result) {
  if (result.budgets.empty()) return {};
  std::vector<std::string> header = {"budget"};
  for (std::size_t i = 0; i < result.costs.size(); ++i) {
    header.push_back(fmt::format("spend {} of {}", result.costs[i], brief(result.budgets[i])));
    header.push_back("over");
  }
  header.push_back("reward at a hard stop");
  TextTable table(header);
  for (const PolicyRun& run : result.policies) {
    std::vector<std::string> row = {run.spec.str()};
    for (int i = 0; i < static_cast<int>(result.costs.size()); ++i) {
      row.push_back(shown(run, [i](const Totals& t) { return t.spend[i]; }));
      row.push_back(shown(run, [i](const Totals& t) { return t.excess[i]; }));
    }
    row.push_back(shown(run, [](const Totals& t) { return t.reward_at_stop; }));
    table.add(row);
  }
  return table.str();
}

// What was shown more than a policy is, and what share of it every policy earned.
std::string reference_table(const RunResult& result) {
  if (result.references.empty()) return {};
  std::vector<std::string> header = {"reference", "reward"};
  for (const std::string& cost : result.costs) header.push_back("spend " + cost);
  for (std::size_t p = 0; p < result.policies.size(); ++p) {
    header.push_back(fmt::format("{} earned", kMarks[p % (sizeof kMarks - 1)]));
  }
  TextTable table(header);
  for (const Reference& reference : result.references) {
    std::vector<std::string> row = {reference.name, shown(reference.reward)};
    for (int i = 0; i < static_cast<int>(result.costs.size()); ++i) {
      std::vector<double> spend;
      for (const Costs& costs : reference.spend) spend.push_back(costs[i]);
      row.push_back(spend.empty() ? "-" : shown(spend));
    }
    const double most = figure(reference.reward).mean;
    for (const PolicyRun& run : result.policies) {
      const double earned = figure(collect(run, [](const Totals& t) { return t.reward; })).mean;
      row.push_back(most > 0.0 ? fmt::format("{:.1f} %", 100.0 * earned / most) : "-");
    }
    table.add(row);
  }
  return table.str();
}

// The mean over seeds of one curve of every policy, as a plot.
std::string curve_plot(const RunResult& result, const std::string& title,
                       const std::function<const std::vector<double>&(const Curve&)>& get) {
  std::vector<double> x;
  std::vector<Line> lines;
  for (std::size_t p = 0; p < result.policies.size(); ++p) {
    const auto& curves = result.policies[p].curves;
    if (curves.empty()) continue;
    x.assign(curves[0].rounds.begin(), curves[0].rounds.end());
    Line line{kMarks[p % (sizeof kMarks - 1)], std::vector<double>(x.size(), 0.0)};
    for (const Curve& curve : curves) {
      const std::vector<double>& y = get(curve);
      for (std::size_t i = 0; i < x.size(); ++i) {
        line.y[i] += y[i] / static_cast<double>(curves.size());
      }
    }
    lines.push_back(std::move(line));
  }
  return plot(title, x, lines);
}

void print_for_people(const RunResult& result, std::size_t seeds) {
  fmt::print("world {}, {} rounds, {} seed{} (mean ± half of the 95 % interval)\n\n",
             result.world.str(), result.rounds, seeds, seeds == 1 ? "" : "s");
  fmt::print("{}\n", main_table(result));
  for (const std::string& table :
       {budget_table(result), reference_table(result), bounds_table(result)}) {
    if (!table.empty()) fmt::print("{}\n", table);
  }
  std::int64_t infeasible = 0;
  for (const Totals& t : result.policies[0].totals) infeasible += t.infeasible_rounds;
  if (infeasible > 0) {
    fmt::print("{} rounds had no feasible distribution; see docs/comparators.md\n\n", infeasible);
  }
  fmt::print("{}\n",
             curve_plot(result, "regret so far",
                        [](const Curve& c) -> const std::vector<double>& { return c.regret; }));
  for (std::size_t i = 0; i < result.costs.size(); ++i) {
    fmt::print("{}\n",
               curve_plot(result, result.costs[i] + " so far (CCV)",
                          [i](const Curve& c) -> const std::vector<double>& { return c.ccv[i]; }));
  }
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.flush();
  if (!out) throw Failure(fmt::format("--save: cannot write {}", path));
}

// A table is as long as its file; other worlds go on for as long as they are asked.
bool has_length(const Spec& world) {
  if (world.name == "table") return true;
  return world.name == "subset" && make_world(world, 1, 0).ok();
}

int run_verb(const RunWords& words) {
  if (words.json && words.csv) throw UsageError("--json and --csv are both given; accepted: one");
  const Spec world = typed(parse_spec(words.world, "world spec"));
  std::vector<Spec> policies;
  for (const std::string& text : words.policies) {
    for (Spec& spec : typed(parse_specs(text, "policy spec"))) policies.push_back(std::move(spec));
  }
  if (policies.empty()) policies.push_back(Spec("ccb"));

  RunOptions options;
  const bool table = has_length(world);
  const std::string rounds = !words.rounds.empty() ? words.rounds : table ? "0" : "10000";
  options.rounds = whole_number("--rounds", rounds, table ? 0 : 1, 1'000'000'000'000);
  options.seeds = static_cast<int>(whole_number("--seeds", words.seeds, 1, 1'000'000));
  options.first_seed = static_cast<std::uint64_t>(
      whole_number("--first-seed", words.first_seed, 0, std::int64_t{1} << 53));
  options.threads = static_cast<int>(whole_number("--threads", words.threads, 0, 1024));
  options.margin = words.margin;
  options.long_term = !words.no_long_term;
  options.references = words.references;
  options.delay = static_cast<int>(whole_number("--delay", words.delay, 0, 1'000'000));
  if (words.json || words.csv) options.curve_points = 0;

  const RunResult result = [&] {
    Progress progress;
    options.progress = [&](std::int64_t done, std::int64_t all) { progress.show(done, all); };
    return typed(run(world, policies, options));
  }();
  if (!words.save.empty()) {
    write_file(words.save + ".json", to_json(result) + "\n");
    write_file(words.save + ".csv", to_csv(result));
  }
  if (words.json) {
    fmt::print("{}\n", to_json(result));
  } else if (words.csv) {
    fmt::print("{}", to_csv(result));
  } else {
    print_for_people(result, static_cast<std::size_t>(options.seeds));
    if (!words.save.empty()) fmt::print("written: {0}.json {0}.csv\n", words.save);
  }
  return kOk;
}

constexpr const char* kExamples =
    "What the columns say:\n"
    "  reward     what was earned, noise included\n"
    "  regret     what the best feasible choice of every round would have earned more (true "
    "means)\n"
    "  long-term  the same against the best that meets the constraint only over all rounds\n"
    "  CCV        cumulative constraint violation: the sum of costs so far; below 0 is kept\n"
    "  explored   rounds whose action was not the one with the best score\n"
    "\n"
    "Examples:\n"
    "  rein run --world 'linear(k=8,d=8)' --policy 'ccb(setting=expectation)' --rounds 1e5 --seeds "
    "50\n"
    "  rein run --world two_arm --policy 'ccb(oracle=truth)' --policy "
    "'ccb(oracle=truth,pricer=quadratic(queue=literal))'\n"
    "  rein run --policy ccb,squarecb --json | jq .policies[0].regret";

}  // namespace

Verb add_run(CLI::App& program) {
  auto words = std::make_shared<RunWords>();
  CLI::App* verb =
      program.add_subcommand("run", "run policies on a world, the same noise for all, and measure");
  verb->add_option("--world", words->world, "the world, as a spec; `rein list worlds` shows all")
      ->capture_default_str();
  verb->add_option("--policy,--policies", words->policies,
                   "a policy, as a spec, or several with commas; may be given again [ccb]")
      ->take_all();
  verb->add_option("--rounds", words->rounds,
                   "rounds of each run, as 20000 or 2e4 [10000; all of a table]");
  verb->add_option("--seeds", words->seeds, "how many worlds and noises")->capture_default_str();
  verb->add_option("--first-seed", words->first_seed, "seeds count from here")
      ->capture_default_str();
  verb->add_option("--threads", words->threads, "0: all cores; results do not depend on it")
      ->capture_default_str();
  verb->add_option("--margin", words->margin, "Slater's margin, for setting=slater's benchmark")
      ->capture_default_str();
  verb->add_flag("--no-long-term", words->no_long_term,
                 "skip the long-term benchmark, which remembers every round");
  verb->add_option("--delay", words->delay, "rounds that every outcome comes late")
      ->capture_default_str();
  verb->add_flag("--references", words->references,
                 "also what full information, the best fixed mix and hindsight would have earned");
  verb->add_flag("--json", words->json, "one JSON object, see docs/json.md");
  verb->add_flag("--csv", words->csv, "one row a policy and seed");
  verb->add_option("--save", words->save, "also write PATH.json and PATH.csv");
  verb->footer(kExamples);
  return [words] { return run_verb(*words); };
}

}  // namespace rein::app
