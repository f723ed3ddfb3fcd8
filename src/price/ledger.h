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
#pragma once

#include <cstdint>
#include <span>

#include "money/micros.h"
#include "rein/result.h"

namespace rein {

class ByteReader;
class ByteWriter;

class Ledger {
 public:
  Ledger() = default;
  // One limit per cost, each at least 0 (throws Bug); kNoLimit for a cost without a limit.
  explicit Ledger(std::span<const Micro> limits);

  int size() const { return size_; }
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
  // Ends a hold. REQUIRES that `largest` is held (throws Bug). Refuses an actual cost above
  // `largest`.
  Result<> settle(const Micros& largest, const Micros& actual);

  // Restores the amount spent, with nothing held. Refuses an amount over the limit.
  Result<> restore(const MicroSums& spent);
  // Saves the amount spent. Holds are not saved.
  void save(ByteWriter& out) const;
  Result<> load(ByteReader& in);

 private:
  static std::size_t at(int cost) { return static_cast<std::size_t>(cost); }

  Micros limits_{};
  MicroSums spent_{};
  MicroSums held_{};
  int size_ = 0;
};

}  // namespace rein
