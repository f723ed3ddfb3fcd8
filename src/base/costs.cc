#include "rein/costs.h"

#include <algorithm>
#include <stdexcept>

namespace rein {
namespace {

int checked(std::size_t size) {
  if (size > static_cast<std::size_t>(kMaxCosts)) {
    throw std::length_error("rein::Costs holds at most 16 numbers (kMaxCosts)");
  }
  return static_cast<int>(size);
}

}  // namespace

Costs::Costs(int size, double value) : size_(checked(static_cast<std::size_t>(size))) {
  std::fill(begin(), end(), value);
}

Costs::Costs(std::initializer_list<double> values) : size_(checked(values.size())) {
  std::copy(values.begin(), values.end(), begin());
}

Costs::Costs(std::span<const double> values) : size_(checked(values.size())) {
  std::copy(values.begin(), values.end(), begin());
}

bool Costs::operator==(const Costs& other) const {
  return std::equal(begin(), end(), other.begin(), other.end());
}

}  // namespace rein
