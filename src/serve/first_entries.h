// The beginning of a journal: the entry that creates its model. A state that is too long for one
// entry is cut: the first entry has its beginning, and entries of kind kPart the rest. All these
// entries are committed together, so a journal has all of them or none.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "journal/journal.h"
#include "serve/event.h"

namespace rein::serve {

// Bytes of the state in one entry: half of what a journal accepts, so that the document fits too.
inline constexpr std::size_t kStateBytesPerEntry = 32U << 20U;

// The entries for an event of kind kCreated.
std::vector<std::string> first_entries(const Event& created,
                                       std::size_t bytes_per_entry = kStateBytesPerEntry);
Result<> append_first(Journal& journal, const Event& created);

struct FirstEvent {
  Event created;          // with the whole state
  std::int64_t last = 1;  // the number of the last entry that belongs to it
};
// kCorrupt: the journal is empty, or begins with something else.
Result<FirstEvent> read_first(const Journal& journal);

}  // namespace rein::serve
