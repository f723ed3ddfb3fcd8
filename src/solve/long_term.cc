#include "solve/long_term.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/math.h"
#include "base/size.h"
#include "solve/columns.h"
#include "solve/lp.h"

namespace rein {
namespace {

// Comparing every pair of actions is worth its time only for few actions.
constexpr int kMostCompared = 64;

}  // namespace

Result<> LongTerm::check_solver(int costs, std::string_view what) {
  if (has_lp() || costs <= 1) return {};
  return Error{
      fmt::format("{} needs a linear program for {} costs, and rein was built without CLP; "
                  "accepted: one cost, or a build with REIN_CLP=ON",
                  what, costs),
      Reason::kFailed};
}

LongTerm::LongTerm(int most_actions, int costs, std::size_t most_doubles)
    : costs_(costs), most_doubles_(most_doubles), beaten_(as_size(most_actions)) {}

void LongTerm::add(std::span<const double> values, int actions) {
  check(actions >= 1 && as_size(actions) <= beaten_.size(), "LongTerm was made for these actions");
  check(values.size() >= as_size(actions) * as_size(1 + costs_), "LongTerm needs every mean");
  if (over_limit_) return;
  if (costs_ == 0) {
    base_reward_ += *std::max_element(values.begin(), values.begin() + actions);
  } else if (costs_ == 1) {
    add_segments(values, actions);
  } else {
    add_points(values, actions);
  }
  if (2 * segments_.size() + points_.size() > most_doubles_) {
    over_limit_ = true;
    std::vector<Segment>().swap(segments_);
    std::vector<double>().swap(points_);
    std::vector<std::int32_t>().swap(counts_);
  }
}

// Follows the upper hull from the cheapest action (the best of them) to the best action.
void LongTerm::add_segments(std::span<const double> values, int actions) {
  const double* f = values.data();
  const double* g = f + actions;
  int at = 0;
  for (int a = 1; a < actions; ++a) {
    if (g[a] < g[at] || (g[a] == g[at] && f[a] > f[at])) at = a;
  }
  base_reward_ += f[at];
  base_cost_ += g[at];
  while (true) {
    int next = -1;
    double steepest = 0.0;
    for (int a = 0; a < actions; ++a) {
      if (!(f[a] > f[at] && g[a] > g[at])) continue;
      const double slope = (f[a] - f[at]) / (g[a] - g[at]);
      if (next < 0 || slope > steepest || (slope == steepest && g[a] > g[next])) {
        next = a;
        steepest = slope;
      }
    }
    if (next < 0) return;
    segments_.push_back({f[next] - f[at], g[next] - g[at]});
    at = next;
  }
}

// Keeps the actions that are not dominated: no other has at least the reward at no more of any
// cost.
void LongTerm::add_points(std::span<const double> values, int actions) {
  const auto at = [&](int head, int a) {
    return values[as_size(head) * as_size(actions) + as_size(a)];
  };
  const auto beats = [&](int a, int b) {
    if (at(0, a) < at(0, b)) return false;
    for (int i = 1; i <= costs_; ++i) {
      if (at(i, a) > at(i, b)) return false;
    }
    return true;
  };
  std::fill_n(beaten_.begin(), actions, char{0});
  for (int a = 0; a < actions && actions <= kMostCompared; ++a) {
    for (int b = 0; b < actions && beaten_[as_size(a)] == 0; ++b) {
      if (a != b && beaten_[as_size(b)] == 0 && beats(b, a)) beaten_[as_size(a)] = 1;
    }
  }
  std::int32_t kept = 0;
  for (int a = 0; a < actions; ++a) {
    if (beaten_[as_size(a)] != 0) continue;
    points_.push_back(at(0, a));
    for (int i = 0; i < costs_; ++i) points_.push_back(at(i + 1, a));
    ++kept;
  }
  counts_.push_back(kept);
}

LongTermAnswer LongTerm::solve(std::span<const double> budgets) {
  check(static_cast<int>(budgets.size()) == costs_, "one budget per cost");
  if (over_limit_) return {.value = kNan};
  if (costs_ == 0) return {.value = base_reward_};
  if (costs_ == 1) return buy_segments(budgets[0]);
  return solve_by_columns({points_, counts_, costs_}, budgets);
}

// A selection, not a sort: splits the segments at a slope, and continues in the half where the
// budget runs out.
LongTermAnswer LongTerm::buy_segments(double budget) {
  LongTermAnswer answer{.value = base_reward_, .prices = Costs(1), .steps = 1};
  double left = budget - base_cost_;
  if (left < 0.0) answer.relaxed = -left;
  const auto steeper = [](const Segment& a, const Segment& b) { return a.slope() > b.slope(); };
  auto begin = segments_.begin();
  auto end = segments_.end();
  while (begin != end && left >= 0.0) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, steeper);
    double reward = 0.0;
    double cost = 0.0;
    for (auto it = begin; it != middle; ++it) {
      reward += it->reward;
      cost += it->cost;
    }
    if (cost > left) {
      end = middle;
    } else {
      answer.value += reward;
      left -= cost;
      if (middle->cost > left) {  // the last segment, in part
        answer.value += middle->reward * (left / middle->cost);
        answer.prices[0] = middle->slope();
        break;
      }
      answer.value += middle->reward;
      left -= middle->cost;
      begin = middle + 1;
    }
  }
  return answer;
}

}  // namespace rein
