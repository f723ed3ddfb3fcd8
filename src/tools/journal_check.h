// Whether a journal and its snapshots are sound: all checksums, and the same state from everywhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/offline.h"

namespace rein::serve {

struct Replayed {
  std::int64_t from = 0;     // position of the snapshot it began with; 0: the beginning
  std::int64_t last = 0;     // entry
  std::int64_t entries = 0;  // that were folded
  std::int64_t hashes = 0;   // entries with a hash, all equal
  std::uint64_t hash = 0;    // of the last state
};
Result<Replayed> replay(const Journal& journal, const FoldRange& range);

struct JournalCheck {
  std::int64_t entries = 0;
  std::int64_t hashes = 0;
  std::uint64_t hash = 0;
  std::vector<std::int64_t> snapshots;  // positions of those that are intact and right
  std::vector<std::string> damage;      // what is wrong, with its place; empty: nothing
  // Why this program cannot make the policy, if so. Then checksums, ids and money were looked at, and no
  // state was compared.
  std::string unknown_policy;
};
// kFailed if files cannot be read. Damage is a result, not an error.
Result<JournalCheck> check_journal(const ModelFolder& folder);

}  // namespace rein::serve
