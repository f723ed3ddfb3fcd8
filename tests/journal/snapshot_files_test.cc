// SnapshotFiles: the newest intact snapshot is found whatever happens to a newer one.
#include "journal/snapshot_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/calls_model.h"
#include "journal/folder_model.h"
#include "journal/memory_journal.h"

namespace rein {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string state_at(std::int64_t position) {
  return "state at " + std::to_string(position) +
         std::string(static_cast<std::size_t>(position), '.');
}

std::uint64_t chain_at(std::int64_t position) { return static_cast<std::uint64_t>(position) * 77; }

class SnapshotFilesTest : public testing::Test {
 protected:
  std::int64_t write(std::int64_t position) {
    return files_.write(position, state_at(position), chain_at(position)).value();
  }
  // The position of the latest, whose state must be right; -1 if there is none.
  std::int64_t latest(std::size_t skipped = 0) {
    const auto found = files_.latest().value();
    EXPECT_EQ(found.skipped.size(), skipped);
    if (!found.snapshot) return -1;
    EXPECT_EQ(found.snapshot->bytes, state_at(found.snapshot->position));
    return found.snapshot->position;
  }
  void damage(std::int64_t position) {
    std::string bytes = bytes_in(files_.path_of(position));
    bytes.back() ^= 1;
    put_bytes(files_.path_of(position), bytes);
  }

