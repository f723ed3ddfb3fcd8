// Hard budgets of an engine: spent + held <= limit while each bill is at most its hold. A bill above
// its hold is booked in full and counted, and blocks further spending. Random decisions, bills (late
// ones too), cancels, ticks, top-ups and snapshots, against plain sums.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "property.h"
#include "rein/engine.h"

namespace rein {
namespace {

constexpr std::int64_t kAmounts[2] = {2'500'000, 6'000'000};  // of the two budgets, in micro-units
constexpr std::int64_t kWindows[2] = {10, 35};                // in ticks
constexpr std::int64_t kHolds[3] = {0, 250'000, 1'000'000};   // of the actions
constexpr std::int64_t kPatience = 12;

struct Step {
  std::uint8_t kind;
  std::uint8_t which;
  std::uint16_t size;
};

struct Deal {
  std::int64_t at = 0;
  int action = 0;
  std::optional<std::int64_t> bill;
  bool cancelled = false;
  bool over() const { return bill && *bill > kHolds[action]; }
  // What counts: the bill, or the hold until it comes, expired or not.
  std::int64_t counts() const { return cancelled ? 0 : bill.value_or(kHolds[action]); }
};

class Game {
 public:
  explicit Game(bool excess) : excess_(excess), engine_(make()) {}

  void run(const Step& step) {
    switch (step.kind % 8) {
      case 0:
      case 1:
      case 2:
        decide();
        break;
      case 3:
      case 4:
        bill(step);
        break;
      case 5:
        cancel(step.which);
        break;
      case 6:
        now_ += step.size % 5;
        engine_.tick(now_).check();
        break;
      default:
        engine_ = Engine::restore(engine_.snapshot()).value();
    }
    check();
  }

 private:
  static Engine make() {
    EngineOptions options;
    options.seed = 9;
    options.expire_after = kPatience;
    for (std::size_t b = 0; b < 2; ++b) {
      options.budgets.push_back({.name = b == 0 ? "short" : "long",
                                 .cost = "dollars",
                                 .amount = static_cast<double>(kAmounts[b]) / 1e6,
                                 .kind = BudgetKind::kHard,
                                 .window = Window::ticks(kWindows[b])});
    }
    options.largest_costs = {{0.0}, {0.25}, {1.0}};
    Shape shape{.actions = 3, .costs = {{"dollars", Range::from(0.0)}}};
    return Engine::make("uniform", shape, options).value();
  }

  // Of the open window of a budget: what is spent or held.
  std::int64_t used(std::size_t b) const {
    std::int64_t sum = 0;
    for (const auto& [id, deal] : deals_) {
      if (deal.at / kWindows[b] == now_ / kWindows[b]) sum += deal.counts();
    }
    return sum;
  }

  void decide() {
    std::int64_t left = INT64_MAX;
    for (std::size_t b = 0; b < 2; ++b) left = std::min(left, kAmounts[b] - used(b));
    // An excess blocks: with a debt not even the hold of a free action fits less than nothing.
    const std::int64_t room = std::max<std::int64_t>(left, 0);
    const auto fitting = std::count_if(std::begin(kHolds), std::end(kHolds),
                                       [&](std::int64_t hold) { return hold <= room; });
    const auto made = engine_.decide({.actions = 3});
    RC_ASSERT(made);  // action 0 costs nothing
    RC_ASSERT(made.value().fitting == fitting);
    RC_ASSERT(kHolds[made.value().action] <= room);
    deals_[made.value().id] = {.at = now_, .action = made.value().action};
  }

  std::map<std::uint64_t, Deal>::iterator pick(std::uint8_t which) {
    auto found = deals_.begin();
    if (!deals_.empty()) std::advance(found, which % deals_.size());
    return found;
  }

  void bill(const Step& step) {
    const auto found = pick(step.which);
    if (found == deals_.end() || found->second.bill || found->second.cancelled) return;
    Deal& deal = found->second;
    const std::int64_t hold = kHolds[deal.action];
    std::int64_t amount = hold * (step.size % 9) / 8;
    if (excess_ && step.size % 4 == 0) amount = hold + 1 + step.size * 40;
    engine_.learn(found->first, {.reward = 0.5, .costs = {static_cast<double>(amount) / 1e6}})
        .check();
    deal.bill = amount;
  }

  void cancel(std::uint8_t which) {
    const auto found = pick(which);
    if (found == deals_.end() || found->second.bill || found->second.cancelled) return;
    if (now_ - found->second.at > kPatience) return;  // expired
    engine_.cancel(found->first).check();
    found->second.cancelled = true;
  }

  void check() const {
    const EngineState state = engine_.state();
    std::int64_t billed = 0, over = 0;
    for (const auto& [id, deal] : deals_) {
      billed += deal.bill.value_or(0);
      over += deal.over() ? 1 : 0;
    }
    for (std::size_t b = 0; b < 2; ++b) {
      const BudgetState& budget = state.budgets[b];
      RC_ASSERT(budget.spent + budget.held == used(b));
      RC_ASSERT(budget.over_holds == over);
      if (over == 0) RC_ASSERT(budget.spent + budget.held <= budget.limit);
    }
    RC_ASSERT(std::abs(state.billed[0] - static_cast<double>(billed) / 1e6) < 1e-6);
  }

  bool excess_;
  Engine engine_;
  std::int64_t now_ = 0;
  std::map<std::uint64_t, Deal> deals_;
};

void expect_holds(bool excess) {
  EXPECT_TRUE(rc::check([excess] {
    const auto steps = *rc::gen::container<std::vector<Step>>(rc::gen::build<Step>(
        rc::gen::set(&Step::kind), rc::gen::set(&Step::which), rc::gen::set(&Step::size)));
    Game game(excess);
    for (int turn = 0; turn < 4; ++turn) {
      for (const Step& step : steps) game.run(step);
    }
  }));
}

TEST(Excess, WithinItsHoldsAHardBudgetIsNeverPassed) { expect_holds(false); }
TEST(Excess, ABillAboveItsHoldIsBookedAndCountedAndBlocks) { expect_holds(true); }

}  // namespace
}  // namespace rein
