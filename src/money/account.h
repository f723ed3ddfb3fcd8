// Accounts: the money of one budget, one account per key of its scope (slot 0 alone without one).
//
//     hold(slot, amount)             when a decision is made; returns the period it belongs to
//     release(slot, period, amount)  when its bill comes, or never will
//     book(slot, period, amount)     when money is spent; negative: a refund
//
// Money belongs to the period in which its decision was made, whenever the bill comes. A period is
// a window, or a bucket of a rolling window: a stretch of ticks that leaves the window as a whole.
// So a rolling window never counts too little. It counts ticks that are too old by at most the
// length of a bucket.
//
// With `carry`, what a closed window leaves is added to the open one: its limit less what was spent
// and held. What a hold of a closed window frees later is added to the open window too.
//
// A bill of a period from before the account was made is not counted: its key has left meanwhile.
//
// Accounts move to the current period when they are touched, so advance() costs the same for any
// number of keys.
#pragma once

#include <cstdint>
#include <vector>

#include "money/micros.h"

namespace rein {

class ByteReader;
class ByteWriter;

// A window, or a bucket of a rolling window.
struct Period {
  std::int64_t number = 0;
  // With `carry`, in the newest window: what was topped up and not spent since. Below 0: more was.
  Micro topped = 0;
  MicroSum limit = 0;  // of a window: the amount and what was carried over
  MicroSum spent = 0;
  MicroSum held = 0;
};

class Accounts {
 public:
  struct Rule {
    Micro amount = 0;
    bool carry = false;
    bool rolling = false;
    int kept = 1;  // periods that are remembered per account, the open one included
  };
  // What an account shows: the numbers of the open window, or of all buckets of a rolling window.
  struct Balance {
    MicroSum limit = 0, spent = 0, held = 0;
    MicroSum left() const { return limit - spent - held; }
  };

  Accounts() = default;
  explicit Accounts(const Rule& rule);

  const Rule& rule() const { return rule_; }
  int size() const { return static_cast<int>(slots_.size()); }
  // Sets the open period of all accounts. For a rolling window `oldest` is the oldest period that
  // still counts.
  void advance(std::int64_t period, std::int64_t oldest);
  // Sets the open period when the clock is set for the first time. With `carry`, the open period
  // gets this number, so that no account has windows from before its model was made. REQUIRES that
  // nothing was held or booked yet.
  void begin(std::int64_t period, std::int64_t oldest);
  std::int64_t period() const { return now_; }

  // Moves the clock back. Periods after `period` end, and what they spent counts in `period`. Holds
  // are dropped; put_back() restores them. Returns per account whether its limit counts its holds
  // already, as the limit of a chain of carried windows does. With `hard`, an account has nothing
  // left if money of it may have been forgotten.
  std::vector<bool> set_back(std::int64_t period, std::int64_t oldest, bool hard);
  void put_back(int slot, std::int64_t period, Micro amount, bool counted);

  // The amount of an account whose key has none of its own.
  static constexpr Micro kCommon = -1;
  int add(Micro own = kCommon);               // a fresh account, with an amount of its own
  void restart(int slot, Micro own = kCommon);  // makes it fresh again
  Micro amount(int slot) const {
    return own_.empty() || own_[at(slot)] == kCommon ? rule_.amount : own_[at(slot)];
  }

  Balance balance(int slot) const;
  // The value of mark() before which forgetting this account would grant or take away money, if
  // nothing is booked meanwhile. With a hard budget the spend of the account counts; with any
  // budget its top-ups count. kForEver: only a booking or another amount changes that. REQUIRES
  // that nothing is held.
  std::int64_t stays_until(int slot, bool hard) const;
  static constexpr std::int64_t kForEver = INT64_MAX;
  // Grows as windows end: the open period, or of a rolling window the oldest that counts.
  std::int64_t mark() const { return rule_.rolling ? oldest_ : now_; }
  // How much money of this account, spent and held, leaves a rolling window before its bucket
  // `oldest`.
  MicroSum leaving(int slot, std::int64_t oldest) const;
  // The spend of all periods, including those that are forgotten.
  MicroSum spent_ever(int slot) const { return slots_[at(slot)].spent_ever; }
  // The periods that are remembered, oldest first. REQUIRES room for rule().kept.
  int periods(int slot, Period* out) const;

  std::int64_t hold(int slot, Micro amount);
  void release(int slot, std::int64_t period, Micro amount);
  void book(int slot, std::int64_t period, MicroSum amount);

  void top_up(int slot, Micro amount);  // this window only
  void forget_top_ups();                // as topped() knows them; the money stays
  void lower(int slot, MicroSum amount) { open(slot).limit -= amount; }
  void set_amount(Micro amount);        // this window and all later ones, where no own amount counts
  void set_own(int slot, Micro own);    // the same for one account; kCommon: as the others
  void load_own(int slot, Micro own);   // after load(): its windows have the amount already

  void save(ByteWriter& out) const;  // without what is held
  Result<> load(ByteReader& in);
  void restore_hold(int slot, std::int64_t period, Micro amount);  // after load()

 private:
  struct Slot {
    std::int64_t first = 0;  // the number of its first period
    std::int64_t open = 0;   // the number of its newest period
    MicroSum spent_ever = 0;
  };
  static std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }
  Period& place(int slot, std::int64_t number) {
    return periods_[at(slot) * at(rule_.kept) + at(number % rule_.kept)];
  }
  const Period& place(int slot, std::int64_t number) const {
    return periods_[at(slot) * at(rule_.kept) + at(number % rule_.kept)];
  }
  // The period with this number, if it is remembered.
  Period* find(int slot, std::int64_t number);
  bool set_back_slot(int slot, std::int64_t period, std::int64_t oldest, bool hard);
  // Opens the current period, if the account is still in an earlier one.
  Period& open(int slot);
  std::int64_t rolling_stays(int slot, bool hard) const;
  // Whether more is left than a fresh account has, and some of it was topped up.
  bool topped(int slot, const Balance& balance) const;
  void keep_own(int slot, Micro own);
  // The open window, or all buckets of a rolling one, get a limit that is higher by so much.
  void raise(int slot, MicroSum by);
  // The limit of the current period, as if the account were opened in it.
  MicroSum limit_now(int slot) const;

  Rule rule_;
  std::int64_t now_ = 0;
  std::int64_t oldest_ = 0;
  std::vector<Slot> slots_;
  std::vector<Micro> own_;  // amounts by slot; empty: all have the amount of the rule
  std::vector<Period> periods_;  // rule_.kept per slot; a period is at its number modulo that
};

}  // namespace rein
