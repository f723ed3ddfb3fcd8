// Reserves: what a budget with hold=quantile(q) keeps besides its holds, per account.
//
// The excess of an open decision is its largest cost less its hold. The reserve of an account is the largest
// excess of its open decisions. So if one bill passes its hold, the reserve covers it, whichever it is.
//
// Only the largest excess is asked for, so the order in which decisions come and go does not matter.
#pragma once

#include <algorithm>
#include <vector>

#include "base/check.h"
#include "money/micros.h"

namespace rein {

class Reserves {
 public:
  void add() { accounts_.emplace_back(); }
  void clear(int accounts) { accounts_.assign(static_cast<std::size_t>(accounts), {}); }
  Micro of(int account) const {
    const auto& open = accounts_[static_cast<std::size_t>(account)];
    return open.empty() ? 0 : open.back();
  }
  void hold(int account, Micro excess) {
    if (excess == 0) return;
    auto& open = accounts_[static_cast<std::size_t>(account)];
    open.insert(std::ranges::upper_bound(open, excess), excess);
  }
  // REQUIRES that it is held.
  void release(int account, Micro excess) {
    if (excess == 0) return;
    auto& open = accounts_[static_cast<std::size_t>(account)];
    const auto found = std::ranges::lower_bound(open, excess);
    check(found != open.end() && *found == excess, "reserves: released what was not held");
    open.erase(found);
  }

 private:
  std::vector<std::vector<Micro>> accounts_;  // ascending
};

}  // namespace rein
