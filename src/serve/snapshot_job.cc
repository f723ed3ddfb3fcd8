#include "serve/snapshot_job.h"

#include <chrono>

#include "serve/fold.h"

namespace rein::serve {
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

}  // namespace rein::serve
