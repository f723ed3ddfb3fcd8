#include "world/two_arm.h"

#include "world/keys.h"
#include "world/tabular.h"

namespace rein {
namespace {

class TwoArm final : public TabularWorld {
 public:
  TwoArm(int costs, std::int64_t rounds)
      : TabularWorld({.actions = 2, .costs = cost_shapes(costs, /*positive=*/false)},
                     equal_costs({1.0, -1.0, 0.0, 1.0}, 1, 2, costs), Noise(), rounds) {}
  bool iid() const override { return true; }

 private:
  int context_of(std::int64_t) const override { return 0; }
};

}  // namespace

Result<std::unique_ptr<World>> make_two_arm(const Spec& spec, std::uint64_t /*seed*/,
                                            std::int64_t rounds) {
  SpecReader read(spec, "world spec");
  const int costs = static_cast<int>(read.integer("m", 1, 1, kMaxCosts));
  if (auto done = read.finish(); !done) return done.failure();
  return std::make_unique<TwoArm>(costs, rounds);
}

}  // namespace rein
