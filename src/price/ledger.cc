#include "price/ledger.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "rein/bytes.h"

namespace rein {

Ledger::Ledger(std::span<const Micro> limits) : size_(static_cast<int>(limits.size())) {
  check(limits.size() <= limits_.size(), "ledger: more limits than costs");
  for (Micro limit : limits) check(limit >= 0, "ledger: a limit below 0");
  std::copy(limits.begin(), limits.end(), limits_.begin());
}

Micro Ledger::left(int cost) const {
  if (limit(cost) == kNoLimit) return kNoLimit;
  return as_micro(limit(cost) - spent_[at(cost)] - held_[at(cost)]);
}

bool Ledger::fits(const Micros& largest) const {
  for (int i = 0; i < size_; ++i) {
    check(largest[at(i)] >= 0, "ledger: a hold below 0");
    if (limit(i) == kNoLimit) continue;
    if (spent_[at(i)] + held_[at(i)] + largest[at(i)] > limit(i)) return false;
  }
  return true;
}

Result<> Ledger::hold(const Micros& largest) {
  if (!fits(largest)) {
    return Error{"hard budget: the largest cost of the action would exceed it", Reason::kBudget};
  }
  for (int i = 0; i < size_; ++i) held_[at(i)] += largest[at(i)];
  return {};
}

Result<> Ledger::can_settle(const Micros& largest, const Micros& actual) const {
  for (int i = 0; i < size_; ++i) {
    if (actual[at(i)] > largest[at(i)]) {
      return Error{
          fmt::format("hard budget: cost {} is {} micro-units; accepted: at most {}, which "
                      "were held for it",
                      i, actual[at(i)], largest[at(i)])};
    }
  }
  return {};
}

Result<> Ledger::settle(const Micros& largest, const Micros& actual) {
  for (int i = 0; i < size_; ++i) {
    check(largest[at(i)] >= 0 && largest[at(i)] <= held_[at(i)],
          "ledger: settled more than was held");
  }
  if (auto fits = can_settle(largest, actual); !fits) return fits;
  for (int i = 0; i < size_; ++i) {
    held_[at(i)] -= largest[at(i)];
    spent_[at(i)] += actual[at(i)];
  }
  return {};
}

Result<> Ledger::restore(const MicroSums& spent) {
  for (int i = 0; i < size_; ++i) {
    if (limit(i) == kNoLimit || spent[at(i)] <= limit(i)) continue;
    return Error{fmt::format("hard budget: cost {} has {} micro-units spent; accepted: at most {}",
                             i, as_micro(spent[at(i)]), limit(i))};
  }
  spent_ = spent;
  held_ = {};
  return {};
}

void Ledger::save(ByteWriter& out) const {
  for (int i = 0; i < size_; ++i) {
    out.u64(static_cast<std::uint64_t>(spent_[at(i)]));
    out.i64(static_cast<std::int64_t>(spent_[at(i)] >> 64));
  }
}

Result<> Ledger::load(ByteReader& in) {
  constexpr std::int64_t kMostHigh = std::int64_t{1} << 60;  // larger sums cannot have been reached
  MicroSums spent{};
  for (int i = 0; i < size_; ++i) {
    const std::uint64_t low = in.u64();
    const std::int64_t high = in.i64();
    if (high > kMostHigh || high < -kMostHigh) in.fail("saved state: impossible amount spent");
    spent[at(i)] = (MicroSum{high} << 64) + low;
  }
  if (auto read = in.status(); !read) return read;
  return restore(spent);
}

}  // namespace rein
