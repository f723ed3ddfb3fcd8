// open_for_reading: a stopped journal or a copy is read in full, and no file is created or changed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>

#include "journal/folder_model.h"
#include "journal/sqlite_journal.h"

namespace rein {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ReadingTest : public testing::Test {
 protected:
  // A child appends groups, tells how far it is, and is killed.
  void kill_while_writing(std::int64_t groups) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      auto journal = open_sqlite_journal(path_, {.checkpoint_pages = 64}).value();
      for (std::int64_t i = 0; i < groups; ++i) append_next(*journal, 10).check();
      if (::write(told[1], "x", 1) == 1) ::pause();
      ::_exit(1);
    }
    char byte = 0;
    ASSERT_EQ(::read(told[0], &byte, 1), 1);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(told[0]);
    ::close(told[1]);
    ASSERT_GT(bytes_in(path_ + "-wal").size(), 0);
  }
  void expect_all(const std::string& path, std::int64_t last) {
    const auto journal = open_for_reading(path);
    ASSERT_TRUE(journal.ok()) << journal.error();
    EXPECT_EQ(journal.value()->last(), last);
    const Reading reading = reading_of(*journal.value(), journal.value()->first());
    EXPECT_TRUE(reading.result.ok()) << reading.result.error();
    EXPECT_TRUE(reading.exact);
    EXPECT_EQ(reading.last, last);
    EXPECT_EQ(append_next(*journal.value(), 1).reason(), Reason::kFailed);
    EXPECT_EQ(journal.value()->drop_before(last).reason(), Reason::kFailed);
  }
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> all;
    for (const std::string& name : folder_.names()) all[name] = bytes_in(folder_.at(name));
    return all;
  }

  Folder folder_{"reading"};
  std::string path_ = folder_.at("journal.db");
};

TEST_F(ReadingTest, AJournalThatWasKilledIsReadWithItsWalAndNothingChanges) {
  kill_while_writing(57);
  const auto before = contents();
  expect_all(path_, 570);
  EXPECT_EQ(contents(), before);
  // And then it goes on.
  EXPECT_EQ(open_sqlite_journal(path_).value()->last(), 570);
}

TEST_F(ReadingTest, ACopyOfTheThreeFilesIsEnough) {
  kill_while_writing(3);  // all of it is in the WAL
  const std::string copy = folder_.at("copy.db");
  put_bytes(copy, bytes_in(path_));
  put_bytes(copy + "-wal", bytes_in(path_ + "-wal"));
  // Without the end mark, nothing says that the copy is whole.
  EXPECT_THAT(open_for_reading(copy).error(), HasSubstr("copy.db-end is missing or empty"));
  EXPECT_EQ(open_for_reading(copy, Wanted::kWhatIsLeft).value()->last(), 30);
  put_bytes(copy + "-end", bytes_in(path_ + "-end"));
  std::filesystem::remove(path_);
  const auto before = contents();
  expect_all(copy, 30);
  EXPECT_EQ(contents(), before);
}

TEST_F(ReadingTest, AClosedJournalIsReadWithoutAWal) {
  { append_next(*open_sqlite_journal(path_).value(), 40).check(); }
  const auto before = contents();
  expect_all(path_, 40);
  EXPECT_EQ(contents(), before);
  // An empty WAL is what a crash can leave before the first commit.
  put_bytes(path_ + "-wal", "");
  expect_all(path_, 40);
}

TEST_F(ReadingTest, FilesAndFoldersMayBeReadOnly) {
  kill_while_writing(8);
  for (const std::string& name : folder_.names()) ::chmod(folder_.at(name).c_str(), 0444);
  ::chmod(folder_.path().c_str(), 0555);
  const pid_t child = ::fork();
  if (child == 0) {  // permissions mean nothing to root
    if (::getuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) ::_exit(3);
    const auto journal = open_for_reading(path_);
    if (!journal.ok()) ::_exit(2);
    const auto reading = reading_of(*journal.value(), 1);
    if (open_sqlite_journal(path_).ok()) ::_exit(4);
    ::_exit(reading.result.ok() && reading.exact && reading.last == 80 ? 7 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ::chmod(folder_.path().c_str(), 0755);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(ReadingTest, WritersAndReadersKeepEachOtherOut) {
  auto writer = open_sqlite_journal(path_).value();
  append_next(*writer, 4).check();
  EXPECT_THAT(open_for_reading(path_).error(), HasSubstr("stop the service that has it"));
  writer.reset();
  const auto reader = open_for_reading(path_).value();
  const auto second = open_for_reading(path_).value();  // readers share
  EXPECT_EQ(open_sqlite_journal(path_).reason(), Reason::kFailed);
}

TEST_F(ReadingTest, AMissingFileIsNamedAndNotCreated) {
  const auto missing = open_for_reading(path_);
  EXPECT_EQ(missing.reason(), Reason::kFailed);
  EXPECT_THAT(missing.error(), HasSubstr(path_));
  EXPECT_THAT(folder_.names(), ElementsAre());
}

TEST_F(ReadingTest, APipeIsRefusedAndNotWaitedFor) {
  for (const std::string& file : {path_, path_ + "-wal", path_ + "-lock"}) {
    kill_while_writing(3);
    std::filesystem::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    EXPECT_THAT(open_for_reading(path_).error(), HasSubstr(file + " is a folder, a pipe or a device"));
    for (const std::string& name : folder_.names()) std::filesystem::remove(folder_.at(name));
  }
}

TEST_F(ReadingTest, AnEmptyDatabaseBesideAWalIsALossAndNotAStart) {
  kill_while_writing(3);
  const std::string wal = bytes_in(path_ + "-wal");
  for (const bool gone : {false, true}) {
    put_bytes(path_, "");
    if (gone) std::filesystem::remove(path_);
    const auto refused = open_sqlite_journal(path_);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.reason(), Reason::kCorrupt);
    EXPECT_THAT(refused.error(), HasSubstr("-wal holds commits"));
    EXPECT_FALSE(open_for_reading(path_).ok());
    EXPECT_EQ(bytes_in(path_ + "-wal"), wal);
  }
}

}  // namespace
}  // namespace rein
