// Limit on the numbers of learned state of one oracle. Every oracle computes its size before it
// allocates, and refuses sizes over the limit.
//
// The limit is kMaxDoubles. It is lower for an engine that is restored from a snapshot: the
// snapshot holds all learned state, so a spec or shape that needs more was forged.
#pragma once

#include <algorithm>
#include <cstddef>

namespace rein {

// 16 GiB.
inline constexpr std::size_t kMaxDoubles = std::size_t{1} << 31;

// Lowers the limit for oracles made by this thread, during the lifetime of this object.
class Allowance {
 public:
  explicit Allowance(std::size_t doubles) : before_(most()) { most() = std::min(doubles, before_); }
  ~Allowance() { most() = before_; }
  Allowance(const Allowance&) = delete;
  Allowance& operator=(const Allowance&) = delete;

  static std::size_t doubles() { return most(); }

 private:
  static std::size_t& most() {
    thread_local std::size_t doubles = kMaxDoubles;
    return doubles;
  }
  std::size_t before_;
};

}  // namespace rein
