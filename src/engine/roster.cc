#include "engine/roster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "base/size.h"
#include "rein/shape.h"

namespace rein {
namespace {

constexpr std::size_t kLongestName = 256;
constexpr std::size_t kMostShown = 8;

Result<> check_name(std::string_view name) {
  if (!name.empty() && name.size() <= kLongestName) return {};
  return Error{fmt::format("actions: found a name of {} bytes; accepted: 1 to {}", name.size(),
                           kLongestName)};
}

}  // namespace

Roster::Roster(int actions, std::span<const std::string> names)
    : first_(actions),
      named_(!names.empty()),
      names_(names.begin(), names.end()),
      removed_(as_size(actions)),
      offered_(as_size(actions)) {
  names_.resize(as_size(actions));
  std::iota(offered_.begin(), offered_.end(), 0);
  if (!named_) return;
  for (std::int32_t id : offered_) ids_[names_[as_size(id)]] = id;
}

Result<> Roster::check_names(std::span<const std::string> names, int actions) {
  if (names.empty()) return {};
  if (names.size() != as_size(actions)) {
    return Error{fmt::format("actions: found {} names; accepted: one per action ({}), or none",
                             names.size(), actions)};
  }
  std::vector<std::string_view> sorted(names.begin(), names.end());
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    return Error{
        fmt::format("actions: found the name \"{}\" twice; accepted: each name once", *twice)};
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
    some.push_back(names_[as_size(id)]);
  }
  const std::string_view more = offered_.size() > kMostShown ? ", ..." : "";
  return Error{named_ ? fmt::format("actions: found \"{}\"; accepted: {}{}", name,
                                    fmt::join(some, ", "), more)
                      : fmt::format("actions: found \"{}\", and actions have no names here; "
                                    "accepted: ids",
                                    name),
               Reason::kUnknown};
}

const Costs& Roster::largest(std::int32_t id) const {
  static const Costs kNone;
  return id < first_ ? kNone : largest_[as_size(id - first_)];
}

Result<> Roster::check(const Round& round) const {
  if (offered_.size() == removed_.size()) return {};
  for (int a = 0; a < round.actions; ++a) {
    if (!round.ids.empty() && as_size(a) >= round.ids.size()) return {};  // refused later
    const std::int32_t id = round.id(a);
    if (id < 0 || id >= size() || !removed(id)) continue;
    return Error{fmt::format("round: it offers action id {}{}, which was removed; accepted: "
                             "actions that were not",
                             id, named_ ? fmt::format(" (\"{}\")", name(id)) : ""),
                 Reason::kUnknown};
  }
  return {};
}

Result<> Roster::check_add(std::string_view name) const {
  if (size() >= kMaxActions) {
    return Error{fmt::format("add_action: {} actions were added; accepted: at most {} in all",
                             size(), kMaxActions),
                 Reason::kFull};
  }
  if (!named_) {
    if (name.empty()) return {};
    return Error{fmt::format(
        "add_action: found the name \"{}\", and the others have none; accepted: no name", name)};
  }
  if (auto ok = check_name(name); !ok) return ok;
  if (!ids_.contains(name)) return {};
  return Error{fmt::format("add_action: there is an action \"{}\"; accepted: another name", name)};
}

Result<> Roster::check_remove(std::int32_t id) const {
  if (id < 0 || id >= size() || removed(id)) {
    return Error{
        fmt::format("remove_action: action id {} is not among the {} actions", id, offered_.size()),
        Reason::kUnknown};
  }
  if (offered_.size() > 1) return {};
  return Error{"remove_action: it is the last action; accepted: while there are others"};
}

std::int32_t Roster::add(std::string_view name, const Costs& largest) {
  const std::int32_t id = size();
  names_.emplace_back(name);
  removed_.push_back(false);
  largest_.push_back(largest);
  offered_.push_back(id);
  if (named_) ids_[names_.back()] = id;
  return id;
}

void Roster::remove(std::int32_t id) {
  removed_[as_size(id)] = true;
  std::erase(offered_, id);
  if (named_) ids_.erase(name(id));
}

void Roster::save(ByteWriter& out) const {
  out.i64(added());
  for (std::int32_t id = first_; id < size(); ++id) {
    out.text(name(id));
    out.i64(largest(id).size());
    out.f64s(largest(id).span());
  }
  out.u64(removed_.size() - offered_.size());
  for (std::int32_t id = 0; id < size(); ++id) {
    if (removed(id)) out.i64(id);
  }
}

// Names of removed actions may have been given again, so actions are removed before the next is
// added: in the order of their ids, each as soon as its name is needed.
void Roster::load(ByteReader& in, int costs) {
  struct Entry {
    std::string name;
    Costs largest;
  };
  std::vector<Entry> entries;
  const std::int64_t count = in.between("number of added actions", 0, kMaxActions - first_);
  for (std::int64_t n = 0; n < count && in.ok(); ++n) {
    Entry entry{.name = in.text(), .largest = {}};
    const std::int64_t numbers = in.between("largest costs of an action", 0, costs);
    if (numbers != 0 && numbers != costs) in.fail("an added action has some of its largest costs");
    entry.largest = Costs(static_cast<int>(numbers));
    in.f64s(entry.largest);
    entries.push_back(std::move(entry));
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
    if (removed[as_size(id)]) remove(id);
  }
  for (const Entry& entry : entries) {
    if (auto ok = check_add(entry.name); !ok) return in.fail(ok.error());
    const std::int32_t id = add(entry.name, entry.largest);
    if (removed[as_size(id)]) remove(id);
  }
}

}  // namespace rein
