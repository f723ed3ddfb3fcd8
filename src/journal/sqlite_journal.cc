#include "journal/sqlite_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "journal/chain.h"
#include "journal/end_mark.h"
#include "journal/file_places.h"
#include "journal/journal_end.h"
#include "journal/sqlite.h"
#include "journal/sqlite_file.h"

namespace rein {
namespace {

using sqlite::Statement;

// Of the entries that drop_before() forgot, append() deletes this many, plus two per new entry. So
// many appends each do a small part of a large drop, and no append waits long.
constexpr std::int64_t kDeletedAtOnce = 16;

// A row of the table of entries. The bytes belong to the statement that read it.
struct Entry {
  std::int64_t number = 0;
  std::uint64_t chain = 0;
  std::string_view bytes;
};

class SqliteJournal final : public Journal {
 public:
  SqliteJournal(const std::string& path, JournalFile file, const SqliteOptions& options,
                bool writable)
      : path_(path),
        file_(std::move(file)),
        options_(options),
        writable_(writable),
        begin_(connection(), "BEGIN IMMEDIATE"),
        insert_(connection(), "INSERT INTO entries VALUES(?1, ?2, ?3)"),
        remove_(connection(), "DELETE FROM entries WHERE number < ?1"),
        move_start_(connection(), "UPDATE start SET first = ?1, before = ?2, checksum = ?3"),
        commit_(connection(), "COMMIT") {
    sqlite3_wal_hook(connection(), count_pages, this);
  }
  ~SqliteJournal() override { sqlite3_wal_hook(connection(), nullptr, nullptr); }
  SqliteJournal(const SqliteJournal&) = delete;
  SqliteJournal& operator=(const SqliteJournal&) = delete;

