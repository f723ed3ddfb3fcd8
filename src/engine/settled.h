// Settled: the results of the latest decisions that are no longer open. With these results the
// engine can tell an outcome that is sent again from a different outcome.
//
// A ring buffer of numbers, each with one digest per part of its outcome (the reward, every cost),
// that drops the oldest first: 16 + 8 (costs + 1) bytes per decision. Its memory is reserved at the
// start and used as it fills.
//
// Lookup is a chained hash table on the low bits of the number, latest entry first. Links are push
// counts. An overwritten entry is older than all entries in the ring, so a chain ends there and
// nothing is ever unlinked. Decisions are mostly settled in the order in which they were made, so
// ring and buckets are written sequentially.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "base/zeroed.h"
#include "rein/round.h"

namespace rein {

// Instead of a digest: of a part that had not come when its decision expired, and of every part of a
// decision that was given up.
inline constexpr std::uint64_t kExpiredDigest = 0;
inline constexpr std::uint64_t kCancelledDigest = 1;
// A 64-bit digest of one part of a decision's outcome (0: the reward, i: cost i); never one of the
// digests above. 0.0 and -0.0 are equal.
std::uint64_t digest_of(std::uint64_t id, int part, double value);

// One digest per part.
using Digests = std::array<std::uint64_t, 1 + kMaxCosts>;

class Settled {
 public:
  struct Entry {
    std::uint64_t number;  // number of the decision
    std::span<const std::uint64_t> digests;
  };
  // Remembers this many decisions, of so many parts each.
  Settled(std::int64_t most, int parts);

  std::int64_t size() const { return size_; }
  // The i-th oldest entry.
  Entry operator[](std::int64_t i) const { return at(place(pushed_ - size_ + i)); }
  // Nothing if the decision is not remembered.
  std::optional<Entry> find(std::uint64_t number) const;
  // REQUIRES a number that is not present. Returns the number of the decision that is forgotten to
  // make room, if any.
  std::optional<std::uint64_t> push(std::uint64_t number, const Digests& digests);
  // Changes the digest of a part of a decision. REQUIRES that the decision is remembered.
  void replace(std::uint64_t number, int part, std::uint64_t digest);

 private:
  struct Kept {
    std::uint64_t number;
    std::int64_t before;  // 1 + push count of the next in its chain; 0 for the last
  };
  // The place of push n, counted from 0.
  std::int64_t push_of(std::uint64_t number) const;  // -1 if it is not remembered
  std::size_t place(std::int64_t n) const { return static_cast<std::size_t>(n) % ring_.size(); }

  Entry at(std::size_t place) const {
    return {ring_[place].number, {digests_.data() + place * parts_, parts_}};
  }

  std::size_t parts_;
  Zeroed<Kept> ring_;
  Zeroed<std::uint64_t> digests_;  // parts per place of the ring
  Zeroed<std::int64_t> lists_;     // 1 + latest push of each bucket; a power of two of them
  std::int64_t pushed_ = 0;
  std::int64_t size_ = 0;
  std::size_t next_ = 0;  // place(pushed_), kept to avoid a division
};

}  // namespace rein
