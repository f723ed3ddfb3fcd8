// SqliteJournal: what was committed is there after opening again, in order, and nothing else.
#include "journal/sqlite_journal.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "journal/folder_model.h"

namespace rein {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class SqliteJournalTest : public testing::Test {
 protected:
  std::unique_ptr<Journal> open() { return open_sqlite_journal(path_).value(); }
  void expect_entries(const Journal& journal, std::int64_t first, std::int64_t last) {
    EXPECT_EQ(journal.first(), first);
    EXPECT_EQ(journal.last(), last);
    const Reading reading = reading_of(journal, first);
    EXPECT_TRUE(reading.result.ok()) << reading.result.error();
    EXPECT_TRUE(reading.exact);
    EXPECT_EQ(reading.last, last);
  }

  Folder folder_{"sqlite_journal"};
  std::string path_ = folder_.at("journal.db");
};

TEST_F(SqliteJournalTest, ANewJournalIsEmpty) {
  auto journal = open();
  EXPECT_EQ(journal->last(), 0);
  EXPECT_EQ(journal->first(), 1);
  expect_entries(*journal, 1, 0);
}

TEST_F(SqliteJournalTest, EntriesComeBackInOrderAfterOpeningAgain) {
  for (int group = 1; group <= 9; ++group) {
    auto journal = open();
    append_next(*journal, group).check();
    expect_entries(*journal, 1, group * (group + 1) / 2);
  }
  expect_entries(*open(), 1, 45);
}

TEST_F(SqliteJournalTest, AnEmptyGroupIsNothing) {
  auto journal = open();
  journal->append({}).check();
  EXPECT_EQ(journal->last(), 0);
}

TEST_F(SqliteJournalTest, ReadingStartsAnywhereAndStopsWhenTold) {
  auto journal = open();
  append_next(*journal, 100).check();
  EXPECT_TRUE(reading_of(*journal, 60).exact);
  EXPECT_EQ(reading_of(*journal, 60).last, 100);
  std::int64_t seen = 0;
  journal->read(7, [&](std::int64_t number, std::string_view) { return seen = number, number < 9; })
      .check();
  EXPECT_EQ(seen, 9);
  const auto passed_on = journal->read(7, [](std::int64_t, std::string_view) -> Result<bool> {
    return Error{"enough", Reason::kSequence};
  });
  EXPECT_EQ(passed_on.error(), "enough");
  EXPECT_EQ(passed_on.reason(), Reason::kSequence);
  EXPECT_TRUE(journal->read(101, [](auto, auto) -> Result<bool> { throw 1; }).ok());
}

TEST_F(SqliteJournalTest, DroppedEntriesAreGoneAndTheRestIsStillProved) {
  auto journal = open();
  append_next(*journal, 300).check();
  journal->drop_before(200).check();
  expect_entries(*journal, 200, 300);
  const auto gone = journal->read(199, [](auto, auto) { return true; });
  EXPECT_EQ(gone.reason(), Reason::kInvalid);
  EXPECT_THAT(gone.error(), HasSubstr("entry 199 is gone; the first that is kept is 200"));
  journal->drop_before(100).check();
  EXPECT_EQ(journal->first(), 200);
  EXPECT_EQ(journal->drop_before(302).reason(), Reason::kInvalid);
  journal.reset();
  journal = open();
  expect_entries(*journal, 200, 300);
  journal->drop_before(301).check();
  expect_entries(*journal, 301, 300);
  journal.reset();
  journal = open();
  expect_entries(*journal, 301, 300);
  for (int i = 0; i < 20; ++i) append_next(*journal, 3).check();
  expect_entries(*journal, 301, 360);
  journal.reset();
  expect_entries(*open(), 301, 360);
}

// Rows in the table, counted behind the journal's back.
int rows_in(const std::string& path) {
  sqlite3* connection = nullptr;
  int count = -1;
  sqlite3_open(path.c_str(), &connection);
  sqlite3_exec(
      connection, "SELECT count(*) FROM entries",
      [](void* to, int, char** row, char**) {
        return *static_cast<int*>(to) = std::atoi(row[0]), 0;
      },
      &count, nullptr);
  sqlite3_close(connection);
  return count;
}

TEST_F(SqliteJournalTest, LaterAppendsDeleteWhatWasDropped) {
  auto journal = open();
  append_next(*journal, 300).check();
  journal->drop_before(250).check();
  for (int i = 0; i < 20; ++i) append_next(*journal, 1).check();
  journal.reset();
  EXPECT_EQ(rows_in(path_), 320 - 249);
}

TEST_F(SqliteJournalTest, AnEntryThatIsTooLongIsRefusedAndBreaksNothing) {
  auto journal = open();
  const std::string longest(kMostEntryBytes + 1, 'x');
  const std::vector<std::string_view> group = {"short", longest};
  const auto refused = journal->append(group);
  EXPECT_EQ(refused.reason(), Reason::kInvalid);
  EXPECT_THAT(refused.error(), HasSubstr("at most 67108864 are accepted"));
  append_next(*journal, 2).check();
  expect_entries(*journal, 1, 2);
}

TEST_F(SqliteJournalTest, TheLongestEntryIsAccepted) {
  auto journal = open();
  const std::string longest(kMostEntryBytes, 'x');
  const std::vector<std::string_view> group = {longest};
  journal->append(group).check();
  bool same = false;
  journal->read(1, [&](auto, std::string_view bytes) { return same = bytes == longest; }).check();
  EXPECT_TRUE(same);
}

TEST_F(SqliteJournalTest, TheWalHasNoSharedMemoryFileAndIsGoneAfterClosing) {
  auto journal = open();
  append_next(*journal, 10).check();
  EXPECT_THAT(folder_.names(),
              ElementsAre("journal.db", "journal.db-end", "journal.db-lock", "journal.db-wal"));
  journal.reset();
  EXPECT_THAT(folder_.names(), ElementsAre("journal.db", "journal.db-end", "journal.db-lock"));
}

TEST_F(SqliteJournalTest, TheWalStaysSmall) {
  auto journal = open_sqlite_journal(path_, {.checkpoint_pages = 64}).value();
  for (int i = 0; i < 100; ++i) append_next(*journal, 60).check();
  EXPECT_LT(std::filesystem::file_size(path_ + "-wal"), 2'000'000);
  EXPECT_GT(std::filesystem::file_size(path_), 1'000'000);
}

TEST_F(SqliteJournalTest, ASecondOpenInThisProcessIsRefused) {
  auto journal = open();
  const auto second = open_sqlite_journal(path_);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.reason(), Reason::kFailed);
  EXPECT_THAT(second.error(), AllOf(HasSubstr(path_), HasSubstr("stop the service that has it")));
  EXPECT_EQ(open_for_reading(path_).reason(), Reason::kFailed);
  // The refused ones left the first as it was.
  append_next(*journal, 3).check();
  journal.reset();
  expect_entries(*open(), 1, 3);
}