  // Finds the last entry. A journal to append to also checks the last entry, because the next entry
  // builds on it.
  Result<> find_end();
  // Refuses a journal that does not reach its end mark. Changes nothing.
  Result<> check_end(const std::function<void(const std::string&)>& notice) const;
  // Makes durable what was found, and marks its end.
  Result<> settle();
  // Closing will not move what is in the WAL into the file, nor delete the WAL.
  void leave_as_it_is() const {
    sqlite3_db_config(connection(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  }

  Result<> append(std::span<const std::string_view> entries) override;
  std::int64_t last() const override { return last_; }
  std::int64_t first() const override { return file_.start.first; }
  std::uint64_t chain() const override { return chain_; }
  Result<std::uint64_t> chain_at(std::int64_t number) const override;
  Result<> read(std::int64_t from, const Each& each) const override;
  Result<> drop_before(std::int64_t number) override;

 private:
  sqlite3* connection() const { return file_.connection.get(); }
  static int count_pages(void* journal, sqlite3*, const char*, int pages) {
    static_cast<SqliteJournal*>(journal)->wal_pages_ = pages;
    return SQLITE_OK;
  }

  Result<> check_writable() const;
  Result<> write(std::span<const std::string_view> entries);
  int checkpoint();
  int commit(std::span<const std::string_view> entries, std::uint64_t& chain, std::int64_t& oldest);
  int insert(std::span<const std::string_view> entries, std::uint64_t& chain);
  int remove_some(std::int64_t count, std::int64_t first, std::int64_t& oldest);
  Error broken_by(int code) { return broken_by(sqlite::error_of(connection(), code, path_)); }
  Error broken_by(const Error& why);
  Error damaged(std::int64_t number, const std::string& what) const;
  Result<Entry> row(const Statement& statement, std::int64_t expected) const;

  std::string path_;
  JournalFile file_;
  SqliteOptions options_;
  bool writable_;
  EndMarkFile end_mark_;
  FilePlaces places_;
  std::optional<Error> broken_;  // by this
  std::int64_t last_ = 0;
  std::int64_t oldest_ = 0;  // in the table; below first() after a drop
  std::uint64_t chain_ = 0;  // of the last entry
  int wal_pages_ = 0;
  Statement begin_, insert_, remove_, move_start_, commit_;
};

Error SqliteJournal::damaged(std::int64_t number, const std::string& what) const {
  return Error{fmt::format("{}: entry {} {}", path_, number, what), Reason::kCorrupt};
}

Result<> SqliteJournal::check_writable() const {
  if (!writable_) {
    return Error{fmt::format("{} was opened for reading; nothing can be written to it", path_),
                 Reason::kFailed};
  }
  if (broken_) {
    return Error{fmt::format("the journal takes no more entries after an error ({}); restart to "
                             "recover it",
                             broken_->message),
                 Reason::kFailed};
  }
  return {};
}

// From here on nothing is written to the file, not even when it is closed. What the failed call wrote
// is either complete in the WAL or not; the next open decides that.
Error SqliteJournal::broken_by(const Error& why) {
  broken_ = why;
  for (Statement* statement : {&begin_, &insert_, &remove_, &move_start_, &commit_}) {
    statement->reset();
  }
  leave_as_it_is();
  if (sqlite3_get_autocommit(connection()) == 0) sqlite::run(connection(), "ROLLBACK");
  return broken_->in("cannot write to the journal: ");
}

int SqliteJournal::checkpoint() {
  if (wal_pages_ < options_.checkpoint_pages) return SQLITE_OK;
  wal_pages_ = 0;
  return sqlite3_wal_checkpoint_v2(connection(), nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr,
                                   nullptr);
}

int SqliteJournal::insert(std::span<const std::string_view> entries, std::uint64_t& chain) {
  std::int64_t number = last_;
  for (const std::string_view bytes : entries) {
    chain = chained(chain, ++number, bytes);
    insert_.bind(1, number);
    insert_.bind(2, static_cast<std::int64_t>(chain));
    insert_.bind(3, bytes);
    const int code = insert_.finish();
    if (code != SQLITE_OK) return code;
  }
  return SQLITE_OK;
}

int SqliteJournal::remove_some(std::int64_t count, std::int64_t first, std::int64_t& oldest) {
  if (oldest >= first) return SQLITE_OK;
  oldest = std::min(first, oldest + count);
  remove_.bind(1, oldest);
  return remove_.finish();
}

Result<> SqliteJournal::append(std::span<const std::string_view> entries) {
  if (auto writable = check_writable(); !writable) return writable;
  for (const std::string_view bytes : entries) {
    if (auto accepted = check_entry_bytes(bytes.size()); !accepted) return accepted;
  }
  if (entries.empty()) return {};
  return write(entries);
}

int SqliteJournal::commit(std::span<const std::string_view> entries, std::uint64_t& chain,
                          std::int64_t& oldest) {
  const auto count = static_cast<std::int64_t>(entries.size());
  int code = begin_.finish();
  if (code == SQLITE_OK) code = insert(entries, chain);
  if (code == SQLITE_OK) code = remove_some(2 * count + kDeletedAtOnce, first(), oldest);
  if (code == SQLITE_OK) code = commit_.finish();
  return code;
}

// end_mark.h lists the steps.
Result<> SqliteJournal::write(std::span<const std::string_view> entries) {
  // The checkpoint runs before this commit and not after the last one, so that the answers to the
  // last commit did not wait for it.
  if (const int code = checkpoint(); code != SQLITE_OK) return broken_by(code);
  const std::int64_t last = last_ + static_cast<std::int64_t>(entries.size());
  std::uint64_t chain = chain_;
  std::int64_t oldest = oldest_;
  auto marked = end_mark_.begin({.number = last_, .chain = chain_, .begun = last});
  if (!marked) return broken_by(marked.failure());
  const int code = commit(entries, chain, oldest);
  marked = end_mark_.end();
  if (code != SQLITE_OK) return broken_by(code);
  if (marked) marked = end_mark_.committed({.number = last, .chain = chain, .begun = last});
  if (marked) marked = places_.check();
  if (!marked) return broken_by(marked.failure());
  last_ = last;
  chain_ = chain;
  oldest_ = oldest;
  return {};
}

// The row that step() found, which must have this number.
Result<Entry> SqliteJournal::row(const Statement& statement, std::int64_t expected) const {
  Entry entry;
  std::int64_t chain = 0;
  if (!statement.get(0, entry.number) || entry.number != expected) {
    return damaged(expected, fmt::format("is missing; entry {} is in its place", entry.number));
  }
  if (!statement.get(1, chain) || !statement.get(2, entry.bytes)) {
    return damaged(expected, "is damaged: its columns have wrong types");
  }
  entry.chain = static_cast<std::uint64_t>(chain);
  return entry;
}

Result<> SqliteJournal::read(std::int64_t from, const Each& each) const {
  if (from < first()) {
    return Error{
        fmt::format("{}: entry {} is gone; the first that is kept is {}", path_, from, first()),
        Reason::kInvalid};
  }
  if (from > last_) return {};
  if (auto there = places_.check(); !there) return there;
  // The entry before the first wanted entry has the checksum to start from.
  const bool has_before = from > first();
  std::uint64_t chain = file_.start.before;
  std::int64_t next = has_before ? from - 1 : from;
  Statement rows(connection(),
                 "SELECT number, chain, bytes FROM entries WHERE number >= ?1 ORDER BY number");
  rows.bind(1, next);
  for (; next <= last_; ++next) {
    const int code = rows.step();
    if (code == SQLITE_DONE) return damaged(next, "is missing");
    if (code != SQLITE_ROW) {
      return sqlite::error_of(connection(), code, path_).in(fmt::format("entry {}: ", next));
    }
    const auto found = row(rows, next);
    if (!found) return found.failure();
    const Entry& entry = found.value();
    if (next >= from) {
      if (chained(chain, next, entry.bytes) != entry.chain) {
        return damaged(next, "is damaged: its checksum does not match");
      }
      const auto more = each(next, entry.bytes);
      if (!more) return more.failure();
      if (!more.value()) return {};
    }
    chain = entry.chain;
  }
  // A page that lost its place can make the last entry look like an earlier one.
  const int code = rows.step();
  if (code == SQLITE_DONE) return {};
  if (code == SQLITE_ROW)
    return damaged(next, "is there, but was not found when the file was opened");
  return sqlite::error_of(connection(), code, path_).in(fmt::format("entry {}: ", next));
}

Result<std::uint64_t> SqliteJournal::chain_at(std::int64_t number) const {
  if (number == first() - 1) return file_.start.before;
  if (number < first() || number > last_) {
    return Error{fmt::format("{}: there is no entry {}; the journal has {} to {}", path_, number,
                             first(), last_),
                 Reason::kInvalid};
  }
  Statement rows(connection(), "SELECT number, chain, bytes FROM entries WHERE number = ?1");
  rows.bind(1, number);
  const int code = rows.step();
  if (code == SQLITE_DONE) return damaged(number, "is missing");
  if (code != SQLITE_ROW) return sqlite::error_of(connection(), code, path_);
  const auto found = row(rows, number);
  if (!found) return found.failure();
  return found.value().chain;
}

Result<> SqliteJournal::drop_before(std::int64_t number) {
  if (auto writable = check_writable(); !writable) return writable;
  if (number > last_ + 1) {
    return Error{
        fmt::format("cannot drop the entries before {}: the last one is {}", number, last_),
        Reason::kInvalid};
  }
  if (number <= first()) return {};
  // The kept entries must still be provable afterwards, so the checksum that they start from is
  // checked by reading the first of them.
  auto checked = number > last_ ? Result<>() : read(number, [](auto, auto) { return false; });
  if (!checked) return checked;
  const auto before = chain_at(number - 1);
  if (!before) return before.failure();
  const JournalStart start{number, before.value()};
  std::int64_t oldest = oldest_;
  move_start_.bind(1, start.first);
  move_start_.bind(2, static_cast<std::int64_t>(start.before));
  move_start_.bind(3, static_cast<std::int64_t>(start.checksum()));
  int code = checkpoint();
  if (code == SQLITE_OK) code = begin_.finish();
  if (code == SQLITE_OK) code = move_start_.finish();
  if (code == SQLITE_OK) code = remove_some(kDeletedAtOnce, start.first, oldest);
  if (code == SQLITE_OK) code = commit_.finish();
  if (code != SQLITE_OK) return broken_by(code);
  file_.start = start;
  oldest_ = oldest;
  return {};
}

Result<> SqliteJournal::find_end() {
  Statement ends(connection(),
                 "SELECT (SELECT min(number) FROM entries), (SELECT max(number) FROM entries)");
  const int code = ends.step();
  if (code != SQLITE_ROW) return sqlite::error_of(connection(), code, path_);
  const bool some = ends.get(0, oldest_) && ends.get(1, last_);
  if (!some) {
    oldest_ = first();
    last_ = first() - 1;
  }
  if (oldest_ > first() || last_ < first() - 1 || (some && oldest_ > last_)) {
    return damaged(first(), fmt::format("is missing; entries {} to {} are there", oldest_, last_));
  }
  ends.reset();
  if (!writable_) {
    // A reader passes on what stands before damage, so damage to the last entry is left to read().
    const auto chain = chain_at(last_);
    chain_ = chain ? chain.value() : 0;
    return {};
  }
  auto checked = last_ < first() ? Result<>() : read(last_, [](auto, auto) { return true; });
  if (!checked) return checked;
  const auto chain = chain_at(last_);
  if (!chain) return chain.failure();
  chain_ = chain.value();
  return {};
}

Result<> SqliteJournal::check_end(const std::function<void(const std::string&)>& notice) const {
  const auto mark = read_end_mark(end_path(path_), options_.vfs);
  if (!mark && mark.reason() == Reason::kFailed) return mark.failure();
  if (mark && mark.value()) return check_end_mark(*this, *mark.value(), path_, notice);
  // A journal of the older format gets its first mark when it is opened to append to.
  if (file_.format < kJournalFormat) return {};
  return no_end_mark(path_, mark ? "is missing or empty" : "is damaged");
}

Result<> SqliteJournal::settle() {
  int code = sqlite3_wal_checkpoint_v2(connection(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                                       nullptr);
  // The log on the disk may lack commits that a failed sync lost, and that are in the database now.
  // If the old end of the log came back after a loss of power, it would undo these commits. So the
  // end of the log is synced too.
  if (code == SQLITE_OK) code = sqlite::sync_files(connection());
  if (code != SQLITE_OK) return broken_by(code);
  auto opened = EndMarkFile::open(end_path(path_), options_.vfs);
  if (!opened) return broken_by(opened.failure());
  end_mark_ = std::move(opened).value();
  auto marked = end_mark_.set({.number = last_, .chain = chain_, .begun = last_});
  if (!marked) return broken_by(marked.failure());
  if (file_.format < kJournalFormat) {
    code = sqlite::run(connection(), fmt::format("PRAGMA user_version={}", kJournalFormat).c_str());
    if (code != SQLITE_OK) return broken_by(code);
  }
  if (options_.vfs != nullptr) return {};  // such files have no places on a disk
  return places_.remember({path_, path_ + "-wal", end_path(path_), path_ + "-lock"});
}

Result<std::unique_ptr<Journal>> made(const std::string& path, Result<JournalFile> file,
                                      const SqliteOptions& options, bool writable, Wanted wanted) {
  if (!file) return file.failure();
  auto journal = std::make_unique<SqliteJournal>(path, std::move(file).value(), options, writable);
  auto ready = journal->find_end();
  if (ready && wanted == Wanted::kAll) ready = journal->check_end(options.notice);
  if (ready && writable) ready = journal->settle();
  if (ready) return journal;
  journal->leave_as_it_is();
  return ready.failure();
}

}  // namespace

Result<std::unique_ptr<Journal>> open_sqlite_journal(const std::string& path,
                                                     const SqliteOptions& options) {
  if (path.empty()) return Error{"journal: found an empty path; accepted: the path of a file"};
  return made(path, open_journal_file(path, options), options, true, Wanted::kAll);
}

Result<std::unique_ptr<Journal>> open_for_reading(const std::string& path, Wanted wanted) {
  return made(path, open_journal_file_for_reading(path), {}, false, wanted);
}

}  // namespace rein
