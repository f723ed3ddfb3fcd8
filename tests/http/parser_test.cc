// What Beast's parser lets through, and that check_head() refuses it; pure, without sockets.
#include "http/parser.h"

#include <gtest/gtest.h>

namespace rein::serve {
namespace {

struct ParserOutcome {
  bool parsed = false;
  int status = 0;  // 0: accepted
};

ParserOutcome parser_outcome_of(const std::string& bytes) {
  RequestParser parser;
  RequestHead head;
  if (parser.read_head(bytes, head)) return {};
  RequestPlan plan;
  const auto refusal = check_head(head, HttpGate({}), plan);
  return {true, refusal ? refusal->status : 0};
}

TEST(HttpParser, BeastLetsTheseThroughAndTheChecksDoNot) {
  const std::string host = "Host: localhost\r\n";
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1\r\n\r\n"), "GET / HTTP/1.1\r\n" + host + host + "\r\n",
        "POST / HTTP/1.1\r\n" + host + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\n" + host + "Content-Length: 2, 2\r\n\r\n",
        "POST / HTTP/1.0\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n",
        "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked, identity\r\n\r\n"}) {
    EXPECT_TRUE(parser_outcome_of(bytes).parsed) << bytes;
    EXPECT_EQ(parser_outcome_of(bytes).status, 400) << bytes;
  }
  EXPECT_EQ(parser_outcome_of("GET / HTTP/1.1\r\n" + host + "\r\n").status, 0);
}

TEST(HttpParser, BeastUnfoldsHeadersAndFindHeadDoesNot) {
  const std::string bytes = "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n";
  RequestParser parser;
  RequestHead head;
  EXPECT_FALSE(parser.read_head(bytes, head).has_value());
  EXPECT_EQ(find_head(bytes, 0, 4096).refusal->status, 400);
}

TEST(HttpParser, FindHeadGivesTheSameInAnyPieces) {
  const std::string head = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const std::string bytes = head + "more";
  EXPECT_EQ(find_head(bytes, 0, 4096).size, head.size());
  for (std::size_t n = 1; n < head.size(); ++n) {
    const HeadScan scan = find_head(bytes.substr(0, n), 0, 4096);
    EXPECT_EQ(scan.size, 0U);
    EXPECT_FALSE(scan.refusal.has_value());
    EXPECT_EQ(find_head(bytes, scan.scanned, 4096).size, head.size());
  }
  EXPECT_EQ(find_head(bytes, 0, head.size()).size, head.size());
  EXPECT_EQ(find_head(bytes, 0, head.size() - 1).refusal->status, 431);
}

TEST(HttpParser, ABodyInAnyPiecesIsTheSame) {
  const std::string head =
      "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string body = "3\r\nabc\r\n00d;x=\"\\\"\"\r\ndefghijklmnop\r\n0\r\n\r\nNEXT";
  for (std::size_t piece = 1; piece <= body.size(); ++piece) {
    RequestParser parser;
    RequestHead parsed;
    ASSERT_FALSE(parser.read_head(head, parsed).has_value());
    std::string waiting;
    std::string out;
    bool done = false;
    std::size_t at = 0;
    for (; at < body.size() && !done; at += piece) {
      waiting += body.substr(at, piece);
      const auto step = parser.read_body(waiting, out);
      ASSERT_FALSE(step.refusal.has_value()) << step.refusal->message;
      waiting.erase(0, step.consumed);
      done = step.done;
    }
    EXPECT_TRUE(done);
    EXPECT_EQ(out, "abcdefghijklmnop");
    EXPECT_EQ(waiting + body.substr(std::min(at, body.size())), "NEXT");
  }
}

}  // namespace
}  // namespace rein::serve
