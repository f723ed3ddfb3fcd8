#include "money/account.h"

#include <algorithm>

#include "base/check.h"
#include "money/saved_micros.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr std::int64_t kNone = -1;  // the number of a place that holds no period

Micro clamped(MicroSum sum) {
  return static_cast<Micro>(std::clamp<MicroSum>(sum, -kMaxMicro, kMaxMicro));
}

}  // namespace

Accounts::Accounts(const Rule& rule) : rule_(rule) {
  check(rule.amount >= 0 && rule.kept >= 1, "accounts: a rule that no budget has");
  check(!(rule.rolling && rule.carry), "accounts: a rolling window carries nothing over");
}

void Accounts::advance(std::int64_t period, std::int64_t oldest) {
  check(period >= now_ && oldest >= oldest_ && oldest <= period, "accounts: time went back");
  check(!rule_.rolling || period - oldest < rule_.kept, "accounts: more buckets than places");
  now_ = period;
  oldest_ = oldest;
}

void Accounts::begin(std::int64_t period, std::int64_t oldest) {
  if (!rule_.carry || period == now_) return advance(period, oldest);
  check(period > now_ && oldest <= period, "accounts: time went back");
  for (int slot = 0; slot < size(); ++slot) {
    Period current = open(slot);
    check(current.spent == 0 && current.held == 0, "accounts: money was spent before the clock");
    restart(slot);
    place(slot, now_) = {.number = kNone};
    current.number = period;
    place(slot, period) = current;
    slots_[at(slot)].first = slots_[at(slot)].open = period;
  }
  now_ = period;
  oldest_ = oldest;
}

int Accounts::add(Micro own) {
  slots_.push_back({});
  periods_.resize(periods_.size() + at(rule_.kept));
  restart(size() - 1, own);
  return size() - 1;
}

void Accounts::keep_own(int slot, Micro own) {
  if (own == kCommon && own_.empty()) return;
  own_.resize(slots_.size(), kCommon);
  own_[at(slot)] = own;
}

void Accounts::load_own(int slot, Micro own) { keep_own(slot, own); }

void Accounts::restart(int slot, Micro own) {
  keep_own(slot, own);
  slots_[at(slot)] = {.first = now_, .open = now_};
  const auto first = periods_.begin() + slot * rule_.kept;
  std::fill(first, first + rule_.kept, Period{.number = kNone});
  place(slot, now_) = {.number = now_, .limit = amount(slot)};
}

Period* Accounts::find(int slot, std::int64_t number) {
  Period& found = place(slot, number);
  return number >= 0 && found.number == number ? &found : nullptr;
}

MicroSum Accounts::limit_now(int slot) const {
  const std::int64_t newest = slots_[at(slot)].open;
  const Period& last = place(slot, newest);
  if (newest == now_) return last.limit;
  if (!rule_.carry) return amount(slot);
  return last.limit - last.spent - last.held + MicroSum{now_ - newest} * amount(slot);
}

Period& Accounts::open(int slot) {
  Period& current = place(slot, now_);
  if (slots_[at(slot)].open == now_) return current;
  const MicroSum limit = limit_now(slot);
  const Micro topped = place(slot, slots_[at(slot)].open).topped;
  current = {.number = now_, .topped = topped, .limit = limit};
  slots_[at(slot)].open = now_;
  return current;
}

Accounts::Balance Accounts::balance(int slot) const {
  Balance sum{.limit = limit_now(slot)};
  if (!rule_.rolling) {
    const Period& current = place(slot, now_);
    if (current.number != now_) return sum;
    return {sum.limit, current.spent, current.held};
  }
  sum.limit = amount(slot);
  for (int i = 0; i < rule_.kept; ++i) {
    const Period& bucket = periods_[at(slot) * at(rule_.kept) + at(i)];
    if (bucket.number < oldest_) continue;
    sum.spent += bucket.spent;
    sum.held += bucket.held;
    sum.limit += bucket.limit - amount(slot);  // what was topped up in it
  }
  return sum;
}

bool Accounts::topped(int slot, const Balance& balance) const {
  if (balance.left() <= amount(slot)) return false;
  return rule_.carry ? place(slot, slots_[at(slot)].open).topped > 0 : balance.limit > amount(slot);
}

std::int64_t Accounts::stays_until(int slot, bool hard) const {
  if (rule_.rolling) return rolling_stays(slot, hard);
  if (!rule_.carry && slots_[at(slot)].open != now_) return now_;
  const Balance balance = this->balance(slot);
  if (topped(slot, balance)) return rule_.carry ? kForEver : now_ + 1;
  const bool fresh = balance.spent == 0 && (rule_.carry ? balance.limit >= amount(slot)
                                                        : balance.limit == amount(slot));
  if (!hard || fresh) return now_;
  if (!rule_.carry || balance.left() >= 0) return now_ + 1;
  // Every window adds the amount, until a whole one is left.
  if (amount(slot) == 0) return kForEver;
  const MicroSum windows = 1 + (amount(slot) - 1 - balance.left()) / amount(slot);
  return now_ + static_cast<std::int64_t>(std::min<MicroSum>(windows, kMaxMicro));
}

// With a hard budget the account must stay until its last bucket with money leaves the window; with
// another budget until the first bucket that was topped up leaves, because then less of the top-up
// is left.
std::int64_t Accounts::rolling_stays(int slot, bool hard) const {
  if (!hard && !topped(slot, balance(slot))) return oldest_;
  std::int64_t until = oldest_;
  for (std::int64_t n = now_; n >= oldest_; --n) {
    const Period& bucket = place(slot, n);
    if (bucket.number != n) continue;
    if (hard && (bucket.spent != 0 || bucket.limit != amount(slot))) return n + 1;
    if (!hard && bucket.limit > amount(slot)) until = n + 1;
  }
  return until;
}

