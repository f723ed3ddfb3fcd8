// When a model is due for a snapshot, and what its journal says about one.
#include <algorithm>

#include "serve/model.h"

namespace rein::serve {

bool Model::snapshot_due() const {
  // Work that a start would have to do again. Where another node goes on when this one ends, callers may wait
  // for a start: for a node that came a moment ago.
  const double most_work = options_.journal_to_read ? 1.0 : 5.0;
  constexpr double kWorkPerSnapshot = 10.0;
  const std::int64_t entries = journal_->last() - snapshot_at_;
  if (!options_.snapshots || entries == 0) return false;
  return (entries >= options_.snapshot_every && since_.bytes >= snapshot_bytes_ / 2) ||
         since_.work_seconds >= std::max(most_work, kWorkPerSnapshot * snapshot_seconds_);
}

Result<SnapshotTask> Model::mark_for_snapshot() {
  push({.kind = Event::Kind::kMarked, .id = state_.fingerprint()});
  if (auto done = commit(); !done) return done.failure();
  since_until_mark_ = since_;
  return SnapshotTask{.model = name_,
                      .snapshots = options_.snapshots,
                      .journal_to_read = options_.journal_to_read,
                      .position = journal_->last(),
                      .chain = journal_->chain()};
}

void Model::snapshot_written(const SnapshotMade& made) {
  snapshot_at_ = made.position;
  snapshot_bytes_ = made.bytes;
  snapshot_seconds_ = made.seconds;
  // Without the folding, which took about as long as the requests: else each snapshot would wait ten times as
  // long as the one before.
  if (options_.journal_to_read) {
    snapshot_seconds_ = std::max(made.seconds - since_until_mark_.work_seconds, 0.0);
  }
  since_.bytes -= since_until_mark_.bytes;
  since_.work_seconds -= since_until_mark_.work_seconds;
  push({.kind = Event::Kind::kHashAt, .id = made.hash, .at_entry = made.position});
}

void Model::snapshot_written(const Snapshot& snapshot) {
  snapshot_at_ = snapshot.position;
  snapshot_bytes_ = static_cast<std::int64_t>(snapshot.bytes.size());
  since_ = {};
}

Result<Snapshot> Model::make_snapshot() {
  push({.kind = Event::Kind::kHash, .id = state_.hash()});
  if (auto done = commit(); !done) return done.failure();
  return Snapshot{
      .position = journal_->last(), .bytes = state_.save(), .chain = journal_->chain()};
}

}  // namespace rein::serve
