// Actions that come and go while an engine runs.
#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/own.h"
#include "base/size.h"
#include "engine/heart.h"

namespace rein {
namespace {

// The policy of an added action is made anew and takes over what the old one had learned. Old and
// new policy would share a piece of the caller's own.
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
    return Error::of(
        "largest_costs",
        "add_action: largest costs, and the other actions have none declared; accepted: none");
  }
  if (!options.largest_costs.empty() && largest.size() != m) {
    return Error::of(
        "largest_costs",
        fmt::format("add_action: {} largest costs; accepted: one per cost ({}), as the "
                    "other actions have",
                    largest.size(), m));
  }
  for (int i = 0; i < largest.size(); ++i) {
    const Range& range = shape.costs[as_size(i)].range;
    if (largest[i] >= range.low && largest[i] <= range.high) continue;
    return Error::of(
        "largest_costs",
        fmt::format("add_action: a largest cost of {}; accepted: {} to {}, the range of "
                    "cost \"{}\"",
                    largest[i], range.low, range.high, shape.costs[as_size(i)].name));
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Policy>> Engine::Heart::make_larger(int more, int new_place) const {
  Shape shape = config.shape;
  shape.added = roster.added() + more;
  shape.actions = roster.places() + more;
  shape.new_place = new_place;
  shape.paced = policy->shape().paced;
  return make_meant(config, shape);
}

Result<std::unique_ptr<Policy>> Engine::Heart::grown() const {
  auto larger = make_larger(1);
  if (!larger) return larger.failure().in("add_action: ");
  if (auto ok = larger.value()->load(policy->save()); !ok) {
    return ok.failure().in("add_action: this policy cannot take new actions: ");
  }
  return larger;
}

// Loads the saved state into a new policy that leaves out the block of this place. An added action
// has the place, so the policy has grown before, and all of its parts know their blocks.
Result<std::unique_ptr<Policy>> Engine::Heart::renewed(std::int32_t place) const {
  auto without = make_larger(0, place);
  if (!without) return without.failure().in("add_action: ");
  if (auto ok = without.value()->load(policy->save()); !ok) return ok.failure().in("add_action: ");
  auto again = make_larger(0);
  if (!again) return again.failure().in("add_action: ");
  if (auto ok = again.value()->load(without.value()->save()); !ok) {
    return ok.failure().in("add_action: ");
  }
  return again;
}

Round Engine::Heart::in_places(const Round& round, std::vector<std::int32_t>& places) const {
  const bool sound = round.actions >= 0 && round.actions <= roster.places() &&
                     (round.ids.empty() || round.ids.size() == as_size(round.actions));
  if (roster.plain() || !sound) return round;
  places.clear();
  for (int a = 0; a < round.actions; ++a) places.push_back(roster.place(round.id(a)));
  Round known = round;
  known.ids = places;
  return known;
}

// Only decisions that were made while the action could be offered may offer it.
bool Engine::Heart::is_free(std::int32_t place) {
  if (place < roster.first() || place >= roster.places()) return false;
  Roster::Seat& seat = roster.seat(place);
  if (!seat.removed) return false;
  // Mostly the decision that offered it the last time is still open.
  std::int32_t slot = open.find(cipher.id_of(seat.looked_to));
  for (slot = slot >= 0 ? slot : open.oldest(); slot >= 0; slot = open[slot].newer) {
    const std::uint64_t number = open[slot].number;
    if (number >= seat.removed_at) return true;
    if (number < seat.looked_to) continue;
    seat.looked_to = number;
    const StoredRound& round = open[slot].record.round;
    if (round.ids.empty() ? seat.id < round.actions
                          : std::ranges::find(round.ids, seat.id) != round.ids.end()) {
      return false;
    }
  }
  return true;
}

std::int32_t Engine::Heart::free_place() {
  for (std::int32_t place = roster.first(); place < roster.places(); ++place) {
    if (is_free(place)) return place;
  }
  return -1;
}

Result<> Engine::Heart::add(const ActionRecord& record) {
  const bool new_place = record.place < 0;
  if (auto ok = roster.check_add(record.name, new_place); !ok) return ok;
  if (record.id != roster.ids()) {
    return Error{
        fmt::format("record: action id {} is added; accepted here: {}", record.id, roster.ids()),
        Reason::kSequence};
  }
  if (!new_place && !is_free(record.place)) {
    return Error{fmt::format("record: an action is added at place {}, which is not free",
                             record.place),
                 Reason::kSequence};
  }
  if (auto ok = check_own_pieces(config.policy); !ok) return ok;
  if (auto ok = check_largest(policy->shape(), config.options, record.largest); !ok) return ok;
  if (record.expected.empty() != expected.empty()) {
    return Error::of("expected_costs",
                     expected.empty()
                         ? "add_action: expected costs, and none are known of the other "
                           "actions; accepted: none, or expect() for all"
                         : "add_action: no expected costs, and those of the other actions "
                           "are known; accepted: one per cost");
  }
  auto larger = new_place ? grown() : renewed(record.place);
  if (!larger) return larger.failure();
  std::vector<double> costs = expected;
  if (new_place) {
    costs.insert(costs.end(), record.expected.begin(), record.expected.end());
  } else if (!expected.empty()) {
    std::ranges::copy(record.expected, costs.begin() + static_cast<std::ptrdiff_t>(
                                                           as_size(record.place) * units.size()));
  }
  std::swap(policy, larger.value());
  if (auto ok = check_expected(costs); !ok) {
    std::swap(policy, larger.value());
    return ok;
  }
  expected = std::move(costs);
  scratch = Scratch(*policy);
  if (new_place) {
    largest.add(record.largest);
    seen.grow();
    if (!bills.empty()) bills.grow();
  } else {
    largest.replace(record.place, record.largest);
    if (!seen.empty()) seen.forget(record.place);
    if (!bills.empty()) bills.forget(record.place);
  }
  roster.add(record.name, record.largest, record.place, next_number());
  history.grow();
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
      return Error::of("name", "remove_action: it is the safe action; accepted: any other");
    }
    roster.remove(record.id, next_number());
  }
  last_action = record;
  change = Change::kAction;
  return {};
}

}  // namespace rein
