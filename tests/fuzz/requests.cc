// The request parser of the service, without sockets: head, checks, body, lines.
#include "fuzz/targets.h"
#include "http/answer.h"
#include "http/lines.h"
#include "http/parser.h"

namespace rein::fuzz {
namespace {

using serve::RequestParser;

constexpr std::size_t kMostHead = 4096;

void check_refusal(const serve::Refusal& refusal) {
  expect(refusal.status >= 400 && refusal.status < 500, "a bad request is the client's mistake");
  expect(!refusal.message.empty(), "a refusal says why");
  const std::string body = serve::answer_of(refusal).body;
  for (const char c : body) expect(c >= 0x20 && c < 0x7f, "an answer is printable ASCII");
}

// The body in pieces of this many bytes; what is carried, and whether it came to its end.
struct Body {
  std::string bytes;
  bool done = false;
  bool refused = false;
  std::size_t consumed = 0;
};

Body body_of(Bytes head_bytes, Bytes rest, std::size_t piece) {
  RequestParser parser;
  serve::RequestHead head;
  expect(!parser.read_head(head_bytes, head), "the same bytes parse again");
  Body body;
  std::string waiting;
  for (std::size_t at = 0; at < rest.size() && !body.done && !body.refused; at += piece) {
    waiting += rest.substr(at, piece);
    const RequestParser::Step step = parser.read_body(waiting, body.bytes);
    expect(step.consumed <= waiting.size(), "no more is consumed than there is");
    waiting.erase(0, step.consumed);
    body.consumed += step.consumed;
    body.done = step.done;
    body.refused = step.refusal.has_value();
    if (step.refusal) check_refusal(*step.refusal);
  }
  return body;
}

void check_lines(const std::string& bytes) {
  serve::LineCutter cutter;
  std::string joined;
  for (const char c : bytes) {
    cutter.buffer().push_back(c);
    while (const auto line = cutter.next()) {
      expect(line->find('\n') == Bytes::npos, "a line has no line break");
      joined.append(*line).push_back('\n');
      std::string answer;
      serve::append_line(answer, 200, *line);
      expect(answer.find('\n') == answer.size() - 1, "an answer is one line");
    }
  }
  joined.append(cutter.rest());
  expect(joined.size() <= bytes.size(), "lines are not longer than their bytes");
}

}  // namespace

void http_request(Bytes bytes) {
  const serve::HeadScan scan = serve::find_head(bytes, 0, kMostHead);
  // In two pieces as in one.
  const serve::HeadScan first = serve::find_head(bytes.substr(0, bytes.size() / 2), 0, kMostHead);
  if (first.refusal || first.size > 0) {
    expect(first.size == scan.size && first.refusal.has_value() == scan.refusal.has_value(),
           "what is decided stays decided");
  } else {
    const serve::HeadScan second = serve::find_head(bytes, first.scanned, kMostHead);
    expect(second.size == scan.size && second.refusal.has_value() == scan.refusal.has_value(),
           "pieces do not matter");
  }
  if (scan.refusal) return check_refusal(*scan.refusal);
  if (scan.size == 0) return;

  const Bytes head_bytes = bytes.substr(0, scan.size);
  RequestParser parser;
  serve::RequestHead head;
  if (const auto refusal = parser.read_head(head_bytes, head)) return check_refusal(*refusal);
  static const serve::HttpGate kGate({.token = "token", .hosts = {"rein.example.com"}});
  static const serve::HttpGate kOpenGate(serve::HttpOptions{});
  serve::RequestPlan plan;
  if (const auto refusal = serve::check_head(head, kGate, plan)) check_refusal(*refusal);
  if (const auto refusal = serve::check_head(head, kOpenGate, plan)) {
    return check_refusal(*refusal);
  }
  expect(plan.request.path.starts_with('/'), "a path begins with a slash");
  expect(plan.request.path.find('\0') == std::string::npos, "a path has no NUL");
  expect(!plan.request.token, "no token is right where none is set");
  if (!plan.has_body) return;

  const Bytes rest = bytes.substr(scan.size);
  const Body whole = body_of(head_bytes, rest, rest.size() + 1);
  const Body pieces = body_of(head_bytes, rest, 1 + rest.size() % 7);
  expect(whole.done == pieces.done && whole.refused == pieces.refused, "pieces do not matter");
  if (!whole.refused) {
    expect(whole.bytes == pieces.bytes, "a body in pieces is the same body");
  }
  if (whole.done) expect(whole.consumed == pieces.consumed, "the next request begins there");
  if (!plan.chunked) {
    expect(static_cast<std::int64_t>(whole.bytes.size()) <= plan.length, "no more than announced");
  }
  check_lines(whole.bytes);
}

}  // namespace rein::fuzz
