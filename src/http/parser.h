// Boost.Beast's parser of requests behind a small face. parser.cc is the only file that knows
// Beast. The parser knows the grammar; checks.h has all further checks.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/checks.h"

namespace rein::serve {

class RequestParser {
 public:
  RequestParser();
  ~RequestParser();
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;

  // Starts a request. `bytes` are one complete head, as find_head() found it; `head` gets views into
  // them.
  std::optional<Refusal> read_head(std::string_view bytes, RequestHead& head);

  struct Step {
    std::size_t consumed = 0;  // bytes that need not be shown again
    bool done = false;         // the body is complete
    std::optional<Refusal> refusal;
  };
  // Takes bytes of the body and appends what they carry to `body`. Call it after a head that
  // announced a body, until `done`. Bytes that were not consumed must come again, with more after
  // them.
  Step read_body(std::string_view bytes, std::string& body);

 private:
  class Beast;
  std::unique_ptr<Beast> beast_;
};

}  // namespace rein::serve
