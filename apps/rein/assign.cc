// rein assign: an action for every row of a file, so that the totals stay within budgets.
#include "rein/assign.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>

#include "base/atomic_file.h"
#include "base/size.h"
#include "customers.h"
#include "log_words.h"
#include "numbers.h"
#include "output.h"
#include "progress.h"
#include "rein/json.h"
#include "saved_model.h"
#include "streams.h"
#include "table.h"
#include "verbs.h"

namespace rein::app {
namespace {

struct AssignWords {
  std::string model, customers, out;
  std::vector<std::string> budgets;
  double explore = 0.0;
  std::int64_t seed = 1;
  bool json = false;
};

// NAME=TOTAL as totals per cost; infinite where none is given.
std::vector<double> totals_of(const AssignWords& words, const Shape& shape) {
  std::vector<double> totals(shape.costs.size(), std::numeric_limits<double>::infinity());
  for (const std::string& text : words.budgets) {
    const std::size_t split = text.rfind('=');
    std::size_t found = shape.costs.size();
    std::string names;
    for (std::size_t i = 0; i < shape.costs.size(); ++i) {
      if (split != std::string::npos && shape.costs[i].name == text.substr(0, split)) found = i;
      names += (names.empty() ? "" : ", ") + shape.costs[i].name;
    }
    if (found == shape.costs.size()) {
      throw UsageError(fmt::format(
          "--budget: found \"{}\"; accepted: NAME=TOTAL for the whole file, and NAME is {}", text,
          names.empty() ? "a cost, of which the model has none" : names));
    }
    if (std::isfinite(totals[found])) {
      throw UsageError(fmt::format("--budget: {} is given twice; accepted: once",
                                   shape.costs[found].name));
    }
    totals[found] = finite_number("--budget", text.substr(split + 1));
  }
  return totals;
}

// An assignment with what is printed about it.
struct Assigned {
  const Engine& engine;
  const Customers& customers;
  const Assignment& found;
  std::vector<double> totals;
  const AssignWords& words;

