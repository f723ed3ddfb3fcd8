// Plain requests and their answers: connections that stay, order, HEAD, replies from other threads.
#include "http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>

#include "http/raw_client.h"
#include "http/running_server.h"

namespace rein::serve {
namespace {

using testing::HasSubstr;

constexpr const char* kHttpGet = "GET /a?b=1 HTTP/1.1\r\nHost: localhost\r\n\r\n";

std::string post_to(const std::string& path, const std::string& body,
                    const std::string& type = "application/json") {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Says what it got.
void echo_body(const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
  reply->send({.body = request.method + " " + request.path + " " + request.query + " " +
                       request.body + " " + request.traceparent + " " + request.last_event});
}

TEST(Http, AnswersOnAConnectionThatStays) {
  RunningServer server({}, echo_body);
  RawClient client(server.port());
  for (int i = 0; i < 3; ++i) {
    const RawResponse got = client.ask(kHttpGet);
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.body, "GET /a b=1   ");
    EXPECT_EQ(got.header("Content-Type"), "application/json");
    EXPECT_EQ(got.header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(got.header("Cache-Control"), "no-store");
    EXPECT_EQ(got.header("Content-Length"), "13");
    EXPECT_THAT(got.header("Date"), HasSubstr("GMT"));
  }
  EXPECT_EQ(client.ask(post_to("/b", "{}")).body, "POST /b  {}  ");
  EXPECT_EQ(server.counts().requests, 4);
  EXPECT_EQ(server.counts().accepted, 1);
  EXPECT_EQ(server.counts().connections, 1);
}

TEST(Http, PassesPathQueryAndHeadersOn) {
  RunningServer server({}, echo_body);
  RawClient client(server.port());
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_EQ(client
                .ask("PATCH /m/%C3%A4%20b?x=%zz HTTP/1.1\r\nhost: LOCALHOST:9\r\ntraceparent: " +
                     trace + "\r\nLast-Event-ID: 17\r\n\r\n")
                .body,
            "PATCH /m/\xc3\xa4 b x=%zz  " + trace + " 17");
  // A malformed traceparent could carry anything into logs.
  EXPECT_EQ(client.ask("GET / HTTP/1.1\r\nHost: localhost\r\ntraceparent: 1\"2\r\n\r\n").body,
            "GET /    ");
}

TEST(Http, PipelinedRequestsAreAnsweredInOrder) {
  RunningServer server({}, echo_body);
  RawClient client(server.port());
  std::string all;
  for (int i = 0; i < 50; ++i) all += post_to("/" + std::to_string(i), std::string(2000, 'x'));
  ASSERT_TRUE(client.send(all));
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(client.read().body, HasSubstr("POST /" + std::to_string(i) + " "));
  }
}

TEST(Http, BytesMayComeInAnyPieces) {
  RunningServer server({}, echo_body);
  RawClient client(server.port());
  const std::string chunked =
      "POST /c HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n3;a=b\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n";
  for (const std::string& text : {std::string(kHttpGet), post_to("/b", "{\"a\":1}"), chunked}) {
    for (const char c : text) ASSERT_TRUE(client.send({&c, 1}));
    EXPECT_EQ(client.read().status, 200);
  }
  ASSERT_TRUE(client.send(chunked + chunked));
  EXPECT_EQ(client.read().body, "POST /c  {\"a\":1}  ");
  EXPECT_EQ(client.read().body, "POST /c  {\"a\":1}  ");
}

TEST(Http, HeadIsAnsweredLikeGetWithoutBody) {
  RunningServer server({}, echo_body);
  RawClient client(server.port());
  client.send("HEAD /a?b=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const RawResponse got = client.read(kPatience, true);
  EXPECT_EQ(got.status, 200);
  EXPECT_EQ(got.header("Content-Length"), "13");
  EXPECT_EQ(client.ask(kHttpGet).body, "GET /a b=1   ");  // no body was in between
}

TEST(Http, OldClientsKeepTheConnectionOnlyIfTheyAsk) {
  RunningServer server({}, echo_body);
  RawClient stays(server.port());
  const std::string get = "GET / HTTP/1.0\r\nHost: localhost\r\n";
  for (int i = 0; i < 2; ++i) {
    const RawResponse got = stays.ask(get + "Connection: Keep-Alive\r\n\r\n");
    EXPECT_EQ(got.status, 200);
    EXPECT_EQ(got.header("Connection"), "keep-alive");
  }
  RawClient leaves(server.port());
  EXPECT_EQ(leaves.ask(get + "\r\n").header("Connection"), "close");
  EXPECT_TRUE(leaves.closes());
  RawClient asks(server.port());
  EXPECT_EQ(asks.ask("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: x, close\r\n\r\n").status,
            200);
  EXPECT_TRUE(asks.closes());
}

TEST(Http, ExpectedContinueIsSentBeforeTheBody) {
  RunningServer server({}, echo_body);
  RawClient client(server.port());
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read().status, 100);
  EXPECT_EQ(client.ask("{}").status, 200);
}

TEST(Http, TheAnswerMayComeFromAnotherThreadAndLater) {
  std::mutex mutex;
  std::vector<std::shared_ptr<HttpReply>> waiting;
  std::atomic<int> called = 0;
  RunningServer server({}, [&](const HttpRequest&, std::shared_ptr<HttpReply> reply) {
    std::lock_guard lock(mutex);
    waiting.push_back(std::move(reply));
    ++called;
  });
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->send(kHttpGet);
  }
  while (called < 20) std::this_thread::yield();
  std::vector<std::shared_ptr<HttpReply>> replies;
  {
    std::lock_guard lock(mutex);
    replies.swap(waiting);
  }
  for (const auto& reply : replies) reply->send({.status = 202, .body = "late"});
  for (const auto& client : clients) EXPECT_EQ(client->read().status, 202);
}

TEST(Http, AnswersOfABatchGoOutAtItsEnd) {
  std::mutex mutex;
  std::vector<std::shared_ptr<HttpReply>> waiting;
  RunningServer server({.threads = 2}, [&](const HttpRequest&, std::shared_ptr<HttpReply> reply) {
    std::lock_guard lock(mutex);
    waiting.push_back(std::move(reply));
  });
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->send(kHttpGet);
  }
  ASSERT_TRUE(soon([&] {
    const std::lock_guard lock(mutex);
    return waiting.size() == 6;
  }));
  {
    const ReplyBatch outer;
    {
      const ReplyBatch inner;
      std::lock_guard lock(mutex);
      for (const auto& reply : waiting) reply->send({});
      waiting.clear();
    }
    EXPECT_EQ(clients[0]->read(0.05).status, 0);
  }
  for (const auto& client : clients) EXPECT_EQ(client->read().status, 200);
}

