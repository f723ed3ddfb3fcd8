#include "world/heavy.h"

#include <fmt/format.h>

#include <numeric>

#include "base/math.h"
#include "base/units.h"
#include "world/keys.h"
#include "world/known_means.h"
#include "world/means.h"
#include "world/unit.h"

namespace rein {
namespace {

constexpr double kHalfRoot3 = 0.86602540378443865;
constexpr double kLeastReward = 0.4;

struct HeavyOptions {
  int actions = 5;
  int context = 4;
  int costs = 1;
  double ratio = 500.0;
};

class Heavy final : public KnownMeans {
 public:
  Heavy(const Shape& shape, const Noise& noise, std::uint64_t seed, std::int64_t rounds)
      : KnownMeans(shape, noise, rounds),
        seed_(seed),
        context_(static_cast<std::size_t>(shape.context)) {}
  bool iid() const override { return true; }

 private:
  void arrange(std::int64_t t) override {
    Rng rng = world_rng(seed_, Purpose::kContexts);
    const std::span<double> psi = std::span(context_).subspan(1);
    rng.set_counter(static_cast<std::uint64_t>(t) * draws_of(psi.size()));
    fill_direction(rng, psi);
    for (double& value : psi) value *= 0.5;
    context_[0] = kHalfRoot3;
    round_ = {.actions = shape().actions, .context = context_};
  }

  std::uint64_t seed_;
  std::vector<double> context_;
};

// The cost rank of each action, for one cost. Action 0 is the cheapest. The first cost is in order,
// the others are shuffled.
std::vector<int> steps(const HeavyOptions& options, int cost, Rng& rng) {
  std::vector<int> order(static_cast<std::size_t>(options.actions));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size() - 1; cost > 0 && i > 1; --i) {
    std::swap(order[i],
              order[1 + static_cast<std::size_t>(rng.below(static_cast<std::int64_t>(i)))]);
  }
  return order;
}

// For every action, its parameters for the reward and each cost.
std::vector<double> make_theta(const HeavyOptions& options, Rng& rng) {
  std::vector<std::vector<int>> ladders;
  for (int i = 0; i < options.costs; ++i) ladders.push_back(steps(options, i, rng));
  const double top = options.actions - 1;
  std::vector<double> theta;
  for (int a = 0; a < options.actions; ++a) {
    for (int h = 0; h <= options.costs; ++h) {
      double scale = kLeastReward + (1.0 - kLeastReward) * a / top;
      if (h > 0) scale = exp(-log(options.ratio) * (top - ladders[h - 1][a]) / top);
      theta.push_back(scale * kHalfRoot3);
      for (double w : random_unit(rng, options.context - 1)) theta.push_back(0.5 * scale * w);
    }
  }
  return theta;
}

}  // namespace

Result<std::unique_ptr<World>> make_heavy(const Spec& spec, std::uint64_t seed,
                                          std::int64_t rounds) {
  SpecReader read(spec, "world spec");
  HeavyOptions options;
  options.actions = static_cast<int>(read.integer("k", options.actions, 2, kMaxActions));
  options.context = static_cast<int>(read.integer("d", options.context, 2, 4096));
  options.costs = static_cast<int>(read.integer("m", options.costs, 1, kMaxCosts));
  options.ratio = read.number("ratio", options.ratio, {.low = 1.0, .high = 1e12});
  const Noise noise(read, "low", seed);
  Shape shape{.actions = options.actions,
              .context = options.context,
              .costs = cost_shapes(options.costs, /*positive=*/true)};
  shape.budgets = read_budgets(read, options.costs, rounds, 0.05);
  const std::int64_t numbers = std::int64_t{options.actions} * options.context * shape.heads();
  if (numbers > kMaxWorldNumbers) {
    read.refuse(fmt::format("k={}, d={} and m={} make {} parameters; accepted: at most {}",
                            options.actions, options.context, options.costs, numbers, kMaxWorldNumbers));
  }
  if (auto done = read.finish(); !done) return done.failure();

  Rng rng = world_rng(seed, Purpose::kParameters);
  shape.truth =
      std::make_shared<PerActionMeans>(make_theta(options, rng), ranges_of(shape), options.context);
  return std::make_unique<Heavy>(shape, noise, seed, rounds);
}

}  // namespace rein
