// Retention: entries that are older than a model keeps them move from its journal to an archive, while it
// is served. The job runs beside the writer of the model, as that of snapshots (snapshot_job.h): it reads
// entries, packs them, and makes their file durable. Only then they leave the journal.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "journal/archive.h"
#include "journal/snapshot.h"
#include "rein/result.h"
#include "serve/beside_job.h"
#include "serve/lent_entries.h"

namespace rein::serve {

struct ArchiveTask {
  std::string folder;  // of the archive
  // Only entries behind the oldest snapshot that is kept may leave.
  std::shared_ptr<const Snapshots> snapshots;
  // As in SnapshotTask.
  std::function<Result<std::unique_ptr<Journal>>()> journal_to_read;
  // Forgets the entries before a number in a store that is far away (Journal::drop_beside). Empty: the
  // writer does it.
  std::function<Result<>(std::int64_t number)> drop;
  std::int64_t first = 1;  // of the journal
  std::int64_t last = 0;
  std::uint64_t chain = 0;
  std::int64_t before_time = 0;  // entries of this time or a later one stay: UTC seconds
};

struct ArchiveMade {
  ArchiveSpan span;         // last 0: no entry is old enough
  std::uint64_t chain = 0;  // at the last entry
  bool more = false;        // more entries can move at once
  double seconds = 0.0;
};

// Makes a file of the entries from `first` on, as long as they are old enough and not too many for one
// file. kFailed: nothing has left the journal.
Result<ArchiveMade> make_archive(const ArchiveTask& task, const OnModel& on_model);
using ArchiveJob = BesideJob<ArchiveMade>;

}  // namespace rein::serve