TEST(Http, AReplyWithoutAnAnswerIs500AndTheSecondAnswerIsDropped) {
  RunningServer server({}, [](const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
    if (request.path == "/throw") throw std::runtime_error("broken");
    if (request.path == "/twice") {
      reply->send({.body = "1"});
      reply->send({.body = "2"});
    }
  });
  RawClient client(server.port());
  for (const char* path : {"/none", "/throw"}) {
    const RawResponse got =
        client.ask("GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(got.status, 500);
    EXPECT_EQ(got.error_code(), "bug");
  }
  EXPECT_EQ(client.ask("GET /twice HTTP/1.1\r\nHost: localhost\r\n\r\n").body, "1");
  EXPECT_EQ(client.ask("GET /none HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 500);
}

TEST(Http, HeadersOfTheHandlerAreSentUnlessTheyWouldBreakTheAnswer) {
  RunningServer server({}, [](const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
    reply->send({.status = 429,
                 .type = "text/plain",
                 .headers = {{"Retry-After", "7"},
                             {"Cache-Control", "max-age=60"},
                             {"X-Bad", "a\r\nSet-Cookie: b"}}});
  });
  RawClient client(server.port());
  const RawResponse got = client.ask(kHttpGet);
  EXPECT_EQ(got.status, 429);
  EXPECT_EQ(got.header("Retry-After"), "7");
  EXPECT_EQ(got.header("Cache-Control"), "max-age=60");
  EXPECT_EQ(got.header("Content-Type"), "text/plain");
  EXPECT_EQ(got.head.find("Set-Cookie"), std::string::npos);
}

TEST(Http, LargeAnswersToSlowReadersArriveWhole) {
  const std::string large(8 << 20, 'x');
  RunningServer server({}, [&](const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
    reply->send({.body = large});
  });
  RawClient client(server.port());
  client.send(kHttpGet);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  client.send(kHttpGet);
  EXPECT_EQ(client.read().body.size(), large.size());
  EXPECT_EQ(client.read().body.size(), large.size());
}

TEST(Http, AnAnswerToAClientThatHasGoneIsDropped) {
  std::mutex mutex;
  std::shared_ptr<HttpReply> waiting;
  RunningServer server({}, [&](const HttpRequest& request, std::shared_ptr<HttpReply> reply) {
    if (request.path == "/wait") {
      std::lock_guard lock(mutex);
      waiting = std::move(reply);
    } else {
      reply->send({});
    }
  });
  {
    RawClient client(server.port());
    client.send("GET /wait HTTP/1.1\r\nHost: localhost\r\n\r\n");
    while (server.counts().requests < 1) std::this_thread::yield();
  }
  {
    std::lock_guard lock(mutex);
    waiting->send({.body = std::string(1 << 20, 'x')});
  }
  RawClient other(server.port());
  EXPECT_EQ(other.ask(kHttpGet).status, 200);
}

TEST(Http, AReplyMayOutliveTheServer) {
  std::shared_ptr<HttpReply> kept;
  std::shared_ptr<EventStream> stream;
  {
    RunningServer server({}, [&](const HttpRequest&, std::shared_ptr<HttpReply> reply) {
      if (stream == nullptr) {
        stream = reply->stream();
      } else {
        kept = std::move(reply);
      }
    });
    RawClient one(server.port());
    one.send(kHttpGet);
    EXPECT_THAT(one.read_some(), HasSubstr("HTTP/1.1 200"));
    RawClient two(server.port());
    two.send(kHttpGet);
    while (server.counts().requests < 2) std::this_thread::yield();
    server.stop(0.0);
  }
  kept->send({});
  EXPECT_FALSE(stream->send("data: 1\n\n"));
}

TEST(Http, SeveralThreadsServe) {
  RunningServer server({.threads = 3}, echo_body);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 9; ++i) clients.push_back(std::make_unique<RawClient>(server.port()));
  for (int round = 0; round < 20; ++round) {
    for (const auto& client : clients) client->send(kHttpGet);
    for (const auto& client : clients) EXPECT_EQ(client->read().status, 200);
  }
  EXPECT_EQ(server.counts().requests, 180);
}

TEST(Http, MakeRefusesWhatItCannotServe) {
  const auto error = [](const HttpOptions& options) {
    auto made = HttpServer::make(options, echo_body);
    return made.ok() ? std::string() : made.error();
  };
  EXPECT_THAT(error({.address = "0.0.0.0", .port = 0}), HasSubstr("no token"));
  EXPECT_THAT(error({.address = "::", .port = 0}), HasSubstr("no token"));
  EXPECT_THAT(error({.address = "example.com", .port = 0}), HasSubstr("not an IP address"));
  EXPECT_THAT(error({.port = 70000}), HasSubstr("0 to 65535"));
  EXPECT_THAT(
      error({.address = "0.0.0.0", .port = 0, .token = "fifteen letters"}),
      HasSubstr("the token has 15 bytes; accepted are at least 16 (make one with: openssl"));
  EXPECT_EQ(error({.address = "0.0.0.0", .port = 0, .token = "sixteen letters."}), "");
  EXPECT_EQ(error({.port = 0, .token = "t"}), "");  // only this machine can reach it
  EXPECT_THAT(error({.port = 0, .most_body_bytes = 64 << 20}), HasSubstr("at least 8 such bodies"));
  EXPECT_EQ(error({.address = "localhost", .port = 0}), "");
  RunningServer server({}, echo_body);
  EXPECT_THAT(error({.port = server.port()}), HasSubstr("in use"));
}

}  // namespace
}  // namespace rein::serve
