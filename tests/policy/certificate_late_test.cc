// The certificate of an outcome that came late, after the oracle had learned others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "policy/certificate.h"
#include "policy/play.h"

namespace rein {
namespace {

// Reward and cost are held to what the oracle says when the outcome comes, not when it decided.
TEST(CertificateOfLateOutcomes, CountsWhatWasLearnedSince) {
  const Shape shape{.actions = 2, .context = 1, .costs = {{"dollars", {0.0, 10.0}}}};
  const std::vector<double> context{0.5};
  const Round round{.actions = 2, .context = context};
  // The estimate of the reward moves further, then that of the cost.
  for (const auto& outcome : {std::vector<double>{0.9, 2.0}, std::vector<double>{0.2, 9.0}}) {
    const auto oracle = make_oracle(parse_spec("vaw").value(), shape).value();
    const auto asked = [&](Estimates& estimates) {
      Scratch scratch;
      scratch.reset(oracle->scratch());
      oracle->predict(round, scratch, estimates);
    };
    Decision decision;
    decision.prepare(2, 2);
    asked(decision.estimates);
    decision.action = 1;
    decision.predicted = Costs(1);
    decision.predicted[0] = decision.estimates.mean(1)[1] / 10.0;
    for (int t = 0; t < 5; ++t) oracle->learn(round, 1, outcome);
    Estimates now;
    now.prepare(2, 2);
    asked(now);
    const double reward = std::abs(decision.estimates.mean(0)[1] - now.mean(0)[1]);
    const double cost = std::abs(decision.estimates.mean(1)[1] - now.mean(1)[1]) / 10.0;
    ASSERT_GT(std::min(reward, cost), 0.1);
    Certificate certificate(shape, *oracle, {1.0, 10.0});
    certificate.look(round, decision, {.costs = decision.predicted, .relief = Costs(1)},
                     /*fresh=*/false);
    certificate.learn();
    EXPECT_NEAR(certificate.played(25.0), std::pow(5.0 + std::max(reward, cost), 2.0), 1e-12);
  }
}

}  // namespace
}  // namespace rein
