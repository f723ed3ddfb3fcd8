#include "engine/open.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.h"

namespace rein {

std::int32_t Open::find(std::uint64_t id) const {
  std::int32_t place = lists_[id & (lists_.size() - 1)];
  while (place >= 0 && (*this)[place].record.id != id) place = (*this)[place].alike;
  return place;
}

DecideRecord& Open::draft() {
  if (free_.empty()) {
    if (free_.capacity() <= slots_.size()) free_.reserve(2 * slots_.size() + 8);  // for remove()
    if (lists_.size() <= slots_.size()) double_lists();
    slots_.emplace_back();
    free_.push_back(static_cast<std::int32_t>(slots_.size()) - 1);
  }
  return mutable_slot(free_.back()).record;
}

void Open::double_lists() {
  std::vector<std::int32_t>(2 * lists_.size(), -1).swap(lists_);
  for (std::int32_t place = oldest_; place >= 0; place = (*this)[place].newer) {
    std::int32_t& list = list_of((*this)[place].record.id);
    mutable_slot(place).alike = list;
    list = place;
  }
}

void Open::add(std::uint64_t number) {
  check(!free_.empty(), "open decisions: add() without a draft");
  const std::int32_t place = free_.back();
  free_.pop_back();
  Slot& slot = mutable_slot(place);
  slot.number = number;
  slot.came = 0;
  slot.gives_way = false;
  std::int32_t& list = list_of(slot.record.id);
  slot.alike = list;
  list = place;
  slot.older = newest_;
  slot.newer = -1;
  if (newest_ >= 0) mutable_slot(newest_).newer = place;
  newest_ = place;
  if (oldest_ < 0) oldest_ = place;
  ++size_;
}

void Open::take(std::int32_t place, Came which, const Outcome& part) {
  Slot& slot = mutable_slot(place);
  if (slot.came == 0) slot.outcome.costs = Costs(part.costs.size(), kMissing);
  if ((which & kRewardCame) != 0) slot.outcome.reward = part.reward;
  for (int i = 0; i < part.costs.size(); ++i) {
    if ((which & cost_came(i)) != 0) slot.outcome.costs[i] = part.costs[i];
  }
  slot.came |= which;
}

void Open::set_back(std::int64_t now) {
  for (std::int32_t slot = oldest_; slot >= 0; slot = slots_[static_cast<std::size_t>(slot)].newer) {
    DecideRecord& record = mutable_slot(slot).record;
    record.at = std::min(record.at, now);
  }
}

void Open::remove(std::int32_t place) {
  Slot& slot = mutable_slot(place);
  std::int32_t* link = &list_of(slot.record.id);
  while (*link != place) link = &mutable_slot(*link).alike;
  *link = slot.alike;
  (slot.older >= 0 ? mutable_slot(slot.older).newer : oldest_) = slot.newer;
  (slot.newer >= 0 ? mutable_slot(slot.newer).older : newest_) = slot.older;
  mutable_slot(place).gives_way = false;
  free_.push_back(place);
  // The draft stays last in the list: when a decision gives way, the new decision is already
  // written there.
  if (free_.size() > 1) std::swap(free_.back(), free_[free_.size() - 2]);
  --size_;
  drop_stale();
}

void Open::let_give_way(std::int32_t place) {
  Slot& slot = mutable_slot(place);
  if (slot.gives_way) return;
  slot.gives_way = true;
  giving_way_.push_back({slot.number, place});
  std::ranges::push_heap(giving_way_, std::greater<>());
  constexpr std::size_t kFewStale = 64;  // entries that are not worth a pass
  if (giving_way_.size() <= 2 * static_cast<std::size_t>(size_) + kFewStale) return;
  std::erase_if(giving_way_, [&](const GivesWay& entry) { return is_stale(entry); });
  std::ranges::make_heap(giving_way_, std::greater<>());
}

bool Open::is_stale(const GivesWay& entry) const {
  const Slot& slot = (*this)[entry.place];
  return !slot.gives_way || slot.number != entry.number;
}

void Open::drop_stale() {
  while (!giving_way_.empty() && is_stale(giving_way_.front())) {
    std::ranges::pop_heap(giving_way_, std::greater<>());
    giving_way_.pop_back();
  }
}

}  // namespace rein
