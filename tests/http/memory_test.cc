// The budget of memory of all connections: what it bounds, who gets it, and who loses it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>

#include "http/raw_client.h"
#include "http/running_server.h"

namespace rein::serve {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kMiB = 1 << 20;
constexpr const char* kSmall = "GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string post_of(std::size_t bytes, const std::string& path) {
  return "POST " + path +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " +
         std::to_string(bytes) + "\r\n\r\n";
}

// Answers /large with so many bytes, keeps /wait for the test, and answers the rest with "{}".
class MemoryServer {
 public:
  explicit MemoryServer(HttpOptions options, std::size_t large = 0)
      : running(patient(std::move(options)),
                [this, large](const HttpRequest& request, std::shared_ptr<HttpReply> reply) {
                  if (request.path == "/large") {
                    return reply->send({.body = std::string(large, 'x')});
                  }
                  if (request.path != "/wait") return reply->send({.body = "{}"});
                  std::lock_guard lock(mutex_);
                  waiting_.push_back(std::move(reply));
                }) {}

  std::size_t waiting() {
    std::lock_guard lock(mutex_);
    return waiting_.size();
  }
  std::vector<std::shared_ptr<HttpReply>> take_waiting() {
    std::lock_guard lock(mutex_);
    return std::move(waiting_);
  }

 private:
  // A busy machine may need long to send a body. Tests of deadlines set their own.
  static HttpOptions patient(HttpOptions options) {
    if (options.request_seconds == HttpOptions{}.request_seconds) options.request_seconds = kPatience;
    return options;
  }

  std::mutex mutex_;
  std::vector<std::shared_ptr<HttpReply>> waiting_;

 public:
  RunningServer running;  // stops first
};

TEST(HttpMemory, PartialBodiesTogetherStayWithinTheBudget) {
  MemoryServer server({.most_memory_bytes = 16 * kMiB});
  std::vector<std::unique_ptr<RawClient>> clients;
  const std::string part(900'000, ' ');
  int refused = 0;
  for (int i = 0; i < 40; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.running.port()));
    clients.back()->send(post_of(kMiB, "/decide") + part);
    EXPECT_LE(server.running.counts().memory, 16 * kMiB);
  }
  EXPECT_TRUE(soon([&] { return server.running.counts().refused > 20; }));
  EXPECT_EQ(RawClient(server.running.port()).ask(kSmall).status, 200);
  for (const auto& client : clients) client->end();
  for (const auto& client : clients) {
    const RawResponse got = client->read();
    if (got.status == 400) continue;  // its body was in memory, and has ended too early
    EXPECT_EQ(got.status, 503);
    EXPECT_EQ(got.error_code(), "busy");
    EXPECT_EQ(got.header("Retry-After"), "1");
    EXPECT_THAT(got.body, HasSubstr("most_memory_bytes"));
    ++refused;
  }
  EXPECT_GT(refused, 20);
  EXPECT_LE(server.running.counts().memory_peak, 16 * kMiB);
  clients.clear();
  EXPECT_TRUE(soon([&] { return server.running.counts().memory == 0; }));
}

TEST(HttpMemory, SmallPartialHeadsAndManyOfThemCountToo) {
  MemoryServer server({.most_memory_bytes = 8 * kMiB});
  std::vector<std::unique_ptr<RawClient>> clients;
  const std::string head = "GET / HTTP/1.1\r\nHost: localhost\r\nX: " + std::string(14'000, 'x');
  for (int i = 0; i < 400; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.running.port()));
    clients.back()->send(head);
  }
  EXPECT_TRUE(soon([&] { return server.running.counts().refused > 0; }));
  EXPECT_LE(server.running.counts().memory_peak, 8 * kMiB);
}

