#include <gtest/gtest.h>

#include "rein/own_world.h"
#include "world/worlds.h"

namespace rein {
namespace {

TEST(OwnWorldTest, IsTheWorldThatWasLent) {
  const std::string inside = "linear(k=3,d=2)";
  const Loan loan = lend_world("mine", [&](std::uint64_t seed, std::int64_t rounds) {
                      return make_world(std::string_view(inside), seed, rounds);
                    }).value();
  EXPECT_EQ(trace_of("own(name=mine)"), trace_of(inside));
  EXPECT_EQ(trace_of("own(name=mine)", 2), trace_of(inside, 2));
  EXPECT_FALSE(make_world("own", 1, 10).ok());
}

TEST(OwnWorldTest, WithoutALoanSaysWhatItIs) {
  EXPECT_EQ(make_world("own", 1, 10).error(),
            "world spec: own(name=\"own\") is a piece that the caller brings, and none was brought "
            "under this name; see docs/own.md");
}

TEST(OwnWorldTest, AShapeThatIsNoneIsRefused) {
  struct Empty final : World {
    const Shape& shape() const override { return shape_; }
    const Round& next() override { return round_; }
    void outcome(int, Outcome&) const override {}
    void means(std::span<double>) const override {}
    void observe(int, const Outcome&) override {}
    Shape shape_;
    Round round_;
  };
  const Loan loan =
      lend_world("own", [](std::uint64_t, std::int64_t) -> Result<std::unique_ptr<World>> {
        return std::make_unique<Empty>();
      }).value();
  EXPECT_FALSE(make_world("own", 1, 10).ok());
}

}  // namespace
}  // namespace rein
