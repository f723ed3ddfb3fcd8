// What points of the history may cost. At first every decision is a point, and the certified u takes d^3
// multiply-adds per action: a new model with 20 actions and 100 numbers stood still for a second.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/heart.h"
#include "engine/small.h"

namespace rein {
namespace {

// Passes everything on, and counts who asks for its whole state, in which u is certified.
class CountedPolicy final : public Policy {
 public:
  CountedPolicy(std::unique_ptr<Policy> of, long& asked) : of_(std::move(of)), asked_(asked) {}
  Result<> decide(const Round& round, const Money& money, Rng& rng, Scratch& scratch,
                  Decision& decision) const override {
    return of_->decide(round, money, rng, scratch, decision);
  }
  Result<> learn(const Round& round, const Decision& decision, const Outcome& outcome,
                 Part part) override {
    return of_->learn(round, decision, outcome, part);
  }
  const Shape& shape() const override { return of_->shape(); }
  const Spec& spec() const override { return of_->spec(); }
  PolicyState state() const override {
    ++asked_;
    return of_->state();
  }
  PolicyState brief() const override { return of_->brief(); }
  std::size_t scratch() const override { return of_->scratch(); }
  std::string save() const override { return of_->save(); }
  Result<> load(std::string_view bytes) override { return of_->load(bytes); }

 private:
  std::unique_ptr<Policy> of_;
  long& asked_;
};

// The inside of an engine, which is private: an explicit instantiation may name it.
template <class Tag, auto Member>
struct Inside {
  friend auto inside_of(Tag) { return Member; }
};
struct HeartTag {
  friend auto inside_of(HeartTag);
};
template struct Inside<HeartTag, &Engine::heart_>;

TEST(HistoryCost, PointsDoNotAskForTheCertifiedU) {
  Engine engine = Engine::make("ccb(budget=100,rounds=1000)", small_shape()).value();
  long asked = 0;
  auto& heart = *(engine.*inside_of(HeartTag()));
  heart.policy = std::make_unique<CountedPolicy>(std::move(heart.policy), asked);
  for (std::uint64_t n = 0; n < 300; ++n) {
    const Engine::Decision made = decide(engine, n).value();
    engine.learn(made.id, {.reward = made.action == 1 ? 0.9 : 0.2, .costs = {0.25}}).check();
  }
  EXPECT_GT(engine.history().size(), 100U);
  EXPECT_TRUE(std::isnan(engine.brief_state().u));
  EXPECT_EQ(asked, 0);
  EXPECT_GT(engine.policy_state().u, 0.0) << "who asks for it gets it";
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace rein
