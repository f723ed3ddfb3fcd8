#include "solve/assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/size.h"
#include "solve/long_term.h"

namespace rein {
namespace {

// Scores that differ by less than this share of their size are equal: prices are computed from the
// same numbers, so they differ by rounding alone.
constexpr double kEqualScores = 1e-11;
// The share of a limit by which sums may pass it through rounding.
constexpr double kRoundingShare = 1e-12;

class Assigner {
 public:
  explicit Assigner(const AssignmentInput& input)
      : in_(input), unit_(as_size(1 + input.costs), 0.0), spent_(input.costs) {
    for (int i = 0; i < in_.costs; ++i) {
      if (std::isfinite(in_.limits[as_size(i)])) limited_.push_back(i);
    }
    for (std::int64_t t = 0; t < in_.rounds; ++t) {
      for (int a = 0; a < in_.actions; ++a) {
        if (!offers(t, a)) continue;
        for (int h = 0; h <= in_.costs; ++h) {
          unit_[as_size(h)] = std::max(unit_[as_size(h)], std::abs(at(t, h, a)));
        }
      }
    }
    for (double& unit : unit_) unit = unit > 0.0 ? unit : 1.0;
  }

  Result<AssignedActions> run(std::span<const std::string> names) {
    if (auto found = find_prices(names); !found) return found.failure();
    out_.actions.resize(as_size(in_.rounds));
    for (std::int64_t t = 0; t < in_.rounds; ++t) out_.actions[as_size(t)] = best(t);
    for (int i = 0; i < in_.costs; ++i) spent_[i] = total(i);
    lower();
    raise();
    return std::move(out_);
  }

 private:
  // A change of one round's action.
  struct Step {
    double loss;  // of the score; for lower(), per unit of relief
    std::int64_t round;
    std::int32_t action;
    bool operator<(const Step& other) const {
      if (loss != other.loss) return loss < other.loss;
      return round != other.round ? round < other.round : action < other.action;
    }
  };

  double at(std::int64_t t, int head, int a) const {
    const std::int64_t line = t * (1 + in_.costs) + head;
    return in_.values[as_size(line * in_.actions + a)];
  }
  bool offers(std::int64_t t, int a) const { return !std::isnan(at(t, 0, a)); }
  double limit(int i) const { return in_.limits[as_size(i)]; }
  double room(int i) const {
    return limit(i) - spent_[i] + kRoundingShare * (std::abs(limit(i)) + std::abs(spent_[i]));
  }
  double total(int i) const {
    double sum = 0.0;
    for (std::int64_t t = 0; t < in_.rounds; ++t) sum += at(t, i + 1, out_.actions[as_size(t)]);
    return sum;
  }
  double priced(std::int64_t t, int a) const {
    double sum = 0.0;
    for (const int i : limited_) sum += out_.prices[i] * at(t, i + 1, a);
    return sum;
  }
  double score(std::int64_t t, int a) const { return at(t, 0, a) - priced(t, a); }
  double tolerance(std::int64_t t, int a) const {
    return kEqualScores * (std::abs(at(t, 0, a)) + std::abs(priced(t, a)));
  }

  Result<> find_prices(std::span<const std::string> names) {
    const int m = static_cast<int>(limited_.size());
    out_.prices = Costs(in_.costs);
    if (m == 0) return {};
    if (auto able = LongTerm::check_solver(m, "assign"); !able) return able;
    LongTerm problem(in_.actions, m);
    std::vector<double> values;
    for (std::int64_t t = 0; t < in_.rounds; ++t) {
      std::vector<int> offered;
      for (int a = 0; a < in_.actions; ++a) {
        if (offers(t, a)) offered.push_back(a);
      }
      values.clear();
      for (const int a : offered) values.push_back(at(t, 0, a) / unit_[0]);
      for (const int i : limited_) {
        for (const int a : offered) values.push_back(at(t, i + 1, a) / unit_[as_size(i + 1)]);
      }
      problem.add(values, static_cast<int>(offered.size()));
    }
    std::vector<double> budgets;
    for (const int i : limited_) budgets.push_back(limit(i) / unit_[as_size(i + 1)]);
    const LongTermAnswer answer = problem.solve(budgets);
    if (std::isnan(answer.value)) {
      return Error{fmt::format("assign: {} rounds of {} actions are too many at once; accepted: fewer",
                               in_.rounds, in_.actions)};
    }
    if (answer.relaxed > 1e-9 * static_cast<double>(in_.rounds)) return cannot(answer, names);
    for (int j = 0; j < m; ++j) {
      const int i = limited_[as_size(j)];
      out_.prices[i] = answer.prices[j] * unit_[0] / unit_[as_size(i + 1)];
    }
    return {};
  }

