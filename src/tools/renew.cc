#include "tools/renew.h"

namespace rein::serve {

Result<Renewed> renew(const ModelFolder& from, const TrainedPlace& to) {
  const auto journal = open_journal_of(from);
  if (!journal) return journal.failure();
  const auto newest = SnapshotFiles(from.path).latest();
  if (!newest) return newest.failure();
  const auto& snapshot = newest.value().snapshot;
  const auto state = fold_journal(*journal.value(), {.from = snapshot ? &*snapshot : nullptr});
  if (!state) return error_in(from.path, state.failure());
  const auto hash = write_continuation(to, state.value());
  if (!hash) return hash.failure();
  return Renewed{.entries = journal.value()->last(),
                 .forgotten = state.value().requests.size(),
                 .hash = hash.value()};
}

}  // namespace rein::serve
