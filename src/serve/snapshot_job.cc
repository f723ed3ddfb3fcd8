#include "serve/snapshot_job.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>

#include "serve/model.h"
#include "serve/fold.h"

namespace rein::serve {
namespace {

// Entries that are read between two groups of the writer: about 80, which takes it 0.1 to 0.3 ms.
constexpr std::size_t kSliceBytes = 64 << 10;

// The journal of the model up to one entry, read through its writer.
class LentEntries final : public Journal {
 public:
  LentEntries(const OnModel& on_model, std::int64_t last, std::uint64_t chain)
      : on_model_(on_model), last_(last), chain_(chain) {}

  Result<> append(std::span<const std::string_view> /*entries*/) override { return refused(); }
  Result<> drop_before(std::int64_t /*number*/) override { return refused(); }
  std::int64_t last() const override { return last_; }
  std::int64_t first() const override { return 1; }
  std::uint64_t chain() const override { return chain_; }
  Result<std::uint64_t> chain_at(std::int64_t number) const override {
    Result<std::uint64_t> found = Error{"not read"};
    auto done = on_model_([&](const Model& model) -> Result<> {
      found = model.chain_at(number);
      return {};
    });
    return done ? found : Result<std::uint64_t>(done.failure());
  }
  Result<> read(std::int64_t from, const Each& each) const override {
    while (from <= last_) {
      std::vector<std::string> entries;
      auto done = on_model_([&](const Model& model) -> Result<> {
        auto read = model.read_entries(from, last_, kSliceBytes);
        if (!read) return read.failure();
        entries = std::move(read).value();
        return {};
      });
      if (!done) return done;
      for (const std::string& entry : entries) {
        const auto goes_on = each(from++, entry);
        if (!goes_on) return goes_on.failure();
        if (!goes_on.value()) return {};
      }
    }
    return {};
  }

 private:
  static Result<> refused() { return Error{"entries that are lent cannot be changed"}; }

  const OnModel& on_model_;
  std::int64_t last_;
  std::uint64_t chain_;
};

}  // namespace

Result<SnapshotMade> make_snapshot(const SnapshotTask& task, const OnModel& on_model) {
  const auto start = std::chrono::steady_clock::now();
  std::unique_ptr<Journal> journal =
      std::make_unique<LentEntries>(on_model, task.position, task.chain);
  if (task.journal_to_read) {
    auto opened = task.journal_to_read();
    if (!opened) return opened.failure();
    journal = std::move(opened).value();
  }
  auto before = task.snapshots->latest();
  if (!before) return before.failure();
  FoldRange range{.to = task.position};
  if (before.value().snapshot) range.from = &*before.value().snapshot;
  auto state = fold_journal(*journal, range);
  if (!state) return state.failure();
  before.value().snapshot.reset();  // its memory is needed
  const std::string bytes = state.value().save();
  if (auto written = task.snapshots->write(task.position, bytes, task.chain); !written) {
    return written.failure();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return SnapshotMade{.position = task.position,
                      .hash = state.value().marked_hash(),
                      .bytes = static_cast<std::int64_t>(bytes.size()),
                      .seconds = took.count()};
}

void SnapshotJob::run() {
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return;
    running_ = true;
  }
  Result<SnapshotMade> made = Error{"it was cut off", Reason::kFailed};
  const auto end = [&] {  // cancel() waits for it, whatever ends the job
    const std::lock_guard lock(mutex_);
    running_ = false;
    result_ = std::move(made);
    ended_.notify_all();
  };
  try {
    made = make_snapshot(task_, on_model_);
  } catch (const std::exception& wrong) {  // too little memory, for one
    made = Error{wrong.what(), Reason::kFailed};
  } catch (...) {
    end();
    throw;
  }
  end();
}

std::optional<Result<SnapshotMade>> SnapshotJob::result() {
  const std::lock_guard lock(mutex_);
  return result_;
}

void SnapshotJob::cancel() {
  std::unique_lock lock(mutex_);
  cancelled_ = true;
  ended_.wait(lock, [&] { return !running_; });
}

}  // namespace rein::serve
