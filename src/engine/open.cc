#include "engine/open.h"

#include <cstring>

#include "base/check.h"

namespace rein {
namespace {

// A record ends with its own hash.
std::uint64_t hash_in(const std::string& record) {
  std::uint64_t hash = 0;
  check(record.size() >= sizeof hash, "open decisions: a record without a hash");
  std::memcpy(&hash, record.data() + record.size() - sizeof hash, sizeof hash);
  return hash;
}

}  // namespace

Open::Open(std::int64_t most) : most_(most), table_(most) {
  free_.reserve(static_cast<std::size_t>(most));
  slots_.reserve(static_cast<std::size_t>(most));
}

void Open::add(std::uint64_t id, std::int64_t at, std::string_view record) {
  check(!full(), "open decisions: no room");
  if (free_.empty()) {
    slots_.emplace_back();
    free_.push_back(static_cast<std::int32_t>(slots_.size()) - 1);
  }
  const std::int32_t place = free_.back();
  Slot& slot = mutable_slot(place);
  slot.record.assign(record);  // the last thing that may throw
  free_.pop_back();
  slot.id = id;
  slot.at = at;
  slot.older = newest_;
  slot.newer = -1;
  if (newest_ >= 0) mutable_slot(newest_).newer = place;
  newest_ = place;
  if (oldest_ < 0) oldest_ = place;
  table_.insert(id, place);
  hash_ += hash_in(slot.record);
  ++size_;
}

void Open::remove(std::int32_t place) {
  Slot& slot = mutable_slot(place);
  table_.erase(slot.id);
  hash_ -= hash_in(slot.record);
  (slot.older >= 0 ? mutable_slot(slot.older).newer : oldest_) = slot.newer;
  (slot.newer >= 0 ? mutable_slot(slot.newer).older : newest_) = slot.older;
  free_.push_back(place);
  --size_;
}

}  // namespace rein
