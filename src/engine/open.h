// Open: the decisions whose outcome has not come, in the order in which they were made.
//
// Slots are reused, and a slot keeps its room: it allocates when first used, and again only for a
// larger round than it has held. A decision is made where it will stay, in the draft, a slot that
// is not in use: nothing is copied when it becomes open.
//
// Found by id: those whose ids end in the same bits are a list, and there are at least as many
// lists as open decisions. Ids are enciphered, so that they need no other hash.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "rein/record.h"

namespace rein {

class Open {
 public:
  struct Slot {
    std::uint64_t number = 0;  // of the decision
    // Neighbours in the order of decisions; -1 at the ends.
    std::int32_t older = -1;
    std::int32_t newer = -1;
    std::int32_t alike = -1;  // another whose id ends in the same bits; -1 for the last
    DecideRecord record;
  };
  // Room for this many.
  explicit Open(std::int64_t most) : most_(most), lists_(16, -1) {}

  std::int64_t size() const { return size_; }
  bool full() const { return size_ == most_; }
  // -1 where there is none.
  std::int32_t find(std::uint64_t id) const;
  std::int32_t oldest() const { return oldest_; }
  std::int32_t newest() const { return newest_; }
  const Slot& operator[](std::int32_t slot) const { return slots_[static_cast<std::size_t>(slot)]; }

  // To write the next decision into; there is one even where all that may be open are. What it
  // holds lasts until something is added or removed.
  DecideRecord& draft();
  // The draft is open from now on. REQUIRES that draft() was called since the last one, room, and
  // an id that is not there. Cannot fail.
  void add(std::uint64_t number);
  void remove(std::int32_t slot);

 private:
  Slot& mutable_slot(std::int32_t slot) { return slots_[static_cast<std::size_t>(slot)]; }
  std::int32_t& list_of(std::uint64_t id) { return lists_[id & (lists_.size() - 1)]; }
  void double_lists();

  std::int64_t most_;
  std::int64_t size_ = 0;
  std::deque<Slot> slots_;  // grows up to most_ and the draft
  std::vector<std::int32_t> free_;
  std::vector<std::int32_t> lists_;  // the first of each; as many as a power of two
  std::int32_t oldest_ = -1;
  std::int32_t newest_ = -1;
};

}  // namespace rein
