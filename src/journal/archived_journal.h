// ArchivedJournal: a journal and the archive of the entries that have left it, as one. It has every entry
// from the first that is in either.
#pragma once

#include <memory>
#include <string>

#include "journal/archive.h"
#include "journal/journal.h"

namespace rein {

class ArchivedJournal final : public Journal {
 public:
  static Result<std::unique_ptr<ArchivedJournal>> open(std::unique_ptr<Journal> journal, const std::string& folder);

  Result<> append(std::span<const std::string_view> entries) override { return journal_->append(entries); }
  std::int64_t last() const override { return journal_->last(); }
  std::int64_t first() const override { return first_; }
  std::uint64_t chain() const override { return journal_->chain(); }
  Result<std::uint64_t> chain_at(std::int64_t number) const override;
  // kCorrupt also if the journal does not continue the archive. kInvalid: entries from there are in
  // neither.
  Result<> read(std::int64_t from, const Each& each) const override;
  // Forgets entries of the journal that the archive has. kInvalid: it does not have them all.
  Result<> drop_before(std::int64_t number) override;
  std::function<Result<>(std::int64_t number)> drop_beside() const override { return journal_->drop_beside(); }
  void dropped_beside(std::int64_t number, std::uint64_t before) override;

  // The first entry of the journal itself.
  std::int64_t first_kept() const { return journal_->first(); }
  Archive& archive() { return archive_; }

 private:
  ArchivedJournal(std::unique_ptr<Journal> journal, Archive archive)
      : journal_(std::move(journal)), archive_(std::move(archive)) {
    first_ = archive_.first_up_to(journal_->first() - 1);
  }

  std::unique_ptr<Journal> journal_;
  Archive archive_;
  std::int64_t first_ = 1;
};

// The journal with its archive, if that folder is there; else the journal itself.
Result<std::unique_ptr<Journal>> with_archive(std::unique_ptr<Journal> journal, const std::string& folder);

}  // namespace rein
