#include "price/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace rein {
namespace {

// How far a product of doubles may lie from the decimal number that was meant; at most a
// thousandth of a micro-unit, so that it never moves a large amount. p - slack(p) never decreases
// as p grows, and rounding keeps that: an actual cost below the largest one is never counted above.
double slack(double micros) { return std::min(std::abs(micros) * 0x1p-50, 0x1p-10); }

Result<double> scaled(double amount) {
  const double micros = amount * kMicrosInOne;
  if (std::abs(micros) <= static_cast<double>(kMaxMicro)) return micros;  // false for NaN
  return Error{fmt::format("money: found {}; accepted: {} to {}", amount,
                           -static_cast<double>(kMaxMicro) / kMicrosInOne,
                           static_cast<double>(kMaxMicro) / kMicrosInOne)};
}

}  // namespace

Result<Micro> micros_up(double amount) {
  auto micros = scaled(amount);
  if (!micros) return Error{micros.error()};
  return static_cast<Micro>(std::ceil(micros.value() - slack(micros.value())));
}

Result<Micro> micros_down(double amount) {
  auto micros = scaled(amount);
  if (!micros) return Error{micros.error()};
  return static_cast<Micro>(std::floor(micros.value() + slack(micros.value())));
}

Ledger::Ledger(std::span<const Micro> limits) : size_(static_cast<int>(limits.size())) {
  check(limits.size() <= limits_.size(), "ledger: more limits than costs");
  for (Micro limit : limits) check(limit >= 0, "ledger: a limit below 0");
  std::copy(limits.begin(), limits.end(), limits_.begin());
}

Micro Ledger::left(int cost) const {
  Micro left = 0;
  if (__builtin_sub_overflow(limit(cost), spent(cost), &left)) left = kNoLimit;
  return left - held(cost);  // held >= 0, so this cannot overflow
}

bool Ledger::fits(const Micros& largest) const {
  for (int i = 0; i < size_; ++i) {
    check(largest[at(i)] >= 0, "ledger: a hold below 0");
    Micro used = 0;
    if (__builtin_add_overflow(held(i), largest[at(i)], &used) ||
        __builtin_add_overflow(used, spent(i), &used) || used > limit(i)) {
      return false;
    }
  }
  return true;
}

Result<> Ledger::hold(const Micros& largest) {
  if (!fits(largest)) {
    return Error{"hard budget: a cost that may come would pass it", Reason::kBudget};
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
    Micro sum = 0;
    if (__builtin_add_overflow(spent(i), actual[at(i)], &sum)) {
      return Error{
          fmt::format("hard budget: refunds of cost {} add up to more than can be counted", i)};
    }
  }
  return {};
}

Result<> Ledger::settle(const Micros& largest, const Micros& actual) {
  for (int i = 0; i < size_; ++i) {
    check(largest[at(i)] >= 0 && largest[at(i)] <= held(i), "ledger: settled more than was held");
  }
  if (auto fits = can_settle(largest, actual); !fits) return fits;
  for (int i = 0; i < size_; ++i) {
    held_[at(i)] -= largest[at(i)];
    spent_[at(i)] += actual[at(i)];
  }
  return {};
}

Result<> Ledger::restore(const Micros& spent) {
  for (int i = 0; i < size_; ++i) {
    if (spent[at(i)] > limit(i)) {
      return Error{
          fmt::format("hard budget: cost {} has {} micro-units spent; accepted: at most {}", i,
                      spent[at(i)], limit(i))};
    }
  }
  spent_ = spent;
  held_ = {};
  return {};
}

}  // namespace rein
