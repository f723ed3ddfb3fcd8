// How many numbers of learned state one oracle may be made with. Every oracle counts what it needs
// before it asks for memory, and refuses what is more.
//
// It is kMaxDoubles, but for an engine that is made from a snapshot: all that was learned stands in
// its bytes, so a spec or a shape that needs more than they hold was forged.
#pragma once

#include <algorithm>
#include <cstddef>

namespace rein {

// 16 GiB.
inline constexpr std::size_t kMaxDoubles = std::size_t{1} << 31;

// Lowers the limit for the oracles that this thread makes while it lives.
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
