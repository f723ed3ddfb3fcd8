#include "policy/own.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/own.h"
#include "policy/base.h"

namespace rein {
namespace {

// Costs are counted, not priced.
Rules rules_of(const Shape& shape) {
  Terms terms;
  terms.actions = shape.actions;
  terms.costs = static_cast<int>(shape.costs.size());
  Rules rules(terms);
  rules.reward_only = true;
  return rules;
}

void check_distribution(std::span<const double> probabilities) {
  double sum = 0.0;
  for (double p : probabilities) {
    if (!(p >= 0.0 && p <= 1.0)) {
      throw Failure(fmt::format("own policy: found the probability {}; accepted: 0 to 1", p));
    }
    sum += p;
  }
  if (std::abs(sum - 1.0) <= 1e-9) return;
  throw Failure(
      fmt::format("own policy: found probabilities that sum to {}; accepted: a sum of 1", sum));
}

class BroughtPolicy final : public PolicyBase {
 public:
  BroughtPolicy(const Spec& spec, const Shape& shape, std::unique_ptr<OwnPolicy> brought)
      : PolicyBase(spec, shape, nullptr, rules_of(shape)), brought_(std::move(brought)) {}

 private:
  std::span<const double> choose(const Round& round, const Books& books, Scratch&,
                                 Decision& decision) const override {
    Costs spent = books.spent;
    for (int i = 0; i < spent.size(); ++i) spent[i] = (spent[i] + books.held(i)) * unit(i + 1);
    const std::span<double> probabilities = decision.probabilities();
    std::ranges::fill(probabilities, 0.0);
    brought_->choose(round, spent, probabilities);
    check_distribution(probabilities);
    std::ranges::copy(probabilities, decision.scores().begin());
    std::ranges::fill(decision.estimates.mean(0), 0.0);
    std::ranges::fill(decision.estimates.width(), 0.0);
    decision.gamma = 1.0;
    decision.prices = Costs();
    return {};
  }
  void attempt(const Lesson& lesson) override {
    brought_->learn(lesson.round, lesson.decision.action, lesson.decision.probability,
                    lesson.outcome);
  }
  void commit(const Lesson&, Books&) override {}
  void tell(PolicyState&) const override {}
  void save_parts(ByteWriter& out) const override { save_own(*brought_, out); }
  Result<> load_parts(ByteReader& in) override { return load_own(*brought_, in); }

  std::unique_ptr<OwnPolicy> brought_;
};

}  // namespace

Result<std::unique_ptr<Policy>> make_own_policy(const Spec& spec, const Shape& shape,
                                                const Own& own) {
  auto maker = find_own(own.policies, spec, "policy spec");
  if (!maker) return maker.failure();
  auto brought = maker.value()(shape);
  if (!brought) return brought.failure();
  return std::make_unique<BroughtPolicy>(spec, shape, std::move(brought).value());
}

}  // namespace rein
