// What feeds the alarm: the certificate that it is compared with covers the round itself.
#include "policy/watch.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rein {
namespace {

// Always predicts 0. After each round its regret is what it is told.
class Told final : public Oracle {
 public:
  double told = 0.0;
  double after = 0.0;
  void predict(const Round&, Scratch&, Estimates& e) const override {
    for (double& mean : e.mean(0)) mean = 0.0;
    for (double& width : e.width()) width = 0.0;
  }
  std::size_t scratch() const override { return 0; }
  void learn(const Round&, int, std::span<const double>) override { told = after; }
  double bound(std::int64_t) const override { return 1.0; }
  double regret() const override { return told; }
  void save(ByteWriter&) const override {}
  Result<> load(ByteReader&) override { return {}; }
};

// The excess D of the shadow is known from a second alarm that never rings. After every round the
// oracle certifies just enough for D. Asked before the round is learned, it would certify too
// little.
TEST(Watch, AsksForTheCertificateAfterTheRoundWasLearned) {
  const Shape shape{.actions = 1, .context = 1};
  Told oracle;
  Watch watch(shape, oracle);
  Books books;
  const auto pricer = make_pricer(Spec("none"), {}).value();
  Alarm twin(shape);
  const double most = 2.0 * std::log(3.0 * shape.heads() / Alarm::Options().delta);
  double largest_step = 0.0;
  for (int t = 0; t < 400; ++t) {
    const std::vector<double> x{t % 2 == 0 ? 0.9 : -0.9};
    const Round round{.actions = 1, .context = x};
    const double y = t % 2 == 0 ? 0.9 : -0.9, p = 0.0;
    const double before = twin.excess(0);
    twin.learn(round, 0, {&p, 1}, {&y, 1}, 1e9);
    largest_step = std::max(largest_step, twin.excess(0) - before);
    oracle.after = twin.excess(0) - most + 0.1;
    Decision decision;
    decision.prepare(1, 1);
    decision.action = 0;
    decision.estimates.mean(0)[0] = 0.0;
    decision.estimates.width()[0] = 0.0;
    const Outcome outcome{.reward = y, .costs = {}};
    const Lesson lesson{.round = round,
                        .decision = decision,
                        .outcome = outcome,
                        .heads = {&y, 1},
                        .queued = {},
                        .fresh = true};
    watch.look(lesson);
    oracle.learn(round, 0, {&y, 1});
    watch.learn(lesson, books, *pricer);
    PolicyState state;
    watch.tell(state);
    ASSERT_FALSE(state.alarm.value().ringing) << t;
  }
  EXPECT_GT(twin.excess(0), most + 10.0) << "the certificate mattered";
  EXPECT_GT(largest_step, 0.5) << "a round behind, it would have rung";
}

}  // namespace
}  // namespace rein
