#include "engine/roster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/size.h"
#include "rein/shape.h"

namespace rein {
namespace {

constexpr std::size_t kLongestName = 256;
constexpr std::size_t kMostShown = 8;
// The version of saved state (rein/state_version.h) from which on places and ids differ.
constexpr int kPlacesVersion = 8;

Result<> check_name(std::string_view name) {
  if (!name.empty() && name.size() <= kLongestName) return {};
  return Error::of("actions", fmt::format("actions: found a name of {} bytes; accepted: 1 to {}",
                                          name.size(), kLongestName));
}

}  // namespace

Roster::Roster(int actions, std::span<const std::string> names)
    : first_(actions),
      named_(!names.empty()),
      next_(actions),
      seats_(as_size(actions)),
      offered_(as_size(actions)) {
  std::iota(offered_.begin(), offered_.end(), 0);
  for (std::int32_t id : offered_) {
    seat(id).id = id;
    if (!named_) continue;
    seat(id).name = names[as_size(id)];
    ids_[names[as_size(id)]] = id;
  }
}

Result<> Roster::check_names(std::span<const std::string> names, int actions) {
  if (names.empty()) return {};
  if (names.size() != as_size(actions)) {
    return Error::of("actions",
                     fmt::format("actions: found {} names; accepted: one per action ({}), or none",
                                 names.size(), actions));
  }
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return Error::of(
        "actions",
        fmt::format("actions: found the name \"{}\" twice; accepted: each name once", *twice));
  }
  for (std::string_view name : sorted) {
    if (auto ok = check_name(name); !ok) return ok;
  }
  return {};
}

Result<std::int32_t> Roster::find(std::string_view name) const {
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  std::vector<std::string_view> some;
  for (std::int32_t id : offered_) {
    if (some.size() == kMostShown) break;
    some.push_back(seat(place(id)).name);
  }
  const std::string_view ending = offered_.size() > kMostShown ? ", ..." : "";
  return Error{named_ ? fmt::format("actions: found \"{}\"; accepted: {}{}", name,
                                    fmt::join(some, ", "), ending)
                      : fmt::format("actions: found \"{}\", and actions have no names here; "
                                    "accepted: ids",
                                    name),
               Reason::kUnknown, "actions"};
}

std::int32_t Roster::place(std::int32_t id) const {
  if (id < 0 || id >= next_) return -1;
  if (id < places() && seat(id).id == id) return id;
  const auto found = moved_.find(id);
  return found == moved_.end() ? -1 : found->second;
}

const std::string& Roster::name(std::int32_t id) const {
  static const std::string kNone;
  const std::int32_t found = place(id);
  return found < 0 ? kNone : seat(found).name;
}

Result<> Roster::check(const Round& round, bool removed_too) const {
  if (plain() && (removed_too || offered_.size() == seats_.size())) return {};
  for (int a = 0; a < round.actions; ++a) {
    if (!round.ids.empty() && as_size(a) >= round.ids.size()) return {};  // refused later
    const std::int32_t id = round.id(a);
    if ((id < 0 || id >= next_) && plain()) continue;  // refused later
    if (id < 0 || id >= next_) {
      return Error::of("actions",
                       fmt::format("round: ids[{}] is {}; accepted: 0 to {}", a, id, next_ - 1));
    }
    const std::int32_t found = place(id);
    if (found >= 0 && (removed_too || !seat(found).removed)) continue;
    return Error{fmt::format("round: it offers action {}, which was removed; accepted: "
                             "actions that were not",
                             name(id).empty() ? fmt::format("id {}", id) : fmt::format("\"{}\"", name(id))),
                 Reason::kUnknown, "actions"};
  }
  return {};
}

Result<> Roster::check_add(std::string_view name, bool new_place) const {
  if (new_place && places() >= kMaxActions) {
    return Error{fmt::format("add_action: there are {} actions; accepted: at most {}, with those "
                             "that were removed and that open decisions still offer",
                             places(), kMaxActions),
                 Reason::kFull, "name"};
  }
  if (next_ == std::numeric_limits<std::int32_t>::max()) {
    return Error{fmt::format("add_action: {} ids were given; accepted: no more", next_),
                 Reason::kFull, "name"};
  }
  if (!named_) {
    if (name.empty()) return {};
    return Error::of(
        "name",
        fmt::format(
            "add_action: found the name \"{}\", and the others have none; accepted: no name",
            name));
  }
  if (auto ok = check_name(name); !ok) return ok;
  if (!ids_.contains(name)) return {};
  return Error::of(
      "name", fmt::format("add_action: there is an action \"{}\"; accepted: another name", name));
}

Result<> Roster::check_remove(std::int32_t id) const {
  const std::int32_t found = place(id);
  if (found < 0 || seat(found).removed) {
    return Error{
        fmt::format("remove_action: action id {} is not among the {} actions", id, offered_.size()),
        Reason::kUnknown, "name"};
  }
  if (offered_.size() > 1) return {};
  return Error::of("name",
                   "remove_action: it is the last action; accepted: while there are others");
}

