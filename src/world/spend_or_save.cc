#include "world/spend_or_save.h"

#include "world/keys.h"
#include "world/tabular.h"

namespace rein {
namespace {

constexpr int kMedium = 0;
constexpr int kHigh = 1;
constexpr int kLow = 2;

class SpendOrSave final : public TabularWorld {
 public:
  SpendOrSave(const Shape& shape, const std::shared_ptr<const TableMeans>& truth, int future,
              const Noise& noise, std::int64_t rounds)
      : TabularWorld(shape, truth, noise, rounds), half_(rounds / 2), future_(future) {}

 private:
  int context_of(std::int64_t t) const override { return t < half_ ? kMedium : future_; }

  std::int64_t half_;
  int future_;
};

}  // namespace

Result<std::unique_ptr<World>> make_spend_or_save(const Spec& spec, std::uint64_t seed,
                                                  std::int64_t rounds) {
  SpecReader read(spec, "world spec");
  const std::string word = read.word("future", "random", {"random", "high", "low"});
  const Limits mean{.low = -1.0, .high = 1.0};
  const double medium = read.number("medium", 0.5, mean);
  const double high = read.number("high", 1.0, mean);
  const double low = read.number("low", 0.0, mean);
  const Noise noise(read, "none", seed);
  const int costs = static_cast<int>(read.integer("m", 1, 1, kMaxCosts));
  Shape shape{.actions = 2, .context = 3, .costs = cost_shapes(costs, /*positive=*/true)};
  shape.budgets = read_budgets(read, costs, rounds, 0.5);
  if (auto done = read.finish(); !done) return done.failure();

  Rng rng = world_rng(seed, Purpose::kLaws);
  const bool is_high = word == "high" || (word == "random" && rng.below(2) == 0);
  // Reward and cost of skipping, then of spending, in each context.
  const std::vector<double> table = {0.0,  0.0, medium, 1.0, 0.0, 0.0,
                                     high, 1.0, 0.0,    0.0, low, 1.0};
  return std::make_unique<SpendOrSave>(shape, equal_costs(table, 3, 2, costs),
                                       is_high ? kHigh : kLow, noise, rounds);
}

}  // namespace rein
