#include "http/log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <string>
#include <utility>

namespace rein::serve {
namespace {

using testing::HasSubstr;

// The standard error is a pipe that nobody reads until read_all().
class LogPipe : public testing::Test {
 protected:
  void SetUp() override {
    std::fflush(stderr);
    before_ = ::dup(STDERR_FILENO);
    ASSERT_EQ(::pipe2(ends_.data(), O_NONBLOCK), 0);
    ASSERT_EQ(::fcntl(ends_[1], F_SETFL, 0), 0);  // writing would wait, as in a service
    ASSERT_GE(::dup2(ends_[1], STDERR_FILENO), 0);
    ::close(ends_[1]);
  }
  void TearDown() override {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    if (ends_[0] >= 0) ::close(ends_[0]);
  }
  std::string read_all() {
    std::string text;
    std::array<char, 1 << 16> piece{};
    for (ssize_t n = 0; (n = ::read(ends_[0], piece.data(), piece.size())) > 0;) {
      text.append(piece.data(), static_cast<std::size_t>(n));
    }
    return text;
  }
  void close_reader() { ::close(std::exchange(ends_[0], -1)); }

  std::array<int, 2> ends_{};
  int before_ = -1;
};

TEST_F(LogPipe, AReaderThatIsTooSlowHoldsNobodyUpAndIsToldWhatIsMissing) {
  constexpr int kLines = 5000;
  for (int i = 0; i < kLines; ++i) log("info", "request", {{"number", i}});
  const std::string first = read_all();
  log("info", "after");
  const std::string last = read_all();
  int written = 0;
  for (const char c : first) written += c == '\n' ? 1 : 0;
  EXPECT_GT(written, 100);
  EXPECT_LT(written, kLines);
  EXPECT_EQ(first.back(), '\n');
  EXPECT_THAT(first, HasSubstr("\"number\":0}\n"));
  EXPECT_THAT(last, HasSubstr("\"event\":\"after\",\"lines_left_out\":" + std::to_string(kLines - written) + "}\n"));
  log("info", "later");
  EXPECT_THAT(read_all(), HasSubstr("\"event\":\"later\"}\n")) << "it is said once";
}

TEST_F(LogPipe, ALineThatWasCutOffEndsBeforeTheNext) {
  log("error", "long", {{"why", std::string(1 << 20, 'x')}});
  EXPECT_THAT(read_all(), HasSubstr("\"event\":\"long\",\"why\":\"xxx"));
  log("info", "after");
  const std::string next = read_all();
  EXPECT_EQ(next.find("\n{\"at\""), 0U);
  EXPECT_THAT(next, HasSubstr("\"lines_left_out\":1}\n"));
}

TEST_F(LogPipe, AReaderThatHasEndedIsNoFailure) {
  auto* const before = std::signal(SIGPIPE, SIG_IGN);  // as in rein serve
  close_reader();
  for (int i = 0; i < 10; ++i) log("info", "nobody reads this");
  std::signal(SIGPIPE, before);
}

}  // namespace
}  // namespace rein::serve
