// Settled: what became of the latest decisions that are no longer open, so that an outcome that is
// sent again can be told from another one. A ring of (id, digest), oldest forgotten first.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ids.h"
#include "rein/round.h"

namespace rein {

// 64 bits of a decision's id and outcome; never kExpiredDigest. 0.0 and -0.0 are the same outcome.
std::uint64_t digest_of(std::uint64_t id, const Outcome& outcome);
// Stands for a decision that expired.
inline constexpr std::uint64_t kExpiredDigest = 0;

class Settled {
 public:
  struct Entry {
    std::uint64_t id = 0;
    std::uint64_t digest = 0;
  };
  // Remembers this many.
  explicit Settled(std::int64_t most);

  std::int64_t size() const { return size_; }
  // The i-th oldest.
  const Entry& operator[](std::int64_t i) const { return ring_[at(first_ + i)]; }
  // Null where it is not remembered.
  const Entry* find(std::uint64_t id) const;
  // REQUIRES an id that is not there. `number` counts everything ever settled.
  void push(const Entry& entry, std::int64_t number);
  // Of what is remembered, in its order; kept up to date, costs nothing.
  std::uint64_t hash() const { return hash_; }

 private:
  std::size_t at(std::int64_t i) const { return static_cast<std::size_t>(i) % ring_.size(); }

  std::vector<Entry> ring_;
  IdTable table_;
  std::int64_t first_ = 0;  // place of the oldest
  std::int64_t size_ = 0;
  std::uint64_t hash_ = 0;  // sum over entries of the hash of (number, id, digest)
};

}  // namespace rein
