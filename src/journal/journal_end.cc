#include "journal/journal_end.h"

#include <fmt/format.h>

#include <algorithm>

#include "journal/sqlite_file.h"

namespace rein {
namespace {

std::string entries_text(std::int64_t first, std::int64_t last) {
  return first == last ? fmt::format("entry {}", first)
                       : fmt::format("entries {} to {}", first, last);
}

}  // namespace

Result<> check_end_mark(const Journal& journal, const EndMark& mark, const std::string& path,
                        const std::function<void(const std::string&)>& notice) {
  const auto refusal = [&](const std::string& what) -> Error {
    return {fmt::format("{} {}", path, what), Reason::kCorrupt};
  };
  if (journal.last() < mark.number) {
    return refusal(fmt::format("ends at entry {}, and its end mark says that entry {} was "
                               "committed: {} lost",
                               journal.last(), mark.number,
                               entries_text(journal.last() + 1, mark.number) +
                                   (journal.last() + 1 == mark.number ? " is" : " are")));
  }
  // The first kept entry may be far behind the mark of an old copy. Then the journal reaches the
  // mark, and the entry that could prove the mark is gone.
  const bool kept = mark.number >= journal.first() - 1;
  const auto chain = kept ? journal.chain_at(mark.number) : Result<std::uint64_t>(mark.chain);
  if (!chain) return chain.failure();
  if (chain.value() != mark.chain) {
    return refusal(fmt::format("does not belong to its end mark: entry {} has the chain value "
                               "{:016x}, and the mark has {:016x}; one of the two is an old or "
                               "foreign file",
                               mark.number, chain.value(), mark.chain));
  }
  const std::int64_t next = std::max(mark.number + 1, journal.first());
  auto read = journal.read(next, [](auto, auto) { return true; });
  if (!read) return read;
  if (notice && journal.last() < mark.begun) {
    notice(fmt::format("{} ends at entry {}. A commit of {} was under way when it was last open, "
                       "and is not there. It was not answered for, unless the power was lost and "
                       "the end of {}-wal was damaged after that",
                       path, journal.last(), entries_text(mark.number + 1, mark.begun), path));
  }
  return {};
}

Error no_end_mark(const std::string& path, const std::string& what) {
  return {fmt::format("{} {}, so nothing says whether entries are missing after the last one of {}",
                      end_path(path), what, path),
          Reason::kCorrupt};
}

}  // namespace rein
