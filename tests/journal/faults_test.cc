// A disk that fails or loses its power at every operation of a workload. No append succeeds after a
// failed one. Opened again, the journal holds every acknowledged entry and nothing but a prefix of
// what was appended: of the group that failed, all entries or none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/disk_model.h"
#include "journal/folder_model.h"
#include "journal/sqlite_journal.h"

namespace rein {
namespace {

// What a caller knows: what was acknowledged, and what was asked for last.
struct Known {
  std::int64_t last = 0;
  std::int64_t asked_last = 0;
  std::int64_t first = 1;
  std::int64_t asked_first = 1;
  bool failed = false;
};

class FaultsTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Journal>> open(Disk& disk) {
    // Small pages and checkpoints, so that a small workload has many of both.
    return open_sqlite_journal(path_,
                               {.page_bytes = 512, .checkpoint_pages = 24, .vfs = disk.vfs()});
  }

  // Every later call must be refused, and nothing may be written any more.
  void expect_broken(Disk& disk, Journal& journal) {
    const std::int64_t last = journal.last();
    const std::int64_t changes = disk.changes();
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(append_next(journal, 1).reason(), Reason::kFailed);
      EXPECT_EQ(journal.drop_before(last + 1).reason(), Reason::kFailed);
    }
    EXPECT_EQ(journal.last(), last);
    EXPECT_EQ(disk.changes(), changes);
    changes_when_broken_ = changes;
  }

  // Of an append or a drop: nothing failed unnoticed, and after an error nothing more is accepted.
  bool expect_told(Disk& disk, Journal& journal, bool failed_before, const Result<>& result) {
    if (result.ok()) {
      EXPECT_EQ(disk.has_failed(), failed_before);
    } else {
      EXPECT_NE(result.error(), "");
      EXPECT_NE(result.reason(), Reason::kInvalid);
      expect_broken(disk, journal);
    }
    return result.ok();
  }

  bool append(Disk& disk, Journal& journal, std::int64_t count, Known& known) {
    const bool failed_before = disk.has_failed();
    known.asked_last = known.last + count;
    known.failed = !expect_told(disk, journal, failed_before, append_next(journal, count));
    if (!known.failed) known.last = known.asked_last;
    EXPECT_EQ(journal.last(), known.last);
    return !known.failed;
  }

  bool drop(Disk& disk, Journal& journal, std::int64_t number, Known& known) {
    const bool failed_before = disk.has_failed();
    known.asked_first = number;
    known.failed = !expect_told(disk, journal, failed_before, journal.drop_before(number));
    if (!known.failed) known.first = number;
    EXPECT_EQ(journal.first(), known.first);
    return !known.failed;
  }

  // One life of a journal: groups of different sizes, checkpoints, a drop. Stops at the first error.
  void live(Disk& disk, Journal& journal, Known& known) {
    EXPECT_EQ(journal.last(), known.last);
    for (const std::int64_t count : {1, 4, 2, 12, 1, 5}) {
      if (!append(disk, journal, count, known)) return;
      if (count == 12 && !drop(disk, journal, known.last - 8, known)) return;
    }
    EXPECT_TRUE(reading_of(journal, known.first).exact);
  }

  Known work(Disk& disk) {
    Known known;
    for (int lives = 0; lives < 2; ++lives) {
      auto journal = open(disk);
      known.failed = !journal.ok();
      if (known.failed) break;
      live(disk, *journal.value(), known);
      if (known.failed) {
        journal = Error{"closed"};
        EXPECT_EQ(disk.changes(), changes_when_broken_);
        break;
      }
    }
    return known;
  }

  // The same files, on a real disk and without the model. First read only.
  void check_on_real_disk(Disk& disk, const Known& known) {
    for (const std::string& name : folder_.names()) std::filesystem::remove(folder_.at(name));
    disk.write_to_folder();
    // A creation that was cut off left nothing to read.
    if (known.last > 0) check(open_for_reading(path_), known, false);
    check(open_sqlite_journal(path_), known, true);
  }