TEST_F(SqliteJournalTest, ASecondOpenInAnotherProcessIsRefused) {
  auto journal = open();
  append_next(*journal, 3).check();
  EXPECT_EQ(in_child([&] {
              // The child has a copy of the descriptors, so it must not close them; it opens anew.
              const auto second = open_sqlite_journal(path_);
              return !second.ok() && second.reason() == Reason::kFailed ? 7 : 1;
            }),
            7);
}

TEST_F(SqliteJournalTest, AFileThatSqliteHasOpenElsewhereIsRefused) {
  { append_next(*open(), 3).check(); }
  int ready[2];
  int done[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(done), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // a tool that knows nothing of our lock file
    sqlite3* connection = nullptr;
    sqlite3_open(path_.c_str(), &connection);
    sqlite3_exec(connection, "BEGIN; SELECT * FROM start", nullptr, nullptr, nullptr);
    char byte = 0;
    const bool told = ::write(ready[1], "r", 1) == 1 && ::read(done[0], &byte, 1) == 1;
    sqlite3_close(connection);
    ::_exit(told ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  const auto refused = open_sqlite_journal(path_);
  ASSERT_EQ(::write(done[1], "d", 1), 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.reason(), Reason::kFailed);
  EXPECT_THAT(refused.error(), HasSubstr("open elsewhere"));
  expect_entries(*open(), 1, 3);
}

TEST_F(SqliteJournalTest, AMissingJournalIsRefusedWhereOneMustBe) {
  const auto refused = open_sqlite_journal(path_, {.create = false});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error(), HasSubstr("there is no journal"));
  EXPECT_THAT(folder_.names(), ElementsAre());
  put_bytes(path_, "");
  EXPECT_EQ(open_sqlite_journal(path_, {.create = false}).reason(), Reason::kCorrupt);
  EXPECT_EQ(open_for_reading(path_).reason(), Reason::kCorrupt);
}

TEST_F(SqliteJournalTest, PathsStandForThemselves) {
  const std::string odd = folder_.at("a?mode=memory#b%20c.db");
  { append_next(*open_sqlite_journal(odd).value(), 3).check(); }
  EXPECT_TRUE(std::filesystem::exists(odd));
  expect_entries(*open_for_reading(odd).value(), 1, 3);
  EXPECT_FALSE(open_sqlite_journal("").ok());
  EXPECT_FALSE(open_sqlite_journal(folder_.at("none/journal.db")).ok());
}

TEST_F(SqliteJournalTest, FilesOfOthersAreRefusedAndLeftAsTheyAre) {
  sqlite3* connection = nullptr;
  sqlite3_open(path_.c_str(), &connection);
  sqlite3_exec(connection, "CREATE TABLE other(a)", nullptr, nullptr, nullptr);
  sqlite3_close(connection);
  const std::string before = bytes_in(path_);
  for (const auto& refused : {open_sqlite_journal(path_), open_for_reading(path_)}) {
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.reason(), Reason::kCorrupt);
    EXPECT_THAT(refused.error(), HasSubstr("is not a journal of rein"));
  }
  EXPECT_EQ(bytes_in(path_), before);
}

TEST_F(SqliteJournalTest, ANewerFormatAndForeignTablesAreNamed) {
  { append_next(*open(), 3).check(); }
  sqlite3* connection = nullptr;
  sqlite3_open(path_.c_str(), &connection);
  sqlite3_exec(connection, "PRAGMA user_version=3", nullptr, nullptr, nullptr);
  EXPECT_THAT(open_sqlite_journal(path_).error(), HasSubstr("open elsewhere"));
  sqlite3_close(connection);
  EXPECT_THAT(open_sqlite_journal(path_).error(),
              HasSubstr("has format 3 (a newer program wrote it); this version of rein reads formats 1 to 2"));
  EXPECT_EQ(open_sqlite_journal(path_).reason(), Reason::kFailed) << "it is not damaged";
  sqlite3_open(path_.c_str(), &connection);
  sqlite3_exec(connection, "PRAGMA user_version=2; CREATE VIEW v AS SELECT 1", nullptr, nullptr,
               nullptr);
  sqlite3_close(connection);
  EXPECT_THAT(open_sqlite_journal(path_).error(), HasSubstr("more than the tables of a journal"));
}

}  // namespace
}  // namespace rein
