// Shares: least and most probabilities of actions, and a random control group (the holdout).
//
//     p_a = h [a is the control] + l_a + q_a,    sum q_a = k = 1 - h - sum l_a
//
// h is the holdout, l_a the least share of action a, and q the policy's own choice: k times its
// distribution. Sums run over the actions of the round. So p_a >= l_a in every round. Where q_a
// would lift p_a above the most share, it is cut, and the policy chooses again among the others.
//
// Hard budgets, the limit of a request and the offered set decide first which actions a round has. The
// least share of an action that the round lacks is added to k, so the other actions get it in proportion
// to the policy's choice. The room of an action is its most share less l_a. If the rooms of all actions
// of the round add up to less than k, all rooms grow in proportion. A round that lacks the control has
// no holdout.
//
// Whether a round is in the holdout depends on the random number alone: not on the context, and not
// on what was learned. The policy's own rules near the end of a budget do not apply to shares.
#pragma once

#include <span>
#include <vector>

#include "base/spec_reader.h"
#include "explore/explorer.h"
#include "rein/policy.h"

namespace rein {

class Shares {
 public:
  Shares() = default;
  // The keys least, most, holdout and control. Errors are left in `read`.
  Shares(SpecReader& read, const Shape& shape);

  bool active() const { return active_; }
  bool capped() const { return !most_.empty(); }
  // k: the share of the policy's own choice in this round.
  double kept(const Round& round) const;
  // The probability that an action of the round has whatever the policy chooses.
  double forced(const Round& round, int action) const;
  // The most that the policy's own choice may add to each action; together at least kept().
  void rooms(const Round& round, std::span<double> out) const;

  // Numbers of working memory that mix() takes.
  std::size_t work(int actions) const {
    return capped() ? 3 * static_cast<std::size_t>(actions) : 0;
  }
  // Changes the probabilities of a decision that has its scores. `gamma` goes with the scores.
  void mix(const Round& round, const Explorer& explorer, double gamma, std::span<double> work,
           Decision& decision) const;
  // Draws the action with u from [0, 1), and says whether the round is in the holdout.
  void draw(const Round& round, double u, Decision& decision) const;

 private:
  void check(SpecReader& read, const Shape& shape) const;
  // The place of the control in the round; -1 if it is missing or there is no holdout.
  int control_in(const Round& round) const;

  bool active_ = false;
  std::vector<double> least_;  // by action id; empty: none
  std::vector<double> most_;
  double holdout_ = 0.0;
  int control_ = -1;
};

// Splits `kept` by the distribution `p`, but gives no action more than its room. The explorer
// chooses among the other actions for what is cut. REQUIRES rooms that hold `kept`. Writes the
// result to `p`. `work` holds two numbers per action.
void fill_rooms(const Explorer& explorer, std::span<const double> scores, double gamma, double kept,
                std::span<const double> rooms, std::span<double> work, std::span<double> p);

}  // namespace rein
