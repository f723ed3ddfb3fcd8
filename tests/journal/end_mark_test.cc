// The end mark of a journal: what it says after every damage to its own file, and that no committed
// entry is missing in silence after damage to the others.
#include "journal/end_mark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "journal/disk_model.h"
#include "journal/folder_model.h"
#include "journal/sqlite_journal.h"

namespace rein {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class EndMarkTest : public testing::Test {
 protected:
  // A journal of 20 entries in its file and 10 in its WAL, as the end of the process leaves it.
  void live() {
    { append_next(*open_sqlite_journal(path_).value(), 20).check(); }
    auto journal = open_sqlite_journal(path_).value();
    for (int i = 0; i < 5; ++i) append_next(*journal, 2).check();
    for (const char* end : {"", "-wal", "-end"}) put_bytes(kept(end), bytes_in(path_ + end));
  }
  std::string kept(const std::string& end) const { return folder_.at("kept" + end); }
  void restore() {
    for (const char* end : {"", "-wal", "-end"}) put_bytes(path_ + end, bytes_in(kept(end)));
  }
  void expect_refused(const std::string& what) {
    const auto all_bytes = [&] {
      return bytes_in(path_) + bytes_in(path_ + "-wal") + bytes_in(path_ + "-end");
    };
    const std::string before = all_bytes();
    for (const auto& refused : {open_sqlite_journal(path_), open_for_reading(path_)}) {
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.reason(), Reason::kCorrupt);
      EXPECT_THAT(refused.error(), AllOf(HasSubstr(path_), HasSubstr(what)));
    }
    EXPECT_EQ(all_bytes(), before);
  }
  std::string notice_of_open() {
    std::string notices;
    const auto journal = open_sqlite_journal(
        path_, {.notice = [&](const std::string& notice) { notices += notice; }});
    EXPECT_TRUE(journal.ok()) << journal.error();
    return notices;
  }

  Folder folder_{"end_mark", true};
  std::string path_ = folder_.at("journal.db");
};

TEST_F(EndMarkTest, SaysWhereTheJournalEndsAfterEveryCommit) {
  auto journal = open_sqlite_journal(path_).value();
  for (int i = 0; i < 20; ++i) {
    const auto mark = read_end_mark(path_ + "-end", nullptr).value();
    EXPECT_EQ(mark->number, journal->last());
    EXPECT_EQ(mark->chain, journal->chain());
    append_next(*journal, 3).check();
  }
}

TEST_F(EndMarkTest, AShortenedWalIsRefusedWithBothNumbers) {
  live();
  const std::string wal = bytes_in(kept("-wal"));
  for (std::size_t size = 0; size < wal.size(); size += 509) {
    SCOPED_TRACE(size);
    restore();
    put_bytes(path_ + "-wal", wal.substr(0, size));
    expect_refused("its end mark says that entry 30 was committed");
  }
  restore();
  std::filesystem::remove(path_ + "-wal");
  expect_refused(
      "ends at entry 20, and its end mark says that entry 30 was committed: entries 21 to 30 are "
      "lost");
}

TEST_F(EndMarkTest, AMissingMarkIsRefusedAndADamagedOneToo) {
  live();
  std::filesystem::remove(path_ + "-end");
  expect_refused("journal.db-end is missing or empty");
  put_bytes(path_ + "-end", "");
  expect_refused("journal.db-end is missing or empty");
  put_bytes(path_ + "-end", std::string(5000, 'x'));
  expect_refused("journal.db-end is damaged");
}

TEST_F(EndMarkTest, OneDamagedSlotDoesNoHarm) {
  live();
  const std::string mark = bytes_in(kept("-end"));
  for (std::size_t at = 0; at < mark.size(); ++at) {
    if (mark[at] == 0 && at % 64 != 0) continue;
    restore();
    std::string damaged = mark;
    damaged[at] ^= 16;
    put_bytes(path_ + "-end", damaged);
    const auto journal = open_sqlite_journal(path_);
    ASSERT_TRUE(journal.ok()) << at << ": " << journal.error();
    EXPECT_EQ(journal.value()->last(), 30);
  }
}

TEST_F(EndMarkTest, AnOldMarkIsBehindAndIsAccepted) {
  { append_next(*open_sqlite_journal(path_).value(), 7).check(); }
  const std::string old = bytes_in(path_ + "-end");
  { append_next(*open_sqlite_journal(path_).value(), 13).check(); }
  put_bytes(path_ + "-end", old);
  EXPECT_THAT(notice_of_open(), IsEmpty());
  EXPECT_EQ(read_end_mark(path_ + "-end", nullptr).value()->number, 20);
  // Also when the entry that it names has been dropped.
  open_sqlite_journal(path_).value()->drop_before(15).check();
  put_bytes(path_ + "-end", old);
  EXPECT_THAT(notice_of_open(), IsEmpty());
}

TEST_F(EndMarkTest, AMarkOfAnotherJournalIsRefused) {
  live();
  const std::string other = folder_.at("other.db");
  {
    const std::string_view group[] = {"another beginning"};
    auto journal = open_sqlite_journal(other).value();
    journal->append(group).check();
    append_next(*journal, 19).check();
  }
  put_bytes(path_ + "-end", bytes_in(other + "-end"));
  expect_refused("does not belong to its end mark: entry 20 has the chain value");
}

