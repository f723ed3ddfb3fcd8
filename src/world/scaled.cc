#include "world/scaled.h"

#include "base/size.h"
#include "base/spec_reader.h"
#include "rein/oracle.h"

namespace rein {
namespace {

constexpr double kMostScale = 1e12;

struct Factors {
  double reward = 1.0;
  double cost = 1.0;
  double room = 1.0;
  double of(std::size_t head) const { return head == 0 ? reward : cost; }
};

class ScaledFunctions final : public FunctionClass {
 public:
  ScaledFunctions(std::shared_ptr<const FunctionClass> of, const Factors& factors)
      : of_(std::move(of)), factors_(factors) {}
  int size() const override { return of_->size(); }
  void evaluate(int function, const Round& round, int action,
                std::span<double> out) const override {
    of_->evaluate(function, round, action, out);
    for (std::size_t h = 0; h < out.size(); ++h) out[h] *= factors_.of(h);
  }

 private:
  std::shared_ptr<const FunctionClass> of_;
  Factors factors_;
};

Shape scaled_shape(Shape shape, const Factors& factors) {
  shape.reward.low *= factors.reward;
  shape.reward.high *= factors.reward;
  for (CostShape& cost : shape.costs) {
    cost.range.low *= factors.cost * (cost.range.low < 0.0 ? factors.room : 1.0);
    cost.range.high *= factors.cost;
  }
  for (double& budget : shape.budgets) budget *= factors.cost;
  for (auto* functions : {&shape.functions, &shape.truth, &shape.nearest}) {
    if (*functions) *functions = std::make_shared<ScaledFunctions>(*functions, factors);
  }
  return shape;
}

class Scaled final : public World {
 public:
  Scaled(std::unique_ptr<World> of, const Factors& factors)
      : of_(std::move(of)), factors_(factors), shape_(scaled_shape(of_->shape(), factors)) {}

  const Shape& shape() const override { return shape_; }
  bool adapts() const override { return of_->adapts(); }
  bool iid() const override { return of_->iid(); }
  const Round& next() override {
    const Round& round = of_->next();
    actions_ = as_size(round.actions);
    return round;
  }
  void outcome(int action, Outcome& out) const override {
    of_->outcome(action, out);
    out.reward *= factors_.reward;
    for (double& cost : out.costs) cost *= factors_.cost;
  }
  void means(std::span<double> out) const override {
    of_->means(out);
    for (std::size_t j = 0; j < as_size(shape_.heads()) * actions_; ++j) {
      out[j] *= factors_.of(j / actions_);
    }
  }
  bool highest(std::span<double> out) const override {
    if (!of_->highest(out)) return false;
    for (std::size_t j = 0; j < shape_.costs.size() * actions_; ++j) out[j] *= factors_.cost;
    return true;
  }
  // The inner world sees the outcome that it gave.
  void observe(int action, const Outcome& outcome) override {
    seen_ = outcome;
    seen_.reward /= factors_.reward;
    for (double& cost : seen_.costs) cost /= factors_.cost;
    of_->observe(action, seen_);
  }

 private:
  std::unique_ptr<World> of_;
  Factors factors_;
  Shape shape_;
  std::size_t actions_ = 0;  // of the current round
  Outcome seen_;
};

}  // namespace

Result<std::unique_ptr<World>> make_scaled(const Spec& spec, std::uint64_t seed,
                                           std::int64_t rounds, const Own& own) {
  SpecReader read(spec, "world spec");
  const Spec of = read.spec("of", "linear");
  const Limits scale{.low = 1.0 / kMostScale, .high = kMostScale};
  const Factors factors{.reward = read.number("reward", 1.0, scale),
                        .cost = read.number("cost", 1.0, scale),
                        .room = read.number("room", 1.0, {.low = 1.0, .high = kMostScale})};
  if (auto done = read.finish(); !done) return done.failure();
  auto made = make_world(of, seed, rounds, own);
  if (!made) return made;
  return std::unique_ptr<World>(std::make_unique<Scaled>(std::move(made).value(), factors));
}

}  // namespace rein
