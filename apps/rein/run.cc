// rein run: policies on a world, the same noise for all; a table, a plot, JSON or CSV.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "experiment.h"
#include "output.h"
#include "plot.h"
#include "progress.h"
#include "rein/report.h"
#include "shown.h"
#include "table.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct RunWords {
  ExperimentWords experiment;
  OutputWords output;
  bool certify = false;
};

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string bounds_table(const RunResult& result) {
  std::vector<std::string> header = {"promised by the theorem, probability 0.95", "errors at most",
                                     "regret at most"};
  for (const std::string& cost : result.costs) header.push_back("CCV " + cost + " at most");
  TextTable table(header);
  const auto rounds = static_cast<double>(result.rounds);
  bool any = false;
  for (const PolicyRun& run : result.policies) {
    const auto found = std::find_if(run.totals.begin(), run.totals.end(),
                                    [](const Totals& t) { return t.bounds.regret.has_value(); });
    if (found == run.totals.end()) continue;
    const Totals& totals = *found;
    std::vector<std::string> row = {run.spec.str(), brief(totals.u_bound),
                                    shown_bound(*totals.bounds.regret, rounds * result.most[0])};
    for (int i = 0; i < static_cast<int>(result.costs.size()); ++i) {
      row.push_back(shown_bound(totals.bounds.ccv.empty() ? kNone : totals.bounds.ccv[i],
                                rounds * result.most[static_cast<std::size_t>(i) + 1]));
    }
    table.add(row);
    any = true;
  }
  return any ? table.str() : std::string();
}

// What part (b) adds where a margin is given: CCV on average over time, and in a share of rounds.
std::string over_time_table(const RunResult& result, double share) {
  TextTable table({"over time, by the margin", "average CCV", "at most",
                   fmt::format("in {:g} % of rounds", 100.0 * share), "at most"});
  const auto rounds = static_cast<double>(result.rounds);
  bool any = false;
  for (const PolicyRun& run : result.policies) {
    const auto found = std::find_if(run.totals.begin(), run.totals.end(),
                                    [](const Totals& t) { return !t.bounds.ccv_average.empty(); });
    if (found == run.totals.end()) continue;
    for (int i = 0; i < static_cast<int>(result.costs.size()); ++i) {
      const auto cost = static_cast<std::size_t>(i);
      const double most = rounds * result.most[cost + 1];
      table.add({fmt::format("{}: {}", run.spec.str(), result.costs[cost]),
                 shown(run, [i](const Totals& t) { return t.ccv_average[i]; }),
                 shown_bound(found->bounds.ccv_average[i], most),
                 shown(run, [i](const Totals& t) { return t.ccv_share[i]; }),
                 shown_bound(found->bounds.ccv_share[i], most)});
    }
    any = true;
  }
  return any ? table.str() : std::string();
}

// What the margin promises at every time: regret, and the largest CCV so far. The margin is the one
// that was given, or else that of the first run (docs/theory/slater.md).
std::string margin_table(const RunResult& result, double margin) {
  std::vector<std::string> header = {"at every time, by the margin", "margin", "regret", "at most"};
  for (const std::string& cost : result.costs) {
    header.insert(header.end(), {"largest CCV " + cost, "at most"});
  }
  TextTable table(header);
  const auto rounds = static_cast<double>(result.rounds);
  bool any = false;
  for (const PolicyRun& run : result.policies) {
    const auto found = std::find_if(run.totals.begin(), run.totals.end(), [](const Totals& t) {
      return t.bounds.regret_margin.has_value();
    });
    if (found == run.totals.end()) continue;
    std::vector<std::string> row = {
        run.spec.str(), brief(margin > 0.0 ? margin : found->margin),
        shown(run, [](const Totals& t) { return t.regret; }),
        shown_bound(*found->bounds.regret_margin, rounds * result.most[0])};
    for (int i = 0; i < static_cast<int>(result.costs.size()); ++i) {
      row.push_back(shown(run, [i](const Totals& t) { return t.ccv_max[i]; }));
      row.push_back(shown_bound(found->bounds.ccv_max[i],
                                rounds * result.most[static_cast<std::size_t>(i) + 1]));
    }
    table.add(row);
    any = true;
  }
  return any ? table.str() : std::string();
}

