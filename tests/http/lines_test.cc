// Bodies in lines (application/x-ndjson): one call per line, answers in order, bounded memory.
#include "http/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>

#include "http/answer.h"
#include "http/raw_client.h"
#include "http/running_server.h"

namespace rein::serve {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string lines_head(std::size_t length) {
  return "POST /lines HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
         "Content-Length: " +
         std::to_string(length) + "\r\n\r\n";
}
constexpr const char* kChunkedHead =
    "POST /lines HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
    "Transfer-Encoding: chunked\r\n\r\n";
constexpr const char* kHttpLinesGet = "GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string chunk(const std::string& bytes) {
  std::string out;
  append_chunk(out, bytes);
  return out;
}

void echo(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
  reply->send({.status = request.lines ? 201 : 200, .body = "{\"got\":\"" + request.body + "\"}"});
}

TEST(HttpLines, EachLineIsACallAndAnAnswer) {
  RunningServer server({}, echo);
  RawClient client(server.port());
  const std::string body = "one\r\n\ntwo\nthree";  // the last line needs no end
  for (const std::string& request :
       {lines_head(body.size()) + body,
        kChunkedHead + chunk("one\ntw") + chunk("o\nthree") + "0\r\n\r\n"}) {
    const RawResponse got = client.ask(request);
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.header("Content-Type"), "application/x-ndjson");
    EXPECT_EQ(got.body,
              "{\"status_code\":201,\"got\":\"one\"}\n{\"status_code\":201,\"got\":\"two\"}\n"
              "{\"status_code\":201,\"got\":\"three\"}\n");
  }
  EXPECT_EQ(client.ask(kHttpLinesGet).status, 200);  // the connection stays
  ASSERT_TRUE(
      client.send(lines_head(2) + "a\n" + kHttpLinesGet + lines_head(1) + "b" + kHttpLinesGet));
  for (const char* wanted : {"{\"status_code\":201,\"got\":\"a\"}\n", "{\"got\":\"\"}",
                             "{\"status_code\":201,\"got\":\"b\"}\n", "{\"got\":\"\"}"}) {
    EXPECT_EQ(client.read().body, wanted);
  }
  EXPECT_EQ(server.counts().requests, 11);
}

TEST(HttpLines, NoLinesIsAnEmptyAnswer) {
  RunningServer server({}, echo);
  RawClient client(server.port());
  const RawResponse got = client.ask(std::string(kChunkedHead) + "0\r\n\r\n");
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.body, "");
  EXPECT_EQ(client.ask(kHttpLinesGet).status, 200);
}

TEST(HttpLines, OldClientsGetTheLinesUntilTheConnectionCloses) {
  RunningServer server({}, echo);
  RawClient client(server.port());
  const RawResponse got = client.ask(
      "POST / HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
      "Content-Length: 3\r\nConnection: keep-alive\r\n\r\na\nb");
  EXPECT_EQ(got.header("Connection"), "close");
  EXPECT_EQ(got.header("Transfer-Encoding"), "");
  EXPECT_EQ(got.body, "{\"status_code\":201,\"got\":\"a\"}\n{\"status_code\":201,\"got\":\"b\"}\n");
}

// The handler answers in the opposite order.
TEST(HttpLines, AnswersKeepTheOrderOfTheLines) {
  std::mutex mutex;
  std::vector<std::pair<std::string, std::shared_ptr<HttpReply>>> waiting;
  RunningServer server({.lines_at_once = 8},
                       [&](const HttpRequest& request, std::shared_ptr<HttpReply> reply) {
                         std::lock_guard lock(mutex);
                         waiting.emplace_back(request.body, std::move(reply));
                         if (waiting.size() < 8) return;
                         for (auto at = waiting.rbegin(); at != waiting.rend(); ++at)
                           at->second->send({.body = at->first});
                         waiting.clear();
                       });
  std::string body;
  std::string wanted;
  for (int i = 0; i < 80; ++i) {
    body += "{\"i\":" + std::to_string(i) + "}\n";
    wanted += "{\"status_code\":200,\"i\":" + std::to_string(i) + "}\n";
  }
  RawClient client(server.port());
  EXPECT_EQ(client.ask(lines_head(body.size()) + body).body, wanted);
}

