// RowOrder: which row of a file comes next, as in the file or shuffled by the seed.
#pragma once

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "world/noise.h"

namespace rein {

class RowOrder {
 public:
  RowOrder(std::int64_t rows, std::uint64_t seed, bool shuffled, bool repeat)
      : seed_(seed), shuffled_(shuffled), repeat_(repeat), order_(static_cast<std::size_t>(rows)) {
    arrange();
  }

  // -1 after the last row, unless they repeat.
  std::int64_t next() {
    if (at_ == order_.size()) {
      if (!repeat_) return -1;
      ++pass_;
      arrange();
    }
    return order_[at_++];
  }

 private:
  // Every pass has its own stream and starts from the order of the file.
  void arrange() {
    std::iota(order_.begin(), order_.end(), std::int64_t{0});
    at_ = 0;
    if (!shuffled_) return;
    Rng rng = world_rng(seed_, Purpose::kContexts, pass_);
    const auto n = static_cast<std::int64_t>(order_.size());
    for (std::int64_t i = 0; i < n; ++i) {
      std::swap(order_[static_cast<std::size_t>(i)],
                order_[static_cast<std::size_t>(i + rng.below(n - i))]);
    }
  }

  std::uint64_t seed_;
  bool shuffled_, repeat_;
  std::vector<std::int64_t> order_;
  std::size_t at_ = 0;
  std::uint64_t pass_ = 0;
};

}  // namespace rein
