#include "journal/memory_journal.h"

#include <fmt/format.h>

#include <deque>
#include <string>

#include "journal/chain.h"

namespace rein {
namespace {

class MemoryJournal final : public Journal {
 public:
  Result<> append(std::span<const std::string_view> entries) override {
    for (const std::string_view bytes : entries) {
      entries_.push_back({std::string(bytes), chained(chain(), last() + 1, bytes)});
    }
    return {};
  }

  std::int64_t last() const override {
    return first_ + static_cast<std::int64_t>(entries_.size()) - 1;
  }
  std::int64_t first() const override { return first_; }

  std::uint64_t chain() const override {
    return entries_.empty() ? before_ : entries_.back().chain;
  }
  Result<std::uint64_t> chain_at(std::int64_t number) const override {
    if (number == first_ - 1) return before_;
    if (number < first_ || number > last()) {
      return Error{
          fmt::format("there is no entry {}; the journal has {} to {}", number, first_, last())};
    }
    return entries_[static_cast<std::size_t>(number - first_)].chain;
  }

  Result<> read(std::int64_t from, const Each& each) const override {
    if (from < first_) {
      return Error{fmt::format("entry {} is gone; the first that is kept is {}", from, first_)};
    }
    for (std::int64_t number = from; number <= last(); ++number) {
      const auto more = each(number, entries_[static_cast<std::size_t>(number - first_)].bytes);
      if (!more) return more.failure();
      if (!more.value()) break;
    }
    return {};
  }

  Result<> drop_before(std::int64_t number) override {
    if (number > last() + 1) {
      return Error{
          fmt::format("cannot drop the entries before {}: the last one is {}", number, last())};
    }
    for (; first_ < number; ++first_) {
      before_ = entries_.front().chain;
      entries_.pop_front();
    }
    return {};
  }

 private:
  struct Entry {
    std::string bytes;
    std::uint64_t chain = 0;
  };

  std::deque<Entry> entries_;
  std::int64_t first_ = 1;
  std::uint64_t before_ = kChainStart;  // the chain value before the first
};

}  // namespace

std::unique_ptr<Journal> make_memory_journal() { return std::make_unique<MemoryJournal>(); }

}  // namespace rein
