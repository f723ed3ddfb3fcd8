// LentEntries: the journal of a model up to one entry, for a job in another thread. It is read through the
// writer of the model, which lends a few entries between two groups, so the writer waits for nothing.
#pragma once

#include <cstdint>
#include <functional>

#include "journal/journal.h"

namespace rein::serve {

// Runs a function that reads the model, in the thread of its writer, and waits for it. An error ends the
// job.
class Model;
using OnModel = std::function<Result<>(const std::function<Result<>(const Model&)>& run)>;

class LentEntries final : public Journal {
 public:
  LentEntries(const OnModel& on_model, std::int64_t last, std::uint64_t chain)
      : on_model_(on_model), last_(last), chain_(chain) {}

  Result<> append(std::span<const std::string_view> entries) override;
  Result<> drop_before(std::int64_t number) override;
  std::int64_t last() const override { return last_; }
  std::int64_t first() const override { return 1; }
  std::uint64_t chain() const override { return chain_; }
  Result<std::uint64_t> chain_at(std::int64_t number) const override;
  Result<> read(std::int64_t from, const Each& each) const override;

 private:
  const OnModel& on_model_;
  std::int64_t last_;
  std::uint64_t chain_;
};

}  // namespace rein::serve
