// A world with its costs multiplied, or its means or context sizes changed, as a world of the
// caller's own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "rein/oracle.h"
#include "rein/world.h"

namespace rein {

struct Altered {
  std::string world;
  double costs = 1.0;    // all costs, ranges and budgets are multiplied by this
  double context = 1.0;  // every number of a context
  bool known = true;     // false: the world does not provide its means
  double lowest = 0.0;   // below 0: the low end that cost ranges are declared with
};

class AlteredMeans final : public FunctionClass {
 public:
  AlteredMeans(std::shared_ptr<const FunctionClass> of, double costs)
      : of_(std::move(of)), costs_(costs) {}
  int size() const override { return of_->size(); }
  void evaluate(int function, const Round& round, int action,
                std::span<double> out) const override {
    of_->evaluate(function, round, action, out);
    for (std::size_t h = 1; h < out.size(); ++h) out[h] *= costs_;
  }

 private:
  std::shared_ptr<const FunctionClass> of_;
  double costs_;
};

class AlteredWorld final : public OwnWorld {
 public:
  AlteredWorld(std::unique_ptr<World> of, const Altered& how)
      : of_(std::move(of)), how_(how), shape_(of_->shape()) {
    for (CostShape& cost : shape_.costs) {
      cost.range.low *= how.costs;
      cost.range.high *= how.costs;
      if (how.lowest < 0.0) cost.range.low = how.lowest;
    }
    for (double& budget : shape_.budgets) budget *= how.costs;
    for (auto* means : {&shape_.truth, &shape_.nearest}) {
      if (*means) *means = std::make_shared<AlteredMeans>(*means, how.costs);
    }
    if (!how.known) shape_.truth = nullptr;
  }

  const Shape& shape() const override { return shape_; }
  const Round& next() override {
    round_ = of_->next();
    context_.assign(round_.context.begin(), round_.context.end());
    for (double& x : context_) x *= how_.context;
    round_.context = context_;
    return round_;
  }
  void outcome(int action, Outcome& out) const override {
    of_->outcome(action, out);
    for (double& cost : out.costs) cost *= how_.costs;
  }
  bool means(std::span<double> out) const override {
    of_->means(out);
    const auto n = static_cast<std::size_t>(round_.actions);
    for (std::size_t j = n; j < n * (1 + shape_.costs.size()); ++j) out[j] *= how_.costs;
    return true;
  }
  bool highest(std::span<double> out) const override {
    if (!of_->highest(out)) return false;
    const auto n = static_cast<std::size_t>(round_.actions);
    for (std::size_t j = 0; j < n * shape_.costs.size(); ++j) out[j] *= how_.costs;
    return true;
  }
  void observe(int action, const Outcome& outcome) override { of_->observe(action, outcome); }
  bool adapts() const override { return of_->adapts(); }

 private:
  std::unique_ptr<World> of_;
  Altered how_;
  Shape shape_;
  Round round_;
  std::vector<double> context_;
};

// It as own(name=NAME).
inline Own altered(const std::string& name, const Altered& how) {
  return {.worlds = {
              {name,
               [how](std::uint64_t seed, std::int64_t rounds) -> Result<std::unique_ptr<OwnWorld>> {
                 auto made = make_world(how.world, seed, rounds);
                 if (!made) return made.failure();
                 return std::make_unique<AlteredWorld>(std::move(made).value(), how);
               }}}};
}

}  // namespace rein
