#include "money/micros.h"

#include <fmt/format.h>

#include <cmath>

namespace rein {
namespace {

// Below this limit, two whole numbers of coins never share a double when they are divided.
constexpr double kMostWhole = 0x1p33 * kMicrosInOne;

Result<double> scaled(double amount, double coins) {
  const double micros = amount * coins;
  if (std::abs(micros) <= static_cast<double>(kMaxMicro)) return micros;  // false for NaN
  return Error{fmt::format("money: found {}; accepted: {} to {}", amount,
                           -static_cast<double>(kMaxMicro) / coins,
                           static_cast<double>(kMaxMicro) / coins)};
}

// The whole number of coins whose nearest double is the amount. If there is none, or the amount is
// too large, `round` (ceil or floor) of the exact product.
Result<Micro> to_micros(double amount, double coins, double (*round)(double)) {
  const auto micros = scaled(amount, coins);
  if (!micros) return micros.failure();
  const double product = micros.value();
  const double below = std::floor(product), above = std::ceil(product);
  for (double whole : {below, above}) {
    if (std::abs(amount) < kMostWhole / coins && whole / coins == amount) {
      return static_cast<Micro>(whole);
    }
  }
  if (below != above) return static_cast<Micro>(round(product));
  const double lost = std::fma(amount, coins, -product);  // exact
  return static_cast<Micro>(product) + static_cast<Micro>(round(lost));
}

Micro limited(const Result<Micro>& micros, double amount) {
  return micros ? micros.value() : amount > 0.0 ? kMaxMicro : -kMaxMicro;
}

}  // namespace

Result<Micro> micros_up(double amount, double coins) {
  return to_micros(amount, coins, std::ceil);
}

Result<Micro> micros_down(double amount, double coins) {
  return to_micros(amount, coins, std::floor);
}

Micro nearest_micros_up(double amount, double coins) {
  return limited(micros_up(amount, coins), amount);
}

Micro nearest_micros_down(double amount, double coins) {
  return limited(micros_down(amount, coins), amount);
}

MicroSum whole_micros_up(MicroSum sum, double coins) {
  const auto divisor = static_cast<Micro>(coins / kMicrosInOne);
  const MicroSum quotient = sum / divisor;  // towards 0
  return quotient * divisor < sum ? quotient + 1 : quotient;
}

}  // namespace rein
