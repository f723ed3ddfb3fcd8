// Rounds played by hand: the policy decides, the test says which action was taken and what came.
#pragma once

#include "policy/play.h"

namespace rein {

// Every round offers all actions; nothing is known about them but who they are.
struct Hand {
  explicit Hand(const Case& c) : game(c) {}

  const Decision& decide() {
    game.policy->decide(round(), game.rng, game.scratch, game.decision).check();
    return game.decision;
  }
  // Learns this outcome for this action, whatever was drawn.
  void learn(int action, const Outcome& outcome) {
    game.decision.action = action;
    game.policy->learn(round(), game.decision, outcome).check();
  }
  Round round() const { return {.actions = game.policy->shape().actions}; }
  PolicyState state() const { return game.policy->state(); }

  Game game;
};

// Two actions, T = 100; costs in these ranges.
inline Case two_actions(const std::string& spec, const std::vector<Range>& ranges) {
  Case c{.spec = spec, .shape = {.actions = 2, .rounds = 100}};
  for (const Range& range : ranges) {
    c.shape.costs.push_back({"cost_" + std::to_string(c.shape.costs.size()), range});
  }
  return c;
}

// f^ - sum of price g^ for both actions, from what the decision says of itself.
inline double gap_of(const Decision& d) {
  double score[2] = {d.estimates.mean(0)[0], d.estimates.mean(0)[1]};
  for (int i = 0; i < d.prices.size(); ++i) {
    for (int a : {0, 1}) score[a] -= d.prices[i] * d.estimates.mean(i + 1)[a];
  }
  return std::abs(score[0] - score[1]);
}

}  // namespace rein
