#include "money/micros.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rein {
namespace {

// Below this limit, two whole numbers of coins never share a double when they are divided.
constexpr double kMostWhole = 0x1p33 * kMicrosInOne;

enum class Rounding { kUp, kDown };

// The whole number of coins whose nearest double is the amount. If there is none, or the amount is
// too large, the exact product, rounded. False if that is above `most`, or not a number. REQUIRES at
// most 2^94 for `most`: the sum of 2^32 of them fits in 128 bits.
template <class Whole>
bool to_coins(double amount, double coins, Rounding rounding, double coins_most, Whole& out) {
  const double product = amount * coins;
  if (!(std::abs(product) <= coins_most)) return false;
  const auto round = [&](double x) {
    return rounding == Rounding::kUp ? std::ceil(x) : std::floor(x);
  };
  const double below = std::floor(product), above = std::ceil(product);
  if (std::abs(amount) < kMostWhole / coins) {
    for (double whole : {below, above}) {
      if (whole / coins != amount) continue;
      out = static_cast<Whole>(whole);
      return true;
    }
  }
  if (below != above) {
    out = static_cast<Whole>(round(product));
  } else {
    const double lost = std::fma(amount, coins, -product);  // exact
    out = static_cast<Whole>(product) + static_cast<Whole>(round(lost));
  }
  return true;
}

bool to_micros(double amount, double coins, Rounding rounding, Micro& out) {
  return to_coins(amount, coins, rounding, static_cast<double>(kMaxMicro), out);
}

Result<Micro> checked(double amount, double coins, Rounding rounding) {
  Micro micros = 0;
  if (to_micros(amount, coins, rounding, micros)) return micros;
  return Error{fmt::format("money: found {}; accepted: {} to {}", amount,
                           -static_cast<double>(kMaxMicro) / coins,
                           static_cast<double>(kMaxMicro) / coins)};
}

Micro limited(double amount, double coins, Rounding rounding) {
  Micro micros = 0;
  if (to_micros(amount, coins, rounding, micros)) return micros;
  return amount > 0.0 ? kMaxMicro : -kMaxMicro;
}

}  // namespace

Result<Micro> micros_up(double amount, double coins) {
  return checked(amount, coins, Rounding::kUp);
}

Result<Micro> micros_down(double amount, double coins) {
  return checked(amount, coins, Rounding::kDown);
}

double most_bill(double coins) {
  return std::min(static_cast<double>(kMaxMicro) / kMicrosInOne, 0x1p94 / coins);
}

Result<MicroSum> bill_up(double amount, double coins) {
  MicroSum bill = 0;
  const double bill_most = most_bill(coins);
  const bool fits = std::abs(amount) <= bill_most;
  if (fits && to_coins(amount, coins, Rounding::kUp, 0x1p94, bill)) return bill;
  return Error{fmt::format("money: found {}; accepted: {} to {}", amount, -bill_most, bill_most)};
}

Micro nearest_micros_up(double amount, double coins) {
  return limited(amount, coins, Rounding::kUp);
}

Micro nearest_micros_down(double amount, double coins) {
  return limited(amount, coins, Rounding::kDown);
}

MicroSum whole_micros_up(MicroSum sum, double coins) {
  const auto divisor = static_cast<Micro>(coins / kMicrosInOne);
  const MicroSum quotient = sum / divisor;  // towards 0
  return quotient * divisor < sum ? quotient + 1 : quotient;
}

}  // namespace rein
