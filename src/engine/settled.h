// Settled: what became of the latest decisions that are no longer open, so that an outcome that is
// sent again can be told from another one.
//
// A ring of (number, digest), oldest forgotten first; all of its memory is reserved at the start, and
// used as it fills. Found by number: those whose numbers end in the same bits are a list, latest first, linked by when they
// came. What the ring has overwritten came before all that it holds, so a list ends there, and
// nothing is ever unlinked. Decisions are mostly settled about in the order in which they were
// made, so that the ring and the lists are written from one end to the other.
#pragma once

#include <cstdint>

#include "base/zeroed.h"
#include "rein/round.h"

namespace rein {

// 64 bits of a decision's id and outcome; never kExpiredDigest. 0.0 and -0.0 are the same outcome.
std::uint64_t digest_of(std::uint64_t id, const Outcome& outcome);
// Stands for a decision that expired.
inline constexpr std::uint64_t kExpiredDigest = 0;

class Settled {
 public:
  struct Entry {
    std::uint64_t number;  // of the decision
    std::uint64_t digest;  // of its outcome
  };
  // Remembers this many.
  explicit Settled(std::int64_t most);

  std::int64_t size() const { return size_; }
  // The i-th oldest.
  const Entry& operator[](std::int64_t i) const { return ring_[place(pushed_ - size_ + i)].entry; }
  // Null where it is not remembered.
  const Entry* find(std::uint64_t number) const;
  // REQUIRES a number that is not there.
  void push(const Entry& entry);

 private:
  struct Kept {
    Entry entry;
    std::int64_t before;  // 1 + the push of the next in its list; 0 for the last
  };
  // Where the n-th push went, counted from 0.
  std::size_t place(std::int64_t n) const { return static_cast<std::size_t>(n) % ring_.size(); }

  Zeroed<Kept> ring_;
  Zeroed<std::int64_t> lists_;  // 1 + the latest push of each; as many as a power of two
  std::int64_t pushed_ = 0;
  std::int64_t size_ = 0;
  std::size_t next_ = 0;  // place(pushed_), without a division
};

}  // namespace rein
