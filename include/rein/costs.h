// Costs: one number a resource, held inline, so that outcomes and prices never allocate.
#pragma once

#include <array>
#include <initializer_list>
#include <span>

namespace rein {

// The most resources a problem may have.
inline constexpr int kMaxCosts = 16;

class Costs {
 public:
  Costs() = default;
  // REQUIRES size in [0, kMaxCosts] (throws std::length_error).
  explicit Costs(int size, double value = 0.0);
  Costs(std::initializer_list<double> values);  // NOLINT: {.costs = {0.02}} is the point
  explicit Costs(std::span<const double> values);

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  double& operator[](int i) { return values_[i]; }
  double operator[](int i) const { return values_[i]; }
  double* begin() { return values_.data(); }
  double* end() { return values_.data() + size_; }
  const double* begin() const { return values_.data(); }
  const double* end() const { return values_.data() + size_; }
  std::span<const double> span() const { return {begin(), end()}; }
  bool operator==(const Costs& other) const;

 private:
  std::array<double, kMaxCosts> values_{};
  int size_ = 0;
};

}  // namespace rein