  Folder folder_{"snapshots", true};
  SnapshotFiles files_{folder_.path()};
};

TEST_F(SnapshotFilesTest, AnEmptyFolderHasNone) { EXPECT_EQ(latest(), -1); }

TEST_F(SnapshotFilesTest, TheLastTwoAreKept) {
  EXPECT_EQ(write(10), 0);  // nothing may be dropped while there is only one
  EXPECT_EQ(write(200), 10);
  EXPECT_EQ(write(300), 200);
  EXPECT_EQ(latest(), 300);
  EXPECT_THAT(folder_.names(),
              ElementsAre("snapshot-000000000200.rein", "snapshot-000000000300.rein"));
}

TEST_F(SnapshotFilesTest, TheSamePositionTwiceIsOneFile) {
  write(10);
  EXPECT_EQ(write(10), 0);
  EXPECT_EQ(folder_.names().size(), 1);
  EXPECT_EQ(latest(), 10);
}

TEST_F(SnapshotFilesTest, OrderIsByNumberAndNotByName) {
  write(5);
  const std::int64_t large = 9'999'999'999'999;  // one digit more than names have as a rule
  files_.write(large, "x", 5).value();
  EXPECT_EQ(files_.latest().value().snapshot->position, large);
}

TEST_F(SnapshotFilesTest, ADamagedOneIsSkippedAndNamed) {
  write(10);
  write(20);
  damage(20);
  const auto found = files_.latest().value();
  EXPECT_EQ(found.snapshot->position, 10);
  EXPECT_THAT(found.skipped, ElementsAre(AllOf(HasSubstr("snapshot-000000000020.rein is damaged"),
                                               HasSubstr("its checksum does not match"))));
}

TEST_F(SnapshotFilesTest, ADamagedOneIsNotOneOfTheTwo) {
  write(10);
  write(20);
  damage(20);
  EXPECT_EQ(write(30), 10);
  EXPECT_EQ(latest(), 30);
  damage(30);
  EXPECT_EQ(latest(2), 10);
  EXPECT_EQ(write(40), 10);
  EXPECT_EQ(write(50), 40);
  EXPECT_EQ(folder_.names().size(), 2);
}

TEST_F(SnapshotFilesTest, AFileUnderAnotherNameIsRefused) {
  write(10);
  std::filesystem::rename(files_.path_of(10), files_.path_of(11));
  const auto found = files_.latest().value();
  EXPECT_FALSE(found.snapshot.has_value());
  EXPECT_THAT(found.skipped, ElementsAre(HasSubstr("it holds position 10, not that of its name")));
}

TEST_F(SnapshotFilesTest, OtherFilesAreLeftAlone) {
  const std::vector<std::string> others = {"notes", "snapshot-.rein",
                                           "snapshot-000000000001.rein.old", "snapshot-1.rein",
                                           "snapshot--00000000001.rein"};
  for (const std::string& name : others) put_bytes(folder_.at(name), "mine");
  for (const std::int64_t position : {1, 2, 3}) write(position);
  EXPECT_EQ(latest(), 3);
  for (const std::string& name : others) EXPECT_EQ(bytes_in(folder_.at(name)), "mine") << name;
}

TEST_F(SnapshotFilesTest, LeftoversOfACrashAreRemovedOnceTheyAreOld) {
  put_bytes(folder_.at(".rein-1-1"), "old");
  put_bytes(folder_.at(".rein-1-2"), "new");
  std::filesystem::last_write_time(
      folder_.at(".rein-1-1"),
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  write(1);
  EXPECT_THAT(folder_.names(), ElementsAre(".rein-1-2", "snapshot-000000000001.rein"));
}

TEST_F(SnapshotFilesTest, LimitsAreNamed) {
  EXPECT_THAT(files_.write(-1, "", 5).error(), HasSubstr("from 0 to 2^53; found -1"));
  EXPECT_THAT(files_.write(kMostSnapshotPosition + 1, "", 5).error(), HasSubstr("from 0 to 2^53"));
  // Longer than is accepted, without the memory: nothing of it may be read.
  const std::string_view huge("x", static_cast<std::size_t>(kMostSnapshotBytes) + 1);
  EXPECT_THAT(files_.write(1, huge, 5).error(), HasSubstr("at most 17179869184 are accepted"));
}

TEST_F(SnapshotFilesTest, AMissingFolderIsNamed) {
  const SnapshotFiles none(folder_.at("none"));
  EXPECT_EQ(none.latest().reason(), Reason::kFailed);
  EXPECT_EQ(none.write(1, "x", 5).reason(), Reason::kFailed);
  EXPECT_THAT(none.latest().error(), HasSubstr(folder_.at("none")));
}

TEST_F(SnapshotFilesTest, EveryTruncationIsRefusedWithTheReason) {
  const std::string file = snapshot_file_of(1234, state_at(1234), 5);
  EXPECT_EQ(read_snapshot_file(file).value().bytes, state_at(1234));
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto refused = read_snapshot_file(std::string_view(file).substr(0, size));
    ASSERT_FALSE(refused.ok()) << size;
    ASSERT_EQ(refused.reason(), Reason::kCorrupt);
  }
  EXPECT_FALSE(read_snapshot_file(file + "x").ok());
}

TEST_F(SnapshotFilesTest, EveryFlippedBitIsRefused) {
  for (const std::optional<std::uint64_t> chain : {std::optional<std::uint64_t>(), {5}}) {
    std::string file = snapshot_file_of(77, state_at(77), chain);
    for (std::size_t bit = 0; bit < file.size() * 8; ++bit) {
      file[bit / 8] ^= static_cast<char>(1 << (bit % 8));
      const auto refused = read_snapshot_file(file);
      ASSERT_FALSE(refused.ok()) << bit;
      ASSERT_EQ(refused.reason(), Reason::kCorrupt);
      file[bit / 8] ^= static_cast<char>(1 << (bit % 8));
    }
  }
}

// Written by the program that knew no other format.
TEST_F(SnapshotFilesTest, AFileOfFormat1IsRead) {
  const std::string_view file(
      "reinsnap\1\0\0\0\0\0\0\0\322\4\0\0\0\0\0\0\5\0\0\0\0\0\0\0"
      "\35\137\274\115\341\143\40\151"
      "state",
      45);
  const auto snapshot = read_snapshot_file(file);
  ASSERT_TRUE(snapshot.ok()) << snapshot.error();
  EXPECT_EQ(snapshot.value().position, 1234);
  EXPECT_EQ(snapshot.value().bytes, "state");
  EXPECT_FALSE(snapshot.value().chain.has_value());
}

TEST_F(SnapshotFilesTest, TheChainValueOfTheJournalComesBack) {
  const auto snapshot = read_snapshot_file(snapshot_file_of(1234, "state", 0xfedcba9876543210));
  ASSERT_TRUE(snapshot.ok()) << snapshot.error();
  EXPECT_EQ(snapshot.value().chain, 0xfedcba9876543210);
}

TEST_F(SnapshotFilesTest, ASnapshotOfAnotherJournalIsRefusedWithBothChainValues) {
  const auto journal = make_memory_journal();
  append_next(*journal, 20).check();
  const Snapshot right{.position = 12, .chain = journal->chain_at(12).value()};
  EXPECT_TRUE(check_continues(*journal, right).ok());
  EXPECT_TRUE(check_continues(*journal, {.position = 12}).ok());  // of format 1
  const auto foreign = check_continues(*journal, {.position = 12, .chain = *right.chain + 1});
  EXPECT_EQ(foreign.reason(), Reason::kCorrupt);
  EXPECT_THAT(foreign.error(), AllOf(HasSubstr("the snapshot at entry 12 does not belong"),
                                     HasSubstr(std::to_string(12))));
  const auto newer = check_continues(*journal, {.position = 21, .chain = journal->chain()});
  EXPECT_EQ(newer.reason(), Reason::kCorrupt);
  EXPECT_THAT(newer.error(), HasSubstr("ends at entry 20: entries were lost"));
}

// Every system call of a write fails, once or for good. Whoever starts again finds the snapshot of
// before or the new one; the new one if success was reported. Nothing stays behind but leftovers of a
// disk that failed for good.
TEST_F(SnapshotFilesTest, EveryCallFailsOnceOrForGood) {
  write(10);
  write(20);
  calls::fail(0, 0, false);
  write(30);
  const std::int64_t all = calls::stop();
  ASSERT_GE(all, 8);
  std::int64_t errors = 0;
  for (const bool for_good : {false, true}) {
    for (std::int64_t nth = 1; nth <= all; ++nth) {
      SCOPED_TRACE(testing::Message() << "call " << nth << (for_good ? ", for good" : ", once"));
      for (const std::string& name : folder_.names()) std::filesystem::remove(folder_.at(name));
      write(10);
      write(20);
      calls::fail(nth, nth % 2 == 0 ? EIO : ENOSPC, for_good);
      const auto written = files_.write(30, state_at(30), 5);
      calls::stop();
      // The first seven: open, write, fsync, close and rename the file; open and fsync the folder.
      EXPECT_TRUE(!written.ok() || nth > 7);
      if (!written.ok()) {
        ++errors;
        EXPECT_EQ(written.reason(), Reason::kFailed);
        EXPECT_THAT(written.error(), HasSubstr("snapshot-000000000030.rein"));
      }
      const std::int64_t found = latest();
      EXPECT_TRUE(found == 30 || (found == 20 && !written.ok())) << found;
      EXPECT_TRUE(std::filesystem::exists(files_.path_of(20)));
      EXPECT_TRUE(!written.ok() || written.value() <= 20);
      EXPECT_GE(write(40), 20);
      EXPECT_EQ(latest(), 40);
    }
  }
  EXPECT_GT(errors, all / 2);
}

}  // namespace
}  // namespace rein