// "at most 1748 (0.087 T)": a bound on regret beside the share of T that it is.
std::string shown_certificate(const RunResult& result, const PolicyRun& run,
                              double Totals::*bound) {
  double sum = 0.0;
  std::size_t seeds = 0;
  for (const Totals& totals : run.totals) {
    if (std::isnan(totals.*bound)) continue;
    sum += totals.*bound;
    ++seeds;
  }
  if (seeds == 0) return "-";
  const double mean = sum / static_cast<double>(seeds);
  const double share = mean / (static_cast<double>(result.rounds) * result.most[0]);
  return fmt::format("{} ({:.2g} T)", brief(mean), share);
}

// What the run itself shows of its regret (docs/theory/certificate.md): means over seeds.
std::string certificate_table(const RunResult& result) {
  TextTable table({"certified by the run, probability 0.95", "regret", "at most", "long-term",
                   "at most"});
  bool any = false;
  for (const PolicyRun& run : result.policies) {
    if (std::ranges::all_of(run.totals, [](const Totals& totals) {
          return totals.no_certificate != NoCertificate::kNone;
        })) {
      continue;
    }
    table.add({run.spec.str(), shown(run, [](const Totals& t) { return t.regret; }),
               shown_certificate(result, run, &Totals::certified_regret),
               shown(run, [](const Totals& t) { return t.regret_long_term; }),
               shown_certificate(result, run, &Totals::certified_long_term)});
    any = true;
  }
  return any ? table.str() : std::string();
}

std::string certificate_note(const RunResult& result) {
  std::string note;
  for (const PolicyRun& run : result.policies) {
    std::size_t without = 0;
    NoCertificate reason = NoCertificate::kNone;
    for (const Totals& totals : run.totals) {
      if (totals.no_certificate == NoCertificate::kNone) continue;
      if (without++ == 0) reason = totals.no_certificate;
    }
    if (without == 0 || reason == NoCertificate::kNotAsked) continue;
    note += fmt::format("no certificate for {} ({} of {} seeds): {}; see "
                        "docs/theory/certificate.md\n",
                        run.spec.str(), without, run.totals.size(), why(reason));
  }
  return note.empty() ? note : note + "\n";
}

// Why a policy of the theorem has no bound here, and notes on U.
std::string bounds_note(const RunResult& result) {
  std::string note;
  for (const PolicyRun& run : result.policies) {
    std::size_t without = 0;
    NoBound reason = NoBound::kNone;
    double over_norm = 0.0;
    for (const Totals& totals : run.totals) {
      if (totals.over_norm > 0.0) over_norm += totals.over_norm;
      if (totals.no_bound == NoBound::kNone) continue;
      if (without++ == 0) reason = totals.no_bound;
    }
    if (without == 0) continue;
    note += fmt::format("no bound for {} ({} of {} seeds): {}; see docs/bounds.md\n",
                        run.spec.str(), without, run.totals.size(), why(reason));
    if (over_norm == 0.0) continue;
    note += fmt::format(
        "  features passed the norm that U assumes in {:.3g} % of rounds: say "
        "norm=LARGEST in the oracle\n",
        100.0 * over_norm / static_cast<double>(result.rounds) /
            static_cast<double>(run.totals.size()));
  }
  return note.empty() ? note : note + "\n";
}

