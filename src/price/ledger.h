// Ledger: hard budgets, counted in whole micro-units, so that no order of events and no rounding
// can pass them.
//
//     hold(largest)             when an action is chosen: the most that it may cost
//     settle(largest, actual)   when its outcome comes: gives the hold back, counts what it cost
//
// For every cost, after every call: spent + held <= limit. A hold that would pass the limit is
// refused, and an actual cost above its hold is refused, so the limit holds whatever comes.
//
// Amounts are 64-bit integers and their sums 128-bit ones, so no sum that anybody can reach
// overflows. Costs may be negative (a refund): they lower what was spent.
//
// A double stands for the number with at most six decimals that it is the nearest double of, where
// there is one: 0.02 is 20000 micro-units, although the double is a hair above. Any other amount is
// rounded up to the next micro-unit, exactly, and a budget down. From 2^33 (8.59e9) on doubles lie
// further apart than micro-units: there an amount is the exact value of the double.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "rein/costs.h"
#include "rein/result.h"

namespace rein {

class ByteReader;
class ByteWriter;

// Millionths of the unit that a cost is declared in.
using Micro = std::int64_t;
inline constexpr double kMicrosInOne = 1e6;
// In size, of an amount that can be counted.
inline constexpr Micro kMaxMicro = Micro{1} << 62;
// The limit of a cost that has none. It is counted and never refused.
inline constexpr Micro kNoLimit = INT64_MAX;

// One amount per cost, held inline; and one sum of amounts.
using Micros = std::array<Micro, kMaxCosts>;
__extension__ typedef __int128 MicroSum;
using MicroSums = std::array<MicroSum, kMaxCosts>;

// Rounded up, and rounded down. Both never decrease as the amount grows. Refuse what is not finite
// or over kMaxMicro.
Result<Micro> micros_up(double amount);
Result<Micro> micros_down(double amount);
// Rounded up; kMaxMicro in size where it is more. REQUIRES a number.
Micro nearest_micros_up(double amount);

class Ledger {
 public:
  Ledger() = default;
  // One limit a cost, each at least 0 (throws Bug); kNoLimit where there is none.
  explicit Ledger(std::span<const Micro> limits);

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Micro limit(int cost) const { return limits_[at(cost)]; }
  // As 64 bits: the largest or the smallest of them where the sum is beyond.
  Micro spent(int cost) const { return as_micro(spent_[at(cost)]); }
  Micro held(int cost) const { return as_micro(held_[at(cost)]); }
  // What may still be held: limit - spent - held; kNoLimit where that is more, or nothing limits.
  Micro left(int cost) const;

  // The first size() numbers of `largest` count, each at least 0 (throws Bug).
  bool fits(const Micros& largest) const;
  // Refuses what does not fit.
  Result<> hold(const Micros& largest);
  // Says what settle() would say.
  Result<> can_settle(const Micros& largest, const Micros& actual) const;
  // Ends a hold. REQUIRES that `largest` is held (throws Bug). Refuses an actual cost above it.
  Result<> settle(const Micros& largest, const Micros& actual);

  // Puts back what was spent before, with nothing held. Refuses what is over the limit.
  Result<> restore(const MicroSums& spent);
  // What was spent; what is held is not saved.
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