MicroSum Accounts::leaving(int slot, std::int64_t oldest) const {
  MicroSum sum = 0;
  for (int i = 0; i < rule_.kept; ++i) {
    const Period& bucket = periods_[at(slot) * at(rule_.kept) + at(i)];
    if (bucket.number >= oldest_ && bucket.number < oldest) sum += bucket.spent + bucket.held;
  }
  return sum;
}

int Accounts::periods(int slot, Period* out) const {
  int count = 0;
  for (std::int64_t n = std::max<std::int64_t>(0, now_ - rule_.kept + 1); n <= now_; ++n) {
    const Period& kept = place(slot, n);
    if (kept.number == n && n >= oldest_) out[count++] = kept;
  }
  return count;
}

std::int64_t Accounts::hold(int slot, Micro amount) {
  open(slot).held += amount;
  return now_;
}

void Accounts::release(int slot, std::int64_t period, Micro amount) {
  Period& current = open(slot);
  if (Period* own = find(slot, period)) {
    check(own->held >= amount, "accounts: released more than was held");
    own->held -= amount;
  }
  if (rule_.carry && period != now_) current.limit += amount;
}

void Accounts::book(int slot, std::int64_t period, MicroSum amount) {
  if (period < slots_[at(slot)].first) return;
  Period& current = open(slot);
  if (Period* own = find(slot, period)) own->spent += amount;
  if (rule_.carry && period != now_) current.limit -= amount;
  if (rule_.carry) current.topped = clamped(current.topped - amount);
  slots_[at(slot)].spent_ever += amount;
}

void Accounts::top_up(int slot, Micro amount) {
  Period& current = open(slot);
  current.limit += amount;
  if (rule_.carry) current.topped = clamped(std::max<MicroSum>(0, current.topped) + amount);
}

void Accounts::forget_top_ups() {
  for (int slot = 0; slot < size(); ++slot) place(slot, slots_[at(slot)].open).topped = 0;
}

void Accounts::set_amount(Micro amount) {
  check(amount >= 0, "accounts: an amount below 0");
  for (int slot = 0; slot < size(); ++slot) {
    open(slot);  // with the amount that counted so far
    if (own_.empty() || own_[at(slot)] == kCommon) raise(slot, MicroSum{amount} - rule_.amount);
  }
  rule_.amount = amount;
}

void Accounts::set_own(int slot, Micro own) {
  check(own >= kCommon, "accounts: an amount below 0");
  open(slot);
  const Micro before = amount(slot);
  keep_own(slot, own);
  raise(slot, MicroSum{amount(slot)} - before);
}

// Every bucket counts what was topped up as the part of its limit over the amount.
void Accounts::raise(int slot, MicroSum by) {
  if (!rule_.rolling) {
    place(slot, now_).limit += by;
    return;
  }
  for (int i = 0; i < rule_.kept; ++i) periods_[at(slot) * at(rule_.kept) + at(i)].limit += by;
}

void Accounts::restore_hold(int slot, std::int64_t period, Micro amount) {
  if (Period* own = find(slot, period)) own->held += amount;
}

void Accounts::save(ByteWriter& out) const {
  out.i64(rule_.amount);
  out.i64(now_);
  out.i64(oldest_);
  out.i64(size());
  for (int slot = 0; slot < size(); ++slot) {
    out.i64(slots_[at(slot)].first);
    out.i64(slots_[at(slot)].open);
    put(out, slots_[at(slot)].spent_ever);
    if (out.version() >= 8 && rule_.carry) out.i64(place(slot, slots_[at(slot)].open).topped);
    for (int i = 0; i < rule_.kept; ++i) {
      const Period& kept = periods_[at(slot) * at(rule_.kept) + at(i)];
      out.i64(kept.number);
      for (MicroSum sum : {kept.limit, kept.spent}) put(out, sum);
    }
  }
}

Result<> Accounts::load(ByteReader& in) {
  Accounts read(rule_);
  read.rule_.amount = in.i64();
  read.now_ = in.count();
  read.oldest_ = in.count();
  const std::int64_t slots = in.count();
  if (read.rule_.amount < 0 || read.rule_.amount > kMaxMicro || read.oldest_ > read.now_) {
    in.fail("saved state: accounts that cannot be");
  }
  for (std::int64_t slot = 0; slot < slots && in.status(); ++slot) {
    read.add();
    read.slots_.back().first = in.count();
    read.slots_.back().open = in.count();
    read.slots_.back().spent_ever = get(in);
    const Micro topped = in.version() >= 8 && rule_.carry
                             ? in.between("what was topped up", -kMaxMicro, kMaxMicro)
                             : 0;
    for (int i = 0; i < rule_.kept; ++i) {
      Period& kept = read.periods_[at(slot) * at(rule_.kept) + at(i)];
      kept = {.number = in.i64(), .limit = get(in), .spent = get(in)};
      const bool empty = kept.number == kNone;
      if (!empty && (kept.number < 0 || kept.number > read.now_ || kept.number % rule_.kept != i)) {
        in.fail("saved state: a window that cannot be");
      }
    }
    const std::int64_t newest = read.slots_.back().open;
    if (newest > read.now_ || newest < read.slots_.back().first ||
        read.place(static_cast<int>(slot), newest).number != newest) {
      in.fail("saved state: an account without its window");
    }
    read.place(static_cast<int>(slot), newest).topped = topped;
  }
  if (auto ok = in.status(); !ok) return ok;
  *this = std::move(read);
  return {};
}

}  // namespace rein