  void check_after(Disk& disk, const Known& known) { check(open(disk), known, true); }

  void check(Result<std::unique_ptr<Journal>> opened, const Known& known, bool writable) {
    ASSERT_TRUE(opened.ok()) << opened.error();
    Journal& journal = *opened.value();
    EXPECT_TRUE(journal.last() == known.last || journal.last() == known.asked_last)
        << journal.last() << " of " << known.last << " or " << known.asked_last;
    EXPECT_TRUE(journal.first() == known.first || journal.first() == known.asked_first);
    const Reading reading = reading_of(journal, journal.first());
    EXPECT_TRUE(reading.result.ok()) << reading.result.error();
    EXPECT_TRUE(reading.exact);
    EXPECT_EQ(reading.last, journal.last());
    if (!writable) return;
    append_next(journal, 30).check();  // it goes on, over a checkpoint
    EXPECT_TRUE(reading_of(journal, journal.first()).exact);
  }

  // The number of operations without a fault.
  std::int64_t operations() {
    Disk disk;
    const Known known = work(disk);
    EXPECT_FALSE(known.failed);
    EXPECT_EQ(known.last, 50);
    return disk.operations();
  }

  std::int64_t changes_when_broken_ = 0;
  Folder folder_{"faults", true};
  std::string path_ = folder_.at("journal.db");
};

TEST_F(FaultsTest, EveryOperationFailsOnceOrForGood) {
  const std::int64_t all = operations();
  ASSERT_GT(all, 200);
  std::int64_t cases = 0;
  std::int64_t seen = 0;
  for (const Disk::Fault fault : {Disk::Fault::kError, Disk::Fault::kFull, Disk::Fault::kShort}) {
    for (const bool for_good : {false, true}) {
      for (std::int64_t nth = 1; nth <= all && !HasFailure(); ++nth, ++cases) {
        SCOPED_TRACE(testing::Message()
                     << "operation " << nth << ", fault " << static_cast<int>(fault)
                     << (for_good ? ", for good" : ", once"));
        Disk disk;
        disk.fail(nth, fault, for_good);
        const Known known = work(disk);
        ASSERT_TRUE(disk.has_failed());
        seen += known.failed ? 1 : 0;
        disk.restart();
        check_after(disk, known);
      }
    }
  }
  RecordProperty("cases", static_cast<int>(cases));
  EXPECT_GT(seen, cases / 2);  // most faults are errors to the caller; the rest do no harm
}

TEST_F(FaultsTest, PowerIsLostAtEveryOperation) {
  const std::int64_t all = operations();
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (std::int64_t nth = 1; nth <= all + 1 && !HasFailure(); ++nth) {
      SCOPED_TRACE(testing::Message() << "operation " << nth << ", seed " << seed);
      Rng rng(seed * 1'000'000 + static_cast<std::uint64_t>(nth));
      Disk disk;
      disk.fail(nth, rng.below(2) == 0 ? Disk::Fault::kError : Disk::Fault::kShort, true);
      const Known known = work(disk);
      disk.restart_without_power(rng);
      if (nth % 32 == static_cast<std::int64_t>(seed)) check_on_real_disk(disk, known);
      check_after(disk, known);
    }
  }
}

// The same after a fault that the journal met while it went on: a failed sync loses what it should
// have written, and a later loss of power shows it.
TEST_F(FaultsTest, PowerIsLostAfterAFaultThatHappenedOnce) {
  const std::int64_t all = operations();
  for (std::int64_t nth = 1; nth <= all && !HasFailure(); ++nth) {
    SCOPED_TRACE(testing::Message() << "operation " << nth);
    Rng rng(static_cast<std::uint64_t>(nth));
    Disk disk;
    disk.fail(nth, Disk::Fault::kError, false);
    const Known known = work(disk);
    disk.restart_without_power(rng);
    check_after(disk, known);
  }
}

}  // namespace
}  // namespace rein
