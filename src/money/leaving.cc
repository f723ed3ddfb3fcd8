// Which key leaves when all places of a dimension are taken.
//
// A key may leave when forgetting it neither grants nor takes away money. It must stay
//
//     while it has open decisions, on no list;
//     while it has spent or topped-up money in a window that is still open: on a list of that budget,
//     one per window or bucket that ends next;
//     while it has topped-up money that `carry` keeps, or debts that no window pays: on a list of its own.
//
// Otherwise it is on list 0, whose first key leaves. A key is sorted onto a list when its last open
// decision is settled, and when its money changes after that. When a window ends, its list is joined to
// list 0 in one step. A budget with a longer window may still need such a key, or one may owe for
// longer. So where all places are taken, the first key of list 0 is kept one that may leave: tidy()
// sorts those before it once more. Each does that once for the end of a window that it waited for, and a
// refusal looks at no key at all.
//
// Before rules 2 all keys were on list 0 in the order of their use, and were looked at from its
// beginning; what was topped up did not count.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "money/budgets.h"

namespace rein {
namespace {

constexpr int kLeaving = 0, kKept = 1, kFirstOfBudgets = 2;

// How long a window is, so that a key waits for the longest one first. Rounds have no length in time.
std::int64_t length_of(const Window& window) {
  constexpr std::int64_t kDay = 86'400;
  switch (window.kind) {
    case Window::Kind::kRun:
      return INT64_MAX;
    case Window::Kind::kRounds:
      return 0;
    case Window::Kind::kTicks:
    case Window::Kind::kRolling:
      return window.length;
    case Window::Kind::kDay:
      return kDay;
    case Window::Kind::kWeek:
      return 7 * kDay;
    case Window::Kind::kMonth:
      return 31 * kDay;
  }
  return 0;
}

}  // namespace

void Budgets::make_lists() {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    std::vector<int>& lines = dimensions_[d].lines;
    for (int i = 0; i < size(); ++i) {
      if (lines_[at(i)].dimension == static_cast<int>(d)) lines.push_back(i);
    }
    std::ranges::stable_sort(lines, std::greater<>(),
                             [&](int i) { return length_of(budget(i).window); });
    int lists = kFirstOfBudgets;
    for (int i : lines) {
      lines_[at(i)].list = lists;
      lists += kLists;
    }
    dimensions_[d].keys = Keys(options_.most_keys, lists);
  }
}

int Budgets::list_of(Dimension& dimension, int slot) const {
  ++dimension.sorted;
  for (int i : dimension.lines) {
    const Line& line = lines_[at(i)];
    const std::int64_t until = line.accounts.stays_until(slot, line.hard());
    if (until == Accounts::kForEver) return kKept;
    const std::int64_t mark = line.accounts.mark();
    if (until > mark) return line.list + static_cast<int>(std::min(until, mark + kLists) % kLists);
  }
  return kLeaving;
}

void Budgets::sort_in(Dimension& dimension, int slot) {
  if (by_use_ || dimension.keys.open(slot) > 0) return;
  dimension.keys.put(slot, list_of(dimension, slot));
}

void Budgets::tidy(Dimension& dimension) {
  Keys& keys = dimension.keys;
  if (by_use_ || !keys.full()) return;
  for (int slot = keys.first(kLeaving); slot != Keys::kNone; slot = keys.first(kLeaving)) {
    if (keys.open(slot) > 0) {
      keys.take_off(slot);
      continue;
    }
    const int list = list_of(dimension, slot);
    if (list == kLeaving) return;
    keys.put(slot, list);
  }
}

void Budgets::tidy() {
  for (Dimension& dimension : dimensions_) tidy(dimension);
}

void Budgets::end_windows(const Line& line, std::int64_t before) {
  Keys& keys = dimensions_[at(line.dimension)].keys;
  const std::int64_t last = std::min(line.accounts.mark(), before + kLists);
  for (std::int64_t mark = before + 1; mark <= last; ++mark) {
    keys.join(line.list + static_cast<int>(mark % kLists));
  }
}

void Budgets::look_again(Dimension& dimension) {
  const int lists = kFirstOfBudgets + kLists * static_cast<int>(dimension.lines.size());
  for (int list = kKept; list < lists; ++list) dimension.keys.join(list);
  tidy(dimension);
}

void Budgets::adopt_lists() {
  by_use_ = false;
  for (Line& line : lines_) line.accounts.forget_top_ups();
  for (Dimension& dimension : dimensions_) look_again(dimension);
}

