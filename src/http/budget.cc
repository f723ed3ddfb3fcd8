#include "http/budget.h"

#include <algorithm>

namespace rein::serve {

std::int64_t MemoryBudget::most(MemoryUse use) const {
  return use == MemoryUse::kRequest ? most_ / 8 * 3 : most_ / 2;
}

bool MemoryBudget::take(MemoryUse use, std::int64_t bytes) {
  std::atomic<std::int64_t>& of = used(use);
  std::int64_t before = of.load();
  do {
    if (before + bytes > most(use)) return false;
  } while (!of.compare_exchange_weak(before, before + bytes));
  const std::int64_t now = used();
  std::int64_t peak = peak_.load();
  while (now > peak && !peak_.compare_exchange_weak(peak, now)) {
  }
  return true;
}

bool MemoryHold::set(std::size_t bytes) {
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (wanted > bytes_ && !budget_->take(use_, wanted - bytes_)) return false;
  if (wanted < bytes_) budget_->give(use_, bytes_ - wanted);
  bytes_ = wanted;
  return true;
}

void MemoryHold::set_anyway(std::size_t bytes) {
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (wanted > bytes_) budget_->take_anyway(use_, wanted - bytes_);
  if (wanted < bytes_) budget_->give(use_, bytes_ - wanted);
  bytes_ = wanted;
}

bool MemoryHold::change(MemoryUse use) {
  if (bytes_ > 0) {
    if (!budget_->take(use, bytes_)) return false;
    budget_->give(use_, bytes_);
  }
  use_ = use;
  return true;
}

}  // namespace rein::serve
