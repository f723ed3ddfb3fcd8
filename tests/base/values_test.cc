// The small value types: Result, check, Costs, Scratch, and table lookup.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "base/catalog.h"
#include "base/check.h"
#include "rein/costs.h"
#include "rein/result.h"
#include "rein/scratch.h"

namespace rein {
namespace {

Result<int> half(int x) {
  if (x % 2 != 0) return Error{"odd"};
  return x / 2;
}

TEST(Result, HoldsAValueOrTheReasonThereIsNone) {
  EXPECT_TRUE(half(4).ok());
  EXPECT_TRUE(half(4));
  EXPECT_EQ(half(4).value(), 2);
  EXPECT_FALSE(half(3).ok());
  EXPECT_FALSE(half(3));
  EXPECT_EQ(half(3).error(), "odd");
}

TEST(Result, AnErrorNobodyLookedAtThrows) {
  EXPECT_NO_THROW(half(4).check());
  EXPECT_THROW(half(3).check(), Failure);
  EXPECT_THROW((void)half(3).value(), Failure);
  try {
    (void)half(3).value();
  } catch (const Failure& failure) {
    EXPECT_STREQ(failure.what(), "odd");
  }
}

TEST(Result, OfNothingIsOkUntilItIsAnError) {
  const Result<> fine;
  EXPECT_TRUE(fine.ok());
  EXPECT_NO_THROW(fine.check());
  const Result<> wrong = Error{"why"};
  EXPECT_FALSE(wrong);
  EXPECT_EQ(wrong.error(), "why");
  EXPECT_THROW(wrong.check(), Failure);
}

TEST(Result, MovesWhatCannotBeCopied) {
  struct Base {
    virtual ~Base() = default;
  };
  struct Derived : Base {};
  const auto make = []() -> Result<std::unique_ptr<Base>> { return std::make_unique<Derived>(); };
  const std::unique_ptr<Base> made = make().value();
  EXPECT_NE(dynamic_cast<Derived*>(made.get()), nullptr);
}

TEST(Result, OfTextTellsAValueFromAnError) {
  const Result<std::string> value = std::string("text");
  const Result<std::string> error = Error{"text"};
  EXPECT_TRUE(value.ok());
  EXPECT_FALSE(error.ok());
}

TEST(Check, ThrowsABugWhenAPromiseIsBroken) {
  EXPECT_NO_THROW(check(true, "kept"));
  EXPECT_THROW(check(false, "broken"), Bug);
}

TEST(Costs, HoldUpToSixteenNumbers) {
  EXPECT_TRUE(Costs().empty());
  EXPECT_EQ(Costs(kMaxCosts, 2.0)[15], 2.0);
  EXPECT_EQ(Costs({1.0, 2.0}).size(), 2);
  const std::vector<double> sixteen(16, 1.0), seventeen(17, 1.0);
  EXPECT_EQ(Costs(sixteen).size(), 16);
  EXPECT_THROW(Costs{std::span<const double>(seventeen)}, std::length_error);
  EXPECT_THROW(Costs(17), std::length_error);
  EXPECT_THROW(Costs(-1), std::length_error);
  EXPECT_THROW(Costs({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}),
               std::length_error);
}

TEST(Costs, AreEqualWhenSizesAndNumbersAre) {
  EXPECT_EQ(Costs({1.0, 2.0}), Costs({1.0, 2.0}));
  EXPECT_FALSE(Costs({1.0, 2.0}) == Costs({1.0, 3.0}));
  EXPECT_FALSE(Costs({1.0, 0.0}) == Costs({1.0}));
  Costs changed{1.0, 2.0};
  changed[1] = 5.0;
  EXPECT_EQ(changed, Costs({1.0, 5.0}));
  double total = 0.0;
  for (double x : changed) total += x;
  EXPECT_EQ(total, 6.0);
  EXPECT_EQ(changed.span().size(), 2U);
}

TEST(Scratch, GivesWhatItMadeRoomForAndNoMore) {
  Scratch scratch;
  scratch.reset(10);
  const auto first = scratch.take(4), second = scratch.take(6);
  EXPECT_EQ(first.data() + 4, second.data());
  EXPECT_EQ(scratch.take(0).size(), 0U);
  EXPECT_THROW(scratch.take(1), Bug);
  scratch.reset(3);  // smaller: nothing shrinks, all of it is free again
  EXPECT_EQ(scratch.take(10).data(), first.data());
}

struct Thing {
  std::string made_from;
};
using Make = Result<Thing> (*)(const Spec&);
const TableRow<Make> kThings[] = {
    {{"one", "the first"}, [](const Spec& spec) -> Result<Thing> { return Thing{spec.str()}; }},
    {{"two", "the second"}, [](const Spec&) -> Result<Thing> { return Error{"never"}; }},
};

TEST(Table, MakesTheThingThatASpecNames) {
  EXPECT_EQ(entries_of(kThings).size(), 2U);
  EXPECT_EQ(make_from(kThings, "thing spec", parse_spec("one(a=1)").value()).value().made_from,
            "one(a=1)");
  EXPECT_EQ(make_from(kThings, "thing spec", Spec("two")).error(), "never");
}

TEST(Table, AnUnknownNameIsToldWithThoseThereAre) {
  EXPECT_EQ(make_from(kThings, "thing spec", parse_spec(" three").value()).error(),
            "thing spec: unknown name \"three\" at 1; accepted: one, two");
  EXPECT_EQ(make_from(kThings, "thing spec", Spec("three")).error(),
            "thing spec: unknown name \"three\"; accepted: one, two");
}

}  // namespace
}  // namespace rein
