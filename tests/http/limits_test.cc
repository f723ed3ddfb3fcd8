// Deadlines, slow senders, many connections, and stopping.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>

#include "http/raw_client.h"
#include "http/running_server.h"

namespace rein::serve {
namespace {

using testing::HasSubstr;

constexpr const char* kHttpLimitsGet = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

void ok(const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
  reply->send({.body = "{}"});
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void nap(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

TEST(HttpLimits, ARequestThatIsNotFinishedInTimeGets408) {
  RunningServer server({.request_seconds = 0.3}, ok);
  const std::string head =
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  for (const std::string& start : {std::string("G"), std::string("GET / HTTP/1.1\r\nHost: loc"),
                                   head + "Content-Length: 10\r\n\r\n{}",
                                   head + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}"}) {
    RawClient client(server.port());
    client.send(start);
    const RawResponse got = client.read();
    EXPECT_EQ(got.status, 408);
    EXPECT_EQ(got.error_code(), "timeout");
    EXPECT_TRUE(client.closes());
  }
}

// One deadline from the first byte to the last: bytes now and then do not move it.
TEST(HttpLimits, SlowSendersGet408AndOthersAreServed) {
  RunningServer server({.request_seconds = 0.5}, ok);
  std::vector<std::unique_ptr<RawClient>> slow;
  for (int i = 0; i < 100; ++i) slow.push_back(std::make_unique<RawClient>(server.port()));
  RawClient other(server.port());
  const std::string head = "GET / HTTP/1.1\r\nHost: localhost\r\nX: ";
  double longest = 0.0;
  for (std::size_t n = 0; n < 20; ++n) {
    for (const auto& client : slow) client->send(head.substr(n, 1));
    longest =
        std::max(longest, seconds_of([&] { EXPECT_EQ(other.ask(kHttpLimitsGet).status, 200); }));
    nap(40);
  }
  EXPECT_LT(longest, 10.0);  // one after the other they would take 50 s
  for (const auto& client : slow) EXPECT_EQ(client->read().status, 408);
  EXPECT_EQ(server.counts().refused, 100);
}

TEST(HttpLimits, TheTimeOfTheHandlerDoesNotCount) {
  std::mutex mutex;
  std::shared_ptr<HttpReply> waiting;
  RunningServer server({.request_seconds = 0.1, .idle_seconds = 0.1},
                       [&](const HttpRequest&, std::shared_ptr<HttpReply> reply) {
                         std::lock_guard lock(mutex);
                         waiting = std::move(reply);
                       });
  RawClient client(server.port());
  client.send(kHttpLimitsGet);
  ASSERT_TRUE(soon([&] { return server.counts().requests == 1; }));
  nap(300);
  {
    std::lock_guard lock(mutex);
    ASSERT_NE(waiting, nullptr);
    waiting->send({});
  }
  EXPECT_EQ(client.read().status, 200);
}

TEST(HttpLimits, IdleConnectionsAreClosedWithoutAWord) {
  RunningServer server({.idle_seconds = 0.2}, ok);
  RawClient never(server.port());
  RawClient used(server.port());
  EXPECT_EQ(used.ask(kHttpLimitsGet).status, 200);
  EXPECT_TRUE(never.closes());
  EXPECT_TRUE(used.closes());
  EXPECT_EQ(never.read_some(0.1), "");
  EXPECT_EQ(server.counts().refused, 0);
}

TEST(HttpLimits, AClientThatDoesNotReadItsAnswerIsClosed) {
  RunningServer server({.request_seconds = 0.2},
                       [](const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
                         reply->send({.body = std::string(32 << 20, 'x')});
                       });
  RawClient client(server.port());
  client.send(kHttpLimitsGet);
  ASSERT_TRUE(soon([&] { return server.counts().requests == 1; }));
  EXPECT_TRUE(soon([&] { return server.counts().connections == 0; }));
}

TEST(HttpLimits, TooManyConnectionsGet503) {
  RunningServer server({.most_connections = 3}, ok);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    EXPECT_EQ(clients.back()->ask(kHttpLimitsGet).status, 200);
  }
  {
    RawClient over(server.port());
    const RawResponse got = over.ask(kHttpLimitsGet);
    EXPECT_EQ(got.status, 503);
    EXPECT_EQ(got.error_code(), "busy");
    EXPECT_EQ(got.header("Retry-After"), "1");
    EXPECT_TRUE(over.closes());
  }
  for (const auto& client : clients) EXPECT_EQ(client->ask(kHttpLimitsGet).status, 200);
  clients.pop_back();
  EXPECT_TRUE(soon([&] { return RawClient(server.port()).ask(kHttpLimitsGet).status == 200; }));
}

TEST(HttpLimits, TenThousandIdleConnectionsDoNotHurtOthers) {
  RunningServer server({}, ok);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(limit.rlim_cur, limit.rlim_max);  // raised by the server
  // Both ends are in this process.
  const auto most = static_cast<int>(std::min<rlim_t>(10'000, (limit.rlim_cur - 200) / 2));
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < most; ++i) {
    idle.push_back(std::make_unique<RawClient>(server.port()));
    ASSERT_TRUE(idle.back()->connected()) << i;
  }
  RawClient other(server.port());
  const std::clock_t before = std::clock();  // of processor time: others may be busy
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(other.ask(kHttpLimitsGet).status, 200);
  EXPECT_LT(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 2.0);
  EXPECT_EQ(server.counts().connections, most + 1);
  EXPECT_EQ(idle.back()->ask(kHttpLimitsGet).status, 200);
  RecordProperty("connections", most);
}

TEST(HttpLimits, StopFinishesWhatIsUnderWay) {
  std::mutex mutex;
  std::shared_ptr<HttpReply> waiting;
  RunningServer server({}, [&](const HttpRequest& request, std::shared_ptr<HttpReply> reply) {
    if (request.path != "/wait") return reply->send({.body = "{}"});
    std::lock_guard lock(mutex);
    waiting = std::move(reply);
  });
  RawClient idle(server.port());
  EXPECT_EQ(idle.ask(kHttpLimitsGet).status, 200);
  RawClient busy(server.port());
  busy.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n");
  RawClient half(server.port());
  half.send(std::string(kHttpLimitsGet) + "GET / HTTP/1.1\r\nHost: ");  // one piece: both were read
  EXPECT_EQ(half.read().status, 200);
  ASSERT_TRUE(soon([&] { return server.counts().requests == 3; }));
  const double took = seconds_of([&] {
    std::thread stopper([&] { server.stop(2 * kPatience); });
    EXPECT_TRUE(idle.closes());
    EXPECT_EQ(half.ask("localhost\r\n\r\n").status, 200);
    {
      std::lock_guard lock(mutex);
      waiting->send({.status = 202});
    }
    const RawResponse got = busy.read();
    EXPECT_EQ(got.status, 202);
    EXPECT_EQ(got.header("Connection"), "close");
    busy.end();
    half.end();
    stopper.join();
  });
  EXPECT_LT(took, kPatience);
  EXPECT_FALSE(RawClient(server.port()).connected());
}

TEST(HttpLimits, StopDoesNotWaitLongerThanItMay) {
  std::shared_ptr<HttpReply> waiting;
  RunningServer server({}, [&](const HttpRequest&, std::shared_ptr<HttpReply> reply) {
    waiting = std::move(reply);
  });
  RawClient busy(server.port());
  busy.send(kHttpLimitsGet);
  ASSERT_TRUE(soon([&] { return server.counts().requests == 1; }));
  const double took = seconds_of([&] { server.stop(0.2); });
  EXPECT_GT(took, 0.15);
  EXPECT_LT(took, kPatience);  // the answer never comes
  EXPECT_TRUE(busy.closes());
  waiting->send({});
}

TEST(HttpLimits, StopEndsBodiesInLinesWithALine) {
  RunningServer server({}, ok);
  RawClient client(server.port());
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
      "Transfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n");
  EXPECT_THAT(client.read_some(), HasSubstr("{\"status_code\":200}"));
  std::thread stopper([&] { server.stop(kPatience); });
  EXPECT_THAT(client.read_some(), HasSubstr("{\"status_code\":503,\"error\":{\"code\":\"busy\""));
  client.end();
  stopper.join();
}

TEST(HttpLimits, StopBeforeRunReturnsAtOnce) {
  auto made = HttpServer::make({.port = 0}, ok);
  ASSERT_TRUE(made.ok());
  made.value()->stop(2 * kPatience);
  EXPECT_LT(seconds_of([&] { made.value()->run(); }), kPatience);
}

}  // namespace
}  // namespace rein::serve
