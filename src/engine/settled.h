// Settled: the results of the latest decisions that are no longer open. With it the engine can tell
// an outcome that is sent again from a different one.
//
// A ring buffer of (number, digest) that drops the oldest first. Its memory is reserved at the
// start and used as it fills.
//
// Lookup is a chained hash table on the low bits of the number, latest entry first. Links are push
// counts. An overwritten entry is older than all entries in the ring, so a chain ends there and
// nothing is ever unlinked. Decisions are mostly settled in the order in which they were made, so
// ring and buckets are written sequentially.
#pragma once

#include <cstdint>
#include <optional>

#include "base/zeroed.h"
#include "rein/round.h"

namespace rein {

// A 64-bit digest of a decision's id and outcome; none of those below. 0.0 and -0.0 are equal.
std::uint64_t digest_of(std::uint64_t id, const Outcome& outcome);
// Instead of a digest: of a decision that expired, and of one that was given up.
inline constexpr std::uint64_t kExpiredDigest = 0;
inline constexpr std::uint64_t kCancelledDigest = 1;

class Settled {
 public:
  struct Entry {
    std::uint64_t number;  // number of the decision
    std::uint64_t digest;  // digest of its outcome
  };
  // Remembers this many decisions.
  explicit Settled(std::int64_t most);

  std::int64_t size() const { return size_; }
  // The i-th oldest entry.
  const Entry& operator[](std::int64_t i) const { return ring_[place(pushed_ - size_ + i)].entry; }
  // Null if the decision is not remembered.
  const Entry* find(std::uint64_t number) const;
  // REQUIRES a number that is not present. Returns the number of the decision that is forgotten for
  // it, if one is.
  std::optional<std::uint64_t> push(const Entry& entry);
  // Changes what is remembered of a decision. REQUIRES that it is.
  void replace(std::uint64_t number, std::uint64_t digest);

 private:
  struct Kept {
    Entry entry;
    std::int64_t before;  // 1 + push count of the next in its chain; 0 for the last
  };
  // The place of push n, counted from 0.
  std::int64_t push_of(std::uint64_t number) const;  // -1 if it is not remembered
  std::size_t place(std::int64_t n) const { return static_cast<std::size_t>(n) % ring_.size(); }

  Zeroed<Kept> ring_;
  Zeroed<std::int64_t> lists_;  // 1 + latest push of each bucket; a power of two of them
  std::int64_t pushed_ = 0;
  std::int64_t size_ = 0;
  std::size_t next_ = 0;  // place(pushed_), kept to avoid a division
};

}  // namespace rein
