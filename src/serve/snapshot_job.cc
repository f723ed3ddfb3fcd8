#include "serve/snapshot_job.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>

#include "journal/snapshot_files.h"
#include "serve/model_state.h"

namespace rein::serve {
namespace {

// The state of the last snapshot before the task's position, and its own position. Without one, of the
// first entry.
Result<ModelState> state_to_begin_with(const SnapshotTask& task, const ReadEntries& read,
                                       std::int64_t& position) {
  auto found = SnapshotFiles(task.folder).latest();
  if (!found) return found.failure();
  if (found.value().snapshot && found.value().snapshot->position < task.position) {
    position = found.value().snapshot->position;
    return ModelState::restore(found.value().snapshot->bytes);
  }
  position = 1;
  auto first = read(1);
  if (!first) return first.failure();
  const auto event = decode_event(first.value().front());
  if (!event) return event.failure();
  return ModelState::created(event.value());
}

}  // namespace

Result<SnapshotMade> make_snapshot(const SnapshotTask& task, const ReadEntries& read) {
  const auto start = std::chrono::steady_clock::now();
  std::int64_t position = 0;
  auto state = state_to_begin_with(task, read, position);
  if (!state) return state.failure();
  while (position < task.position) {
    const auto entries = read(position + 1);
    if (!entries) return entries.failure();
    for (const std::string& entry : entries.value()) {
      ++position;
      const auto event = decode_event(entry);
      if (!event) return event.failure().in(fmt::format("journal entry {}: ", position));
      if (auto folded = state.value().fold(position, event.value()); !folded) {
        return folded.failure();
      }
      if (position == task.position) break;
    }
  }
  const std::string bytes = state.value().save();
  const SnapshotFiles files(task.folder);
  if (auto written = files.write(position, bytes, task.chain); !written) return written.failure();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return SnapshotMade{.position = position,
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
  Result<SnapshotMade> made = Error{"", Reason::kFailed};
  try {
    made = make_snapshot(task_, read_);
  } catch (const std::exception& wrong) {  // too little memory, for one
    made = Error{wrong.what(), Reason::kFailed};
  }
  const std::lock_guard lock(mutex_);
  running_ = false;
  result_ = std::move(made);
  ended_.notify_all();
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
