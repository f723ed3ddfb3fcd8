#include "base/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace rein {
namespace {

TEST(PoolTest, EveryJobRunsOnceWhateverTheThreads) {
  for (int threads : {1, 2, 3, 8}) {
    std::vector<std::atomic<int>> ran(100);
    run_jobs(100, threads, [&](std::int64_t i) {
      ++ran[static_cast<std::size_t>(i)];
      return true;
    });
    for (const auto& count : ran) EXPECT_EQ(count, 1);
  }
}

TEST(PoolTest, NoJobsAreDoneAtOnce) {
  run_jobs(0, 4, [](std::int64_t) -> bool { throw std::runtime_error("never"); });
}

TEST(PoolTest, FirstOfSeveralExceptionsIsCarriedOut) {
  for (int threads : {1, 2, 3}) {
    try {
      run_jobs(50, threads, [](std::int64_t i) {
        if (i >= 7) throw std::runtime_error(std::to_string(i));
        return true;
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
  }
}

TEST(PoolTest, AFailureStopsWhatHasNotBegun) {
  std::atomic<int> ran = 0;
  run_jobs(1'000'000, 2, [&](std::int64_t i) {
    ++ran;
    return i < 10;
  });
  EXPECT_GE(ran, 11);
  EXPECT_LT(ran, 1000);
}

}  // namespace
}  // namespace rein
