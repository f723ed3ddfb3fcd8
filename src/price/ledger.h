// Ledger: hard budgets, counted in whole micro-units, so that no order of events and no rounding
// can pass them.
//
//     hold(largest)             when an action is chosen: the most that it may cost
//     settle(largest, actual)   when its outcome comes: gives the hold back, counts what it cost
//
// For every cost, after every call: spent + held <= limit. A hold that would pass the limit is
// refused, and an actual cost above its hold is refused, so the limit holds whatever comes.
//
// Arithmetic is 64-bit integer and checked: a sum that does not fit counts as passing the limit.
// Costs may be negative (a refund): they lower what was spent. Amounts are rounded up to the next
// micro-unit, budgets down. An amount within a 2^50th part of a whole number of micro-units is that
// number: 0.02 is 20000 micro-units, although the double that stands for it is a hair above.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "rein/costs.h"
#include "rein/result.h"

namespace rein {

// Millionths of the unit that a cost is declared in.
using Micro = std::int64_t;
inline constexpr double kMicrosInOne = 1e6;
// In size, of an amount that can be counted.
inline constexpr Micro kMaxMicro = Micro{1} << 62;
// The limit of a cost that has none: the end of what can be counted.
inline constexpr Micro kNoLimit = INT64_MAX;

// One amount a cost, held inline.
using Micros = std::array<Micro, kMaxCosts>;

// Rounded up, and rounded down. Both never decrease as the amount grows. Refuse what is not finite
// or over kMaxMicro.
Result<Micro> micros_up(double amount);
Result<Micro> micros_down(double amount);

class Ledger {
 public:
  Ledger() = default;
  // One limit a cost, each at least 0 (throws Bug); kNoLimit where there is none.
  explicit Ledger(std::span<const Micro> limits);

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Micro limit(int cost) const { return limits_[at(cost)]; }
  Micro spent(int cost) const { return spent_[at(cost)]; }
  Micro held(int cost) const { return held_[at(cost)]; }
  // What may still be held: limit - spent - held, or the most that can be counted.
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
  Result<> restore(const Micros& spent);

 private:
  static std::size_t at(int cost) { return static_cast<std::size_t>(cost); }

  Micros limits_{};
  Micros spent_{};
  Micros held_{};
  int size_ = 0;
};

}  // namespace rein
