// Mutations of valid requests, seeded: no crash, no hang, and a good client beside them is served.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "http/raw_client.h"
#include "http/running_server.h"
#include "rein/rng.h"

namespace rein::serve {
namespace {

const std::vector<std::string>& seeds() {
  static const std::vector<std::string> kSeeds = {
      "GET /v1/models?x=1 HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n",
      "HEAD /%41 HTTP/1.0\r\nHost: 127.0.0.1:80\r\nOrigin: http://127.0.0.1:80\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
      "Content-Length: 7\r\n\r\n{\"a\":1}GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json; charset=utf-8\r\n"
      "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n3;a=b\r\n{\"a\r\n4\r\n\":1}\r\n"
      "0\r\n\r\n",
      "POST /lines HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
      "Transfer-Encoding: chunked\r\n\r\n9\r\n{}\n{}\n{}\n\r\n2\r\n{}\r\n0\r\n\r\n",
      "POST /lines HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
      "Content-Length: 9\r\n\r\n{}\n{}\n{}\n"};
  return kSeeds;
}

std::string mutated(std::string text, Rng& rng) {
  constexpr std::string_view kPieces[] = {"\r\n",
                                          "\n",
                                          "\r",
                                          " ",
                                          "\t",
                                          ":",
                                          "0",
                                          "\r\n\r\n",
                                          "Content-Length: 5\r\n",
                                          "Transfer-Encoding: chunked\r\n",
                                          "Host: x\r\n",
                                          "%",
                                          ";",
                                          "ffffffffffffffff"};
  for (std::uint64_t n = 1 + rng.below(4); n > 0 && !text.empty(); --n) {
    const std::size_t at = rng.below(text.size());
    switch (rng.below(5)) {
      case 0:
        text[at] = static_cast<char>(rng.below(256));
        break;
      case 1:
        text.insert(at, kPieces[rng.below(std::size(kPieces))]);
        break;
      case 2:
        text.erase(at, 1 + rng.below(8));
        break;
      case 3:
        text.insert(at, text.substr(rng.below(text.size()), 1 + rng.below(40)));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

TEST(HttpMutations, NeverHurtTheServerOrAGoodClient) {
  RunningServer server({.request_seconds = 0.2},
                       [](const HttpRequest& request, const std::shared_ptr<HttpReply>& reply) {
                         ASSERT_FALSE(request.path.empty());
                         ASSERT_EQ(request.path[0], '/');
                         reply->send({.body = "{}"});
                       });
  std::atomic<bool> done = false;
  std::atomic<int> served = 0;
  std::thread good([&] {
    RawClient client(server.port());
    while (!done) {
      ASSERT_EQ(client.ask(seeds()[0]).status, 200);
      ++served;
    }
  });
  Rng rng(17);
  // For a second and a half, and on a machine that is busy until both have had their turns.
  const auto start = std::chrono::steady_clock::now();
  const auto passed = [&](double seconds) {
    return std::chrono::steady_clock::now() - start > std::chrono::duration<double>(seconds);
  };
  int sent = 0;
  for (; sent < 20'000 && !passed(kPatience); ++sent) {
    if (passed(1.5) && sent > 300 && served > 100) break;
    const std::string text = mutated(seeds()[rng.below(seeds().size())], rng);
    RawClient client(server.port());
    ASSERT_TRUE(client.connected());
    const std::size_t half = rng.below(text.size() + 1);
    client.send(std::string_view(text).substr(0, half));
    client.send(std::string_view(text).substr(half));
    if (rng.below(2) == 0) client.end();
    if (rng.below(4) == 0) client.read(0.02);
  }
  done = true;
  good.join();
  EXPECT_GT(sent, 300);
  EXPECT_GT(served, 100);
  EXPECT_TRUE(soon([&] { return server.counts().connections == 0; }));  // none hangs
}

}  // namespace
}  // namespace rein::serve
