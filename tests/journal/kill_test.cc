// kill -9 in the middle of appends: every entry that was acknowledged is there, and what else is there
// is the rest of one group.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "journal/folder_model.h"
#include "journal/sqlite_journal.h"
#include "rein/rng.h"

namespace rein {
namespace {

constexpr std::int64_t kGroup = 7;

// Appends until it is killed, and tells every acknowledged number.
[[noreturn]] void append_for_ever(const std::string& path, int tell) {
  auto journal = open_sqlite_journal(path, {.page_bytes = 1024, .checkpoint_pages = 16});
  while (journal.ok()) {
    if (!append_next(*journal.value(), kGroup).ok()) break;
    const std::int64_t last = journal.value()->last();
    if (::write(tell, &last, sizeof last) != sizeof last) break;
    if (last % 5 == 0 && !journal.value()->drop_before(last - 60).ok()) break;
  }
  ::_exit(1);
}

TEST(KillTest, NothingThatWasAcknowledgedIsLost) {
  const Folder folder("kill", true);
  const std::string path = folder.at("journal.db");
  Rng rng(3);
  std::int64_t last = 0;
  for (int kills = 0; kills < 40; ++kills) {
    int told[2];
    ASSERT_EQ(::pipe(told), 0);
    const pid_t child = ::fork();
    if (child == 0) append_for_ever(path, told[1]);
    ::close(told[1]);
    // After some acknowledgements and some microseconds more, it is killed.
    for (std::uint64_t i = 1 + rng.below(20); i > 0; --i) {
      ASSERT_EQ(::read(told[0], &last, sizeof last), static_cast<ssize_t>(sizeof last));
    }
    ::usleep(static_cast<useconds_t>(rng.below(300)));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    while (::read(told[0], &last, sizeof last) == static_cast<ssize_t>(sizeof last)) {
    }
    ::close(told[0]);
    const auto journal = kills % 2 == 0 ? open_for_reading(path) : open_sqlite_journal(path);
    ASSERT_TRUE(journal.ok()) << journal.error();
    ASSERT_THAT(journal.value()->last(), testing::AnyOf(last, last + kGroup));
    const Reading reading = reading_of(*journal.value(), journal.value()->first());
    ASSERT_TRUE(reading.result.ok()) << reading.result.error();
    ASSERT_TRUE(reading.exact);
    ASSERT_EQ(reading.last, journal.value()->last());
  }
  EXPECT_GT(last, 40 * kGroup);
}

}  // namespace
}  // namespace rein
