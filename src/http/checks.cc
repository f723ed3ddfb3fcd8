#include "http/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "http/text.h"

namespace rein::serve {
namespace {

Refusal bad_request(std::string message) { return {400, "invalid", std::move(message)}; }

// The headers that mean something here. Each may come once, except Connection.
enum Known {
  kHost,
  kOrigin,
  kAuthorization,
  kKey,
  kContentLength,
  kTransferEncoding,
  kContentType,
  kContentEncoding,
  kExpect,
  kTraceparent,
  kLastEvent,
  kPassed,
  kRedirect,
  kBy,
  kConnection,
  kKnown
};
constexpr std::array<std::string_view, kKnown> kNames = {
    "host",           "origin",
    "authorization",  "ocp-apim-subscription-key",
    "content-length", "transfer-encoding",
    "content-type",   "content-encoding",
    "expect",         "traceparent",
    "last-event-id",  "rein-passed-by",
    "rein-redirect",  "rein-by",
    "connection"};

struct KnownFields {
  std::array<std::optional<std::string_view>, kKnown> values;
  bool close = false;
  bool keep_alive = false;

  const std::optional<std::string_view>& operator[](Known known) const { return values[known]; }
};

void read_connection(std::string_view value, KnownFields& known) {
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view word = trimmed(value.substr(0, comma));
    if (same_word(word, "close")) known.close = true;
    if (same_word(word, "keep-alive")) known.keep_alive = true;
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
}

std::optional<Refusal> read_fields(const RequestHead& head, KnownFields& known) {
  for (const auto& [name, value] : head.fields) {
    for (std::size_t i = 0; i < kKnown; ++i) {
      if (!same_word(name, kNames[i])) continue;
      if (i == kConnection) {
        read_connection(value, known);
      } else if (known.values[i].has_value()) {
        return bad_request(fmt::format("the header {} comes twice; it may come once", kNames[i]));
      }
      known.values[i] = value;
      break;
    }
  }
  return std::nullopt;
}

// How long the body is. Where two readers could disagree, the request is refused.
std::optional<Refusal> check_framing(const KnownFields& known, RequestPlan& plan) {
  const auto& encoding = known[kTransferEncoding];
  const auto& length = known[kContentLength];
  if (encoding && length) {
    return bad_request("both Transfer-Encoding and Content-Length came; accepted is one of them");
  }
  if (encoding) {
    if (!plan.http11) {
      return bad_request(
          "Transfer-Encoding came with HTTP/1.0; accepted with it is Content-Length");
    }
    if (!same_word(*encoding, "chunked")) {
      return bad_request(
          fmt::format("Transfer-Encoding is {}; accepted is \"chunked\"", shown(*encoding)));
    }
    plan.has_body = plan.chunked = true;
  }
  if (length) {
    const bool digits = !length->empty() && length->size() <= 18 &&
                        std::all_of(length->begin(), length->end(), is_digit);
    if (!digits) {
      return bad_request(
          fmt::format("Content-Length is {}; accepted is a whole number of bytes", shown(*length)));
    }
    for (const char c : *length) plan.length = plan.length * 10 + (c - '0');
    plan.has_body = plan.length > 0;
  }
  if (plan.has_body && plan.without_body) {
    return bad_request("HEAD came with a body; accepted is HEAD without one");
  }
  return std::nullopt;
}

std::optional<Refusal> check_target(std::string_view target, HttpRequest& request) {
  if (target.empty() || target[0] != '/') {
    return bad_request(
        fmt::format("the target is {}; accepted is a path that begins with \"/\"", shown(target)));
  }
  for (const char c : target) {
    if (c <= 0x20 || c >= 0x7f || c == '#') {
      return bad_request(fmt::format(
          "the target {} has a character that must be percent-encoded; accepted are visible ASCII "
          "characters except \"#\"",
          shown(target)));
    }
  }
  const std::size_t mark = std::min(target.find('?'), target.size());
  if (!percent_decoded(target.substr(0, mark), request.path)) {
    return bad_request(fmt::format(
        "the path {} has a percent escape that is not accepted; accepted are two hex digits that "
        "give UTF-8 text without control characters and slashes",
        shown(target.substr(0, mark))));
  }
  if (mark < target.size()) request.query = target.substr(mark + 1);
  return std::nullopt;
}

// Who asks, and from where.
std::optional<Refusal> check_caller(const KnownFields& known, const HttpGate& gate,
                                    RequestPlan& plan) {
  HttpRequest& request = plan.request;
  if (!known[kHost]) return bad_request("the header Host is missing; it must name this server");
  if (!gate.knows_host(*known[kHost])) {
    return Refusal{403, "host",
                   fmt::format("the Host {} is not known here; accepted are the address of the "
                               "server and the names in its option `hosts`",
                               shown(*known[kHost]))};
  }
  if (known[kOrigin] && !gate.knows_origin(*known[kOrigin], *known[kHost])) {
    return Refusal{403, "host",
                   fmt::format("the Origin {} is foreign; accepted are pages of this server and of "
                               "the names in its option `hosts`",
                               shown(*known[kOrigin]))};
  }
  if (!gate.needs_token()) return std::nullopt;
  request.token = (known[kAuthorization] && gate.knows_token(*known[kAuthorization])) ||
                  (known[kKey] && gate.knows_key(*known[kKey]));
  if (!request.token) {
    if (known[kAuthorization]) request.access = gate.access_of(*known[kAuthorization]);
    if (known[kKey] && request.access == nullptr) request.access = gate.access_of_key(*known[kKey]);
    request.token = request.access != nullptr;
  } else if (known[kBy]) {
    request.by = *known[kBy];  // from another node, which has checked the caller
  }
  const bool open = gate.is_open(request.path);
  plan.shows_token = !open && (known[kAuthorization] || known[kKey]);
  if (request.token || open) return std::nullopt;
  return Refusal{401, "token",
                 known[kAuthorization] || known[kKey]
                     ? "the token is wrong; accepted is \"Authorization: Bearer TOKEN\""
                     : "the token is missing; accepted is \"Authorization: Bearer TOKEN\""};
}

std::optional<Refusal> check_body(const KnownFields& known, const HttpGate& gate,
                                  RequestPlan& plan) {
  if (known[kExpect] && plan.http11) {
    if (!same_word(*known[kExpect], "100-continue")) {
      return Refusal{
          417, "invalid",
          fmt::format("Expect is {}; accepted is \"100-continue\"", shown(*known[kExpect]))};
    }
    plan.expects_continue = plan.has_body;
  }
  if (!plan.has_body) return std::nullopt;
  const BodyType type = body_type(known[kContentType].value_or(""));
  if (type == BodyType::kOther) {
    return Refusal{415, "type",
                   fmt::format("Content-Type is {}; accepted are application/json and "
                               "application/x-ndjson, in UTF-8",
                               known[kContentType] ? shown(*known[kContentType]) : "missing")};
  }
  if (known[kContentEncoding] && !same_word(*known[kContentEncoding], "identity")) {
    return Refusal{415, "type",
                   fmt::format("Content-Encoding is {}; accepted are bodies that are not compressed",
                               shown(*known[kContentEncoding]))};
  }
  plan.request.lines = type == BodyType::kLines;
  if (!plan.request.lines && plan.length > gate.most_body_bytes()) {
    return Refusal{413, "too_large",
                   fmt::format("the body has {} bytes; accepted are at most {}", plan.length,
                               gate.most_body_bytes())};
  }
  return std::nullopt;
}

}  // namespace

Refusal no_memory(std::int64_t most_bytes) {
  return {503, "busy",
          fmt::format("the requests under way hold all the memory that they may, of {} bytes "
                      "(most_memory_bytes); accepted are smaller ones now, and this one later",
                      most_bytes)};
}

// Looks only backwards, so that bytes may come in any pieces.
HeadScan find_head(std::string_view bytes, std::size_t scanned, std::size_t most_bytes) {
  HeadScan scan;
  const auto refused = [&](const char* message) {
    scan.refusal = bad_request(message);
    return scan;
  };
  const std::size_t end = std::min(bytes.size(), most_bytes);
  char before = scanned > 0 ? bytes[scanned - 1] : '\0';
  for (std::size_t i = scanned; i < end; before = bytes[i++]) {
    const char c = bytes[i];
    if (c == '\n') {
      if (before != '\r') {
        return refused("a line ends in LF alone; accepted are lines that end in CR LF");
      }
      if (i >= 3 && bytes[i - 3] == '\r' && bytes[i - 2] == '\n') {
        scan.size = i + 1;
        return scan;
      }
    } else if (before == '\r') {
      return refused("a CR has no LF after it; accepted are lines that end in CR LF");
    } else if (before == '\n' && (c == ' ' || c == '\t')) {
      return refused("a header is folded over two lines; accepted is one line");
    } else if (is_control(c) && c != '\r' && c != '\t') {
      return refused("a control character is in the head; accepted are text and tabs");
    }
  }
  scan.scanned = end;
  if (bytes.size() >= most_bytes) {
    scan.refusal = Refusal{
        431, "headers",
        fmt::format("the request line and headers have more than {} bytes; accepted are at most {}",
                    most_bytes, most_bytes)};
  }
  return scan;
}

std::optional<Refusal> check_head(const RequestHead& head, const HttpGate& gate,
                                  RequestPlan& plan) {
  plan = {};
  plan.http11 = head.http11;
  plan.request.method = head.method;
  plan.without_body = head.method == "HEAD";
  KnownFields known;
  if (auto refusal = read_fields(head, known)) return refusal;
  if (auto refusal = check_target(head.target, plan.request)) return refusal;
  if (auto refusal = check_framing(known, plan)) return refusal;
  if (auto refusal = check_caller(known, gate, plan)) return refusal;
  if (auto refusal = check_body(known, gate, plan)) return refusal;
  plan.keep_alive = !known.close && (head.http11 || known.keep_alive);
  if (known[kTraceparent] && is_traceparent(*known[kTraceparent])) {
    plan.request.traceparent = *known[kTraceparent];
  }
  if (known[kLastEvent]) plan.request.last_event = *known[kLastEvent];
  plan.request.passed_on = known[kPassed].has_value();
  plan.request.redirect = known[kRedirect].has_value();
  return std::nullopt;
}

}  // namespace rein::serve
