// Every case of the tables in tests/http/hostile gets its exact answer, and what is refused never
// reaches the handler.
#include <gtest/gtest.h>

#include <atomic>

#include "http/raw_client.h"
#include "http/running_server.h"

namespace rein::serve {
namespace {

void expect_cases(const std::string& file, const HttpOptions& options, std::size_t least) {
  std::atomic<int> calls = 0;
  RunningServer server(options, [&](const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
    ++calls;
    reply->send({.body = "{}"});
  });
  const std::vector<RawCase> cases = read_cases(file);
  EXPECT_GE(cases.size(), least);
  for (const RawCase& one : cases) {
    ASSERT_FALSE(one.wants.empty()) << one.place;
    const int before = calls;
    EXPECT_EQ(difference(one, server.port()), "");
    const auto accepted = std::count_if(one.wants.begin(), one.wants.end(),
                                        [](const auto& want) { return want.status == 200; });
    EXPECT_EQ(calls - before, accepted) << one.place << ": calls of the handler";
  }
}

TEST(Hostile, Framing) {
  expect_cases("framing.txt",
               {.most_header_bytes = 4096, .most_body_bytes = 1000, .most_line_bytes = 200}, 150);
}

TEST(Hostile, Callers) {
  expect_cases("callers.txt", {.token = "right-token", .hosts = {"rein.example.com"}}, 50);
}

// Bound to every address, names are refused that are not listed; addresses cannot be rebound.
TEST(Hostile, HostsOfAServerForEveryAddress) {
  RunningServer server(
      {.address = "0.0.0.0", .token = "a token of 25 characters!", .hosts = {"rein.example.com"}},
      [](const HttpRequest&, const std::shared_ptr<HttpReply>& reply) {
        reply->send({.body = "{}"});
      });
  const auto status = [&](const std::string& host) {
    return RawClient(server.port())
        .ask("GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
        .status;
  };
  EXPECT_EQ(status("192.168.1.7:8080"), 200);
  EXPECT_EQ(status("[fe80::1]"), 200);
  EXPECT_EQ(status("rein.example.com"), 200);
  EXPECT_EQ(status("localhost"), 200);
  EXPECT_EQ(status("evil.example"), 403);
  EXPECT_EQ(status("1.2.3.4.evil.example"), 403);
}

// A refusal says how to go on.
TEST(Hostile, RefusalsHaveTheirHeaders) {
  RunningServer server({.token = "t"},
                       [](const HttpRequest&, const std::shared_ptr<HttpReply>&) {});
  RawClient client(server.port());
  const RawResponse got = client.ask("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(got.header("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(got.header("Connection"), "close");
  EXPECT_EQ(got.header("Content-Type"), "application/json");
  EXPECT_EQ(got.header("Content-Length"), std::to_string(got.body.size()));
  EXPECT_EQ(got.body,
            "{\"error\":{\"code\":\"token\",\"message\":\"the token is missing; accepted is "
            "\\\"Authorization: Bearer TOKEN\\\"\",\"field\":null}}");
  EXPECT_TRUE(client.closes());
  EXPECT_EQ(server.counts().refused, 1);
  EXPECT_EQ(server.counts().requests, 0);
}

}  // namespace
}  // namespace rein::serve