// No more than lines_at_once are under way, and a client that sends on is not read.
TEST(HttpLines, LinesWaitForTheAnswersBeforeThem) {
  std::mutex mutex;
  std::vector<std::shared_ptr<HttpReply>> waiting;
  RunningServer server({.lines_at_once = 5},
                       [&](const HttpRequest&, std::shared_ptr<HttpReply> reply) {
                         std::lock_guard lock(mutex);
                         waiting.push_back(std::move(reply));
                       });
  RawClient client(server.port());
  std::string body;
  for (int i = 0; i < 100; ++i) body += "{}\n";
  client.send(lines_head(body.size()) + body);
  int answered = 0;
  int most = 0;
  const auto waits = [&] {
    const std::lock_guard lock(mutex);
    return static_cast<int>(waiting.size());
  };
  while (answered < 100) {
    ASSERT_TRUE(soon([&] { return waits() >= std::min(5, 100 - answered); }));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // for a sixth, which must not come
    const std::lock_guard lock(mutex);
    most = std::max(most, static_cast<int>(waiting.size()));
    for (const auto& reply : waiting) reply->send({.body = "{}"});
    answered += static_cast<int>(waiting.size());
    waiting.clear();
  }
  EXPECT_EQ(most, 5);
  const RawResponse got = client.read();
  EXPECT_EQ(std::count(got.body.begin(), got.body.end(), '\n'), 100);
}

TEST(HttpLines, AnswersComeWhileTheBodyGoesOn) {
  RunningServer server({}, echo);
  RawClient client(server.port());
  client.send(kChunkedHead + chunk("one\n"));
  EXPECT_THAT(client.read_some(), HasSubstr("\"got\":\"one\""));
  client.send(chunk("two\n"));
  EXPECT_THAT(client.read_some(), HasSubstr("\"got\":\"two\""));
  client.send("0\r\n\r\n");
  EXPECT_EQ(client.read_some(), "0\r\n\r\n");
}

TEST(HttpLines, ALongLineEndsTheStreamAfterTheAnswersBeforeIt) {
  RunningServer server({.most_line_bytes = 100}, echo);
  const std::string longest(100, 'x');
  const std::string longer(101, 'x');
  for (const std::string& body : {"a\n" + longer, "a\n" + longer + "\nb\n"}) {
    RawClient client(server.port());
    const RawResponse got = client.ask(lines_head(body.size()) + body);
    EXPECT_EQ(got.status, 200);
    EXPECT_THAT(got.body,
                StartsWith("{\"status_code\":201,\"got\":\"a\"}\n{\"status_code\":413,\"error\":{"
                           "\"code\":\"too_large\""));
    EXPECT_TRUE(client.closes());
  }
  RawClient client(server.port());
  EXPECT_THAT(client.ask(lines_head(101) + longest + "\n").body, HasSubstr("\"status_code\":201"));
  EXPECT_EQ(server.counts().refused, 2);
}

TEST(HttpLines, AStreamWithoutLineBreaksIsCutAndOthersAreServed) {
  RunningServer server({}, echo);
  RawClient endless(server.port());
  endless.send(kChunkedHead);
  RawClient other(server.port());
  const std::string piece = chunk(std::string(16 << 10, 'x'));
  bool open = true;
  int sent = 0;
  for (; sent < 2000 && open; ++sent) {
    open = endless.send(piece);
    if (sent % 4 == 0) {
      ASSERT_EQ(other.ask(kHttpLinesGet).status, 200);
    }
  }
  EXPECT_LT(sent, 2000);  // 32 MiB were not taken
  EXPECT_EQ(server.counts().refused, 1);
  EXPECT_EQ(other.ask(kHttpLinesGet).status, 200);
}

TEST(HttpLines, MalformedBytesWithinTheStreamEndItWithALine) {
  RunningServer server({}, echo);
  RawClient client(server.port());
  client.send(kChunkedHead + chunk("one\n"));
  EXPECT_THAT(client.read_some(), HasSubstr("\"got\":\"one\""));
  client.send("nonsense\r\n");
  EXPECT_THAT(client.read_some(),
              HasSubstr("{\"status_code\":400,\"error\":{\"code\":\"invalid\""));
  EXPECT_TRUE(client.closes());

  RawClient cut(server.port());
  cut.send(kChunkedHead + chunk("one\ntw"));
  cut.end();
  EXPECT_THAT(cut.read().body, HasSubstr("ended within the body"));
}

