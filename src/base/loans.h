// Loans: the table behind lend_oracle() and lend_world(). Thread-safe.
#pragma once

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "rein/loan.h"
#include "rein/result.h"

namespace rein {

template <class Maker>
class Loans {
 public:
  // `what` starts the messages: "oracle spec", "world spec". The table must outlive its loans.
  explicit Loans(const char* what) : what_(what) {}

  Result<Loan> lend(const std::string& name, Maker maker) {
    if (name.empty() || !maker) return Error{"lend: found no name or no maker; accepted: both"};
    const std::lock_guard lock(mutex_);
    if (lent_.size() >= static_cast<std::size_t>(kMaxLoans)) {
      return Error{
          fmt::format("lend: {} names are lent; accepted: at most {}", lent_.size(), kMaxLoans)};
    }
    if (!lent_.emplace(name, std::move(maker)).second) {
      return Error{fmt::format(
          "lend: \"{}\" is lent already; accepted: another name, or end the first loan", name)};
    }
    return Loan([this, name] { end(name); });
  }

  Result<Maker> find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = lent_.find(name);
    if (found != lent_.end()) return found->second;
    return Error{fmt::format(
        "{}: own(name=\"{}\") is a piece that the caller brings, and none was brought under this "
        "name; see docs/own.md",
        what_, name)};
  }

 private:
  void end(const std::string& name) {
    Maker ended;  // destroyed after the lock is released: it may hold anything
    const std::lock_guard lock(mutex_);
    const auto found = lent_.find(name);
    ended = std::move(found->second);
    lent_.erase(found);
  }

  const char* what_;
  mutable std::mutex mutex_;
  std::map<std::string, Maker> lent_;
};

}  // namespace rein