void Roster::add(std::string_view name, const Costs& largest, std::int32_t place,
                 std::uint64_t decided) {
  const std::int32_t id = next_++;
  if (place < 0) {
    place = places();
    seats_.emplace_back();
  } else {
    moved_.erase(seat(place).id);
  }
  seat(place) = {.id = id, .name = std::string(name), .largest = largest, .looked_to = decided};
  if (place != id) moved_[id] = place;
  offered_.push_back(id);
  if (named_) ids_[seat(place).name] = id;
}

void Roster::remove(std::int32_t id, std::uint64_t decided) {
  Seat& gone = seat(place(id));
  gone.removed = true;
  gone.removed_at = decided;
  std::erase(offered_, id);
  if (named_) ids_.erase(gone.name);
}

// While every action has the place of its id, the form is that of versions before 8, without ids,
// so that hashes stay the same.
void Roster::save(ByteWriter& out) const {
  const bool with_ids = out.version() >= kPlacesVersion || !plain();
  if (with_ids) out.i64(next_);
  out.i64(added());
  for (const Seat& each : std::span(seats_).subspan(as_size(first_))) {
    if (with_ids) out.i64(each.id);
    out.text(each.name);
    out.i64(each.largest.size());
    out.f64s(each.largest.span());
  }
  out.u64(seats_.size() - offered_.size());
  for (std::int32_t place = 0; place < places(); ++place) {
    if (seat(place).removed) out.i64(place);
  }
}

Costs Roster::read_largest(ByteReader& in, int costs) {
  const std::int64_t numbers = in.between("largest costs of an action", 0, costs);
  if (numbers != 0 && numbers != costs) in.fail("an added action has some of its largest costs");
  Costs largest(static_cast<int>(numbers));
  in.f64s(largest);
  return largest;
}

// Names of removed actions may have been given again, so all are read before names are looked at.
void Roster::load(ByteReader& in, int costs, std::uint64_t decided) {
  if (in.version() < kPlacesVersion) return load_plain(in, costs, decided);
  constexpr std::int64_t kMostIds = std::numeric_limits<std::int32_t>::max();
  next_ = static_cast<std::int32_t>(in.between("ids of actions", first_, kMostIds));
  const std::int64_t count = in.between("number of added actions", 0, kMaxActions - first_);
  for (std::int64_t n = 0; n < count && in.ok(); ++n) {
    Seat added;
    added.id = static_cast<std::int32_t>(in.between("id of an action", first_, next_ - 1));
    added.name = in.text();
    added.largest = read_largest(in, costs);
    if (place(added.id) >= 0 || added.id < first_ + n) in.fail("an added action has a wrong place");
    if (!in.ok()) return;
    if (added.id != places()) moved_[added.id] = places();
    seats_.push_back(std::move(added));
  }
  const std::int64_t gone = in.between("number of removed actions", 0, first_ + count - 1);
  std::int64_t least = 0;
  for (std::int64_t n = 0; n < gone && in.ok(); ++n) {
    Seat& gone_seat = seat(static_cast<std::int32_t>(
        in.between("removed action", least, first_ + count - 1)));
    least = place(gone_seat.id) + 1;
    gone_seat.removed = true;
    gone_seat.removed_at = decided;
  }
  offered_.clear();
  ids_.clear();
  for (const Seat& each : seats_) {
    if (each.removed) continue;
    offered_.push_back(each.id);
    if (!named_) continue;
    if (auto ok = check_name(each.name); !ok) return in.fail(ok.error());
    if (!ids_.emplace(each.name, each.id).second) return in.fail("two actions have one name");
  }
  std::ranges::sort(offered_);
}

// Before version 8 the place of every action was its id. Decisions that are still open may offer
// removed actions.
void Roster::load_plain(ByteReader& in, int costs, std::uint64_t decided) {
  struct Entry {
    std::string name;
    Costs largest;
  };
  std::vector<Entry> entries;
  const std::int64_t count = in.between("number of added actions", 0, kMaxActions - first_);
  for (std::int64_t n = 0; n < count && in.ok(); ++n) {
    std::string name = in.text();
    entries.push_back({std::move(name), read_largest(in, costs)});
  }
  const std::int64_t gone = in.between("number of removed actions", 0, first_ + count - 1);
  std::vector<bool> removed(as_size(first_) + entries.size());
  std::int64_t least = 0;
  for (std::int64_t n = 0; n < gone && in.ok(); ++n) {
    least = in.between("removed action", least, first_ + count - 1) + 1;
    removed[as_size(least - 1)] = true;
  }
  if (!in.ok()) return;
  for (std::int32_t id = 0; id < first_; ++id) {
    if (removed[as_size(id)]) remove(id, decided);
  }
  for (const Entry& entry : entries) {
    if (auto ok = check_add(entry.name, true); !ok) return in.fail(ok.error());
    add(entry.name, entry.largest, -1, 0);
    if (removed[as_size(next_ - 1)]) remove(next_ - 1, decided);
  }
}

}  // namespace rein
