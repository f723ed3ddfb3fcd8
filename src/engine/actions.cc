// Actions that come and go while an engine runs.
#include <fmt/format.h>

#include <new>

#include "base/own.h"
#include "base/size.h"
#include "engine/heart.h"

namespace rein {
namespace {

// The policy of an added action is made anew and takes over what the old one had learned. A piece
// of the caller's own would be shared by the two.
Result<> check_own_pieces(const Spec& policy) {
  for (OwnKind kind : {OwnKind::kOracle, OwnKind::kPotential, OwnKind::kPolicy}) {
    if (!uses_own(policy, kind)) continue;
    return Error{
        "add_action: the policy has pieces of your own, which cannot grow; accepted: actions that "
        "were there from the beginning, offered when they are ready"};
  }
  return {};
}

Result<> check_largest(const Shape& shape, const EngineOptions& options, const Costs& largest) {
  const int m = static_cast<int>(shape.costs.size());
  if (options.largest_costs.empty() && !largest.empty()) {
    return Error{
        "add_action: largest costs, and the other actions have none declared; accepted: none"};
  }
  if (!options.largest_costs.empty() && largest.size() != m) {
    return Error{
        fmt::format("add_action: {} largest costs; accepted: one per cost ({}), as the "
                    "other actions have",
                    largest.size(), m)};
  }
  for (int i = 0; i < largest.size(); ++i) {
    const Range& range = shape.costs[as_size(i)].range;
    if (largest[i] >= range.low && largest[i] <= range.high) continue;
    return Error{
        fmt::format("add_action: a largest cost of {}; accepted: {} to {}, the range of "
                    "cost \"{}\"",
                    largest[i], range.low, range.high, shape.costs[as_size(i)].name)};
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Policy>> Engine::Heart::make_larger(int more) const {
  Shape shape = config.shape;
  shape.added = roster.added() + more;
  shape.actions = roster.size() + more;
  shape.paced = policy->shape().paced;
  return make_meant(config, shape);
}

Result<> Engine::Heart::add(const ActionRecord& record) {
  if (auto ok = roster.check_add(record.name); !ok) return ok;
  if (record.id != roster.size()) {
    return Error{
        fmt::format("record: action id {} is added; accepted here: {}", record.id, roster.size()),
        Reason::kSequence};
  }
  if (auto ok = check_own_pieces(config.policy); !ok) return ok;
  if (auto ok = check_largest(policy->shape(), config.options, record.largest); !ok) return ok;
  if (record.expected.empty() != expected.empty()) {
    return Error{expected.empty() ? "add_action: expected costs, and none are known of the other "
                                    "actions; accepted: none, or expect() for all"
                                  : "add_action: no expected costs, and those of the other actions "
                                    "are known; accepted: one per cost"};
  }
  auto larger = make_larger(1);
  if (!larger) return larger.failure().in("add_action: ");
  if (auto ok = larger.value()->load(policy->save()); !ok) {
    return ok.failure().in("add_action: this policy cannot take new actions: ");
  }
  std::vector<double> costs = expected;
  costs.insert(costs.end(), record.expected.begin(), record.expected.end());
  std::swap(policy, larger.value());
  if (auto ok = check_expected(costs); !ok) {
    std::swap(policy, larger.value());
    return ok;
  }
  expected = std::move(costs);
  scratch = Scratch(*policy);
  largest.add(record.largest);
  roster.add(record.name, record.largest);
  history.grow();
  seen.grow();
  return {};
}

Result<> Engine::Heart::fold(const ActionRecord& record) {
  change = Change::kNothing;
  if (record.added) {
    try {
      if (auto ok = add(record); !ok) return ok;
    } catch (const std::bad_alloc&) {
      return Error{"add_action: there is not enough memory for another action"};
    }
  } else {
    if (auto ok = roster.check_remove(record.id); !ok) return ok;
    if (config.options.safe_action == record.id) {
      return Error{"remove_action: it is the safe action; accepted: any other"};
    }
    roster.remove(record.id);
  }
  last_action = record;
  change = Change::kAction;
  return {};
}

}  // namespace rein
