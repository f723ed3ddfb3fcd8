// finite: the class contains the truth, and the context is one-hot.
#include <gtest/gtest.h>

#include <set>

#include "world/worlds.h"

namespace rein {
namespace {

// All values of one function of a class, context by context.
std::vector<double> values_of(const FunctionClass& functions, int which, const Shape& shape) {
  std::vector<double> values;
  std::vector<double> out(static_cast<std::size_t>(shape.heads()));
  for (int c = 0; c < shape.context; ++c) {
    std::vector<double> x(static_cast<std::size_t>(shape.context));
    x[c] = 1.0;
    const Round round{.actions = shape.actions, .context = x};
    for (int a = 0; a < shape.actions; ++a) {
      functions.evaluate(which, round, a, out);
      values.insert(values.end(), out.begin(), out.end());
    }
  }
  return values;
}

TEST(Finite, OneFunctionOfTheClassIsTheTruth) {
  std::set<int> places;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto world = world_of("finite(n=6,m=2)", seed);
    const Shape& shape = world->shape();
    ASSERT_EQ(shape.functions->size(), 6);
    const auto truth = values_of(*shape.truth, 0, shape);
    int found = 0;
    for (int f = 0; f < 6; ++f) {
      if (values_of(*shape.functions, f, shape) != truth) continue;
      ++found;
      places.insert(f);
    }
    EXPECT_EQ(found, 1);
  }
  EXPECT_GT(places.size(), 3U) << "the truth is not always at the same place";
}

TEST(Finite, EveryFunctionHasASafeActionInEveryContext) {
  const auto world = world_of("finite(margin=0.3,m=2)");
  const Shape& shape = world->shape();
  for (int f = 0; f < shape.functions->size(); ++f) {
    const auto values = values_of(*shape.functions, f, shape);
    for (int c = 0; c < shape.context; ++c) {
      double safest = 1.0;
      for (int a = 0; a < shape.actions; ++a) {
        const double* means = values.data() + (c * shape.actions + a) * 3;
        safest = std::min(safest, std::max(means[1], means[2]));
      }
      EXPECT_LE(safest, -0.3);
    }
  }
}

TEST(Finite, ContextsAreOneHotAndAllOfThemCome) {
  for (const char* spec : {"finite", "finite(order=cyclic)"}) {
    const auto world = world_of(spec);
    std::vector<int> count(5);
    for (int t = 0; t < 200; ++t) {
      const Round& round = world->next();
      int hot = -1;
      for (int c = 0; c < 5; ++c) {
        if (round.context[c] == 0.0) continue;
        EXPECT_EQ(round.context[c], 1.0);
        EXPECT_EQ(hot, -1);
        hot = c;
      }
      ASSERT_GE(hot, 0);
      ++count[hot];
    }
    for (int times : count) EXPECT_GT(times, 20) << spec;
  }
}

}  // namespace
}  // namespace rein
