// rein migrate: a model goes on with another policy. What the old journal has, decisions and their
// outcomes, is learned again by the new one, as a warm start does. All else is that of the old model:
// ids, open decisions and their propensities, money to the micro-unit, actions, names, the mode.
//
// The old policy is not needed: it may be one that this program no longer knows. The old folder is not
// changed. As in a renewed journal, request ids are forgotten.
#pragma once

#include <cstdint>
#include <string>

#include "serve/offline.h"
#include "serve/trained.h"

namespace rein::serve {

struct Migrated {
  std::int64_t entries = 0;  // of the old journal
  std::int64_t learned = 0;  // rounds that the new policy learned
  std::int64_t open = 0;     // decisions whose outcomes may still come
  std::int64_t forgotten = 0;  // request ids
  std::string was;             // the policies, with their defaults written out; the old one as it was
  std::string is;              // asked for where nobody wrote that down
  std::uint64_t hash = 0;      // of the state that the new journal begins with
};
// `policy` is a spec; empty: that of the model's document, as this program means it. kFailed while a
// service has one of the folders open, kCorrupt if the old one is damaged.
Result<Migrated> migrate(const ModelFolder& from, const TrainedPlace& to, const std::string& policy);

}  // namespace rein::serve