bool Budgets::busy_by_use(const Dimension& dimension, int slot) const {
  if (dimension.keys.open(slot) > 0) return true;
  for (int i : dimension.lines) {
    const Line& line = lines_[at(i)];
    if (!line.hard()) continue;
    const Accounts::Balance balance = line.accounts.balance(slot);
    const bool debt = line.budget.carry && balance.limit < line.accounts.amount(slot);
    if (balance.spent > 0 || balance.held > 0 || debt) return true;
  }
  return false;
}

bool Budgets::has_room(const Dimension& dimension) const {
  const Keys& keys = dimension.keys;
  if (!keys.full()) return true;
  int slot = keys.first(kLeaving);
  while (by_use_ && slot != Keys::kNone && busy_by_use(dimension, slot)) slot = keys.next(slot);
  return slot != Keys::kNone;
}

Result<> Budgets::has_room(const ScopeKeys& keys) const {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const Dimension& dimension = dimensions_[d];
    if (has_room(dimension, keys[d])) continue;
    return Error{
        fmt::format(
            "scopes: each of the {} keys of \"{}\" has open decisions, or money that was spent "
            "or topped up in a window that is still open; accepted: one of these keys, more "
            "places (most_keys), or budgets with shorter windows",
            dimension.keys.most(), dimension.name),
        Reason::kFull, "scopes"};
  }
  return {};
}

int Budgets::add_key(int d, const KeyDigest& key) {
  Dimension& dimension = dimensions_[at(d)];
  Keys& keys = dimension.keys;
  const bool fresh = !keys.full();
  int slot = keys.first(kLeaving);
  if (fresh) {
    slot = keys.add(key);
  } else {
    // Before rules 2 busy keys counted as used now.
    for (; by_use_ && busy_by_use(dimension, slot); slot = keys.first(kLeaving)) {
      keys.put(slot, kLeaving);
    }
    keys.replace(slot, key);
  }
  if (by_use_) keys.put(slot, kLeaving);
  if (dimension.named) dimension.names.resize(at(keys.size()));
  if (dimension.named) dimension.names[at(slot)].clear();
  for (int i : dimension.lines) {
    Line& line = lines_[at(i)];
    const Micro own = own_amount(line, key);
    if (fresh) {
      line.accounts.add(own);
      if (line.learns()) line.reserves.add();
      if (options_.paced) line.arrivals.add();
    } else {
      line.accounts.restart(slot, own);
      if (options_.paced) line.arrivals.restart(slot);
    }
  }
  return slot;
}

void Budgets::use_keys(const ScopeKeys& keys) {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (keys[d].empty()) continue;
    Dimension& dimension = dimensions_[d];
    int slot = dimension.keys.find(keys[d]);
    if (slot == Keys::kNone) slot = add_key(static_cast<int>(d), keys[d]);
    if (by_use_) {
      dimension.keys.put(slot, kLeaving);
    } else {
      dimension.keys.take_off(slot);
    }
    dimension.keys.change_open(slot, 1);
    tidy(dimension);
  }
}

void Budgets::free_keys(const ScopeKeys& keys, int by) {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    if (keys[d].empty()) continue;
    Dimension& dimension = dimensions_[d];
    const int slot = dimension.keys.find(keys[d]);
    if (slot == Keys::kNone) continue;  // it has left
    dimension.keys.change_open(slot, by);
    sort_in(dimension, slot);
    tidy(dimension);
  }
}

std::int64_t Budgets::leaves_at(const Dimension& dimension) const {
  std::int64_t soonest = -1;
  for (int i : dimension.lines) {
    const Line& line = lines_[at(i)];
    const std::int64_t mark = line.accounts.mark();
    for (std::int64_t until = mark + 1; until <= mark + kLists; ++until) {
      if (dimension.keys.first(line.list + static_cast<int>(until % kLists)) == Keys::kNone) continue;
      const std::int64_t tick = line.clock.reaches(until);
      if (tick >= 0 && (soonest < 0 || tick < soonest)) soonest = tick;
      break;
    }
  }
  return soonest;
}

std::int64_t Budgets::room_at(const ScopeKeys& keys, std::int64_t now, std::int64_t expires) const {
  std::int64_t latest = now;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const Dimension& dimension = dimensions_[d];
    if (has_room(dimension, keys[d])) continue;
    std::int64_t soonest = leaves_at(dimension);
    if (expires >= 0 && dimension.keys.in_use() > 0) {
      soonest = soonest < 0 ? expires : std::min(soonest, expires);
    }
    if (soonest < 0) return -1;
    latest = std::max(latest, soonest);
  }
  return latest;
}

std::vector<Budgets::Fill> Budgets::fill() const {
  std::vector<Fill> all;
  for (const Dimension& dimension : dimensions_) {
    const Keys& keys = dimension.keys;
    all.push_back({dimension.name, keys.size(), keys.most(), keys.in_use(), dimension.sorted});
  }
  return all;
}

}  // namespace rein
