#include "money/micros.h"

#include <fmt/format.h>

#include <cmath>

namespace rein {
namespace {

// Below this limit, two numbers with six decimals never share a double.
constexpr double kMostDecimal = 0x1p33;

Result<double> scaled(double amount) {
  const double micros = amount * kMicrosInOne;
  if (std::abs(micros) <= static_cast<double>(kMaxMicro)) return micros;  // false for NaN
  return Error{fmt::format("money: found {}; accepted: {} to {}", amount,
                           -static_cast<double>(kMaxMicro) / kMicrosInOne,
                           static_cast<double>(kMaxMicro) / kMicrosInOne)};
}

// The whole number of micro-units whose nearest double is the amount. If there is none, or the
// amount is too large, `round` (ceil or floor) of the exact product.
Result<Micro> to_micros(double amount, double (*round)(double)) {
  const auto micros = scaled(amount);
  if (!micros) return micros.failure();
  const double product = micros.value();
  const double below = std::floor(product), above = std::ceil(product);
  for (double whole : {below, above}) {
    if (std::abs(amount) < kMostDecimal && whole / kMicrosInOne == amount) {
      return static_cast<Micro>(whole);
    }
  }
  if (below != above) return static_cast<Micro>(round(product));
  const double lost = std::fma(amount, kMicrosInOne, -product);  // exact
  return static_cast<Micro>(product) + static_cast<Micro>(round(lost));
}

}  // namespace

Result<Micro> micros_up(double amount) { return to_micros(amount, std::ceil); }

Result<Micro> micros_down(double amount) { return to_micros(amount, std::floor); }

Micro nearest_micros_up(double amount) {
  const auto micros = micros_up(amount);
  return micros ? micros.value() : amount > 0.0 ? kMaxMicro : -kMaxMicro;
}

}  // namespace rein
