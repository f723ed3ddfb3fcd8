// rein migrate: a model goes on with another policy. The new policy learns the decisions and
// outcomes of the old journal, as in a warm start. Everything else stays that of the old model:
// ids, open decisions and their propensities, money to the micro-unit, actions, names, the mode.
//
// The old policy is not needed: it may be one that this program no longer knows. The old folder is not
// changed. As in a renewed journal, request ids are forgotten.
#pragma once

#include <cstdint>
#include <string>

#include "tools/offline.h"
#include "tools/trained.h"

namespace rein::serve {

struct Migrated {
  std::int64_t entries = 0;  // of the old journal
  std::int64_t learned = 0;  // rounds that the new policy learned
  // Rounds that the old policy had learned before this journal began, with a renewed, trained or
  // migrated state. The journal does not have them, so that nobody can learn them again.
  std::int64_t before = 0;
  std::int64_t open = 0;     // decisions whose outcomes may still come
  std::int64_t forgotten = 0;  // request ids
  // specs of both policies with their defaults written out; `was` by its own meaning
  std::string was;
  std::string is;              // asked for where nobody wrote that down
  std::uint64_t hash = 0;      // of the state that the new journal begins with
};
// `policy` is a spec; empty: the spec of the model's document, with its present meaning. kFailed
// while a service has either folder open, kCorrupt if the old journal is damaged.
Result<Migrated> migrate(const ModelFolder& from, const TrainedPlace& to, const std::string& policy);

}  // namespace rein::serve
