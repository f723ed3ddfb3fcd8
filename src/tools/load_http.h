// The little of HTTP that `rein load` needs to send: where the service is, a connection, one request,
// one answer.
#pragma once

#include <sys/socket.h>

#include <string>
#include <string_view>

#include "rein/result.h"
#include "tools/load.h"

namespace rein::serve {

// kFailed, with the reason that the system gives now.
Error load_failed(const std::string& what);

// Where the service is.
struct LoadTarget {
  sockaddr_storage address{};
  socklen_t size = 0;
  std::string host;  // of the header: with the port, and brackets around an IPv6 address
};

// A name may have several addresses: the first that takes a connection. kFailed if none does.
Result<LoadTarget> find_target(const LoadOptions& options);
// A new connection, which the caller closes.
Result<int> connect_to(const LoadTarget& to);
// `line` is the method and the path.
std::string load_request(const LoadOptions& options, const LoadTarget& to, std::string_view line,
                         const std::string& body);

// An answer with status and body, when all of it has come.
struct LoadAnswer {
  int status = 0;
  std::string_view body;
};

// 0: more bytes are needed. Otherwise the length of the answer at the start of `bytes`; npos: it is
// none.
std::size_t read_answer(std::string_view bytes, LoadAnswer& answer);

}  // namespace rein::serve
