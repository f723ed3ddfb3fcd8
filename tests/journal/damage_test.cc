// Damaged files: whatever is cut off or flipped, a journal gives an exact prefix of its entries, and
// then a refusal with the reason kCorrupt or nothing. It never gives a wrong entry.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>

#include "journal/folder_model.h"
#include "journal/sqlite_journal.h"
#include "rein/rng.h"

namespace rein {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

class DamageTest : public testing::Test {
 protected:
  // A journal as a crash leaves it: `closed` entries in the file, and more in the WAL.
  DamageTest() {
    { append_next(*open_sqlite_journal(path_, {.page_bytes = 1024}).value(), 120).check(); }
    closed_ = bytes_in(path_);
    closed_end_ = bytes_in(path_ + "-end");
    auto journal = open_sqlite_journal(path_).value();
    for (int i = 0; i < 12; ++i) append_next(*journal, 5).check();
    database_ = bytes_in(path_);
    wal_ = bytes_in(path_ + "-wal");
    end_ = bytes_in(path_ + "-end");
  }

  void put(std::string_view database, std::string_view wal) {
    put_bytes(path_, database);
    put_bytes(path_ + "-wal", wal);
    put_bytes(path_ + "-end", wal.empty() ? closed_end_ : end_);
  }

  // Reads everything; counts what happened. `least` entries must be there unless it is refused.
  void expect_prefix_or_refusal(const Result<std::unique_ptr<Journal>>& opened,
                                std::int64_t least) {
    if (!opened.ok()) {
      ++refused_;
      // A flipped number of the format is that of a newer program, whose journals are not damaged.
      const bool newer = opened.error().find("a newer program wrote it") != std::string::npos;
      EXPECT_EQ(opened.reason(), newer ? Reason::kFailed : Reason::kCorrupt) << opened.error();
      EXPECT_THAT(opened.error(), HasSubstr(path_));
      return;
    }
    const Journal& journal = *opened.value();
    const Reading reading = reading_of(journal, journal.first());
    ASSERT_TRUE(reading.exact);
    ASSERT_EQ(journal.first(), 1);
    if (reading.result.ok()) {
      ++read_;
      EXPECT_EQ(reading.last, journal.last());
      EXPECT_GE(reading.last, least);
    } else {
      ++refused_;
      EXPECT_EQ(reading.result.reason(), Reason::kCorrupt) << reading.result.error();
      EXPECT_THAT(reading.result.error(),
                  AllOf(HasSubstr(path_), HasSubstr("entry " + std::to_string(reading.last + 1))));
    }
  }

  // Appends to it as well: whoever reads then has the old entries and the new ones, or a refusal. A
  // writer never opens a journal that has lost some of the `committed` entries.
  void expect_writer_survives(std::int64_t committed) {
    auto opened = open_sqlite_journal(path_);
    if (!opened.ok()) {
      EXPECT_THAT(opened.reason(), AnyOf(Reason::kCorrupt, Reason::kFailed));
      EXPECT_THAT(opened.error(), HasSubstr(path_));
      return;
    }
    const std::int64_t before = opened.value()->last();
    EXPECT_GE(before, committed);
    const auto appended = append_next(*opened.value(), 5);
    EXPECT_EQ(opened.value()->last(), appended.ok() ? before + 5 : before);
    expect_prefix_or_refusal(opened, 0);
    opened = Error{""};
    expect_prefix_or_refusal(open_for_reading(path_, Wanted::kWhatIsLeft), 0);
  }

