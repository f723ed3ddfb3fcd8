// Every refusal of a shape, a round and an outcome, by its message.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "owned_round.h"
#include "rein/round.h"

namespace rein {
namespace {

constexpr double kValidateInfinity = std::numeric_limits<double>::infinity();
constexpr double kValidateNan = std::numeric_limits<double>::quiet_NaN();

std::string told(const Result<>& result) { return result.ok() ? "ok" : result.error(); }

Shape good_shape() {
  return {.actions = 3,
          .context = 2,
          .features = 4,
          .costs = {{.name = "dollars", .range = {0.0, 5.0}}, {.name = "risk"}}};
}

template <class T>
struct Case {
  std::function<void(T&)> spoil;
  std::string message;
};

TEST(Validate, EveryBadShapeIsRefused) {
  const std::string range_is = "; accepted: low below high, the larger in size from 1e-50 to 1e+50";
  const Case<Shape> table[] = {
      {[](Shape&) {}, "ok"},
      {[](Shape& s) { s.context = s.features = 0; }, "ok"},
      {[](Shape& s) { s.actions = kMaxActions; }, "ok"},
      {[](Shape& s) { s.rounds = kMaxHorizon; }, "ok"},
      {[](Shape& s) {
         s.budgets = {-1.0, 0.0};
       },
       "ok"},
      {[](Shape& s) { s.costs.assign(16, {}); }, "ok"},
      {[](Shape& s) { s.actions = 0; }, "shape: found 0 actions; accepted: 1 to 1000000"},
      {[](Shape& s) { s.actions = -5; }, "shape: found -5 actions; accepted: 1 to 1000000"},
      {[](Shape& s) { s.actions = kMaxActions + 1; },
       "shape: found 1000001 actions; accepted: 1 to 1000000"},
      {[](Shape& s) { s.context = -1; },
       "shape: found context -1 and features 4; accepted: 0 to 16777216 each"},
      {[](Shape& s) { s.context = kMaxFeatures + 1; },
       "shape: found context 16777217 and features 4; accepted: 0 to 16777216 each"},
      {[](Shape& s) { s.features = -1; },
       "shape: found context 2 and features -1; accepted: 0 to 16777216 each"},
      {[](Shape& s) { s.features = kMaxFeatures + 1; },
       "shape: found context 2 and features 16777217; accepted: 0 to 16777216 each"},
      {[](Shape& s) { s.costs.assign(17, {}); }, "shape: found 17 costs; accepted: 0 to 16"},
      {[](Shape& s) {
         s.reward = {1.0, 1.0};
       },
       "shape: reward has range [1, 1]" + range_is},
      {[](Shape& s) {
         s.reward = {2.0, 1.0};
       },
       "shape: reward has range [2, 1]" + range_is},
      {[](Shape& s) { s.reward.high = kValidateInfinity; },
       "shape: reward has range [-1, inf]" + range_is},
      {[](Shape& s) { s.reward.low = kValidateNan; },
       "shape: reward has range [nan, 1]" + range_is},
      {[](Shape& s) { s.reward.high = 1e51; }, "shape: reward has range [-1, 1e+51]" + range_is},
      {[](Shape& s) {
         s.reward = {0.0, 1e-60};
       },
       "shape: reward has range [0, 1e-60]" + range_is},
      {[](Shape& s) { s.costs[1].range.low = -kValidateInfinity; },
       "shape: cost \"risk\" has range [-inf, 1]" + range_is},
      {[](Shape& s) { s.rounds = -1; },
       "shape: found -1 rounds; accepted: 0 (unknown) to 9007199254740992"},
      {[](Shape& s) { s.rounds = kMaxHorizon + 1; },
       "shape: found 9007199254740993 rounds; accepted: 0 (unknown) to 9007199254740992"},
      {[](Shape& s) { s.budgets = {1.0}; },
       "shape: found 1 budgets; accepted: none, or one per cost (2)"},
      {[](Shape& s) {
         s.budgets = {1.0, kValidateNan};
       },
       "shape: found a budget of nan; accepted: finite numbers"},
      {[](Shape& s) {
         s.budgets = {kValidateInfinity, 1.0};
       },
       "shape: found a budget of inf; accepted: finite numbers"},
  };
  for (const auto& row : table) {
    Shape shape = good_shape();
    row.spoil(shape);
    EXPECT_EQ(told(validate(shape)), row.message);
  }
}

// Fits good_shape(); cases damage any of its numbers.
OwnedRound good_round() {
  return {.actions = 3, .context = {1.0, -2.0}, .features = std::vector<double>(12, 0.5)};
}

OwnedRound good_sparse_round() {
  OwnedRound round = good_round();
  round.features.clear();
  round.begin = {0, 2, 2, 3};
  round.index = {0, 3, 1};
  round.value = {1.0, 2.0, 3.0};
  return round;
}

TEST(Validate, EveryBadRoundIsRefused) {
  const std::string numbers = "; accepted: -1e+50 to 1e+50";
  const Case<OwnedRound> table[] = {
      {[](OwnedRound&) {}, "ok"},
      {[](OwnedRound& r) {
         r.ids = {2, 0, 1};
       },
       "ok"},
      {[](OwnedRound& r) { r.actions = 1, r.features.resize(4), r.ids = {2}; }, "ok"},
      {[](OwnedRound& r) { r.context[0] = 1e50; }, "ok"},
      {[](OwnedRound& r) { r.actions = 0; }, "round: found 0 actions; accepted: 1 to 3"},
      {[](OwnedRound& r) { r.actions = -1; }, "round: found -1 actions; accepted: 1 to 3"},
      {[](OwnedRound& r) { r.actions = 4, r.features.resize(16); },
       "round: found 4 actions; accepted: 1 to 3"},
      {[](OwnedRound& r) { r.context.pop_back(); }, "round: found 1 context numbers; accepted: 2"},
      {[](OwnedRound& r) { r.context.push_back(0.0); },
       "round: found 3 context numbers; accepted: 2"},
      {[](OwnedRound& r) { r.context[1] = kValidateNan; }, "round: context[1] is nan" + numbers},
      {[](OwnedRound& r) { r.context[0] = -kValidateInfinity; },
       "round: context[0] is -inf" + numbers},
      {[](OwnedRound& r) { r.context[0] = 1.001e50; }, "round: context[0] is 1.001e+50" + numbers},
      {[](OwnedRound& r) { r.features.pop_back(); },
       "round: found 11 feature numbers; accepted: 12"},
      {[](OwnedRound& r) { r.features.clear(); }, "round: found 0 feature numbers; accepted: 12"},
      {[](OwnedRound& r) { r.features[2] = kValidateNan; }, "round: features[2] is nan" + numbers},
      {[](OwnedRound& r) { r.features[11] = kValidateInfinity; },
       "round: features[11] is inf" + numbers},
      {[](OwnedRound& r) { r.features[7] = -1e300; }, "round: features[7] is -1e+300" + numbers},
      {[](OwnedRound& r) {
         r.ids = {0, 1};
       },
       "round: found 2 ids; accepted: 3"},
      {[](OwnedRound& r) {
         r.ids = {0, 1, 3};
       },
       "round: ids[2] is 3; accepted: 0 to 2"},
      {[](OwnedRound& r) {
         r.ids = {-1, 1, 2};
       },
       "round: ids[0] is -1; accepted: 0 to 2"},
      {[](OwnedRound& r) {
         r.ids = {0, 0, 1};
       },
       "round: ids[1] is 0, as that of an action before it; accepted: different ids"},
      {[](OwnedRound& r) {
         r.ids = {2, 1, 2};
       },
       "round: ids[2] is 2, as that of an action before it; accepted: different ids"},
  };
  for (const auto& row : table) {
    OwnedRound round = good_round();
    row.spoil(round);
    EXPECT_EQ(told(validate(good_shape(), round.view())), row.message);
  }
}

TEST(Validate, ARepeatedIdIsFoundAmongManyInAnyOrder) {
  const Shape shape{.actions = 100'000};
  std::vector<std::int32_t> ids(60'000);
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(99'999 - i);
  const Round round{.actions = 60'000, .ids = ids};
  EXPECT_EQ(told(validate(shape, round)), "ok");
  ids[59'999] = ids[3];
  EXPECT_EQ(told(validate(shape, round)),
            "round: ids[59999] is 99996, as that of an action before it; accepted: different ids");
}

TEST(Validate, EveryBadSparseRoundIsRefused) {
  const Case<OwnedRound> table[] = {
      {[](OwnedRound&) {}, "ok"},
      {[](OwnedRound& r) {
         r.begin = {0, 0, 0, 0}, r.index = {}, r.value = {};
       },
       "ok"},
      {[](OwnedRound& r) { r.features.assign(12, 0.5); },
       "round: found both features and sparse rows; accepted: one of them"},
      {[](OwnedRound& r) { r.begin.pop_back(); }, "round: found 3 sparse row starts; accepted: 4"},
      {[](OwnedRound& r) { r.index.pop_back(); }, "round: found 2 sparse columns; accepted: 3"},
      {[](OwnedRound& r) { r.begin[0] = 1; },
       "round: sparse rows run from 1 to 3; accepted: from 0 to 3"},
      {[](OwnedRound& r) { r.begin[3] = 2; },
       "round: sparse rows run from 0 to 2; accepted: from 0 to 3"},
      {[](OwnedRound& r) { r.begin[3] = 400; },
       "round: sparse rows run from 0 to 400; accepted: from 0 to 3"},
      {[](OwnedRound& r) { r.begin[2] = 1; }, "round: sparse row 1 ends before it begins"},
      {[](OwnedRound& r) { r.begin[1] = 1000, r.begin[2] = 1000; },
       "round: sparse row 2 ends before it begins"},
      {[](OwnedRound& r) { r.begin[1] = -1; }, "round: sparse row 0 ends before it begins"},
      {[](OwnedRound& r) { r.index[1] = 4; },
       "round: sparse row 0 has column 4; accepted: ascending, 0 to 3"},
      {[](OwnedRound& r) { r.index[0] = -1; },
       "round: sparse row 0 has column -1; accepted: ascending, 0 to 3"},
      {[](OwnedRound& r) { r.index[1] = 0; },
       "round: sparse row 0 has column 0; accepted: ascending, 0 to 3"},
      {[](OwnedRound& r) { r.index[2] = 9; },
       "round: sparse row 2 has column 9; accepted: ascending, 0 to 3"},
      {[](OwnedRound& r) { r.value[2] = kValidateNan; },
       "round: sparse.value[2] is nan; accepted: -1e+50 to 1e+50"},
      {[](OwnedRound& r) { r.value[0] = 1e60; },
       "round: sparse.value[0] is 1e+60; accepted: -1e+50 to 1e+50"},
  };
  for (const auto& row : table) {
    OwnedRound round = good_sparse_round();
    row.spoil(round);
    EXPECT_EQ(told(validate(good_shape(), round.view())), row.message);
  }
}

// The fast check reads eight numbers at a time. It must find a bad one at any place and length.
TEST(Validate, ABadNumberIsFoundWhereverItStands) {
  for (int size : {1, 7, 8, 9, 31}) {
    const Shape shape{.actions = 1, .context = size};
    for (int bad = 0; bad < size; ++bad) {
      for (double x : {kValidateNan, kValidateInfinity, -kValidateInfinity, 2e50, -2e50}) {
        std::vector<double> context(static_cast<std::size_t>(size), 1e50);
        EXPECT_TRUE(validate(shape, Round{.actions = 1, .context = context}).ok());
        context[static_cast<std::size_t>(bad)] = x;
        EXPECT_FALSE(validate(shape, Round{.actions = 1, .context = context}).ok());
      }
    }
  }
}

TEST(Validate, EveryBadOutcomeIsRefused) {
  const Case<Outcome> table[] = {
      {[](Outcome&) {}, "ok"},
      {[](Outcome& o) {
         o = {.reward = -1.0, .costs = {0.0, -1.0}};
       },
       "ok"},
      {[](Outcome& o) {
         o = {.reward = 1.0, .costs = {5.0, 1.0}};
       },
       "ok"},
      {[](Outcome& o) { o.reward = 1.5; }, "outcome: reward is 1.5; accepted: -1 to 1"},
      {[](Outcome& o) { o.reward = -2.0; }, "outcome: reward is -2; accepted: -1 to 1"},
      {[](Outcome& o) { o.reward = kValidateNan; }, "outcome: reward is nan; accepted: -1 to 1"},
      {[](Outcome& o) { o.reward = kValidateInfinity; },
       "outcome: reward is inf; accepted: -1 to 1"},
      {[](Outcome& o) { o.costs = {1.0}; }, "outcome: found 1 costs; accepted: 2"},
      {[](Outcome& o) {
         o.costs = {1.0, 0.0, 0.0};
       },
       "outcome: found 3 costs; accepted: 2"},
      {[](Outcome& o) { o.costs[0] = -0.1; },
       "outcome: cost \"dollars\" is -0.1; accepted: 0 to 5"},
      {[](Outcome& o) { o.costs[0] = 5.1; }, "outcome: cost \"dollars\" is 5.1; accepted: 0 to 5"},
      {[](Outcome& o) { o.costs[1] = kValidateNan; },
       "outcome: cost \"risk\" is nan; accepted: -1 to 1"},
      {[](Outcome& o) { o.costs[1] = -kValidateInfinity; },
       "outcome: cost \"risk\" is -inf; accepted: -1 to 1"},
  };
  for (const auto& row : table) {
    Outcome outcome{.reward = 0.5, .costs = {1.0, 0.0}};
    row.spoil(outcome);
    EXPECT_EQ(told(validate(good_shape(), outcome)), row.message);
  }
}

}  // namespace
}  // namespace rein
