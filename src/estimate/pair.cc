#include "estimate/pair.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "base/spec_reader.h"
#include "base/units.h"
#include "estimate/own.h"
#include "rein/bytes.h"

namespace rein {
namespace {

// The functions of a class without their first head.
class CostFunctions final : public FunctionClass {
 public:
  explicit CostFunctions(std::shared_ptr<const FunctionClass> of) : of_(std::move(of)) {}
  int size() const override { return of_->size(); }
  void evaluate(int function, const Round& round, int action,
                std::span<double> out) const override {
    double all[1 + kMaxCosts];
    const std::size_t heads = std::min<std::size_t>(out.size(), kMaxCosts);
    of_->evaluate(function, round, action, {all, heads + 1});
    for (std::size_t h = 0; h < heads; ++h) out[h] = all[h + 1];
  }

 private:
  std::shared_ptr<const FunctionClass> of_;
};

std::shared_ptr<const FunctionClass> cost_functions(std::shared_ptr<const FunctionClass> of) {
  if (!of) return nullptr;
  return std::make_shared<CostFunctions>(std::move(of));
}

// Drops the budgets: their costs may be gone, and no oracle reads them.
Shape reward_shape(Shape shape) {
  shape.costs.clear();
  shape.budgets.clear();
  return shape;
}

// REQUIRES a cost.
Shape cost_shape(Shape shape) {
  shape.reward = shape.costs.front().range;
  shape.costs.erase(shape.costs.begin());
  shape.budgets.clear();
  shape.functions = cost_functions(shape.functions);
  shape.truth = cost_functions(shape.truth);
  return shape;
}

// Turns pair(reward=optimistic(...)) into optimistic(of=pair(...)): policies look for optimism on
// the outside.
Spec around(const Spec& optimistic, const Spec& cost) {
  const SpecValue* of = optimistic.find("of");
  Spec inside("pair");
  inside.set("reward", of == nullptr ? SpecValue{.is = Spec("vaw")} : *of);
  inside.set("cost", {.is = cost});
  Spec outside = optimistic;
  outside.set("of", {.is = inside});
  return outside;
}

}  // namespace

Result<std::unique_ptr<Oracle>> OraclePair::make(const Spec& spec, const Shape& shape,
                                                 const Own& own) {
  SpecReader read(spec, "oracle spec");
  const Spec reward = read.spec("reward", "vaw");
  const Spec cost = read.spec("cost", "vaw");
  if (reward.name == "pair" || cost.name == "pair") {
    read.refuse("a pair inside a pair; accepted: any other oracle for reward and cost");
  }
  if (cost.name == "optimistic") {
    read.refuse(
        "optimism about costs overspends; accepted: cost=ORACLE without it, and "
        "reward=optimistic(of=ORACLE)");
  }
  if (auto done = read.finish(); !done) return done.failure();

  auto of_reward = make_oracle(reward, reward_shape(shape), own);
  if (!of_reward) return of_reward.failure();
  if (reward.name == "optimistic") return make_oracle(around(reward, cost), shape, own);
  std::unique_ptr<Oracle> of_cost;
  if (!shape.costs.empty()) {
    auto made = make_oracle(cost, cost_shape(shape), own);
    if (!made) return made.failure();
    of_cost = std::move(made).value();
  }
  return std::make_unique<OraclePair>(std::move(of_reward).value(), std::move(of_cost), shape);
}

OraclePair::OraclePair(std::unique_ptr<Oracle> reward, std::unique_ptr<Oracle> cost,
                       const Shape& shape)
    : reward_(std::move(reward)),
      cost_(std::move(cost)),
      heads_(shape.heads()),
      actions_(shape.actions),
      reward_first_(dynamic_cast<const BroughtOracle*>(reward_.get()) != nullptr) {}

std::size_t OraclePair::scratch() const {
  if (!cost_) return reward_->scratch();
  const std::size_t widths = in_parts_ ? as_size(heads_ - 1) * as_size(actions_) : 0;
  return 2 * as_size(actions_) + widths + reward_->scratch() + cost_->scratch();
}

// Each oracle predicts into the first rows of the estimates, as it would alone. The reward and the
// widths are moved aside meanwhile.
void OraclePair::predict(const Round& round, Scratch& scratch, Estimates& estimates) const {
  if (!cost_) return reward_->predict(round, scratch, estimates);
  const std::size_t actions = as_size(round.actions);
  const std::span<double> reward = scratch.take(actions), width = scratch.take(actions);
  const std::span<double> wide = scratch.take(in_parts_ ? actions * as_size(heads_ - 1) : 0);
  estimates.set_apart(false);
  estimates.set_heads(1);
  reward_->predict(round, scratch, estimates);
  std::ranges::copy(estimates.mean(0), reward.begin());
  std::ranges::copy(estimates.width(), width.begin());
  estimates.set_heads(heads_ - 1);
  cost_->predict(round, scratch, estimates);
  for (int h = 0; in_parts_ && h < heads_ - 1; ++h) {
    std::ranges::copy(estimates.width(h), wide.subspan(as_size(h) * actions).begin());
  }
  estimates.set_heads(heads_);
  estimates.set_apart(in_parts_);
  for (int h = heads_ - 1; h > 0; --h) {
    std::ranges::copy(estimates.mean(h - 1), estimates.mean(h).begin());
  }
  std::ranges::copy(reward, estimates.mean(0).begin());
  std::ranges::copy(width, estimates.width().begin());
  for (int h = 1; in_parts_ && h < heads_; ++h) {
    std::ranges::copy(wide.subspan(as_size(h - 1) * actions, actions), estimates.width(h).begin());
  }
}

void OraclePair::learn(const Round& round, int action, std::span<const double> outcomes) {
  const auto came = [](double y) { return !std::isnan(y); };
  const bool reward = came(outcomes[0]);
  const bool cost = cost_ && std::ranges::any_of(outcomes.subspan(1), came);
  if (reward && reward_first_) reward_->learn(round, action, outcomes.first(1));
  if (cost) cost_->learn(round, action, outcomes.subspan(1));
  if (reward && !reward_first_) reward_->learn(round, action, outcomes.first(1));
  if (cost_ && !std::ranges::all_of(outcomes, came)) in_parts_ = true;
}

double OraclePair::bound(std::int64_t rounds) const {
  const double reward = reward_->bound(rounds);
  return cost_ ? std::max(reward, cost_->bound(rounds)) : reward;
}

double OraclePair::regret_by(double (*regret_of)(const Oracle&)) const {
  const double reward = regret_of(*reward_);
  if (!cost_ || std::isnan(reward)) return reward;
  const double cost = regret_of(*cost_);
  return std::isnan(cost) ? cost : std::max(reward, cost);
}

void OraclePair::save(ByteWriter& out) const {
  out.state("pair", Known{"heads", heads_});
  out.i64(in_parts_ ? 1 : 0);
  reward_->save(out);
  if (cost_) cost_->save(out);
}

Result<> OraclePair::load(ByteReader& in) {
  auto read = in.state("pair", Known{"heads", heads_});
  in_parts_ = in.between("outcomes in parts", 0, 1) != 0;
  if (read) read = reward_->load(in);
  if (read && cost_) read = cost_->load(in);
  return read;
}

}  // namespace rein
