#include "world/two_arm.h"

#include "world/keys.h"
#include "world/tabular.h"

namespace rein {
namespace {

class TwoArm final : public TabularWorld {
 public:
  explicit TwoArm(std::int64_t rounds)
      : TabularWorld(
            {.actions = 2, .costs = cost_shapes(1, /*positive=*/false)},
            // reward and cost of each arm
            std::make_shared<TableMeans>(std::vector<double>{1.0, -1.0, 0.0, 1.0}, 1, 2, 2),
            Noise(), rounds) {}
  bool iid() const override { return true; }

 private:
  int context_of(std::int64_t) const override { return 0; }
};

}  // namespace

Result<std::unique_ptr<World>> make_two_arm(const Spec& spec, std::uint64_t /*seed*/,
                                            std::int64_t rounds) {
  if (auto done = SpecReader(spec, "world spec").finish(); !done) return done.failure();
  return std::make_unique<TwoArm>(rounds);
}

}  // namespace rein
