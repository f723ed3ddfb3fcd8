// Ledger: hard budgets, counted in whole micro-units. Neither the order of events nor rounding can
// exceed them.
//
//     hold(largest)             when an action is chosen: reserves its largest cost
//     settle(largest, actual)   when its outcome comes: releases the hold, counts the actual cost
//
// For every cost, after every call: spent + held <= limit. A hold that would exceed the limit is
// refused. An actual cost above its hold is refused. So the limit always holds.
//
// Amounts are 64-bit integers and their sums 128-bit integers, so no reachable sum overflows. Costs
// may be negative (a refund): they reduce what was spent.
//
// A double is read as the number with at most six decimals whose nearest double it is, if there is
// one. So 0.02 is 20000 micro-units, although the double is slightly larger. Any other amount is
// rounded up exactly to the next micro-unit, and a budget is rounded down. From 2^33 (8.59e9) on,
// doubles are further apart than micro-units, and an amount is the exact value of the double.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "rein/costs.h"
#include "rein/result.h"

namespace rein {

class ByteReader;
class ByteWriter;

// Millionths of the unit in which a cost is declared.
using Micro = std::int64_t;
inline constexpr double kMicrosInOne = 1e6;
// Limit on the absolute value of an amount.
inline constexpr Micro kMaxMicro = Micro{1} << 62;
// The limit of a cost that has none. Such a cost is counted but never refused.
inline constexpr Micro kNoLimit = INT64_MAX;

// One amount per cost, held inline; and one sum of amounts.
using Micros = std::array<Micro, kMaxCosts>;
__extension__ typedef __int128 MicroSum;
using MicroSums = std::array<MicroSum, kMaxCosts>;

// Rounded up, and rounded down. Both are monotone in the amount. They refuse amounts that are not
// finite or exceed kMaxMicro.
Result<Micro> micros_up(double amount);
Result<Micro> micros_down(double amount);
// Rounded up, and limited to kMaxMicro in absolute value. REQUIRES a number.
Micro nearest_micros_up(double amount);

class Ledger {
 public:
  Ledger() = default;
  // One limit per cost, each at least 0 (throws Bug); kNoLimit for a cost without one.
  explicit Ledger(std::span<const Micro> limits);

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Micro limit(int cost) const { return limits_[at(cost)]; }
  // As a 64-bit number; a sum beyond 64 bits gives the nearest 64-bit number.
  Micro spent(int cost) const { return as_micro(spent_[at(cost)]); }
  Micro held(int cost) const { return as_micro(held_[at(cost)]); }
  // The amount that may still be held: limit - spent - held, at most kNoLimit; kNoLimit without a
  // limit.
  Micro left(int cost) const;

  // Uses the first size() numbers of `largest`, each at least 0 (throws Bug).
  bool fits(const Micros& largest) const;
  // Refuses amounts that do not fit.
  Result<> hold(const Micros& largest);
  // Returns what settle() would return, and changes nothing.
  Result<> can_settle(const Micros& largest, const Micros& actual) const;
  // Ends a hold. REQUIRES that `largest` is held (throws Bug). Refuses an actual cost above it.
  Result<> settle(const Micros& largest, const Micros& actual);

  // Restores the amount spent, with nothing held. Refuses an amount over the limit.
  Result<> restore(const MicroSums& spent);
  // Saves the amount spent. Holds are not saved.
  void save(ByteWriter& out) const;
  Result<> load(ByteReader& in);

 private:
  static Micro as_micro(MicroSum sum) {
    return sum > INT64_MAX ? INT64_MAX : sum < INT64_MIN ? INT64_MIN : static_cast<Micro>(sum);
  }
  static std::size_t at(int cost) { return static_cast<std::size_t>(cost); }

  Micros limits_{};
  MicroSums spent_{};
  MicroSums held_{};
  int size_ = 0;
};

}  // namespace rein
