// Replaces a journal that has grown too large by a new journal, whose first entry is the last state
// of the old one. The old folder is the history of the model and is not changed.
//
// The new model goes on as the old one would: what it learned, open decisions and their ids, budgets in
// their windows, the mode. Only the callers' request ids are forgotten, because the answers to them are
// in the old journal.
#pragma once

#include <cstdint>

#include "tools/offline.h"
#include "tools/trained.h"

namespace rein::serve {

struct Renewed {
  std::int64_t entries = 0;    // of the old journal
  std::int64_t forgotten = 0;  // request ids
  std::uint64_t hash = 0;      // of the state that the new journal begins with
};
// kFailed while a service has either folder open, and kCorrupt if the old journal is damaged.
Result<Renewed> renew(const ModelFolder& from, const TrainedPlace& to);

}  // namespace rein::serve
