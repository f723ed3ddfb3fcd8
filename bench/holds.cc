// What hold=quantile(q) starves and what it risks, beside hold=largest: holds [DECISIONS] [SEED].
//
// Requests come one per tick; a bill comes 1 to 400 ticks later, so about 200 decisions are open. Bills are
// lognormal with a median of 1 cent, cut at the largest cost of 2 dollars. A hard budget has half as much again as
// its 2000 requests usually cost, so with perfect knowledge of the bills nothing would ever be refused.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <queue>
#include <vector>

#include "rein/engine.h"

namespace {

using namespace rein;

constexpr double kLargest = 2.0, kMedian = 0.01;
constexpr std::int64_t kWindow = 2000, kLatest = 400;

struct Row {
  const char* policy;
  double sigma;      // of the logarithm of the bill, given the context
  double by_context;  // the bill grows with the context by this power of e
  double quantile;
};

struct Due {
  std::int64_t at;
  std::uint64_t id;
  double bill;
  bool operator<(const Due& other) const { return at > other.at; }
};

double normal(Rng& rng) {
  return std::sqrt(-2.0 * std::log(1.0 - rng.uniform())) * std::cos(6.283185307179586 * rng.uniform());
}

double bill_of(const Row& row, double x, Rng& rng) {
  return std::min(kLargest, kMedian * std::exp(row.by_context * (x - 0.5) + row.sigma * normal(rng)));
}

double usual_spend(const Row& row) {
  Rng rng(99);
  double sum = 0.0;
  for (int n = 0; n < 200'000; ++n) sum += bill_of(row, rng.uniform(), rng);
  return sum / 200'000 * static_cast<double>(kWindow);
}

void play(const Row& row, std::int64_t decisions, std::uint64_t seed) {
  const double amount = std::round(1.5 * usual_spend(row));
  Budget budget{.name = "all", .cost = "dollars", .amount = amount, .kind = BudgetKind::kHard,
                .window = Window::ticks(kWindow)};
  budget.hold_quantile = row.quantile;
  const Shape shape{.actions = 1, .context = 2, .costs = {{.name = "dollars", .range = {0.0, kLargest}}}};
  EngineOptions options{.seed = seed, .most_open = 10'000, .remember = 1000};
  options.budgets = {budget};
  Engine engine = Engine::make(row.policy, shape, options).value();
  Rng rng(seed);
  std::priority_queue<Due> due;
  std::int64_t refused = 0, bills = 0, windows_over = 0;
  double most_over = 0.0, held = 0.0;
  std::vector<double> spent(static_cast<std::size_t>(decisions / kWindow + 1));
  for (std::int64_t now = 0; now < decisions; ++now) {
    engine.tick(now).check();
    for (; !due.empty() && due.top().at <= now; due.pop()) {
      engine.learn(due.top().id, {.reward = 0.0, .costs = {due.top().bill}}).check();
      ++bills;
    }
    const double x = rng.uniform(), bill = bill_of(row, x, rng);
    const std::vector<double> context = {1.0, x};
    const auto made = engine.decide({.actions = 1, .context = context});
    if (!made) {
      ++refused;
      continue;
    }
    due.push({now + 1 + rng.below(kLatest), made.value().id, bill});
    spent[static_cast<std::size_t>(now / kWindow)] += bill;
    if (now % 1000 == 500) held += static_cast<double>(engine.state().budgets[0].held) / 1e6;
  }
  for (const double each : spent) {
    windows_over += each > amount + 1e-6;
    most_over = std::max(most_over, each - amount);
  }
  const BudgetState state = engine.state().budgets[0];
  const double all = static_cast<double>(decisions), of = static_cast<double>(std::max<std::int64_t>(1, bills));
  fmt::print("{:8} {:5.1f} {:7.1f}  {:16} {:8.2f} {:10.2f} {:9.3f} % {:9} {:9} {:10} {:9} {:9.2f}\n", row.policy, row.sigma,
             row.by_context, hold_of(budget), amount, held / (all / 1000.0), 100.0 * static_cast<double>(refused) / all,
             bills, state.passed_holds,
             row.quantile == 0.0 ? "-" : fmt::format("{:.5f}", static_cast<double>(state.passed_holds) / of),
             windows_over, most_over);
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t decisions = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const auto seed = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1);
  fmt::print("{:8} {:>5} {:>7}  {:16} {:>8} {:>10} {:>11} {:>9} {:>9} {:>10} {:>9} {:>9}\n", "policy", "sigma", "context",
             "hold", "amount", "mean held", "starved", "bills", "passed", "share", "win. over", "most over");
  for (const double sigma : {0.5, 1.0, 1.5}) {
    for (const double quantile : {0.0, 0.99, 0.999, 0.9999}) play({"uniform", sigma, 0.0, quantile}, decisions, seed);
  }
  for (const double quantile : {0.0, 0.999}) play({"uniform", 0.5, 3.0, quantile}, decisions, seed);
  for (const double quantile : {0.0, 0.999}) play({"ccb", 0.5, 3.0, quantile}, decisions, seed);
}
