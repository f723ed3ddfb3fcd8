// Checks of a request before any other code sees it. Pure functions over bytes and views: no
// sockets and no Beast, so that tests and fuzzers call them directly.
//
// The order of a connection: find_head() on the raw bytes, the parser on the complete head, then
// check_head() on what the parser found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/gate.h"
#include "http/server.h"

namespace rein::serve {

// Why the HTTP layer answers a request, and not the handler. `code` is one of invalid, token, host,
// timeout, too_large, type, headers, rate, busy, bug.
struct Refusal {
  int status = 400;
  std::string_view code = "invalid";
  std::string message;
};

// Where the head ends in the bytes that came so far.
struct HeadScan {
  std::size_t scanned = 0;  // so many bytes need not be looked at again
  std::size_t size = 0;     // of the complete head with its empty line; 0: more is needed
  std::optional<Refusal> refusal;
};

// Looks for the empty line. Refuses what parsers read differently: lines that end in a bare LF, a CR
// without LF, folded headers, control characters. Starts at `scanned` of the previous call.
HeadScan find_head(std::string_view bytes, std::size_t scanned, std::size_t most_bytes);

// A parsed head: views into the bytes that were parsed.
struct RequestHead {
  struct Field {
    std::string_view name;
    std::string_view value;
  };
  std::string_view method;
  std::string_view target;
  bool http11 = true;
  std::vector<Field> fields;
};

// A request as its checked head describes it.
struct RequestPlan {
  HttpRequest request;  // without its body
  bool has_body = false;
  bool chunked = false;
  std::int64_t length = 0;  // if not chunked
  bool http11 = true;
  bool keep_alive = true;
  bool expects_continue = false;
  bool without_body = false;  // the answer; the method is HEAD
  bool shows_token = false;   // a token came, right or wrong, for a path that needs one
};

// 503: the budget of memory for connections is used up.
Refusal no_memory(std::int64_t most_bytes);

// Fills `plan`, or says why the request is refused.
std::optional<Refusal> check_head(const RequestHead& head, const HttpGate& gate, RequestPlan& plan);

}  // namespace rein::serve
