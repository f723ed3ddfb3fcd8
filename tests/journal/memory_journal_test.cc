// The journal in memory keeps the same contract as the one in a file, but for the file.
#include "journal/memory_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "journal/folder_model.h"

namespace rein {
namespace {

TEST(MemoryJournalTest, ReadsWhatWasAppendedAndForgetsWhatWasDropped) {
  const auto journal = make_memory_journal();
  EXPECT_EQ(journal->last(), 0);
  append_next(*journal, 30).check();
  append_next(*journal, 12).check();
  EXPECT_TRUE(reading_of(*journal, 1).exact);
  EXPECT_EQ(reading_of(*journal, 1).last, 42);
  journal->drop_before(40).check();
  EXPECT_EQ(journal->first(), 40);
  EXPECT_EQ(journal->read(39, [](auto, auto) { return true; }).reason(), Reason::kInvalid);
  EXPECT_TRUE(reading_of(*journal, 41).exact);
  EXPECT_EQ(reading_of(*journal, 41).last, 42);
  EXPECT_EQ(journal->drop_before(44).reason(), Reason::kInvalid);
  journal->drop_before(43).check();
  EXPECT_EQ(journal->last(), 42);
  append_next(*journal, 1).check();
  EXPECT_EQ(journal->last(), 43);
}

TEST(MemoryJournalTest, ReadingStopsWhenToldAndPassesErrorsOn) {
  const auto journal = make_memory_journal();
  append_next(*journal, 5).check();
  std::int64_t seen = 0;
  journal->read(2, [&](std::int64_t number, std::string_view) { return seen = number, number < 3; })
      .check();
  EXPECT_EQ(seen, 3);
  const auto error = journal->read(1, [](auto, auto) -> Result<bool> { return Error{"enough"}; });
  EXPECT_EQ(error.error(), "enough");
}

}  // namespace
}  // namespace rein
