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

  // Every later call must be refused.
  void expect_broken(Journal& journal, const Result<>& failure) {
    EXPECT_NE(failure.error(), "");
    EXPECT_NE(failure.reason(), Reason::kInvalid);
    const std::int64_t last = journal.last();
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(append_next(journal, 1).reason(), Reason::kFailed);
      EXPECT_EQ(journal.drop_before(last + 1).reason(), Reason::kFailed);
    }
    EXPECT_EQ(journal.last(), last);
  }

  bool append(Journal& journal, std::int64_t count, Known& known) {
    known.asked_last = known.last + count;
    const auto appended = append_next(journal, count);
    known.failed = !appended.ok();
    if (appended.ok()) {
      known.last = known.asked_last;
    } else {
      expect_broken(journal, appended);
    }
    EXPECT_EQ(journal.last(), known.last);
    return appended.ok();
  }

  bool drop(Journal& journal, std::int64_t number, Known& known) {
    known.asked_first = number;
    const auto dropped = journal.drop_before(number);
    known.failed = !dropped.ok();
    if (dropped.ok()) known.first = number;
    EXPECT_EQ(journal.first(), known.first);
    return dropped.ok();
  }

  // Two lives of a journal: groups of different sizes, checkpoints, drops. Stops at the first error.
  Known work(Disk& disk) {
    Known known;
    for (int life = 0; life < 2; ++life) {
      auto journal = open(disk);
      known.failed = !journal.ok();
      if (known.failed) return known;
      EXPECT_EQ(journal.value()->last(), known.last);
      for (const std::int64_t count : {1, 4, 2, 12, 1, 5}) {
        if (!append(*journal.value(), count, known)) return known;
        if (count == 12 && !drop(*journal.value(), known.last - 8, known)) return known;
      }
      const Reading reading = reading_of(*journal.value(), known.first);
      EXPECT_TRUE(reading.exact);
      if (!reading.result.ok()) return known;
    }
    return known;
  }

  void check_after(Disk& disk, const Known& known) {
    auto opened = open(disk);
    ASSERT_TRUE(opened.ok()) << opened.error();
    Journal& journal = *opened.value();
    EXPECT_TRUE(journal.last() == known.last || journal.last() == known.asked_last)
        << journal.last() << " of " << known.last << " or " << known.asked_last;
    EXPECT_TRUE(journal.first() == known.first || journal.first() == known.asked_first);
    const Reading reading = reading_of(journal, journal.first());
    EXPECT_TRUE(reading.result.ok()) << reading.result.error();
    EXPECT_TRUE(reading.exact);
    EXPECT_EQ(reading.last, journal.last());
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

  Folder folder_{"faults"};
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
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    for (std::int64_t nth = 1; nth <= all + 1 && !HasFailure(); ++nth) {
      SCOPED_TRACE(testing::Message() << "operation " << nth << ", seed " << seed);
      Rng rng(seed * 1'000'000 + static_cast<std::uint64_t>(nth));
      Disk disk;
      disk.fail(nth, rng.below(2) == 0 ? Disk::Fault::kError : Disk::Fault::kShort, true);
      const Known known = work(disk);
      disk.restart_without_power(rng);
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
