// The fold over a journal: what a model becomes, entry by entry. The service, its snapshots and the tools
// that read a journal without a service fold in this way.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include "journal/journal.h"
#include "journal/snapshot_files.h"
#include "serve/model_state.h"

namespace rein::serve {

// Refuses a journal whose first entries are gone.
Result<> check_begins(const Journal& journal);

// An error of the model in this folder: with the path, and with the way on where this program does not
// know the policy.
Error error_in(const std::string& folder, const Error& why);

// Called after each entry, with the state that it made.
using AfterEntry =
    std::function<Result<>(std::int64_t number, const Event& event, const ModelState& state)>;

struct FoldRange {
  const Snapshot* from = nullptr;  // null: from the beginning
  std::int64_t to = std::numeric_limits<std::int64_t>::max();
  bool blind = false;  // without the policy; then no hash is checked
};
// kMeaning if this program cannot make the model's policy as it was; a blind fold does not need it.
// The state after these entries. Every entry with a hash is checked: kSequence if one disagrees, and
// kCorrupt for damage. Messages name the entry.
Result<ModelState> fold_journal(const Journal& journal, const FoldRange& range,
                                const AfterEntry& after = {});

}  // namespace rein::serve
