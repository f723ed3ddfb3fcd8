#include "world/slack_then_trap.h"

#include <cmath>

#include "world/keys.h"
#include "world/tabular.h"

namespace rein {
namespace {

class SlackThenTrap final : public TabularWorld {
 public:
  SlackThenTrap(const Shape& shape, const std::shared_ptr<const TableMeans>& truth,
                std::int64_t slack, const Noise& noise, std::int64_t rounds)
      : TabularWorld(shape, truth, noise, rounds), slack_(slack) {}

 private:
  int context_of(std::int64_t t) const override { return t < slack_ ? 0 : 1; }

  std::int64_t slack_;  // rounds before the trap
};

}  // namespace

Result<std::unique_ptr<World>> make_slack_then_trap(const Spec& spec, std::uint64_t seed,
                                                    std::int64_t rounds) {
  SpecReader read(spec, "world spec");
  const double share = read.number("slack", 0.25, {.low = 0.0, .high = 1.0});
  const int costs = static_cast<int>(read.integer("m", 1, 1, kMaxCosts));
  const Noise noise(read, "none", seed);
  if (auto done = read.finish(); !done) return done.failure();

  const Shape shape{.actions = 2, .context = 2, .costs = cost_shapes(costs, /*positive=*/false)};
  const auto slack = static_cast<std::int64_t>(std::floor(share * static_cast<double>(rounds)));
  // Reward and cost of each action, in each context.
  const std::vector<double> table = {1.0, -1.0, 0.0, 1.0, 0.0, -1.0, 1.0, 1.0};
  return std::make_unique<SlackThenTrap>(shape, equal_costs(table, 2, 2, costs), slack, noise,
                                         rounds);
}

}  // namespace rein