  Error cannot(const LongTermAnswer& answer, std::span<const std::string> names) const {
    if (limited_.size() > 1) {
      return Error{fmt::format(
          "assign: the budgets cannot be met together: some is passed by {:.4g} of its cost's "
          "largest value at best; accepted: larger budgets",
          answer.relaxed)};
    }
    const int i = limited_[0];
    return Error{fmt::format(
        "assign: the budget of {} for {} cannot be met: the cheapest action of every row costs "
        "{:.6g} in all; accepted: at least that",
        limit(i), names[as_size(i)], limit(i) + answer.relaxed * unit_[as_size(i + 1)])};
  }

  // The largest score; of equal ones the cheaper, then the first.
  std::int32_t best(std::int64_t t) {
    int found = -1;
    bool tie = false;
    for (int a = 0; a < in_.actions; ++a) {
      if (!offers(t, a)) continue;
      if (found < 0) {
        found = a;
        continue;
      }
      const double ahead = score(t, a) - score(t, found);
      const double equal = tolerance(t, a) + tolerance(t, found);
      const bool same = std::abs(ahead) <= equal;
      if (ahead > equal || (same && priced(t, a) < priced(t, found) - equal)) {
        tie = same;
        found = a;
      } else if (same && priced(t, a) > priced(t, found) + equal) {
        tie = true;
      }
    }
    if (tie) ++out_.ties;
    return found;
  }

  void take(const Step& step) {
    std::int32_t& now = out_.actions[as_size(step.round)];
    for (int i = 0; i < in_.costs; ++i) {
      spent_[i] += at(step.round, i + 1, step.action) - at(step.round, i + 1, now);
    }
    now = step.action;
  }

  // How much the step takes off limits that are passed, in limits.
  double relief(std::int64_t t, int a) const {
    double sum = 0.0;
    for (const int i : limited_) {
      if (room(i) >= 0.0) continue;
      const double less = at(t, i + 1, out_.actions[as_size(t)]) - at(t, i + 1, a);
      sum += less / unit_[as_size(i + 1)];
    }
    return sum;
  }

  bool over() const {
    return std::ranges::any_of(limited_, [&](int i) { return room(i) < 0.0; });
  }

  // Back to cheaper actions until every limit is kept. Each pass orders the steps by what is passed
  // then; a few passes are enough, because a step never makes a passed limit worse in sum.
  void lower() {
    constexpr int kPasses = 8;
    for (int pass = 0; pass < kPasses && over(); ++pass) {
      std::vector<Step> steps;
      for (std::int64_t t = 0; t < in_.rounds; ++t) {
        const double now = score(t, out_.actions[as_size(t)]);
        for (int a = 0; a < in_.actions; ++a) {
          const double less = offers(t, a) ? relief(t, a) : 0.0;
          if (less > 0.0) steps.push_back({(now - score(t, a)) / less, t, a});
        }
      }
      std::ranges::sort(steps, std::less<>());
      for (const Step& step : steps) {
        if (!over()) return;
        if (relief(step.round, step.action) > 0.0) take(step);
      }
    }
  }

  bool fits(const Step& step) const {
    const std::int32_t now = out_.actions[as_size(step.round)];
    return std::ranges::all_of(limited_, [&](int i) {
      const double more = at(step.round, i + 1, step.action) - at(step.round, i + 1, now);
      return more <= 0.0 || more <= room(i);
    });
  }

  // Buys better actions with what is left.
  void raise() {
    if (limited_.empty()) return;
    std::vector<Step> steps;
    for (std::int64_t t = 0; t < in_.rounds; ++t) {
      const std::int32_t now = out_.actions[as_size(t)];
      for (int a = 0; a < in_.actions; ++a) {
        if (!offers(t, a) || !(at(t, 0, a) > at(t, 0, now))) continue;
        const double loss = score(t, now) - score(t, a);
        const double equal = tolerance(t, now) + tolerance(t, a);
        steps.push_back({loss <= equal ? 0.0 : loss, t, a});
      }
    }
    std::ranges::sort(steps, std::less<>());
    for (const Step& step : steps) {
      const std::int32_t now = out_.actions[as_size(step.round)];
      if (!(at(step.round, 0, step.action) > at(step.round, 0, now)) || !fits(step)) continue;
      if (step.loss == 0.0) ++out_.raised;
      take(step);
    }
  }

  const AssignmentInput& in_;
  std::vector<double> unit_;  // the largest absolute value of each head
  std::vector<int> limited_;  // costs with a limit
  AssignedActions out_;
  Costs spent_;
};

}  // namespace

Result<AssignedActions> assign_actions(const AssignmentInput& input,
                                       std::span<const std::string> names) {
  return Assigner(input).run(names);
}

}  // namespace rein
