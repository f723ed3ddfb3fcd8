// SnapshotJob: makes a snapshot beside the writer of a model, in another thread. The job works like
// a start: it restores the last snapshot, folds the entries after it, and writes the state. So the
// writer copies nothing and waits for nothing; it only reads entries, a few at a time, between two
// groups. An error that a start would find is found while the service runs.
//
// The state is in memory twice meanwhile. A service makes one snapshot at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "journal/journal.h"
#include "journal/snapshot.h"
#include "rein/result.h"

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

// Runs a function that reads the model, in the thread of its writer, and waits for it. An error ends the
// job.
class Model;
using OnModel = std::function<Result<>(const std::function<Result<>(const Model&)>& run)>;

// kSequence: the fold has another state than the model had.
Result<SnapshotMade> make_snapshot(const SnapshotTask& task, const OnModel& on_model);

// Shared by the writer and the thread that runs it.
class SnapshotJob {
 public:
  SnapshotJob(SnapshotTask task, OnModel on_model)
      : task_(std::move(task)), on_model_(std::move(on_model)) {}

  void run();
  // The result, if the job has ended. For the writer.
  std::optional<Result<SnapshotMade>> result();
  // Keeps the job from beginning; if it has begun, waits for its end. `on_model` is not called
  // afterwards, and must already fail.
  void cancel();

 private:
  SnapshotTask task_;
  OnModel on_model_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool cancelled_ = false, running_ = false;
  std::optional<Result<SnapshotMade>> result_;
};

}  // namespace rein::serve
