// Open: the decisions whose outcome has not come, each kept as the bytes of its record, in the
// order in which they were made.
//
// Slots are reused, and a slot keeps its room: it allocates when first used, and again only for a
// larger record than it has held. Nothing else allocates.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ids.h"

namespace rein {

class Open {
 public:
  struct Slot {
    std::uint64_t id = 0;
    std::int64_t at = 0;
    std::string record;
    // Neighbours in the order of decisions; -1 at the ends.
    std::int32_t older = -1;
    std::int32_t newer = -1;
  };
  // Room for this many.
  explicit Open(std::int64_t most);

  std::int64_t size() const { return size_; }
  bool full() const { return size_ == most_; }
  // -1 where there is none.
  std::int32_t find(std::uint64_t id) const { return table_.find(id); }
  std::int32_t oldest() const { return oldest_; }
  const Slot& operator[](std::int32_t slot) const { return slots_[static_cast<std::size_t>(slot)]; }

  // REQUIRES room, and an id that is not there. Changes nothing where memory runs out.
  void add(std::uint64_t id, std::int64_t at, std::string_view record);
  void remove(std::int32_t slot);
  // Of all records; kept up to date, costs nothing.
  std::uint64_t hash() const { return hash_; }

 private:
  Slot& mutable_slot(std::int32_t slot) { return slots_[static_cast<std::size_t>(slot)]; }

  std::int64_t most_;
  std::int64_t size_ = 0;
  std::vector<Slot> slots_;  // grows up to most_
  std::vector<std::int32_t> free_;
  IdTable table_;
  std::int32_t oldest_ = -1;
  std::int32_t newest_ = -1;
  std::uint64_t hash_ = 0;  // sum over records of their own hash
};

}  // namespace rein
