// A budget of memory for all connections of a server: for requests that are not answered yet, and
// for answers that wait for their readers. Thread-safe.
//
// One half is for requests and the other for answers, so that clients who do not read cannot keep
// others from asking. A quarter of the half for requests is kept for requests that come first (the
// option `first_paths`): outcomes give memory and money back, decisions take them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace rein::serve {

enum class MemoryUse { kRequest, kFirstRequest, kAnswer };

class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t most_bytes) : most_(most_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  // False if there is not so much left for this use; then nothing is taken.
  bool take(MemoryUse use, std::int64_t bytes);
  // For bytes that are there already and can no longer be refused.
  void take_anyway(MemoryUse use, std::int64_t bytes) { used(use).fetch_add(bytes); }
  void give(MemoryUse use, std::int64_t bytes) { used(use).fetch_sub(bytes); }
  // The most that all of this use may hold.
  std::int64_t most(MemoryUse use) const;
  std::int64_t used() const { return requests_.load() + answers_.load(); }
  // The most that was used at a time.
  std::int64_t peak() const { return peak_.load(); }

 private:
  std::atomic<std::int64_t>& used(MemoryUse use) {
    return use == MemoryUse::kAnswer ? answers_ : requests_;
  }

  const std::int64_t most_;
  std::atomic<std::int64_t> requests_{0};
  std::atomic<std::int64_t> answers_{0};
  std::atomic<std::int64_t> peak_{0};
};

// A part of the budget, given back at the end of its life. A hold without a budget, or one that was
// moved from, must not be set to more than 0 bytes.
class MemoryHold {
 public:
  MemoryHold() = default;
  MemoryHold(std::shared_ptr<MemoryBudget> budget, MemoryUse use)
      : budget_(std::move(budget)), use_(use) {}
  ~MemoryHold() { clear(); }
  MemoryHold(MemoryHold&& other) noexcept
      : budget_(std::move(other.budget_)),
        use_(other.use_),
        bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryHold& operator=(MemoryHold&& other) noexcept {
    if (this == &other) return *this;
    clear();
    budget_ = std::move(other.budget_);
    use_ = other.use_;
    bytes_ = std::exchange(other.bytes_, 0);
    return *this;
  }

  // Holds so many bytes from now on. False if the budget has not so much; what was held stays.
  bool set(std::size_t bytes);
  // Sets the size of the hold, even if the budget is exceeded.
  void set_anyway(std::size_t bytes);
  // Counts the held bytes for another use from now on. Returns false if that use has too few bytes
  // left.
  bool change(MemoryUse use);
  void clear() { set_anyway(0); }
  std::size_t bytes() const { return static_cast<std::size_t>(bytes_); }

 private:
  std::shared_ptr<MemoryBudget> budget_;  // replies may outlive their server
  MemoryUse use_ = MemoryUse::kRequest;
  std::int64_t bytes_ = 0;
};

}  // namespace rein::serve
