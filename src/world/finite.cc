#include "world/finite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "world/keys.h"
#include "world/tabular.h"

namespace rein {
namespace {


struct FiniteOptions {
  int functions = 16;
  int contexts = 5;
  int actions = 4;
  int costs = 1;
  bool positive = false;
  bool cyclic = false;
  double margin = 0.1;
  double safe = 0.05;
  double tension = 0.6;
};

class Finite final : public TabularWorld {
 public:
  Finite(const FiniteOptions& options, const Shape& shape,
         const std::shared_ptr<const TableMeans>& truth, const Noise& noise, std::uint64_t seed,
         std::int64_t rounds)
      : TabularWorld(shape, truth, noise, rounds),
        contexts_(options.contexts),
        cyclic_(options.cyclic),
        seed_(seed) {}
  bool iid() const override { return !cyclic_; }

 private:
  int context_of(std::int64_t t) const override {
    if (cyclic_) return static_cast<int>(t % contexts_);
    Rng rng = world_rng(seed_, Purpose::kContexts);
    rng.set_counter(static_cast<std::uint64_t>(t));
    return static_cast<int>(rng.below(contexts_));
  }

  int contexts_;
  bool cyclic_;
  std::uint64_t seed_;
};

double between(Rng& rng, double low, double high) { return low + (high - low) * rng.uniform(); }

// Appends the means of one action.
void add_action(const FiniteOptions& options, bool is_safe, Rng& rng, std::vector<double>& table) {
  const std::size_t reward = table.size();
  const double low = options.positive ? 0.0 : -1.0;
  const double high = !is_safe ? 1.0 : options.positive ? options.safe : -options.margin;
  table.push_back(0.0);
  double sum = 0.0;
  for (int i = 0; i < options.costs; ++i) {
    table.push_back(between(rng, low, high));
    sum += table.back();
  }
  const double weight = options.costs > 0 ? options.tension : 0.0;
  const double cost = options.costs > 0 ? sum / options.costs : 0.0;
  table[reward] = (1.0 - weight) * between(rng, low, 1.0) + weight * cost;
}

std::vector<double> make_tables(const FiniteOptions& options, Rng& rng) {
  std::vector<double> tables;
  for (int table = 0; table < options.functions * options.contexts; ++table) {
    const std::int64_t safe = rng.below(options.actions);
    for (int a = 0; a < options.actions; ++a) add_action(options, a == safe, rng, tables);
  }
  return tables;
}

// The largest |theta| of all functions. A context is one-hot, so the theta of an action and a head
// is the column of its means over contexts.
double largest_theta(const FiniteOptions& options, const std::vector<double>& tables) {
  const std::size_t row = as_size(options.actions) * as_size(options.costs + 1);
  double largest = 0.0;
  for (std::size_t f = 0; f < as_size(options.functions); ++f) {
    for (std::size_t j = 0; j < row; ++j) {
      double squares = 0.0;
      for (std::size_t x = 0; x < as_size(options.contexts); ++x) {
        const double mean = tables[(f * as_size(options.contexts) + x) * row + j];
        squares += mean * mean;
      }
      largest = std::max(largest, squares);
    }
  }
  return std::sqrt(largest);
}

FiniteOptions read_options(SpecReader& read) {
  FiniteOptions options;
  options.functions = static_cast<int>(read.integer("n", 16, 1, 1'000'000));
  options.contexts = static_cast<int>(read.integer("contexts", 5, 1, 1'000'000));
  options.actions = static_cast<int>(read.integer("k", 4, 1, kMaxActions));
  options.costs = static_cast<int>(read.integer("m", 1, 0, kMaxCosts));
  options.positive = read.word("costs", "signed", {"signed", "positive"}) == "positive";
  options.cyclic = read.word("order", "iid", {"iid", "cyclic"}) == "cyclic";
  options.margin = read.number("margin", options.margin, {.low = 0.0, .high = 1.0});
  options.tension = read.number("tension", options.tension, {.low = 0.0, .high = 1.0});
  margin_or_safe(read, options.positive);
  const double numbers =
      1.0 * options.functions * options.contexts * options.actions * (options.costs + 1);
  if (numbers > static_cast<double>(kMaxWorldNumbers)) {
    read.refuse(fmt::format(
        "n={}, contexts={}, k={} and m={} make {:.0f} means; accepted: at most {}",
        options.functions, options.contexts, options.actions, options.costs, numbers, kMaxWorldNumbers));
  }
  return options;
}

}  // namespace

Result<std::unique_ptr<World>> make_finite(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds) {
  SpecReader read(spec, "world spec");
  FiniteOptions options = read_options(read);
  const Noise noise(read, "rademacher", seed);
  Shape shape{.actions = options.actions,
              .context = options.contexts,
              .costs = cost_shapes(options.costs, options.positive)};
  shape.budgets = read_budgets(read, options.costs, rounds);
  options.safe = read_safe(read, shape.budgets, rounds);
  if (auto done = read.finish(); !done) return done.failure();

  Rng rng = world_rng(seed, Purpose::kParameters);
  const auto truth = static_cast<int>(rng.below(options.functions));
  std::vector<double> tables = make_tables(options, rng);
  shape.theta = std::max(1.0, largest_theta(options, tables));
  const auto functions = std::make_shared<TableMeans>(std::move(tables), options.contexts,
                                                      options.actions, shape.heads());
  shape.functions = functions;
  return std::make_unique<Finite>(options, shape, functions->only(truth), noise, seed, rounds);
}

}  // namespace rein