  const std::vector<CostShape>& costs() const { return engine.policy().shape().costs; }
  std::size_t heads() const { return 1 + costs().size(); }
};

// What each action got, in the order of the actions on offer: rows, then the sum of each head.
std::vector<std::vector<double>> by_action(const Assigned& all) {
  std::vector<std::vector<double>> sums;
  for (const OneForAll& each : all.found.one_for_all) {
    std::vector<double> sum(1 + all.heads(), 0.0);
    for (std::size_t t = 0; t < all.found.actions.size(); ++t) {
      if (all.found.actions[t] != each.action) continue;
      sum[0] += 1.0;
      for (std::size_t h = 0; h < all.heads(); ++h) {
        sum[1 + h] += all.found.estimates[t * all.heads() + h];
      }
    }
    sums.push_back(std::move(sum));
  }
  return sums;
}

// What is only rounding is 0.
std::string amount(double value) {
  constexpr double kRounding = 1e-9;
  return fmt::format("{:.6g}", std::abs(value) < kRounding ? 0.0 : value);
}

// The weights of a kept policy would fill the screen.
std::string shown_policy(const Engine& engine) {
  constexpr std::size_t kShown = 100;
  const std::string text = engine.policy_origin().asked;
  return text.size() <= kShown ? text : text.substr(0, text.find('(')) + "(...)";
}

void print_assigned(const Assigned& all) {
  std::vector<std::string> header{"assigned", "rows", "reward"};
  for (const CostShape& cost : all.costs()) header.push_back(cost.name);
  TextTable table(header);
  const auto sums = by_action(all);
  for (std::size_t a = 0; a < sums.size(); ++a) {
    std::vector<std::string> row{action_label(all.engine, all.found.one_for_all[a].action)};
    for (const double sum : sums[a]) row.push_back(amount(sum));
    table.add(row);
  }
  std::vector<std::string> row{"in all", amount(static_cast<double>(all.customers.rows)),
                               amount(all.found.reward)};
  for (const double spent : all.found.spent) row.push_back(amount(spent));
  table.add(row);
  fmt::print("{}\n", table.str());
}

// The same action for everybody: what a reader compares with.
void print_plain(const Assigned& all) {
  std::vector<std::string> header{"everybody the same", "reward"};
  for (const CostShape& cost : all.costs()) header.push_back(cost.name);
  TextTable table(header);
  for (const OneForAll& each : all.found.one_for_all) {
    std::vector<std::string> row{action_label(all.engine, each.action), amount(each.reward)};
    for (const double spent : each.spent) row.push_back(amount(spent));
    table.add(row);
  }
  fmt::print("{}\n", table.str());
}

void print_budgets(const Assigned& all) {
  for (std::size_t i = 0; i < all.totals.size(); ++i) {
    if (std::isinf(all.totals[i])) continue;
    const double spent = all.found.spent[static_cast<int>(i)];
    fmt::print("{}: {} of {}", all.costs()[i].name, amount(spent), amount(all.totals[i]));
    if (all.totals[i] > 0.0) fmt::print(" ({:.2f} %)", 100.0 * spent / all.totals[i]);
    if (all.words.explore > 0.0) {
      fmt::print(", {} expected over the draw", amount(all.found.expected_spent[static_cast<int>(i)]));
    }
    const double price = all.found.prices[static_cast<int>(i)];
    if (price > 0.0) {
      fmt::print(", at a price of {:.4g} reward per unit\n", price);
    } else {
      fmt::print(": more would earn nothing\n");
    }
  }
}

// The cheapest action for everybody, by the first cost that has a budget, or by the first cost.
const OneForAll* plainest(const Assigned& all) {
  int cost = 0;
  for (std::size_t i = all.totals.size(); i-- > 0;) {
    if (std::isfinite(all.totals[i])) cost = static_cast<int>(i);
  }
  const OneForAll* found = nullptr;
  for (const OneForAll& each : all.found.one_for_all) {
    if (!each.offered || each.spent.empty()) continue;
    const bool cheaper = found == nullptr || each.spent[cost] < found->spent[cost] ||
                         (each.spent[cost] == found->spent[cost] && each.reward > found->reward);
    if (cheaper) found = &each;
  }
  return found;
}

void print_for_people(const Assigned& all) {
  fmt::print("{} rows, policy {}\n\n", all.customers.rows, shown_policy(all.engine));
  print_assigned(all);
  print_plain(all);
  print_budgets(all);
  if (const OneForAll* plain = plainest(all)) {
    fmt::print("The assignment is estimated to earn {} in all; {} for everybody earns {}: {} more.\n",
               amount(all.found.reward), action_label(all.engine, plain->action),
               amount(plain->reward), amount(all.found.reward - plain->reward));
  }
  if (all.found.ties > 1) {
    fmt::print("ties: {} rows have two actions that are equal at this price. The {} of them that come "
               "first\nin the file got the dearer one; the model cannot tell them apart.\n",
               all.found.ties, all.found.raised);
  }
  if (all.words.explore > 0.0) {
    fmt::print("explore: {:.4g} of the rows drew their action; column p is the probability.\n",
               all.words.explore);
  }
  if (!all.words.out.empty()) fmt::print("written to {}\n", all.words.out);
}

Json numbers_of(const Assigned& all, double reward, const Costs& spent) {
  Json::Object out{{"reward", reward}};
  for (int i = 0; i < spent.size(); ++i) out.emplace_back(all.costs()[as_size(i)].name, spent[i]);
  return out;
}

Json to_value(const Assigned& all) {
  Json::Object budgets, prices;
  Json::List actions;
  for (std::size_t i = 0; i < all.totals.size(); ++i) {
    if (std::isfinite(all.totals[i])) budgets.emplace_back(all.costs()[i].name, all.totals[i]);
    prices.emplace_back(all.costs()[i].name, all.found.prices[static_cast<int>(i)]);
  }
  const auto sums = by_action(all);
  for (std::size_t a = 0; a < sums.size(); ++a) {
    const OneForAll& each = all.found.one_for_all[a];
    const Costs spent(std::span<const double>(sums[a]).subspan(2));
    actions.emplace_back(Json::Object{{"action", action_label(all.engine, each.action)},
                                      {"rows", static_cast<std::int64_t>(sums[a][0])},
                                      {"assigned", numbers_of(all, sums[a][1], spent)},
                                      {"everybody", numbers_of(all, each.reward, each.spent)}});
  }
  return Json::Object{{"kind", "assign"},
                      {"policy", all.engine.policy_origin().asked},
                      {"rows", all.customers.rows},
                      {"budgets", std::move(budgets)},
                      {"prices", std::move(prices)},
                      {"explore", all.words.explore},
                      {"seed", all.words.seed},
                      {"total", numbers_of(all, all.found.reward, all.found.spent)},
                      {"expected", numbers_of(all, all.found.expected_reward, all.found.expected_spent)},
                      {"ties", all.found.ties},
                      {"raised", all.found.raised},
                      {"actions", std::move(actions)}};
}

int assign_verb(const AssignWords& words) {
  check_stdout();
  if (!words.out.empty()) {
    for (const std::string* read : {&words.model, &words.customers}) {
      if (same_file(words.out, *read)) {
        throw UsageError(fmt::format("--out: {} is read by this command; accepted: another file", *read));
      }
    }
    check_writable(words.out).check();
  }
  const Engine engine = load_model(words.model);
  const Shape& shape = engine.policy().shape();
  if (shape.features > 0) {
    throw UsageError(fmt::format("{}: its actions have features of their own; accepted: a model whose "
                                 "rows have features only; in Python: agent.assign(frame, actions=...)",
                                 words.model));
  }
  const AssignOptions options{.totals = totals_of(words, shape),
                              .explore = words.explore,
                              .seed = static_cast<std::uint64_t>(words.seed)};
  const Customers customers = read_customers(words.customers, engine);
  if (!customers.unused.empty()) {
    std::string names;
    for (const std::string& name : customers.unused) names += (names.empty() ? "" : ", ") + name;
    complain(fmt::format("{}: the model does not use the columns {}", words.customers, names));
  }
  std::vector<ColumnValues> values;
  std::vector<std::int32_t> ids;
  const RoundBatch rounds = customers.rounds(engine, values, ids);
  const Assignment found = [&] {
    Progress bar;
    return typed(assign(engine, rounds, options, [&](std::int64_t done) {
      bar.show(done, rounds.rounds);
      return go_on();
    }));
  }();
  if (!words.out.empty()) {
    write_whole(words.out, assigned_csv(customers, engine, found)).check();
  }
  const Assigned all{engine, customers, found, options.totals, words};
  if (words.json) {
    fmt::print("{}\n", to_value(all).str());
  } else {
    print_for_people(all);
  }
  return kOk;
}

constexpr const char* kAssignExamples =
    "MODEL is a file that rein train --save, rein whatif --save-policy or Agent.save wrote. ROWS is a CSV\n"
    "file with the columns of its context, named as in the log: with or without x_ before them.\n"
    "\n"
    "Every row gets one action. The model's estimates of reward and costs decide, at the price at which\n"
    "the whole file meets the budget. So half a month's customers get half a month's money only if you\n"
    "say so: a budget is the total over the file. Nothing is learned, and MODEL does not change.\n"
    "\n"
    "--out has the columns of ROWS, then a (the action), p (its probability), estimated_reward and\n"
    "estimated_NAME. With the outcomes added as r and c_NAME it is the next log; --explore makes that\n"
    "log say something about the other actions too.\n"
    "\n"
    "Examples:\n"
    "  rein train past.csv --policy 'ccb(rate=0.3333)' --save mail.rein\n"
    "  rein assign mail.rein customers.csv --budget cost=1666 --out assignment.csv\n"
    "  rein assign mail.rein customers.csv --budget cost=1666 --explore 0.05 --seed 7 --out assignment.csv\n"
    "  rein whatif past.csv --budget cost=0.1:0.4 --save-policy half.rein --save-at cost=0.2\n"
    "  rein assign half.rein customers.csv --budget cost=1000 --json";

}  // namespace

Verb add_assign(CLI::App& program) {
  auto words = std::make_shared<AssignWords>();
  CLI::App* verb = program.add_subcommand(
      "assign", "an action for every row of a file, so that the totals meet budgets");
  verb->add_option("MODEL", words->model, "Saved model or policy")->required();
  verb->add_option("ROWS", words->customers, "CSV file, plain or gzip: one row per decision")
      ->required();
  one_each(verb->add_option("--budget", words->budgets,
                            "NAME=TOTAL of a cost over the whole file; repeatable"));
  verb->add_option("--out", words->out, "CSV file for the rows with their actions")
      ->type_name("FILE");
  verb->add_option("--explore", words->explore,
                   "Share of the rows whose action is drawn from all, for the next log [0]")
      ->check(number_from(0.0, 1.0));
  verb->add_option("--seed", words->seed, "Seed of that draw [1]")
      ->check(number_from(0, std::int64_t{1} << 53));
  verb->add_flag("--json", words->json, "Print one JSON object");
  verb->footer(kAssignExamples);
  return [words] { return stoppable("assign", [&] { return assign_verb(*words); }); };
}

}  // namespace rein::app
