#include "journal/archived_journal.h"

#include <fmt/format.h>

#include <filesystem>

namespace rein {

Result<std::unique_ptr<ArchivedJournal>> ArchivedJournal::open(std::unique_ptr<Journal> journal,
                                                               const std::string& folder) {
  auto archive = Archive::open(folder);
  if (!archive) return archive.failure();
  return std::unique_ptr<ArchivedJournal>(new ArchivedJournal(std::move(journal), std::move(archive).value()));
}

Result<std::unique_ptr<Journal>> with_archive(std::unique_ptr<Journal> journal, const std::string& folder) {
  std::error_code failed;
  if (!std::filesystem::exists(folder, failed) && !failed) return journal;
  auto both = ArchivedJournal::open(std::move(journal), folder);
  if (!both) return both.failure();
  return std::unique_ptr<Journal>(std::move(both).value());
}

Result<std::uint64_t> ArchivedJournal::chain_at(std::int64_t number) const {
  const std::int64_t kept = journal_->first();
  if (number >= kept - 1 || number < first_ - 1) return journal_->chain_at(number);
  std::uint64_t chain = kChainStart;
  if (number == first_ - 1) {  // what stands before the first entry of a file
    if (number == 0) return chain;
    return archive_.chain_before(first_);
  }
  const auto read = archive_.read(number, number, chain, [](auto, auto) -> Result<bool> { return true; });
  if (!read) return read.failure();
  return chain;
}

Result<> ArchivedJournal::read(std::int64_t from, const Each& each) const {
  const std::int64_t kept = journal_->first();
  if (from >= kept || from < first_) return journal_->read(from, each);
  std::uint64_t chain = kChainStart;
  const auto more = archive_.read(from, kept - 1, chain, each);
  if (!more) return more.failure();
  if (!more.value()) return {};
  const auto before = journal_->chain_at(kept - 1);
  if (!before) return before.failure();
  if (before.value() != chain) {
    return Error{fmt::format("the journal does not continue its archive {} at entry {}: one of them is an old or "
                             "foreign copy",
                             archive_.folder(), kept),
                 Reason::kCorrupt};
  }
  return journal_->read(kept, each);
}

Result<> ArchivedJournal::drop_before(std::int64_t number) {
  if (number <= journal_->first()) return {};
  if (archive_.first_up_to(number - 1) > journal_->first()) {
    return Error{fmt::format("cannot drop the entries before {}: not all of them are in the archive {}", number,
                             archive_.folder())};
  }
  return journal_->drop_before(number);
}

void ArchivedJournal::dropped_beside(std::int64_t number, std::uint64_t before) {
  journal_->dropped_beside(number, before);
}

}  // namespace rein
