// Server-sent events: sent as they come, pinged, bounded, closed at the end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "http/raw_client.h"
#include "http/running_server.h"

namespace rein::serve {
namespace {

using testing::HasSubstr;

constexpr const char* kEvents = "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n";
constexpr const char* kGet = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

// Streams of /events are kept for the test; everything else is answered.
class EventServer {
 public:
  explicit EventServer(const HttpOptions& options = {})
      : running(options,
                [this](const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
                  if (request.path != "/events") return reply->send({.body = "{}"});
                  std::lock_guard lock(mutex_);
                  stream_ = reply->stream();
                }) {}

  std::shared_ptr<EventStream> stream() {
    for (;;) {
      {
        std::lock_guard lock(mutex_);
        if (stream_ != nullptr) return std::move(stream_);
      }
      std::this_thread::yield();
    }
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<EventStream> stream_;

 public:
  RunningServer running;  // stops first
};

TEST(HttpEvents, ArriveInOrderWhileOthersAreServed) {
  EventServer server;
  RawClient reader(server.running.port());
  RawClient other(server.running.port());
  reader.send(kEvents);
  const auto stream = server.stream();
  const std::string head = reader.read_some();
  EXPECT_THAT(head, HasSubstr("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(head, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_THAT(head, HasSubstr("Connection: close\r\n"));
  for (int i = 0; i < 10; ++i) {
    const std::string event = "id: " + std::to_string(i) + "\ndata: x\n\n";
    EXPECT_TRUE(stream->send(event));
    EXPECT_EQ(reader.read_some(), event);
    EXPECT_EQ(other.ask(kGet).status, 200);
  }
}

TEST(HttpEvents, SilenceIsFilledWithComments) {
  EventServer server({.ping_seconds = 0.1});
  RawClient reader(server.running.port());
  reader.send(kEvents);
  const auto stream = server.stream();
  std::string got = reader.read_some();
  const std::size_t head = got.find("\r\n\r\n") + 4;
  while (got.size() < head + 6) {  // several may come together
    const std::string more = reader.read_some();
    ASSERT_NE(more, "");
    got += more;
  }
  EXPECT_EQ(got.substr(head, 6), ":\n\n:\n\n");
}

TEST(HttpEvents, TheEndOfTheStreamClosesTheConnection) {
  EventServer server;
  RawClient reader(server.running.port());
  reader.send(kEvents);
  server.stream()->send("data: last\n\n");  // and destroyed
  EXPECT_EQ(reader.read().body, "data: last\n\n");
  EXPECT_TRUE(reader.closes());
}

TEST(HttpEvents, SendSaysThatTheReaderHasGone) {
  EventServer server;
  auto reader = std::make_unique<RawClient>(server.running.port());
  reader->send(kEvents);
  const auto stream = server.stream();
  reader->read_some();
  reader.reset();
  EXPECT_TRUE(soon([&] { return !stream->send("data: x\n\n"); }));
}

TEST(HttpEvents, AReaderThatIsTooSlowIsClosed) {
  EventServer server;
  RawClient reader(server.running.port());
  RawClient other(server.running.port());
  reader.send(kEvents);
  const auto stream = server.stream();
  const std::string event = "data: " + std::string(10'000, 'x') + "\n\n";
  int sent = 0;
  while (sent < 5000 && stream->send(event)) ++sent;
  EXPECT_GT(sent, 50);
  EXPECT_LT(sent, 5000);  // 50 MB were not kept
  EXPECT_EQ(other.ask(kGet).status, 200);
  EXPECT_TRUE(reader.closes());
  EXPECT_FALSE(stream->send(event));
}

TEST(HttpEvents, HeadOfEventsHasNoBody) {
  EventServer server;
  RawClient reader(server.running.port());
  reader.send("HEAD /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(reader.read(kPatience, true).status, 200);
  const auto stream = server.stream();
  EXPECT_TRUE(reader.closes());
}

TEST(HttpEvents, StopClosesThem) {
  EventServer server;
  RawClient reader(server.running.port());
  reader.send(kEvents);
  const auto stream = server.stream();
  reader.read_some();
  std::thread stopper([&] { server.running.stop(kPatience); });
  EXPECT_TRUE(reader.closes());
  EXPECT_FALSE(stream->send("data: x\n\n"));
  reader.end();
  stopper.join();
}

}  // namespace
}  // namespace rein::serve
