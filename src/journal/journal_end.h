// Where a journal ends, compared with where its end mark says that it ends (end_mark.h).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "journal/end_mark.h"
#include "journal/journal.h"

namespace rein {

// kCorrupt if entries are missing that were committed, or if the mark belongs to another journal.
// Entries after the mark are read and must continue its chain. `notice` is called if a commit was
// under way and is not there. `path` is the path of the journal, for messages.
Result<> check_end_mark(const Journal& journal, const EndMark& mark, const std::string& path,
                        const std::function<void(const std::string&)>& notice);

// A journal of a format with an end mark whose mark is missing or damaged (`what`).
Error no_end_mark(const std::string& path, const std::string& what);

}  // namespace rein