// A plot of one curve of every policy, averaged over seeds.
std::string curve_plot(const RunResult& result, const std::string& title,
                       const std::function<const std::vector<double>&(const Curve&)>& get) {
  std::vector<double> x;
  std::vector<Line> lines;
  for (std::size_t p = 0; p < result.policies.size(); ++p) {
    const auto& curves = result.policies[p].curves;
    if (curves.empty()) continue;
    x.assign(curves[0].rounds.begin(), curves[0].rounds.end());
    Line line{mark_of(p), std::vector<double>(x.size(), 0.0)};
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

void print_for_people(const RunResult& result, const RunOptions& options) {
  fmt::print("{}", heading(result, static_cast<std::size_t>(options.seeds)));
  std::vector<std::string> marked, labels;
  for (std::size_t p = 0; p < result.policies.size(); ++p) {
    labels.push_back(result.policies[p].spec.str());
    marked.push_back(fmt::format("{} {}", mark_of(p), labels.back()));
  }
  fmt::print("{}\n", main_table(result, marked));
  for (const std::string& table :
       {budget_table(result, labels), window_table(result, labels), reference_table(result),
        bounds_table(result), certificate_table(result),
        margin_table(result, options.margin),
        over_time_table(result, options.share)}) {
    if (!table.empty()) fmt::print("{}\n", table);
  }
  fmt::print("{}{}", bounds_note(result), certificate_note(result));
  fmt::print("{}{}{}", refused_note(result), alarm_note(result), status_note(result));
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

int run_verb(const RunWords& words, const std::string& command) {
  Experiment experiment = read_experiment(words.experiment);
  check_output(words.output, files_of(experiment.world));
  RunOptions& options = experiment.options;
  if (words.output.json || words.output.csv) options.curve_points = 0;
  options.certify = words.certify;

  const RunResult result = with_progress(
      options.progress, [&] { return typed(run(experiment.world, experiment.policies, options)); });
  const ReportWords about{.title = titled("run", result.world), .command = command};
  hand_over(words.output, to_json(result, about), to_csv(result),
            [&] { print_for_people(result, options); });
  return kOk;
}

constexpr const char* kRunExamples =
    "Columns, each a mean over seeds with half of its 95 % interval:\n"
    "  reward        the sum of all rewards; more is better\n"
    "  regret        reward lost against the best allowed choice of every round; less is\n"
    "                better, and below 0 the policy earned more than that choice\n"
    "  long-term     the same, with the constraint over all rounds instead of each round\n"
    "  stationary    the same, against the best fixed rule that depends only on the context, if\n"
    "                contexts are random\n"
    "  CCV           cumulative constraint violation: the sum of a cost; the heading says what\n"
    "                is allowed\n"
    "  spend         the same, if the cost has a budget; the heading says the budget\n"
    "  explored      share of rounds in which the action was not the one with the best score\n"
    "  oracle error  sum of squared errors of the estimates; less is better\n"
    "\n"
    "With --budget, --missing or --late, plays go through the engine that serves "
    "(docs/budgets.md).\n"
    "Its table shows what the decisions of each window cost, billed or not: the mean of a window,\n"
    "the most that one spent over its limit, and the most that one left.\n"
    "\n"
    "Examples:\n"
    "  rein run\n"
    "  rein run --world 'linear(k=8,d=8)' --policy ccb,squarecb --rounds 20000\n"
    "  rein run --world 'table(file=\"prices.csv\",budget=500)' --policy ccb --save prices\n"
    "  rein run --world 'log(file=\"decisions.csv\",rate=0.1)' --policy ccb,squarecb\n"
    "      a log of past decisions: outcomes are doubly robust estimates, not what happened\n"
    "  rein run --policy ccb,squarecb --json | jq .policies[0].regret\n"
    "  rein run --world 'linear(k=4,d=4,costs=positive)' --missing reward=0.4 --late reward=50 \\\n"
    "    --budget 'day(cost=cost,amount=20,per=\"100 rounds\",hard=1)'";

}  // namespace

Verb add_run(CLI::App& program, const std::vector<std::string>& typed_words) {
  auto words = std::make_shared<RunWords>();
  CLI::App* verb =
      program.add_subcommand("run", "play policies on a problem; print what they earned and spent");
  add_experiment(*verb, words->experiment);
  verb->add_flag("--certify", words->certify,
                 "bound the regret from the run itself (docs/theory/certificate.md)");
  verb->add_flag("--json", words->output.json, "print one JSON object (docs/json.md)");
  verb->add_flag("--csv", words->output.csv, "print one row per policy and seed, as CSV");
  add_save(*verb, words->output);
  verb->footer(kRunExamples);
  return [words, typed_words] { return run_verb(*words, command_line(typed_words)); };
}

}  // namespace rein::app
