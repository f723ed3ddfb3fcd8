#include "solve/columns.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "solve/lp.h"

namespace rein {
namespace {

// Limit on the passes over all rounds.
constexpr int kMostSteps = 4'000;
// A v below this, per round, is rounding (CLP's tolerance).
constexpr double kLeastMeanViolation = 1e-10;

// The averages over rounds of one choice of actions: the reward, and every cost minus its budget.
struct Column {
  double reward = 0.0;
  Costs over;
  bool operator==(const Column&) const = default;
};

class Decomposition {
 public:
  Decomposition(const RoundPoints& rounds, std::span<const double> budgets)
      : rounds_(rounds), m_(rounds.costs), count_(static_cast<double>(rounds.counts.size())) {
    budgets_ = Costs(budgets);
    const Costs largest = largest_costs();
    for (int i = 0; i < m_; ++i) {
      // A budget that no choice comes near does not bind. Its size would exceed the solver's
      // precision.
      budgets_[i] = std::min(budgets_[i] / count_, 2.0 * largest[i]);
    }
    for (int i = 0; i < m_; ++i) rows_.push_back(master_.add_row(-Lp::kInfinity, 0.0));
    rows_.push_back(master_.add_row(1.0, 1.0));
    const std::vector<double> minus(static_cast<std::size_t>(m_), -1.0);
    relax_ = master_.add_column(-1.0, {rows_.data(), minus.size()}, minus);
  }

  LongTermAnswer solve() {
    LongTermAnswer answer{.prices = Costs(m_)};
    add(pick(1.0, Costs(m_)));
    add(pick(0.0, Costs(m_, 1.0 / m_)));
    const double v = least_v();
    const bool feasible = v <= kLeastMeanViolation;
    answer.relaxed = feasible ? 0.0 : v * count_;
    answer.value = most_reward(feasible ? 0.0 : v + kLongTermSlack, answer) * count_;
    answer.steps = steps_;
    return answer;
  }

 private:
  // The largest absolute values over all points.
  Costs largest_costs() const {
    Costs largest(m_);
    const std::size_t stride = static_cast<std::size_t>(m_) + 1;
    for (std::size_t at = 0; at + stride <= rounds_.points.size(); at += stride) {
      for (int i = 0; i < m_; ++i) {
        const double cost = rounds_.points[at + static_cast<std::size_t>(i) + 1];
        largest[i] = std::max(largest[i], std::abs(cost));
      }
    }
    return largest;
  }

  // The actions with the largest weight * reward - <prices, costs> in every round.
  Column pick(double weight, const Costs& prices) {
    ++steps_;
    Column column{.over = Costs(m_)};
    const double* point = rounds_.points.data();
    const std::ptrdiff_t stride = m_ + 1;
    for (const std::int32_t count : rounds_.counts) {
      const double* best = point;
      double most = -Lp::kInfinity;
      for (std::int32_t a = 0; a < count; ++a, point += stride) {
        double score = weight * point[0];
        for (int i = 0; i < m_; ++i) score -= prices[i] * point[i + 1];
        if (score > most) {
          most = score;
          best = point;
        }
      }
      column.reward += best[0];
      for (int i = 0; i < m_; ++i) column.over[i] += best[i + 1];
    }
    column.reward /= count_;
    for (int i = 0; i < m_; ++i) column.over[i] = column.over[i] / count_ - budgets_[i];
    return column;
  }

  void add(const Column& column) {
    std::vector<double> entries(column.over.begin(), column.over.end());
    entries.push_back(1.0);
    master_.add_column(reward_counts_ ? column.reward : 0.0, rows_, entries);
    columns_.push_back(column);
  }

  Costs prices() const {
    Costs prices(m_);
    for (int i = 0; i < m_; ++i) prices[i] = std::max(0.0, master_.price(i));
    return prices;
  }

  // Phase one: the smallest relaxation. Columns count only by their costs.
  double least_v() {
    double low = 0.0;
    while (true) {
      check(master_.maximize() == LpStatus::kOptimal, "some v makes the budgets feasible");
      const double v = master_.x(relax_);
      if (v <= kLeastMeanViolation || steps_ > kMostSteps) return v;
      const Costs mu = prices();
      const Column next = pick(0.0, mu);
      double reach = 0.0;
      for (int i = 0; i < m_; ++i) reach += mu[i] * next.over[i];
      low = std::max(low, reach);
      if (v - low <= 0.01 * kLongTermGap || known(next)) return v;
      add(next);
    }
  }

  // Phase two: the largest reward with the required relaxation, and its prices.
  double most_reward(double room, LongTermAnswer& answer) {
    reward_counts_ = true;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      master_.set_value(static_cast<int>(k) + 1, columns_[k].reward);
    }
    for (int i = 0; i < m_; ++i) master_.set_row(i, -Lp::kInfinity, room);
    master_.drop(relax_);
    double high = Lp::kInfinity;
    while (true) {
      check(master_.maximize() == LpStatus::kOptimal, "a feasible master has a best mixture");
      const double low = master_.value();
      const Costs mu = prices();
      const Column next = pick(1.0, mu);
      double reach = next.reward;
      for (int i = 0; i < m_; ++i) reach -= mu[i] * (next.over[i] - room);
      if (reach < high) {
        high = reach;
        answer.prices = mu;
      }
      answer.gap = (high - low) / std::max(1.0, std::abs(low));
      if (answer.gap <= kLongTermGap || steps_ > kMostSteps || known(next)) return low;
      add(next);
    }
  }

  // A column that the master already has cannot improve it: the remaining gap is rounding.
  bool known(const Column& column) const {
    return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
  }

  RoundPoints rounds_;
  int m_;
  double count_;
  Costs budgets_;
  Lp master_;
  std::vector<int> rows_;
  int relax_ = 0;
  bool reward_counts_ = false;
  std::vector<Column> columns_;
  int steps_ = 0;
};

}  // namespace

LongTermAnswer solve_by_columns(const RoundPoints& rounds, std::span<const double> budgets) {
  if (rounds.counts.empty()) return {.prices = Costs(rounds.costs)};
  return Decomposition(rounds, budgets).solve();
}

}  // namespace rein
