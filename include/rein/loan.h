// Loan: registers a piece of the caller's (an oracle, a world) under a name that specs can use. The
// registration ends with the Loan.
//
//     auto loan = rein::lend_oracle("mine", make_mine).value();
//     auto policy = rein::make_policy("ccb(oracle=own(name=mine),rounds=1000)", shape).value();
//
// A name is looked up when something is made from a spec. What was made keeps working after the
// loan ends. The maker may be called from any thread, so it must be thread-safe.
#pragma once

#include <functional>
#include <utility>

namespace rein {

// Limit on the names lent at once, for oracles and for worlds separately.
inline constexpr int kMaxLoans = 4096;

class [[nodiscard]] Loan {
 public:
  explicit Loan(std::function<void()> end) : end_(std::move(end)) {}
  Loan(Loan&& other) noexcept : end_(std::exchange(other.end_, nullptr)) {}
  Loan& operator=(Loan&& other) noexcept {
    std::swap(end_, other.end_);
    return *this;
  }
  ~Loan() {
    if (end_) end_();
  }

 private:
  std::function<void()> end_;
};

}  // namespace rein
