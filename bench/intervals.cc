// How often the intervals of rein evaluate and the bands of rein whatif hold: docs/lab/intervals.md.
//
//     build/bench/intervals [LOGS [FIRST [NAME]]]     prints the table of that page, seeds from FIRST on; only
//                                                     rows whose name contains NAME
//
// Two actions, played by chance alike (or by a learner). What action 1 earns does not depend on the
// context, so the true value of every policy is known from how often it plays action 1.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "rein/policy_values.h"
#include "rein/rng.h"
#include "rein/whatif.h"

namespace {

using rein::OfflineRows;
using rein::Rng;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Problem {
  std::string name;
  std::int64_t rows;
  // The reward of an action whose mean is `times` that of the other one.
  std::function<double(Rng&, double times)> reward;
  double mean;            // of times = 1
  std::int64_t together = 1;  // rows per unit
  double of_unit = 0.0;   // deviation of what the rows of a unit have in common
  double drift = 0.0;     // added to the rewards of the second half
  bool more_often = false;  // the drift is added to the chance of a yes
  bool learner = false;
  bool uneven = false;  // action 1 is played in 0.1, 0.5 or 0.9 of the rows, by chance
  rein::OutcomeRange range{kNan, kNan};
};

struct Data {
  std::vector<std::int32_t> played, unit;
  std::vector<double> propensity, outcomes, context;
  OfflineRows view() const {
    return {.rows = static_cast<std::int64_t>(played.size()),
            .actions = 2,
            .heads = 2,
            .features = 1,
            .played = played,
            .propensity = propensity,
            .outcomes = outcomes,
            .context = context,
            .unit = unit};
  }
};

constexpr double kTimes[] = {1.0, 2.0};

std::function<double(Rng&, double)> rare(double share) {
  return [share](Rng& rng, double times) { return rng.uniform() < times * share ? 1.0 : 0.0; };
}

Data log_of(const Problem& problem, std::uint64_t seed) {
  Rng rng(seed, 0x696e74);
  Data out;
  double sum[2] = {0.0, 0.0};
  double count[2] = {1.0, 1.0};
  double common = 0.0;
  double x = 0.0;
  for (std::int64_t row = 0; row < problem.rows; ++row) {
    if (row % problem.together == 0) {
      common = problem.of_unit * rng.normal();
      x = rng.uniform();
    }
    // A learner plays what looks better in nine rows of ten.
    const int best = sum[1] / count[1] >= sum[0] / count[0] ? 1 : 0;
    const double uneven = problem.uneven ? 0.1 + 0.4 * static_cast<double>(rng.below(3)) : 0.5;
    const double first = !problem.learner ? uneven : best == 1 ? 0.9 : 0.1;
    const int a = rng.uniform() < first ? 1 : 0;
    const double drift = 2 * row >= problem.rows ? problem.drift : 0.0;
    const double y = problem.more_often ? rare(problem.mean)(rng, kTimes[a] + drift / problem.mean)
                                        : problem.reward(rng, kTimes[a]) + common + drift;
    sum[a] += y;
    count[a] += 1.0;
    out.played.push_back(a);
    out.propensity.push_back(a == 1 ? first : 1.0 - first);
    out.outcomes.insert(out.outcomes.end(), {y, a == 1 ? 1.0 : 0.0});
    out.context.push_back(x);
    if (problem.together > 1) out.unit.push_back(static_cast<std::int32_t>(row / problem.together));
  }
  return out;
}

struct Count {
  int logs = 0, printed = 0, held = 0;
  void add(bool has, bool holds) {
    ++logs;
    printed += has ? 1 : 0;
    held += has && holds ? 1 : 0;
  }
  // "96.2 % of 480"; of fewer than 20 logs nothing is said.
  std::string str() const {
    if (printed < 20) return fmt::format("none ({})", printed);
    return fmt::format("{:.1f} % of {}", 100.0 * held / printed, printed);
  }
};

bool inside(double low, double high, double truth) { return low <= truth && truth <= high; }

void check_values(const Problem& problem, const Data& log, Count& fixed, Count& sequence) {
  rein::PolicyValuesOptions options{.policies = {"action(1)"}};
  options.learner.heads = {"reward", "cost"};
  options.value.adaptive = problem.learner ? rein::Adaptive::kYes : rein::Adaptive::kNo;
  if (problem.range.low < problem.range.high) {
    options.learner.ranges = {problem.range, {0.0, 1.0}};
    options.sequence = problem.together == 1;
  }
  const auto found = rein::policy_values(log.view(), options).value();
  const rein::PolicyLine& line = found.policies[0];
  const rein::PolicyValue& best = line.evaluation.values[line.evaluation.recommended];
  const double truth = kTimes[1] * problem.mean + problem.drift / 2.0;
  fixed.add(!std::isnan(best.low[0]), inside(best.low[0], best.high[0], truth));
  if (line.sequences.empty()) return;
  const rein::ConfidenceSequence& each = line.sequences[0];
  sequence.add(!std::isnan(each.low[0]), inside(each.low[0], each.high[0], truth));
}

void check_band(const Problem& problem, const Data& log, Count& band) {
  const rein::WhatifOptions options{
      .budgets = {0.2, 0.4, 0.6, 0.8},
      .adaptive = problem.learner ? rein::Adaptive::kYes : rein::Adaptive::kNo};
  const auto found = rein::whatif(log.view(), options).value();
  bool has = true;
  bool holds = true;
  for (const rein::CurvePoint& point : found.points) {
    if (!point.possible) continue;
    const rein::CurveValue& value = point.values[0];
    has = has && !std::isnan(value.band_low);
    const double share = point.shares[1];
    const double truth = problem.mean * (kTimes[0] + share * (kTimes[1] - kTimes[0])) +
                         problem.drift / 2.0;
    holds = holds && inside(value.band_low, value.band_high, truth);
  }
  band.add(has, holds);
}

std::function<double(Rng&, double)> lognormal(double sigma) {
  return [sigma](Rng& rng, double times) { return times * std::exp(sigma * rng.normal()); };
}
std::function<double(Rng&, double)> pareto(double index) {
  return [index](Rng& rng, double times) {
    return times * std::pow(1.0 - rng.uniform(), -1.0 / index);
  };
}

// A normal number over the root of a gamma variable, from exponential and squared normal ones. REQUIRES twice
// the freedom to be whole.
std::function<double(Rng&, double)> student(double freedom) {
  return [freedom](Rng& rng, double times) {
    // Marsaglia and Tsang's gamma variable of shape freedom / 2 + 1, brought down to freedom / 2.
    const double d = freedom / 2.0 + 2.0 / 3.0;
    double gamma = 0.0;
    while (gamma == 0.0) {
      const double x = rng.normal();
      const double v = std::pow(1.0 + x / std::sqrt(9.0 * d), 3.0);
      if (v > 0.0 && std::log(1.0 - rng.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v))
        gamma = d * v;
    }
    gamma *= std::pow(1.0 - rng.uniform(), 2.0 / freedom);
    return times * (1.0 + rng.normal() / std::sqrt(2.0 * gamma / freedom));
  };
}
std::function<double(Rng&, double)> weibull(double shape) {
  return [shape](Rng& rng, double times) {
    return times * std::pow(-std::log(1.0 - rng.uniform()), 1.0 / shape);
  };
}
// So many rewards are of this law, the others of the other one.
std::function<double(Rng&, double)> mixed(double share, std::function<double(Rng&, double)> law,
                                          std::function<double(Rng&, double)> other) {
  return [=](Rng& rng, double times) {
    return rng.uniform() < share ? law(rng, times) : other(rng, times);
  };
}

double nothing(Rng&, double) { return 0.0; }

// Laws with heavy tails, or tails that look heavy.
void add_tails(std::int64_t rows, std::vector<Problem>& out) {
  for (const double sigma : {1.0, 1.5, 2.0}) {
    out.push_back({fmt::format("lognormal, sigma {:g}", sigma), rows, lognormal(sigma),
                   std::exp(sigma * sigma / 2.0)});
  }
  for (const double index : {3.0, 2.5, 2.2, 1.8, 1.5, 1.2}) {
    out.push_back({fmt::format("Pareto, index {:g}", index), rows, pareto(index),
                   index / (index - 1.0)});
  }
  for (const double freedom : {4.0, 2.5, 1.5})
    out.push_back({fmt::format("Student, {:g} degrees", freedom), rows, student(freedom), 1.0});
  out.push_back({"Weibull, shape 0.5", rows, weibull(0.5), 2.0});
  const auto normal = [](Rng& rng, double times) { return times + rng.normal(); };
  out.push_back({"half lognormal with sigma 1, half normal", rows, mixed(0.5, lognormal(1.0), normal),
                 0.5 * (1.0 + std::exp(0.5))});
  out.push_back({"half Pareto with index 1.5, half normal", rows, mixed(0.5, pareto(1.5), normal), 2.0});
  out.push_back({"a tenth Pareto with index 1.5, others normal", rows, mixed(0.1, pareto(1.5), normal),
                 0.1 * 3.0 + 0.9});
}

std::vector<Problem> problems() {
  std::vector<Problem> out;
  for (const std::int64_t rows : {1000, 5000}) {
    for (const double share : {0.0005, 0.001, 0.002, 0.005, 0.01, 0.1}) {
      out.push_back({fmt::format("yes in {:g} %", 100.0 * share), rows, rare(share), share});
      out.back().range = {0.0, 1.0};
    }
    for (const double share : {0.002, 0.01}) {
      out.push_back({fmt::format("yes in {:g} %, uneven propensities", 100.0 * share), rows,
                     rare(share), share});
      out.back().uneven = true;
      out.back().range = {0.0, 1.0};
    }
    out.push_back({"purchases in 1 %, lognormal", rows,
                   mixed(0.01, lognormal(1.0), nothing), 0.01 * std::exp(0.5)});
    out.push_back({"purchases in 1 %, Pareto with index 1.5", rows, mixed(0.01, pareto(1.5), nothing),
                   0.01 * 3.0});
    add_tails(rows, out);
    out.push_back({"normal", rows,
                   [](Rng& rng, double times) { return times + rng.normal(); }, 1.0});
    out.push_back({"normal, 2 more from the middle on", rows,
                   [](Rng& rng, double times) { return times + rng.normal(); }, 1.0});
    out.back().drift = 2.0;
    out.push_back({"yes in 10 %, in 60 % more from the middle on", rows, rare(0.1), 0.1});
    out.back().drift = 0.6;
    out.back().more_often = true;
    out.back().range = {0.0, 1.0};
    out.push_back({"yes in 1 %, a learner's log", rows, rare(0.01), 0.01});
    out.back().learner = true;
    out.back().range = {0.0, 1.0};
    out.push_back({"yes in 20 %, a learner's log", rows, rare(0.2), 0.2});
    out.back().learner = true;
    out.back().range = {0.0, 1.0};
    out.push_back({"lognormal, sigma 1, a learner's log", rows, lognormal(1.0), std::exp(0.5)});
    out.back().learner = true;
    out.push_back({"Pareto, index 1.5, a learner's log", rows, pareto(1.5), 3.0});
    out.back().learner = true;
  }
  for (const std::int64_t together : {5, 20, 100}) {
    out.push_back({fmt::format("normal, {} rows per unit", together), 4000,
                   [](Rng& rng, double times) { return times + rng.normal(); }, 1.0, together, 1.0});
  }
  out.push_back({"yes in 1 %, 20 rows per unit", 4000, rare(0.01), 0.01, 20});
  out.push_back({"lognormal, sigma 1, 5 rows per unit", 4000, lognormal(1.0), std::exp(0.5), 5, 1.0});
  out.push_back({"Pareto, index 1.5, 5 rows per unit", 4000, pareto(1.5), 3.0, 5, 1.0});
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  const int logs = argc > 1 ? std::atoi(argv[1]) : 500;
  const std::uint64_t first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const std::string name = argc > 3 ? argv[3] : "";
  fmt::print("| rewards | rows | interval | band | at all times |\n|---|---|---|---|---|\n");
  for (const Problem& problem : problems()) {
    if (problem.name.find(name) == std::string::npos) continue;
    Count fixed, sequence, band;
    for (int i = 0; i < logs; ++i) {
      const Data log = log_of(problem, first + static_cast<std::uint64_t>(i));
      check_values(problem, log, fixed, sequence);
      check_band(problem, log, band);
    }
    fmt::print("| {} | {} | {} | {} | {} |\n", problem.name, problem.rows, fixed.str(), band.str(),
               sequence.logs > 0 ? sequence.str() : "");
    std::fflush(stdout);
  }
  return 0;
}
