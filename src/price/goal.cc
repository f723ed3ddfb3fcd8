// Goal, the second half of forms.h.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/size.h"
#include "price/forms.h"

namespace rein {
namespace {

const Range& range_of(const Shape& shape, int head) {
  return head == 0 ? shape.reward : shape.costs[as_size(head - 1)].range;
}

Result<> check_limit(const Shape& shape, int objective, const Goal::Limit& limit) {
  const Range& range = range_of(shape, limit.head);
  const std::string_view name = head_name(shape, limit.head);
  if (limit.head == objective) {
    return Error{fmt::format(
        "policy spec: \"{}\" is the objective and has a limit; accepted: one of them", name)};
  }
  if (limit.mean >= range.low && limit.mean <= range.high) return {};
  return Error{
      fmt::format("policy spec: the limit {} on \"{}\" is outside of its range; accepted: "
                  "{} to {}",
                  limit.mean, name, range.low, range.high)};
}

}  // namespace

std::string_view head_name(const Shape& shape, int head) {
  return head == 0 ? std::string_view("reward") : shape.costs[as_size(head - 1)].name;
}

double Goal::to(int head, double x) const {
  return signs_[as_size(head)] * (x - shifts_[as_size(head)]);
}

double Goal::from(int head, double x) const {
  return shifts_[as_size(head)] + signs_[as_size(head)] * x;
}

Result<Goal> Goal::make(const Shape& shape, int objective, bool minimise,
                        std::span<const Limit> limits) {
  const auto heads = as_size(shape.heads());
  Goal goal;
  goal.objective_ = objective;
  goal.signs_.assign(heads, 1.0);
  goal.signs_[as_size(objective)] = minimise ? -1.0 : 1.0;
  std::vector<std::optional<double>> means(heads);
  for (const Limit& limit : limits) {
    if (auto ok = check_limit(shape, objective, limit); !ok) return ok.failure();
    if (means[as_size(limit.head)]) {
      return Error{fmt::format("policy spec: \"{}\" has two limits; accepted: one per head",
                               head_name(shape, limit.head))};
    }
    if (limit.below) goal.signs_[as_size(limit.head)] = -1.0;
    goal.zero_threshold_ |= limit.below;
    means[as_size(limit.head)] = limit.mean;
  }
  for (std::size_t i = 0; i < shape.budgets.size(); ++i) {
    if (means[i + 1] || static_cast<int>(i) + 1 == objective) continue;
    if (shape.rounds == 0) {
      return Error{"policy spec: a total budget needs the number of rounds; accepted: rounds=N"};
    }
    means[i + 1] = shape.budgets[i] / static_cast<double>(shape.rounds);
  }
  std::vector<double> rates(heads);
  for (int h = 0; h < shape.heads(); ++h) {
    if (h == objective) continue;
    rates[as_size(h)] = means[as_size(h)].value_or(range_of(shape, h).high);
    goal.zero_threshold_ |= range_of(shape, h).low < 0.0;  // no knapsack
  }
  for (int h = 0; h < shape.heads() && goal.zero_threshold_; ++h) {
    if (h == objective || means[as_size(h)] || range_of(shape, h).has_top()) continue;
    return Error{fmt::format(
        "policy spec: \"{}\" has no limit and no range, and another has a limit from below; "
        "accepted: at_most=[{},MEAN], or a range for it",
        head_name(shape, h), head_name(shape, h))};
  }
  goal.shifts_.assign(heads, 0.0);
  if (goal.zero_threshold_) std::swap(goal.shifts_, rates);
  goal.place(shape, rates);
  return goal;
}

// The mapped shape. `rates` of the heads of the user.
void Goal::place(const Shape& shape, std::span<const double> rates) {
  mapped_ = shape;
  mapped_.budgets.clear();
  mapped_.functions = mapped_.truth = mapped_.nearest = nullptr;
  mapped_.expected.assign(as_size(shape.heads()), ExpectedHead{});
  rates_.assign(shape.costs.size(), 0.0);
  for (int h = 0; h < shape.heads(); ++h) {
    const double low = to(h, range_of(shape, h).low), high = to(h, range_of(shape, h).high);
    const Range range{.low = 0.0 + std::min(low, high),
                      .high = 0.0 + std::max(low, high)};  // no -0
    const int place = h == 0 ? objective_ : h == objective_ ? 0 : h;
    if (h > 0) {
      mapped_.expected[as_size(place)] = {.cost = h - 1,
                                          .range = range_of(shape, h),
                                          .sign = signs_[as_size(h)],
                                          .zero = 0.0 + to(h, 0.0)};
    }
    if (place == 0) {
      mapped_.reward = range;
      continue;
    }
    mapped_.costs[as_size(place - 1)] = {std::string(head_name(shape, h)), range};
    rates_[as_size(place - 1)] = rates[as_size(h)];
  }
}

template <class Map>
Outcome Goal::map_by(const Outcome& outcome, Map map) const {
  const auto part = [&](int head, double x) { return is_missing(x) ? kMissing : map(head, x); };
  Outcome mapped{.reward = part(0, outcome.reward),
                 .costs = Costs(static_cast<int>(mapped_.costs.size()), kMissing)};
  for (int i = 0; i < outcome.costs.size(); ++i) mapped.costs[i] = part(i + 1, outcome.costs[i]);
  if (objective_ > 0) std::swap(mapped.reward, mapped.costs[objective_ - 1]);
  return mapped;
}

Outcome Goal::map(const Outcome& outcome) const {
  return map_by(outcome, [this](int head, double x) { return to(head, x); });
}

Outcome Goal::map_change(const Outcome& change) const {
  return map_by(change, [this](int head, double x) { return signs_[as_size(head)] * x; });
}

void Goal::unmap(std::span<const std::int64_t> counts, double& reward, Costs& costs) const {
  if (objective_ > 0) std::swap(reward, costs[objective_ - 1]);
  const auto total = [&](int head, double x) {
    return static_cast<double>(counts[as_size(head)]) * shifts_[as_size(head)] +
           signs_[as_size(head)] * x;
  };
  reward = total(0, reward);
  for (int i = 0; i < costs.size(); ++i) costs[i] = total(i + 1, costs[i]);
}

void Goal::map(Estimates& estimates) const {
  if (estimates.heads() != mapped_.heads()) return;
  for (int h = 0; h < estimates.heads(); ++h) {
    for (double& x : estimates.mean(h)) x = to(h, x);
  }
  if (objective_ > 0) std::ranges::swap_ranges(estimates.mean(0), estimates.mean(objective_));
}

void Goal::unmap(Estimates& estimates) const {
  if (estimates.heads() != mapped_.heads()) return;
  if (objective_ > 0) std::ranges::swap_ranges(estimates.mean(0), estimates.mean(objective_));
  for (int h = 0; h < estimates.heads(); ++h) {
    for (double& x : estimates.mean(h)) x = from(h, x);
  }
}

void Goal::unmap(Explanation& explanation) const {
  std::vector<HeadExplanation>& heads = explanation.heads;
  if (static_cast<int>(heads.size()) != mapped_.heads()) return;
  std::swap(heads[0], heads[as_size(objective_)]);
  for (int h = 0; h < mapped_.heads(); ++h) {
    HeadExplanation& head = heads[as_size(h)];
    const double sign = signs_[as_size(h)], shift = shifts_[as_size(h)];
    head.estimate = from(h, head.estimate);
    for (double* part : {&head.linear, &head.rest, &head.prior, &head.calibration}) *part *= sign;
    for (Term& term : head.terms) term.weight *= sign;
    if (!head.has_weights) {
      head.rest += shift;
      continue;
    }
    head.linear += shift;
    const auto constant = std::ranges::find_if(
        head.terms, [](const Term& term) { return term.context < 0 && term.feature < 0; });
    if (constant != head.terms.end()) {
      constant->weight += shift;
    } else if (shift != 0.0) {
      head.terms.push_back({.weight = shift, .value = 1.0});
    }
    sort_terms(head.terms);
  }
}

Costs Goal::reserved(std::span<const double> given) const {
  Costs mapped(given);
  for (int i = 0; i < mapped.size(); ++i) {
    if (i + 1 == objective_ || zero_threshold_) mapped[i] = 0.0;
  }
  return mapped;
}

}  // namespace rein
