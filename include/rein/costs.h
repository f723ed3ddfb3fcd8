// Costs: one number per resource, stored inline, so that outcomes and prices never allocate. Only
// the first size() of the sixteen numbers are ever written or copied; most problems have one or
// two.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <stdexcept>

namespace rein {

// The most resources a problem may have.
inline constexpr int kMaxCosts = 16;

class Costs {
 public:
  Costs() {}  // NOLINT: with = default, Costs{} would write all sixteen
  Costs(const Costs& other) : size_(other.size_) { std::copy(other.begin(), other.end(), begin()); }
  Costs& operator=(const Costs& other) {
    size_ = other.size_;
    std::copy(other.begin(), other.end(), begin());
    return *this;
  }
  // REQUIRES size in [0, kMaxCosts] (throws std::length_error).
  explicit Costs(int size, double value = 0.0) : size_(checked(static_cast<std::size_t>(size))) {
    std::fill(begin(), end(), value);
  }
  Costs(std::initializer_list<double> values)  // NOLINT: implicit, so that {.costs = {0.02}} works
      : Costs(std::span(values.begin(), values.size())) {}
  explicit Costs(std::span<const double> values) : size_(checked(values.size())) {
    std::copy(values.begin(), values.end(), begin());
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  double& operator[](int i) { return values_[i]; }
  double operator[](int i) const { return values_[i]; }
  double* begin() { return values_.data(); }
  double* end() { return values_.data() + size_; }
  const double* begin() const { return values_.data(); }
  const double* end() const { return values_.data() + size_; }
  std::span<const double> span() const { return {begin(), end()}; }
  bool operator==(const Costs& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }

 private:
  static int checked(std::size_t size) {
    if (size > static_cast<std::size_t>(kMaxCosts)) {
      throw std::length_error("rein::Costs holds at most 16 numbers (kMaxCosts)");
    }
    return static_cast<int>(size);
  }

  int size_ = 0;
  std::array<double, kMaxCosts> values_;
};

}  // namespace rein
