// Micro-units: money as whole numbers. Sums are exact and do not depend on their order.
//
// A double is read as the number with at most six decimals whose nearest double it is, if there is
// one. So 0.02 is 20000 micro-units, although the double is slightly larger. Any other amount is
// rounded up exactly to the next micro-unit, and a budget is rounded down. From 2^33 (8.59e9) on,
// doubles are further apart than micro-units, and an amount is the exact value of the double.
//
// A cost whose budgets are small is counted in finer coins: 10^-k micro-units (Coins). Everything
// said about micro-units holds for coins, with 6 + k decimals.
#pragma once

#include <array>
#include <cstdint>

#include "rein/costs.h"
#include "rein/result.h"

namespace rein {

// Millionths of the unit in which a cost is declared, or its coins.
using Micro = std::int64_t;
inline constexpr double kMicrosInOne = 1e6;
// Limit on the absolute value of an amount.
inline constexpr Micro kMaxMicro = Micro{1} << 62;
// The limit of a cost without a budget. Such a cost is counted but never refused.
inline constexpr Micro kNoLimit = INT64_MAX;

// One amount per cost, stored inline, and a sum of amounts. A sum has 128 bits, so no reachable sum
// overflows.
using Micros = std::array<Micro, kMaxCosts>;
__extension__ typedef __int128 MicroSum;
using MicroSums = std::array<MicroSum, kMaxCosts>;

// Coins in one unit of each cost: 1e6, or a larger power of ten.
struct Coins {
  Coins() { in_one.fill(kMicrosInOne); }
  double of(int cost) const { return in_one[static_cast<std::size_t>(cost)]; }
  std::array<double, kMaxCosts> in_one;
};

// The nearest 64-bit number.
inline Micro as_micro(MicroSum sum) {
  return sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : static_cast<Micro>(sum);
}

// The amount in coins, rounded up or rounded down. Both are monotone in the amount. Amounts that
// are not finite or exceed kMaxMicro are refused.
Result<Micro> micros_up(double amount, double coins = kMicrosInOne);
Result<Micro> micros_down(double amount, double coins = kMicrosInOne);
// A bill in coins, rounded up. Bills may be far above a budget whose coins are fine, and are booked
// exactly: they have 128 bits. Refuses more than most_bill(), which is 4.6e12 units, less where
// coins are finer than 10^-16, so that 2^32 of the largest bills can be added up.
double most_bill(double coins);
Result<MicroSum> bill_up(double amount, double coins);
// micros_up() and micros_down(), limited to kMaxMicro in absolute value. REQUIRES a number.
Micro nearest_micros_up(double amount, double coins = kMicrosInOne);
Micro nearest_micros_down(double amount, double coins = kMicrosInOne);
// Coins as micro-units, rounded up.
MicroSum whole_micros_up(MicroSum sum, double coins);

}  // namespace rein
