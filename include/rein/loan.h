// Loan: a piece of the caller's own (an oracle, a world), lent to the library under a name that
// specs can use, for as long as the Loan lives.
//
//     auto loan = rein::lend_oracle("mine", make_mine).value();
//     auto policy = rein::make_policy("ccb(oracle=own(name=mine),rounds=1000)", shape).value();
//
// A name is looked up when a spec is made into something. What was made goes on when the loan ends;
// the piece's maker is called from whatever thread makes things, so it must be fit for that.
#pragma once

#include <functional>
#include <utility>

namespace rein {

// The most names lent at once, oracles and worlds apart.
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
