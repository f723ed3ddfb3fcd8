// Scores of linear oracles that have a context alone and parameters per action.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "estimate/play.h"

namespace rein {
namespace {

const Shape kLinearShape{.actions = 3, .context = 2};

// theta of each action is (two slopes, bias), and learns from the rounds of its action alone.
TEST(LinearScores, ParametersPerActionHaveABias) {
  auto oracle = oracle_of("adagrad(rate=0.7)", kLinearShape);
  Rounds rounds(kLinearShape, false, 4);
  double theta[3][3] = {}, squares[3][3] = {};
  for (int t = 0; t < 60; ++t) {
    const OwnedRound round = rounds.next();
    const double phi[3] = {round.context[0], round.context[1], 1.0};
    const Estimates e = predict(*oracle, kLinearShape, round.view());
    double p[3] = {};
    for (int a = 0; a < 3; ++a) {
      for (int i = 0; i < 3; ++i) p[a] += theta[a][i] * phi[i];
      p[a] = std::clamp(p[a], -1.0, 1.0);
      ASSERT_NEAR(e.mean(0)[a], p[a], 1e-10) << "round " << t;
    }
    const int action = t % 3;
    const double y = rounds.outcomes()[0];
    for (int i = 0; i < 3; ++i) {
      const double g = 2.0 * (p[action] - y) * phi[i];
      squares[action][i] += g * g;
      if (g != 0.0) theta[action][i] -= 0.7 * g / std::sqrt(squares[action][i]);
      theta[action][i] = std::clamp(theta[action][i], -1.0, 1.0);
    }
    oracle->learn(round.view(), action, {&y, 1});
  }
}

// All actions at once and a list of their ids take different paths to the same bits.
TEST(LinearScores, ARoundThatListsItsActionsHasTheSameBits) {
  for (const char* spec : {"adagrad", "ons", "adagrad(bias=0)"}) {
    SCOPED_TRACE(spec);
    auto oracle = oracle_of(spec, kLinearShape);
    Rounds rounds(kLinearShape, false, 6);
    for (int t = 0; t < 30; ++t) {
      OwnedRound round = rounds.next();
      const double y = rounds.outcomes()[0];
      const Estimates all = predict(*oracle, kLinearShape, round.view());
      round.ids = {0, 1, 2};
      const Estimates listed = predict(*oracle, kLinearShape, round.view());
      for (int a = 0; a < 3; ++a) ASSERT_EQ(all.mean(0)[a], listed.mean(0)[a]);
      oracle->learn(round.view(), t % 3, {&y, 1});
    }
  }
}

}  // namespace
}  // namespace rein
