// What an oracle says of itself before it has learned anything: its regret and its size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/allowance.h"
#include "estimate/play.h"

namespace rein {
namespace {

// The best theta of a declared norm costs reg |theta|^2 per parameter set: regret counts it.
TEST(Certified, RegretCountsTheDeclaredNormOfTheTruth) {
  for (const char* name : {"vaw", "ridge"}) {
    Shape shape{.actions = 4, .context = 2};
    shape.theta = 3.0;
    const auto shared = oracle_of(fmt::format("{}(reg=0.5,features=joint)", name),
                                  {.actions = 4, .features = 2, .theta = 3.0});
    EXPECT_DOUBLE_EQ(shared->regret(), 0.5 * 9.0) << name;
    const auto per_action = oracle_of(fmt::format("{}(reg=0.5)", name), shape);
    EXPECT_DOUBLE_EQ(per_action->regret(), 0.5 * 9.0 * 4) << name;
  }
}

// Four networks of 2 inputs, 5 hidden units and 3 heads. A network has (2 + 1) 5 + (5 + 2 + 1) 3
// weights and the sizes of 2 inputs, each beside a second number.
TEST(Certified, AnMlpCountsEveryNumberBeforeItTakesMemory) {
  const Shape shape{.actions = 4, .context = 2, .costs = {{}, {}}};
  const Spec spec = parse_spec("mlp(hidden=[5],features=per_action,bias=0)", "oracle spec").value();
  constexpr std::size_t kNumbers = 2 * 4 * (15 + 24 + 2);
  {
    const Allowance enough(kNumbers);
    EXPECT_TRUE(make_oracle(spec, shape));
  }
  const Allowance one_less(kNumbers - 1);
  const auto made = make_oracle(spec, shape);
  ASSERT_FALSE(made);
  EXPECT_NE(made.error().find(fmt::format("need {} numbers", kNumbers)), std::string::npos)
      << made.error();
}

}  // namespace
}  // namespace rein