  Folder folder_{"damage", true};
  std::string path_ = folder_.at("journal.db");
  std::string closed_, closed_end_, database_, wal_, end_;
  std::int64_t read_ = 0;
  std::int64_t refused_ = 0;
};

TEST_F(DamageTest, TheUndamagedJournalIsComplete) {
  put(database_, wal_);
  expect_prefix_or_refusal(open_for_reading(path_, Wanted::kWhatIsLeft), 180);
  EXPECT_EQ(read_, 1);
}

TEST_F(DamageTest, ATruncatedWalIsAPrefix) {
  for (std::size_t size = 0; size < wal_.size(); size += 97) {
    SCOPED_TRACE(size);
    put(database_, std::string_view(wal_).substr(0, size));
    expect_prefix_or_refusal(open_for_reading(path_, Wanted::kWhatIsLeft), 120);
  }
  EXPECT_EQ(refused_, 0);  // the file itself is whole, so a torn WAL is no damage but a crash
}

TEST_F(DamageTest, ATruncatedDatabaseIsRefused) {
  for (std::size_t size = 0; size < closed_.size(); size += 211) {
    SCOPED_TRACE(size);
    put(std::string_view(closed_).substr(0, size), "");
    expect_prefix_or_refusal(open_for_reading(path_, Wanted::kWhatIsLeft), 120);
  }
  EXPECT_EQ(read_, 0);
  for (std::size_t size = 0; size < database_.size(); size += 509) {
    SCOPED_TRACE(size);
    put(std::string_view(database_).substr(0, size), wal_);
    expect_prefix_or_refusal(open_for_reading(path_, Wanted::kWhatIsLeft), 120);
  }
}

TEST_F(DamageTest, FlippedBytesAreFoundOrDoNotMatter) {
  Rng rng(7);
  for (int i = 0; i < 1500 && !HasFailure(); ++i) {
    std::string database = i % 3 == 0 ? database_ : closed_;
    std::string wal = i % 3 == 0 ? wal_ : "";
    std::string& chosen = i % 6 == 0 ? wal : database;
    // Half of them in headers: of the file, and of a page.
    const std::size_t page = rng.below(chosen.size()) / 1024 * 1024;
    const std::size_t at = std::min(chosen.size() - 1, i % 4 == 1   ? rng.below(100)
                                                       : i % 4 == 2 ? page + rng.below(40)
                                                                    : rng.below(chosen.size()));
    SCOPED_TRACE(testing::Message() << (&chosen == &wal ? "WAL" : "database") << " at " << at);
    chosen[at] = static_cast<char>(chosen[at] ^ (1 + static_cast<int>(rng.below(255))));
    put(database, wal);
    expect_prefix_or_refusal(open_for_reading(path_, Wanted::kWhatIsLeft), 0);
    if (i % 10 == 0) expect_writer_survives(wal.empty() ? 120 : 180);
  }
  EXPECT_GT(refused_, 400);
  EXPECT_GT(read_, 100);
}

// Every byte of an entry, its number and its checksum, in a place that SQLite does not check.
TEST_F(DamageTest, EveryFlippedByteOfAnEntryIsNamed) {
  const std::string wanted = entry_bytes(57);
  const std::size_t at = closed_.find(wanted);
  ASSERT_NE(at, std::string::npos);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::string database = closed_;
    database[at + i] ^= 1;
    put(database, "");
    const auto journal = open_for_reading(path_, Wanted::kWhatIsLeft).value();
    const Reading reading = reading_of(*journal, 1);
    ASSERT_TRUE(reading.exact);
    ASSERT_EQ(reading.last, 56);
    ASSERT_THAT(reading.result.error(),
                HasSubstr(path_ + ": entry 57 is damaged: its checksum does not match"));
  }
}

