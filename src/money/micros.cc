#include "money/micros.h"

#include <fmt/format.h>

#include <cmath>

namespace rein {
namespace {

// Below this limit, two whole numbers of coins never share a double when they are divided.
constexpr double kMostWhole = 0x1p33 * kMicrosInOne;

enum class Rounding { kUp, kDown };

// The whole number of coins whose nearest double is the amount. If there is none, or the amount is
// too large, the exact product, rounded. False if that is out of bounds, or not a number.
bool to_micros(double amount, double coins, Rounding rounding, Micro& out) {
  const double product = amount * coins;
  if (!(std::abs(product) <= static_cast<double>(kMaxMicro))) return false;
  const auto round = [&](double x) {
    return rounding == Rounding::kUp ? std::ceil(x) : std::floor(x);
  };
  const double below = std::floor(product), above = std::ceil(product);
  if (std::abs(amount) < kMostWhole / coins) {
    for (double whole : {below, above}) {
      if (whole / coins != amount) continue;
      out = static_cast<Micro>(whole);
      return true;
    }
  }
  if (below != above) {
    out = static_cast<Micro>(round(product));
  } else {
    const double lost = std::fma(amount, coins, -product);  // exact
    out = static_cast<Micro>(product) + static_cast<Micro>(round(lost));
  }
  return true;
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
