// Boost.Beast's parser of requests behind a small face. http_parser.cc is the only file that knows
// Beast. It parses; what is accepted beyond its grammar is decided in http_checks.h.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "serve/http_checks.h"

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
  // Takes bytes of the body and appends what they carry to `body`. Called after a head that announced
  // one, until done. The bytes that were not consumed come again, with more after them.
  Step read_body(std::string_view bytes, std::string& body);

 private:
  class Beast;
  std::unique_ptr<Beast> beast_;
};

}  // namespace rein::serve