TEST_F(EndMarkTest, ACommitThatWasUnderWayIsNamedAndTheJournalOpens) {
  { append_next(*open_sqlite_journal(path_).value(), 5).check(); }
  const EndMark mark = *read_end_mark(path_ + "-end", nullptr).value();
  {
    auto file = EndMarkFile::open(path_ + "-end", nullptr).value();
    file.set({.number = mark.number, .chain = mark.chain, .begun = 8}).check();
  }
  EXPECT_THAT(notice_of_open(),
              HasSubstr("ends at entry 5. A commit of entries 6 to 8 was under way"));
  EXPECT_THAT(notice_of_open(), IsEmpty());
}

TEST_F(EndMarkTest, AJournalOfTheOlderFormatGetsAMark) {
  { append_next(*open_sqlite_journal(path_).value(), 12).check(); }
  std::filesystem::remove(path_ + "-end");
  sqlite3* connection = nullptr;
  sqlite3_open(path_.c_str(), &connection);
  sqlite3_exec(connection, "PRAGMA user_version=1", nullptr, nullptr, nullptr);
  sqlite3_close(connection);
  EXPECT_EQ(open_for_reading(path_).value()->last(), 12);
  EXPECT_FALSE(std::filesystem::exists(path_ + "-end"));
  { append_next(*open_sqlite_journal(path_).value(), 3).check(); }
  EXPECT_EQ(read_end_mark(path_ + "-end", nullptr).value()->number, 15);
  std::filesystem::remove(path_ + "-end");
  EXPECT_EQ(open_sqlite_journal(path_).reason(), Reason::kCorrupt);
}

TEST_F(EndMarkTest, AMissingJournalBesideItsMarkIsRefused) {
  { append_next(*open_sqlite_journal(path_).value(), 12).check(); }
  std::filesystem::remove(path_);
  const auto refused = open_sqlite_journal(path_);
  EXPECT_EQ(refused.reason(), Reason::kCorrupt);
  EXPECT_THAT(refused.error(), HasSubstr("journal.db-end says that it has 12 entries"));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(EndMarkTest, AJournalThatWasDeletedOrReplacedTakesNoMoreEntries) {
  for (const char* end : {"", "-wal", "-end", "-lock"}) {
    for (const bool replaced : {false, true}) {
      SCOPED_TRACE(std::string(end) + (replaced ? " replaced" : " deleted"));
      for (const std::string& name : folder_.names()) std::filesystem::remove(folder_.at(name));
      auto journal = open_sqlite_journal(path_).value();
      append_next(*journal, 3).check();
      const std::string bytes = bytes_in(path_ + end);
      std::filesystem::rename(path_ + end, folder_.at("moved"));
      if (replaced) put_bytes(path_ + end, bytes);
      EXPECT_FALSE(reading_of(*journal, 1).result.ok());
      const auto refused = append_next(*journal, 1);
      EXPECT_EQ(refused.reason(), Reason::kFailed);
      EXPECT_THAT(refused.error(),
                  HasSubstr(path_ + end + (replaced ? " was replaced" : " was deleted")));
      EXPECT_EQ(append_next(*journal, 1).reason(), Reason::kFailed);
    }
  }
}

// The process ends after the write of a commit and before its sync, at every operation. Whatever the
// next open shows is then answered for, so it must survive a loss of power at once.
TEST_F(EndMarkTest, WhatAnOpenShowsSurvivesALossOfPower) {
  std::int64_t shown_without_sync = 0;
  for (const auto fault : {Disk::Fault::kError, Disk::Fault::kShort}) {
    for (const bool for_good : {false, true}) {
      for (std::int64_t nth = 1; nth < 200 && !HasFailure(); ++nth) {
        SCOPED_TRACE(testing::Message() << "operation " << nth);
        Disk disk;
        const auto open = [&] {
          return open_sqlite_journal(path_, {.page_bytes = 512, .vfs = disk.vfs()});
        };
        std::int64_t answered = 0;
        disk.fail(nth, fault, for_good);
        if (auto journal = open()) {
          while (answered < 12 && append_next(*journal.value(), 2).ok()) answered += 2;
        }
        disk.restart();  // the process only: what was written is in the cache
        std::int64_t shown = 0;
        {
          auto again = open();
          ASSERT_TRUE(again.ok()) << again.error();
          shown = again.value()->last();
          EXPECT_GE(shown, answered);
          shown_without_sync += shown > answered ? 1 : 0;
          disk.fail(disk.operations() + 1, Disk::Fault::kError, true);  // closing syncs nothing
        }
        Rng rng(static_cast<std::uint64_t>(nth));
        disk.restart_without_power(rng);
        auto last = open();
        ASSERT_TRUE(last.ok()) << last.error();
        EXPECT_GE(last.value()->last(), shown);
        EXPECT_TRUE(reading_of(*last.value(), 1).exact);
      }
    }
  }
  EXPECT_GT(shown_without_sync, 4);  // the case in question came up
}

}  // namespace
}  // namespace rein
