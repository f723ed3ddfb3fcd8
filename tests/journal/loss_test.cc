// Whatever happens to one file of a journal, an open gives all committed entries or a refusal that
// names a file or an entry. It never gives fewer in silence, and never a wrong one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/damage_cases.h"
#include "journal/sqlite_journal.h"

namespace rein {
namespace {

using testing::HasSubstr;

class LossTest : public testing::Test {
 protected:
  // Three lives of a journal. The last one is killed with commits in its WAL.
  void live(std::int64_t entries, const SqliteOptions& options) {
    for (const bool killed : {false, false, true}) {
      auto journal = open_sqlite_journal(path_, options).value();
      for (std::int64_t done = 0; done < entries; done += 4) {
        append_next(*journal, 4).check();
        if (done == entries / 8 * 4) earlier_.push_back(files_in(folder_.path()));
      }
      committed_ = journal->last();
      if (killed) now_ = files_in(folder_.path());
      journal.reset();
      if (!killed) earlier_.push_back(files_in(folder_.path()));
    }
  }

  // `complete`: whether an accepted journal must have all entries; otherwise an exact prefix.
  void expect_no_silent_loss(const Files& files, bool complete) {
    put_files(folder_.path(), files);
    auto opened = open_sqlite_journal(path_);
    if (!opened) {
      ++refused_;
      ASSERT_EQ(opened.reason(), Reason::kCorrupt) << opened.error();
      ASSERT_THAT(opened.error(), HasSubstr(path_));
      return;
    }
    const Reading reading = reading_of(*opened.value(), opened.value()->first());
    ASSERT_TRUE(reading.exact);
    if (!reading.result.ok()) {
      ++refused_;
      ASSERT_EQ(reading.result.reason(), Reason::kCorrupt) << reading.result.error();
      ASSERT_THAT(reading.result.error(), HasSubstr("entry " + std::to_string(reading.last + 1)));
      return;
    }
    ++complete_;
    ASSERT_LE(reading.last, committed_);
    if (complete) {
      ASSERT_EQ(reading.last, committed_);
    }
  }

  void damage_one_file(std::size_t step) {
    for_each_damage(now_, step, [&](const std::string& what, const Files& files) {
      if (HasFailure()) return;
      SCOPED_TRACE(what);
      expect_no_silent_loss(files, true);
    });
    RecordProperty("refused", static_cast<int>(refused_));
    RecordProperty("complete", static_cast<int>(complete_));
  }

  Folder folder_{"loss", true};
  std::string path_ = folder_.at("journal");
  Files now_;
  std::vector<Files> earlier_;
  std::int64_t committed_ = 0;
  std::int64_t refused_ = 0, complete_ = 0;
};

TEST_F(LossTest, NoDamageToOneFileLosesEntriesInSilence) {
  live(every_damage() ? 40 : 60, {.page_bytes = 512});
  damage_one_file(every_damage() ? 1 : 397);
  EXPECT_GT(refused_, 50);
  EXPECT_GT(complete_, 50);
}

TEST_F(LossTest, NoDamageToOneFileOfALargeJournalLosesEntriesInSilence) {
  live(every_damage() ? 8000 : 600, {});
  std::size_t bytes = 0;
  for (const auto& [name, content] : now_) bytes += content.size();
  damage_one_file(bytes / (every_damage() ? 500 : 25));
  EXPECT_GT(refused_, 10);
}

TEST_F(LossTest, NoOldCopyLosesEntriesInSilence) {
  live(60, {.page_bytes = 512});
  for_each_old_copy(now_, earlier_, [&](const std::string& what, const Files& files,
                                        const std::vector<std::string>& old) {
    if (HasFailure()) return;
    SCOPED_TRACE(what);
    // An old end mark beside an old journal or log looks like a journal of that time.
    const bool marked = std::ranges::find(old, "journal-end") == old.end() || old[0] == old[1];
    expect_no_silent_loss(files, marked);
  });
  EXPECT_GT(refused_, 8);
  EXPECT_GT(complete_, 8);
}

}  // namespace
}  // namespace rein