TEST(HttpLines, SilenceEndsTheStreamAndLinesKeepItOpen) {
  constexpr double kSeconds = 0.3;
  RunningServer server({.request_seconds = kSeconds}, echo);
  bool held_up = true;  // this process was: then an attempt says nothing
  for (int attempt = 0; attempt < 50 && held_up; ++attempt) {
    held_up = false;
    RawClient client(server.port());
    client.send(kChunkedHead);
    for (int i = 0; i < 6 && !held_up; ++i) {  // longer than one request may take
      const auto start = std::chrono::steady_clock::now();
      client.send(chunk("a\n"));
      const std::string got = client.read_some();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
      held_up = took.count() > 0.6 * kSeconds;
      if (!held_up) {
        EXPECT_THAT(got, HasSubstr("\"got\":\"a\""));
      }
    }
    if (held_up) continue;
    EXPECT_THAT(client.read_some(),
                HasSubstr("{\"status_code\":408,\"error\":{\"code\":\"timeout\""));
    EXPECT_TRUE(client.closes());
  }
  EXPECT_FALSE(held_up);
}

// Waiting for the handler is not silence of the client.
TEST(HttpLines, ASlowHandlerIsWaitedFor) {
  std::mutex mutex;
  std::shared_ptr<HttpReply> waiting;
  RunningServer server({.request_seconds = 0.1},
                       [&](const HttpRequest&, std::shared_ptr<HttpReply> reply) {
                         std::lock_guard lock(mutex);
                         waiting = std::move(reply);
                       });
  RawClient client(server.port());
  client.send(lines_head(2) + "a\n");
  ASSERT_TRUE(soon([&] { return server.counts().requests == 1; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  {
    std::lock_guard lock(mutex);
    ASSERT_NE(waiting, nullptr);
    waiting->send({.body = "{}"});
  }
  EXPECT_EQ(client.read().body, "{\"status_code\":200}\n");
}

TEST(HttpLines, AReaderThatStopsReadingIsNotReadEither) {
  const std::string large(64 << 10, 'y');
  RunningServer server({.request_seconds = kPatience},
                       [&](const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
                         reply->send({.body = "{\"a\":\"" + large + "\"}"});
                       });
  RawClient client(server.port());
  std::string body;
  for (int i = 0; i < 2000; ++i) body += "{}\n";
  client.send(lines_head(body.size()) + body);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_LT(server.counts().requests, 2000);  // 128 MiB of answers would wait otherwise
  const RawResponse got = client.read();
  EXPECT_EQ(std::count(got.body.begin(), got.body.end(), '\n'), 2000);
}

TEST(HttpLines, EventsAreNotForLines) {
  RunningServer server({}, [](const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
    EXPECT_NE(reply->stream(), nullptr);
  });
  RawClient client(server.port());
  EXPECT_THAT(client.ask(lines_head(2) + "a\n").body, StartsWith("{\"status_code\":400,\"error\""));
}

TEST(AppendLine, TheStatusIsTheFirstMember) {
  const auto line = [](std::string_view body) {
    std::string out;
    append_line(out, 200, body);
    return out;
  };
  EXPECT_EQ(line("{\"a\":1}"), "{\"status_code\":200,\"a\":1}\n");
  EXPECT_EQ(line("{ }"), "{\"status_code\":200 }\n");
  EXPECT_EQ(line("{\n \"a\": 1\r\n}\n"), "{\"status_code\":200,  \"a\": 1  }\n");
  EXPECT_EQ(line(""), "{\"status_code\":200}\n");
  EXPECT_EQ(line("a\"b\n\x80"), "{\"status_code\":200,\"body\":\"a\\\"b??\"}\n");
}

TEST(LineCutter, CutsWhateverThePieces) {
  LineCutter cutter;
  std::vector<std::string> lines;
  for (const char c : std::string("ab\n\r\nc\r\nrest")) {
    cutter.buffer().push_back(c);
    while (const auto line = cutter.next()) lines.emplace_back(*line);
  }
  EXPECT_THAT(lines, testing::ElementsAre("ab", "", "c"));
  EXPECT_EQ(cutter.rest(), "rest");
}

}  // namespace
}  // namespace rein::serve
