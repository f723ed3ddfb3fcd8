// Sums of money as saved bytes.
#pragma once

#include "money/micros.h"
#include "rein/bytes.h"

namespace rein {

inline void put(ByteWriter& out, MicroSum sum) {
  out.u64(static_cast<std::uint64_t>(sum));
  out.i64(static_cast<std::int64_t>(sum >> 64));
}

inline MicroSum get(ByteReader& in) {
  constexpr std::int64_t kMostHigh = std::int64_t{1} << 61;  // larger sums cannot have been reached
  const std::uint64_t low = in.u64();
  const std::int64_t high = in.i64();
  if (high > kMostHigh || high < -kMostHigh) in.fail("saved state: impossible amount of money");
  return (MicroSum{high} << 64) + low;
}

}  // namespace rein
