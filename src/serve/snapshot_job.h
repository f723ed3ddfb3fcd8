// SnapshotJob: makes a snapshot beside the writer of a model, in another thread. The job works like
// a start: it restores the last snapshot, folds the entries after it, and writes the state. So the
// writer copies nothing and waits for nothing; it only reads entries, a few at a time, between two
// groups. An error that a start would find is found while the service runs.
//
// The state is in memory twice meanwhile. A service makes one snapshot at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "journal/journal.h"
#include "journal/snapshot.h"
#include "rein/result.h"
#include "serve/beside_job.h"
#include "serve/lent_entries.h"

namespace rein::serve {

struct SnapshotTask {
  std::string model;
  std::shared_ptr<const Snapshots> snapshots;  // where it is written
  // Opens the journal to read it in this thread. Empty: only the writer can read it, and lends entries.
  std::function<Result<std::unique_ptr<Journal>>()> journal_to_read;
  std::int64_t position = 0;  // the entry after which the state is to be saved
  std::uint64_t chain = 0;    // of the journal, there
};

struct SnapshotMade {
  std::int64_t position = 0;
  std::uint64_t hash = 0;  // of the state
  std::int64_t bytes = 0;
  double seconds = 0.0;
};

// kSequence: the fold has another state than the model had.
Result<SnapshotMade> make_snapshot(const SnapshotTask& task, const OnModel& on_model);

using SnapshotJob = BesideJob<SnapshotMade>;

}  // namespace rein::serve
