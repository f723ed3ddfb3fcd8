// What is left of a model whose files were damaged, and how it goes on without the rest.
//
// A model is not served when committed entries are missing (journal/end_mark.h). Here a person
// learns which ones, and may accept that they are lost. The model then goes on from the end of what can
// be read: the newest intact snapshot with the entries after it, or all entries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "journal/end_mark.h"
#include "journal/snapshot_files.h"
#include "tools/offline.h"

namespace rein::serve {

struct Remains {
  std::vector<std::string> damage;  // what is wrong, with its place; empty: nothing
  bool has_journal = false;         // whether there is a journal that can be opened
  std::int64_t first = 0, last = 0;  // entries that it has, some perhaps damaged
  std::optional<EndMark> mark;       // nothing: it is missing or damaged
  // Whether the model can go on from entry `end`, with this snapshot, or from entry 1 without a
  // snapshot.
  bool usable = false;
  std::int64_t snapshot = 0;  // position; 0: none
  std::int64_t end = 0;
  std::uint64_t chain = 0;  // at `end`
  // The entries from `kept_from` to `end` can be read and stay in the journal. kept_from is end + 1
  // if no entry can be read. Entries before kept_from are lost as history, but the snapshot has
  // their effects.
  std::int64_t kept_from = 0;
  std::vector<std::int64_t> foreign;  // snapshots that are damaged or do not belong to that
  // accept_loss() was cut off, and the journal that it had made is what is left.
  bool unfinished = false;
};

// Reads everything and changes nothing. kFailed: a service has it open, or a file cannot be read.
Result<Remains> remains_of(const ModelFolder& folder);

// Goes on without the lost entries. Replaced files are kept in a new folder inside the model's
// folder, damaged-1, damaged-2, ...; the result is its path. A new entry is appended: decisions
// after it have ids that no lost decision had, and outcomes of lost decisions are refused.
Result<std::string> accept_loss(const ModelFolder& folder, const Remains& remains);

// Appends the same kind of entry to a sound journal: for an old copy of a folder, whose later
// entries are lost without a trace. The result is the number of the entry.
Result<std::int64_t> give_new_ids(const ModelFolder& folder);

}  // namespace rein::serve