TEST_F(DamageTest, RowsThatWereChangedBehindOurBackAreNamed) {
  const std::pair<const char*, const char*> changes[] = {
      {"DELETE FROM entries WHERE number = 60", "entry 60 is missing; entry 61 is in its place"},
      {"DELETE FROM entries WHERE number = 1", "entry 1 is missing; entries 2 to 120 are there"},
      {"UPDATE entries SET chain = chain + 1 WHERE number = 60", "entry 60 is damaged"},
      {"UPDATE entries SET bytes = 'text' WHERE number = 60", "entry 60 is damaged: its columns"},
      {"UPDATE entries SET bytes = (SELECT bytes FROM entries WHERE number = 59) WHERE number = 60",
       "entry 60 is damaged: its checksum does not match"},
      {"UPDATE entries SET number = 1000 WHERE number = 120", "entry 120 is missing; entry 1000"},
      {"UPDATE start SET first = 2", "the row that says where it starts does not match"},
      {"UPDATE start SET before = 2", "the row that says where it starts does not match"},
      {"DELETE FROM start", "the row that says where it starts is missing"},
      {"INSERT INTO start SELECT * FROM start", "two rows say where it starts"},
      {"DROP TABLE entries", "its tables are not those of a journal"},
      {"CREATE TABLE z(a)", "more than the tables of a journal"},
      {"PRAGMA application_id=5", "is not a journal of rein"},
  };
  for (const auto& [change, message] : changes) {
    SCOPED_TRACE(change);
    put(closed_, "");
    sqlite3* connection = nullptr;
    sqlite3_open(path_.c_str(), &connection);
    ASSERT_EQ(sqlite3_exec(connection, change, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(connection);
    const auto opened = open_for_reading(path_, Wanted::kWhatIsLeft);
    const Result<> result =
        opened.ok() ? reading_of(*opened.value(), 1).result : Result<>(opened.failure());
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.reason(), Reason::kCorrupt);
    EXPECT_THAT(result.error(), HasSubstr(message));
  }
}

TEST_F(DamageTest, AWriterDoesNotBuildOnADamagedLastEntry) {
  std::string database = closed_;
  const std::size_t at = database.find(entry_bytes(120));
  ASSERT_NE(at, std::string::npos);
  database[at] ^= 1;
  put(database, "");
  const auto refused = open_sqlite_journal(path_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.reason(), Reason::kCorrupt);
  EXPECT_THAT(refused.error(), HasSubstr("entry 120 is damaged"));
  EXPECT_EQ(reading_of(*open_for_reading(path_, Wanted::kWhatIsLeft).value(), 1).last, 119);
}

TEST_F(DamageTest, WhatIsRefusedIsNotChanged) {
  put(closed_, "");
  sqlite3* connection = nullptr;
  sqlite3_open(path_.c_str(), &connection);
  sqlite3_exec(connection, "UPDATE entries SET chain = chain + 1 WHERE number = 120", nullptr,
               nullptr, nullptr);
  const std::string database = bytes_in(path_);  // before it is closed, the change is in the WAL
  const std::string wal = bytes_in(path_ + "-wal");
  sqlite3_close(connection);
  ASSERT_GT(wal.size(), 0);
  put(database, wal);
  for (int i = 0; i < 2; ++i) {
    const auto refused = open_sqlite_journal(path_);
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error(), HasSubstr("entry 120 is damaged"));
    EXPECT_EQ(bytes_in(path_), database);
    EXPECT_EQ(bytes_in(path_ + "-wal"), wal);
  }
}

TEST_F(DamageTest, AFullDiskIsAFailureWithTheReasonAndNothingIsLost) {
  put(closed_, "");
  EXPECT_EQ(in_child([&] {
              auto journal = open_sqlite_journal(path_).value();
              append_next(*journal, 3).check();
              ::signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{40'000, 40'000};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              Result<> failed;
              std::int64_t last = 0;
              for (int i = 0; i < 100 && failed.ok(); ++i) {
                last = journal->last();
                failed = append_next(*journal, 3);
              }
              const bool told = !failed.ok() && failed.reason() == Reason::kFailed &&
                                failed.error().find("journal.db: ") != std::string::npos;
              const bool closed = append_next(*journal, 1).reason() == Reason::kFailed;
              put_bytes(folder_.at("acknowledged"), std::to_string(last));
              put_bytes(folder_.at("message"), failed.error());
              return told && closed ? 7 : 1;
            }),
            7)
      << bytes_in(folder_.at("message"));
  const std::int64_t last = std::stoll(bytes_in(folder_.at("acknowledged")));
  const auto journal = open_sqlite_journal(path_).value();
  EXPECT_THAT(journal->last(), AnyOf(last, last + 3));
  const Reading reading = reading_of(*journal, 1);
  EXPECT_TRUE(reading.result.ok() && reading.exact);
  EXPECT_EQ(reading.last, journal->last());
}

TEST_F(DamageTest, AReadOnlyFolderIsAFailureWithTheReason) {
  put(closed_, "");
  std::filesystem::remove(path_ + "-wal");
  std::filesystem::remove(path_ + "-lock");
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0555));
  EXPECT_EQ(in_child([&] {
              if (::getuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 3;
              const auto refused = open_sqlite_journal(path_);
              if (refused.ok() || refused.reason() != Reason::kFailed) return 1;
              return refused.error().find("Permission denied") != std::string::npos ? 7 : 2;
            }),
            7);
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
}

}  // namespace
}  // namespace rein
