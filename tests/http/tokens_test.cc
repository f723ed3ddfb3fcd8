// Guessing tokens: who is slowed down, and who is not.
#include "http/tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "http/raw_client.h"
#include "http/running_server.h"

namespace rein::serve {
namespace {

using Verdict = TokenGuard::Verdict;
using std::chrono::seconds;

const TokenGuard::Time kTokenStart = TokenGuard::Time{} + seconds(1'000'000);
constexpr int kFree = static_cast<int>(TokenGuard::kFreeGuesses);

TEST(TokenGuard, AFewWrongTokensAreFreeAndForgotten) {
  TokenGuard guard;
  for (int i = 0; i < kFree; ++i) {
    EXPECT_EQ(guard.ask(1, kTokenStart), Verdict::kAtOnce) << i;
    guard.failed(1, kTokenStart);
  }
  EXPECT_EQ(guard.ask(1, kTokenStart), Verdict::kWait);
  guard.waited(1);
  EXPECT_EQ(guard.ask(1, kTokenStart + seconds(60)), Verdict::kAtOnce);
}

TEST(TokenGuard, OtherAddressesAreNotSlowedDown) {
  TokenGuard guard;
  for (int i = 0; i < 100; ++i) guard.failed(1, kTokenStart);
  EXPECT_EQ(guard.ask(1, kTokenStart), Verdict::kWait);
  EXPECT_EQ(guard.ask(2, kTokenStart), Verdict::kAtOnce);
}

TEST(TokenGuard, GuessesFromVeryManyAddressesSlowDownAll) {
  TokenGuard guard;
  for (std::uint64_t i = 0; i < 100'000; ++i) guard.failed(i + 1, kTokenStart);
  EXPECT_EQ(guard.ask(0x1234'5678, kTokenStart), Verdict::kWait);
  EXPECT_EQ(guard.ask(0x1234'5678, kTokenStart + seconds(70)), Verdict::kAtOnce);
}

TEST(TokenGuard, AnswersThatWaitAreLimitedPerAddressAndForAll) {
  TokenGuard guard;
  for (std::uint64_t who = 1; who <= 20; ++who) {
    for (int i = 0; i < 2 * kFree; ++i) guard.failed(who, kTokenStart);
  }
  int waiting = 0;
  for (std::uint64_t who = 1; who <= 20; ++who) {
    int of_this = 0;
    while (guard.ask(who, kTokenStart) == Verdict::kWait) ++of_this;
    EXPECT_LE(of_this, TokenGuard::kWaitingPerAddress);
    waiting += of_this;
  }
  EXPECT_EQ(waiting, TokenGuard::kWaitingOfAll);
  guard.waited(1);
  EXPECT_EQ(guard.ask(1, kTokenStart), Verdict::kWait);
}

TEST(TokenGuard, AnAddressIsANetworkOf64BitsInIpv6) {
  EXPECT_EQ(TokenGuard::key_of("2001:db8:1:2::1"), TokenGuard::key_of("2001:db8:1:2:ffff::9"));
  EXPECT_NE(TokenGuard::key_of("2001:db8:1:2::1"), TokenGuard::key_of("2001:db8:1:3::1"));
  EXPECT_NE(TokenGuard::key_of("10.0.0.1"), TokenGuard::key_of("10.0.0.2"));
  EXPECT_NE(TokenGuard::key_of("::ffff:10.0.0.1"), TokenGuard::key_of("::ffff:10.0.0.2"));
}

std::string with_token(const std::string& token) {
  return "GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n\r\n";
}

struct TokenServer {
  std::mutex mutex;
  std::vector<std::string> refused;  // "401 token GET /"
  RunningServer running{{.token = "right",
                         .refused =
                             [this](const HttpRefused& one) {
                               const std::lock_guard lock(mutex);
                               refused.push_back(std::to_string(one.status) + " " +
                                                 std::string(one.code) + " " +
                                                 std::string(one.method) + " " +
                                                 std::string(one.path) + " " + one.from);
                             }},
                        [](const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
                          reply->send({.body = "{}"});
                        }};
};

TEST(HttpTokens, GuessesWaitAndTheRightTokenIsServed) {
  TokenServer server;
  RawClient proved(server.running.port());
  EXPECT_EQ(proved.ask(with_token("right")).status, 200);
  for (int i = 0; i < kFree; ++i) {
    EXPECT_EQ(RawClient(server.running.port()).ask(with_token("wrong")).status, 401);
  }
  std::vector<std::unique_ptr<RawClient>> guessers;
  for (int i = 0; i < 2 * TokenGuard::kWaitingPerAddress; ++i) {
    guessers.push_back(std::make_unique<RawClient>(server.running.port()));
    guessers.back()->send(with_token("wrong"));
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(proved.ask(with_token("right")).status, 200);
  for (const auto& guesser : guessers) {
    EXPECT_THAT(guesser->read().status, testing::AnyOf(401, 429));
  }
  // Others with the right token come in, at the latest after a moment.
  int status = 0;
  for (int i = 0; i < 100 && status != 200; ++i) {
    status = RawClient(server.running.port()).ask(with_token("right")).status;
  }
  EXPECT_EQ(status, 200);
  EXPECT_EQ(server.running.counts().wrong_tokens, kFree + 2 * TokenGuard::kWaitingPerAddress);
}

TEST(HttpTokens, ABodyBehindATokenThatWaitedArrives) {
  TokenServer server;
  for (int i = 0; i < kFree; ++i) {
    RawClient(server.running.port()).ask(with_token("wrong"));
  }
  RawClient client(server.running.port());
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer right\r\nContent-Type: "
      "application/json\r\nContent-Length: 4\r\n\r\n{}");
  client.send("  " + with_token("right"));
  EXPECT_EQ(client.read().status, 200);
  EXPECT_EQ(client.read().status, 200);
}

TEST(HttpTokens, RefusedRequestsAreReportedWithTheirAddress) {
  TokenServer server;
  EXPECT_EQ(RawClient(server.running.port()).ask(with_token("wrong")).status, 401);
  EXPECT_EQ(RawClient(server.running.port()).ask("GET /x HTTP/1.1\r\nHost: evil\r\n\r\n").status,
            403);
  const std::lock_guard lock(server.mutex);
  EXPECT_THAT(server.refused,
              testing::ElementsAre("401 token GET / 127.0.0.1", "403 host GET /x 127.0.0.1"));
}

TEST(HttpTokens, ARequestWithoutATokenIsNoGuess) {
  TokenServer server;
  for (int i = 0; i < 3 * kFree; ++i) {
    const RawResponse got =
        RawClient(server.running.port()).ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(got.status, 401);
  }
  EXPECT_EQ(server.running.counts().wrong_tokens, 0);
}

}  // namespace
}  // namespace rein::serve
