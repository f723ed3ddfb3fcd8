// A world allocates nothing once it is made: this program counts every operator new.
#include <gtest/gtest.h>

#include "allocations.h"
#include "temp_file.h"
#include "world/worlds.h"

namespace rein {
namespace {

TEST(Allocation, NoRoundAllocates) {
  for (const std::string& spec : contract_specs()) {
    const auto world = world_of(spec);
    const Shape& shape = world->shape();
    std::vector<double> means(static_cast<std::size_t>(shape.actions * shape.heads()));
    std::vector<double> truth(static_cast<std::size_t>(shape.heads()));
    Outcome outcome;
    const long before = allocations;
    for (int t = 0; t < 300; ++t) {
      const Round& round = world->next();
      world->means(means);
      const int action = t % round.actions;
      world->outcome(action, outcome);
      if (shape.truth) shape.truth->evaluate(0, round, action, truth);
      world->observe(action, outcome);
    }
    EXPECT_EQ(allocations, before) << spec;
  }
}

// 10^5 rows of 12 numbers are 9.6 MB. All allocations together, including those of making the
// world, are less than a tenth of that.
TEST(Allocation, AStreamedTableIsNeverInMemory) {
  std::string text = "x_a,x_b,r0,r1,r2,r3,r4,c0,c1,c2,c3,c4\n";
  for (int i = 0; i < 100'000; ++i) text += fmt::format("{},1,0,1,0,1,0,0,0,.5,0,1\n", i);
  for (const bool zipped : {false, true}) {
    const TempFile file(zipped ? gzipped(text) : text);
    const std::string spec = fmt::format("table(file=\"{}\",order=file)", file.path());
    const long before = allocated_bytes;
    const auto world = make_world(std::string_view(spec), 1, 0).value();
    const long made = allocations;
    double sum = 0.0;
    for (int t = 0; t < 100'000; ++t) sum += world->next().context[0];
    EXPECT_EQ(sum, 99'999.0 * 50'000.0);
    EXPECT_EQ(allocations, made);
    EXPECT_LT(allocated_bytes - before, 960'000);
  }
}

}  // namespace
}  // namespace rein
