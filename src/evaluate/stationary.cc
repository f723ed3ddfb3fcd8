#include "evaluate/stationary.h"

#include <algorithm>

#include "base/size.h"
#include "base/units.h"

namespace rein {
namespace {

std::int64_t sample_size(const Shape& shape, std::int64_t rounds) {
  const std::int64_t a_round = std::int64_t{shape.heads()} * shape.actions;
  const std::int64_t room = std::max<std::int64_t>(kMostSampledNumbers / a_round, 1);
  return std::min(std::clamp(rounds, kFewestSampled, kMostSampled), room);
}

}  // namespace

Result<std::optional<Costs>> stationary_prices(const Spec& spec, std::uint64_t seed,
                                               const BenchmarkOptions& options) {
  auto made = make_world(spec, seed, options.rounds, options.own);
  if (!made) return made.failure();
  World& world = *made.value();
  const Shape& shape = world.shape();
  const std::vector<double> units = units_of(shape);
  const std::int64_t sampled = sample_size(shape, options.rounds);
  LongTerm sample(shape.actions, static_cast<int>(shape.costs.size()));
  std::vector<double> means(units.size() * as_size(shape.actions));
  for (std::int64_t t = 0; t < options.rounds; ++t) world.next();  // skips played rounds
  for (std::int64_t t = 0; t < sampled; ++t) {
    const auto actions = as_size(world.next().actions);
    world.means(means);
    for (std::size_t j = 0; j < units.size() * actions; ++j) means[j] /= units[j / actions];
    sample.add(means, static_cast<int>(actions));
  }
  std::vector<double> budgets(shape.costs.size());
  const double share = static_cast<double>(sampled) / static_cast<double>(options.rounds);
  for (std::size_t i = 0; i < options.budgets.size(); ++i) {
    budgets[i] = options.budgets[i] / units[i + 1] * share;
  }
  LongTermAnswer answer = sample.solve(budgets);
  if (answer.relaxed > 0.0 || answer.prices.empty()) return std::optional<Costs>();
  for (double& price : answer.prices) price = std::max(price, 0.0);
  return std::optional<Costs>(answer.prices);
}

Result<std::unique_ptr<Benchmark>> make_benchmark(const Spec& spec, std::uint64_t seed,
                                                  const World& made,
                                                  const BenchmarkOptions& options) {
  auto benchmark = std::make_unique<Benchmark>(made.shape(), options);
  if (options.stationary && made.iid() && !made.shape().costs.empty()) {
    auto prices = stationary_prices(spec, seed, options);
    if (!prices) return prices.failure();
    if (prices.value()) benchmark->count_stationary(*prices.value());
  }
  return benchmark;
}

}  // namespace rein