TEST(HttpMemory, OutcomesHaveMemoryThatOthersLeave) {
  MemoryServer server({.most_memory_bytes = 8 * kMiB, .first_paths = {"/outcome"}});
  std::vector<std::unique_ptr<RawClient>> clients;
  const std::string small(20'000, ' ');
  while (server.running.counts().refused == 0 && clients.size() < 400) {
    clients.push_back(std::make_unique<RawClient>(server.running.port()));
    clients.back()->send(post_of(600'000, "/decide") + small);
  }
  ASSERT_TRUE(soon([&] { return server.running.counts().refused > 0; }));
  const std::string part(500'000, ' ');
  RawClient outcome(server.running.port());
  EXPECT_EQ(outcome.ask(post_of(500'000, "/outcome") + part).status, 200);
  RawClient decide(server.running.port());
  EXPECT_EQ(decide.ask(post_of(500'000, "/decide") + part).status, 503);
}

TEST(HttpMemory, IsHeldWhileTheHandlerHasTheRequest) {
  MemoryServer server({.most_memory_bytes = 8 * kMiB});
  {
    RawClient client(server.running.port());
    client.send(post_of(500'000, "/wait") + std::string(500'000, ' '));
    ASSERT_TRUE(soon([&] { return server.waiting() == 1; }));
  }
  EXPECT_GE(server.running.counts().memory, 500'000);
  server.take_waiting();
  EXPECT_TRUE(soon([&] { return server.running.counts().memory == 0; }));
}

TEST(HttpMemory, RequestsBehindOneThatWaitsAreDroppedWhenItIsUsedUp) {
  MemoryServer server({.most_memory_bytes = 8 * kMiB});
  std::vector<std::unique_ptr<RawClient>> clients;
  std::string pipelined = "GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n";
  while (pipelined.size() < 60'000) pipelined += kSmall;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.running.port()));
    clients.back()->send(pipelined);
  }
  ASSERT_TRUE(soon([&] { return server.waiting() == 100; }));
  EXPECT_LE(server.running.counts().memory_peak, 8 * kMiB);
  for (const auto& reply : server.take_waiting()) reply->send({.body = "{}"});
  int closed = 0;
  for (const auto& client : clients) {
    const RawResponse first = client->read();
    EXPECT_EQ(first.status, 200);
    closed += first.header("Connection") == "close" ? 1 : 0;
  }
  EXPECT_GT(closed, 0);
}

TEST(HttpMemory, AHandlerCanAskForRoomBeforeItWorks) {
  MemoryServer server({.most_memory_bytes = 8 * kMiB});
  RawClient client(server.running.port());
  client.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n");
  ASSERT_TRUE(soon([&] { return server.waiting() == 1; }));
  const auto reply = server.take_waiting()[0];
  EXPECT_FALSE(reply->make_room(5 * kMiB));
  EXPECT_TRUE(reply->make_room(4 * kMiB));
  EXPECT_EQ(server.running.counts().memory, 4 * kMiB);
  reply->send({.body = "{}"});
  EXPECT_EQ(client.read().status, 200);
  EXPECT_TRUE(soon([&] { return server.running.counts().memory == 0; }));
}

// Each answer is larger than what the system takes for a client that does not read.
TEST(HttpMemory, ClientsThatDoNotReadLoseTheirAnswersToThoseWhoDo) {
  constexpr std::size_t kLarge = 12 << 20;
  MemoryServer server({.most_memory_bytes = 64 * kMiB}, kLarge);
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 12; ++i) {
    silent.push_back(std::make_unique<RawClient>(server.running.port()));
    silent.back()->send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_TRUE(soon([&] { return server.running.counts().requests == i + 1; }));
  }
  EXPECT_TRUE(soon([&] { return server.running.counts().slow_readers > 0; }));
  RawClient reader(server.running.port());
  const RawResponse got = reader.ask("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body.size(), kLarge);
  EXPECT_LE(server.running.counts().memory_peak, 64 * kMiB);
  EXPECT_EQ(RawClient(server.running.port()).ask(kSmall).status, 200);
}

// A trickle of bytes does not keep an answer alive: request_seconds has a least amount.
TEST(HttpMemory, ClientsThatReadAlmostNothingAreClosed) {
  MemoryServer server({.request_seconds = 0.2}, 32 << 20);
  const int client = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(server.running.port()));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::connect(client, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  const std::string request = "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n";
  ASSERT_EQ(::send(client, request.data(), request.size(), 0), std::ssize(request));
  std::array<char, 4096> piece{};
  EXPECT_TRUE(soon([&] {  // at most 80 kB in 0.2 s
    std::this_thread::sleep_for(std::chrono::milliseconds(9));
    static_cast<void>(::recv(client, piece.data(), piece.size(), MSG_DONTWAIT));
    return server.running.counts().slow_readers == 1;
  }));
  ::close(client);
}

// What was a stall of seconds: hundreds of large answers that became ready together.
TEST(HttpMemory, NoTurnOfTheLoopDoesMoreThanItsShare) {
  constexpr std::size_t kClients = 100;
  MemoryServer server({.most_memory_bytes = 1024 * kMiB});
  std::vector<std::unique_ptr<RawClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.running.port()));
    clients.back()->send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  ASSERT_TRUE(soon([&] { return server.waiting() == kClients; }));
  {
    const ReplyBatch together;
    for (const auto& reply : server.take_waiting()) {
      reply->send({.body = std::string(2 << 20, 'x')});
    }
  }
  EXPECT_EQ(RawClient(server.running.port()).ask(kSmall).status, 200);
  for (const auto& client : clients) EXPECT_EQ(client->read().body.size(), 2U << 20U);
  // 1 MiB, and the last piece of 64 KiB with its letter.
  EXPECT_LE(server.running.counts().longest_turn, kMiB + (64 << 10) + 1024);
  EXPECT_GT(server.running.counts().longest_turn, 0);
}

TEST(HttpMemory, ManyPipelinedRequestsForLargeAnswersTakeTurnsToo) {
  MemoryServer server({.most_memory_bytes = 64 * kMiB}, 90'000);
  std::vector<std::unique_ptr<RawClient>> clients;
  std::string requests;
  for (int i = 0; i < 20; ++i) requests += "GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (int i = 0; i < 50; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.running.port()));
    clients.back()->send(requests);
  }
  for (const auto& client : clients) {
    for (int i = 0; i < 20; ++i) ASSERT_EQ(client->read().body.size(), 90'000U);
  }
  EXPECT_LE(server.running.counts().longest_turn, kMiB + (64 << 10) + 1024);
}

TEST(HttpMemory, LinesCountWhileTheyAreUnderWay) {
  MemoryServer server({.most_memory_bytes = 8 * kMiB});
  std::vector<std::unique_ptr<RawClient>> clients;
  const std::string line = std::string(60'000, ' ') + "\n";
  std::string lines;
  for (int i = 0; i < 60; ++i) lines += line;
  for (int i = 0; i < 4; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.running.port()));
    clients.back()->send(
        "POST /wait HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
        "Content-Length: " +
        std::to_string(lines.size()) + "\r\n\r\n" + lines);
  }
  EXPECT_TRUE(soon([&] { return server.running.counts().refused > 0; }));
  EXPECT_LE(server.running.counts().memory_peak, 8 * kMiB);
}

TEST(HttpMemory, OneEventForManyStreamsIsInMemoryOnceAndStreamsHaveALimit) {
  std::mutex mutex;
  std::vector<std::shared_ptr<EventStream>> streams;
  RunningServer server({.most_streams = 3},
                       [&](const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
                         std::lock_guard lock(mutex);
                         streams.push_back(reply->stream());
                       });
  std::vector<std::unique_ptr<RawClient>> readers;
  for (int i = 0; i < 3; ++i) {
    readers.push_back(std::make_unique<RawClient>(server.port()));
    readers.back()->send(kSmall);
    EXPECT_THAT(readers.back()->read_some(), HasSubstr("text/event-stream"));
  }
  EXPECT_EQ(server.counts().streams, 3);
  const RawResponse over = RawClient(server.port()).ask(kSmall);
  EXPECT_EQ(over.status, 503);
  EXPECT_EQ(over.error_code(), "busy");
  const auto event =
      std::make_shared<const std::string>("data: " + std::string(50'000, 'x') + "\n\n");
  {
    std::lock_guard lock(mutex);
    for (const auto& stream : streams) stream->send(event);
  }
  for (const auto& reader : readers) {
    std::string got;
    while (got.size() < event->size()) {
      const std::string piece = reader->read_some();
      ASSERT_NE(piece, "");
      got += piece;
    }
    EXPECT_EQ(got, *event);
  }
  readers.clear();
  EXPECT_TRUE(soon([&] { return server.counts().streams == 0; }));
}

}  // namespace
}  // namespace rein::serve
