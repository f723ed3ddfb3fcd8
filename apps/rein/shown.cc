#include "shown.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rein/policy.h"
#include "table.h"
#include "world/innermost.h"

namespace rein::app {

std::string heading(const RunResult& result, std::size_t seeds) {
  const std::string_view note = world_note(result.world);
  return fmt::format("world {}, {} rounds, {} seed{} (mean ± half of the 95 % interval)\n{}{}\n",
                     result.world.str(), result.rounds, seeds, seeds == 1 ? "" : "s", note,
                     note.empty() ? "" : "\n");
}

std::string titled(const char* verb, const Spec& world) {
  const std::string_view note = world_note(world);
  return fmt::format("rein {}: {}{}{}", verb, world.str(), note.empty() ? "" : "; ", note);
}

std::vector<double> collect(const PolicyRun& run, const std::function<double(const Totals&)>& get) {
  std::vector<double> values;
  for (const Totals& totals : run.totals) values.push_back(get(totals));
  return values;
}

std::string shown(const Figure& f) {
  if (std::isnan(f.mean)) return "-";
  if (std::isnan(f.low)) return brief(f.mean);
  return fmt::format("{} ± {}", brief(f.mean), brief((f.high - f.low) / 2.0));
}

std::string shown(const std::vector<double>& values) { return shown(figure(values)); }

std::string shown(const PolicyRun& run, const std::function<double(const Totals&)>& get) {
  return shown(collect(run, get));
}

std::string shown_bound(double bound, double most) {
  if (std::isnan(bound)) return "none";
  if (bound > most) return brief(bound) + " (vacuous)";
  return brief(bound);
}

char mark_of(std::size_t policy) {
  constexpr const char kMarks[] = "*o+x#@%&$=~^!?:;";
  return kMarks[policy % (sizeof kMarks - 1)];
}

std::string limited(const RunResult& result, std::size_t cost) {
  const double budget = result.budgets.empty() ? 0.0 : result.budgets[cost];
  return fmt::format("{} {} (at most {})", result.budgets.empty() ? "CCV" : "spend",
                     result.costs[cost], fmt::format("{:.6g}", budget));
}

std::string main_table(const RunResult& result, const std::vector<std::string>& labels) {
  const auto stationary = [](const Totals& t) { return t.regret_stationary; };
  bool any_stationary = false;
  for (const PolicyRun& run : result.policies) {
    for (const Totals& t : run.totals) any_stationary |= !std::isnan(t.regret_stationary);
  }
  std::vector<std::string> header = {"policy", "reward", "regret", "long-term"};
  if (any_stationary) header.push_back("stationary");
  for (std::size_t i = 0; i < result.costs.size(); ++i) header.push_back(limited(result, i));
  header.insert(header.end(), {"explored", "oracle error"});
  TextTable table(header);
  for (std::size_t p = 0; p < result.policies.size(); ++p) {
    const PolicyRun& run = result.policies[p];
    std::vector<std::string> row = {labels[p], shown(run, [](const Totals& t) { return t.reward; }),
                                    shown(run, [](const Totals& t) { return t.regret; }),
                                    shown(run, [](const Totals& t) { return t.regret_long_term; })};
    if (any_stationary) row.push_back(shown(run, stationary));
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

std::string budget_table(const RunResult& result, const std::vector<std::string>& labels) {
  if (result.budgets.empty()) return {};
  std::vector<std::string> header = {"budget"};
  for (const std::string& cost : result.costs) header.push_back(cost + " over the budget");
  header.push_back("reward at a hard stop");
  TextTable table(header);
  for (std::size_t p = 0; p < result.policies.size(); ++p) {
    const PolicyRun& run = result.policies[p];
    std::vector<std::string> row = {labels[p]};
    for (int i = 0; i < static_cast<int>(result.costs.size()); ++i) {
      row.push_back(shown(run, [i](const Totals& t) { return t.excess[i]; }));
    }
    row.push_back(shown(run, [](const Totals& t) { return t.reward_at_stop; }));
    table.add(row);
  }
  return table.str();
}

std::string window_table(const RunResult& result, const std::vector<std::string>& labels) {
  if (result.live_budgets.empty()) return {};
  TextTable table({"budget", "allowed", "windows", "mean spend", "most over", "most under"});
  for (std::size_t p = 0; p < result.policies.size(); ++p) {
    for (std::size_t i = 0; i < result.live_budgets.size(); ++i) {
      const Budget& budget = result.live_budgets[i];
      std::vector<std::string> row = {
          fmt::format("{}: {}", labels[p], budget.name),
          fmt::format("{:.6g} {} per {}{}{}", budget.amount, budget.cost, per_of(budget.window),
                      budget.scope.empty() ? "" : " and " + budget.scope,
                      budget.kind == BudgetKind::kHard ? ", hard" : "")};
      for (const auto member : {&BudgetTotals::windows, &BudgetTotals::mean, &BudgetTotals::over,
                                &BudgetTotals::under}) {
        row.push_back(
            shown(result.policies[p], [&](const Totals& t) { return t.budgets[i].*member; }));
      }
      table.add(row);
    }
  }
  return table.str();
}

std::string refused_note(const RunResult& result) {
  std::string note;
  for (const PolicyRun& run : result.policies) {
    const double rounds = figure(collect(run, [](const Totals& t) {
                            return static_cast<double>(t.refused_rounds);
                          })).mean;
    if (rounds == 0.0) continue;
    note += fmt::format(
        "hard budget: {} had no action that fitted in {} of {} rounds; they earn nothing\n",
        run.spec.str(), brief(rounds), result.rounds);
  }
  const bool stuck = std::ranges::any_of(result.live_budgets, [](const Budget& budget) {
    return budget.kind == BudgetKind::kHard && budget.window.kind == Window::Kind::kRounds;
  });
  if (stuck && !note.empty()) {
    note +=
        "  A window of rounds counts decisions, so it does not end while every action is too "
        "expensive: give a window of ticks, or a world with a free action.\n";
  }
  return note.empty() ? note : note + "\n";
}

std::string reference_table(const RunResult& result) {
  if (result.references.empty()) return {};
  std::vector<std::string> header = {"reference", "reward"};
  for (std::size_t i = 0; i < result.costs.size(); ++i) header.push_back(limited(result, i));
  for (std::size_t p = 0; p < result.policies.size(); ++p) {
    header.push_back(fmt::format("{} earned", mark_of(p)));
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

std::string alarm_note(const RunResult& result) {
  std::string note;
  for (const PolicyRun& run : result.policies) {
    std::int64_t rang = 0, first = 0;
    for (const Totals& t : run.totals) {
      if (t.alarm_round < 0) continue;
      first = rang == 0 ? t.alarm_round : std::min(first, t.alarm_round);
      ++rang;
    }
    if (rang == 0) continue;
    note += fmt::format(
        "alarm: {} learns from functions that do not fit what it sees ({} of {} seeds, first in "
        "round "
        "{}); see docs/alarm.md\n",
        run.spec.str(), rang, run.totals.size(), first);
  }
  return note.empty() ? note : note + "\n";
}

std::string status_note(const RunResult& result) {
  std::string note;
  for (const PolicyRun& run : result.policies) {
    for (const Status status :
         {Status::kOver, Status::kInfeasible, Status::kUnspent, Status::kChanged, Status::kPast}) {
      const auto seeds = std::ranges::count(run.totals, status, &Totals::status);
      if (seeds == 0) continue;
      note += fmt::format("status: {} ended {} on {} of {} seeds. {}\n", run.spec.str(),
                          name_of(status), seeds, run.totals.size(),
                          advice(status, has_goal(run.spec)));
    }
  }
  return note.empty() ? note : note + "\n";
}

std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '/' || c == ',' ||
             c == '=';
    });
    if (!line.empty()) line += ' ';
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

}  // namespace rein::app
