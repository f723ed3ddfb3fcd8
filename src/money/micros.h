// Micro-units: money as whole numbers. Sums are exact and do not depend on their order.
//
// A double is read as the number with at most six decimals whose nearest double it is, if there is
// one. So 0.02 is 20000 micro-units, although the double is slightly larger. Any other amount is
// rounded up exactly to the next micro-unit, and a budget is rounded down. From 2^33 (8.59e9) on,
// doubles are further apart than micro-units, and an amount is the exact value of the double.
#pragma once

#include <array>
#include <cstdint>

#include "rein/costs.h"
#include "rein/result.h"

namespace rein {

// Millionths of the unit in which a cost is declared.
using Micro = std::int64_t;
inline constexpr double kMicrosInOne = 1e6;
// Limit on the absolute value of an amount.
inline constexpr Micro kMaxMicro = Micro{1} << 62;
// The limit of a cost that has none. Such a cost is counted but never refused.
inline constexpr Micro kNoLimit = INT64_MAX;

// One amount per cost, held inline; and one sum of amounts. 128 bits: no reachable sum overflows.
using Micros = std::array<Micro, kMaxCosts>;
__extension__ typedef __int128 MicroSum;
using MicroSums = std::array<MicroSum, kMaxCosts>;

// The nearest 64-bit number.
inline Micro as_micro(MicroSum sum) {
  return sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : static_cast<Micro>(sum);
}

// Rounded up, and rounded down. Both are monotone in the amount. They refuse amounts that are not
// finite or exceed kMaxMicro.
Result<Micro> micros_up(double amount);
Result<Micro> micros_down(double amount);
// Rounded up, and limited to kMaxMicro in absolute value. REQUIRES a number.
Micro nearest_micros_up(double amount);

}  // namespace rein
