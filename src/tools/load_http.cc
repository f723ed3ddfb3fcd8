#include "tools/load_http.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

namespace rein::serve {

Error load_failed(const std::string& what) {
  return {fmt::format("load: {}: {}", what, std::strerror(errno)), Reason::kFailed};
}

Result<LoadTarget> find_target(const LoadOptions& options) {
  addrinfo wanted{};
  wanted.ai_flags = AI_NUMERICSERV;
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code =
      getaddrinfo(options.address.c_str(), std::to_string(options.port).c_str(), &wanted, &found);
  if (code != 0) {
    return Error{fmt::format("load: address \"{}\": {}; accepted: an IP address or a name",
                             options.address, gai_strerror(code)),
                 Reason::kFailed};
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all(found, freeaddrinfo);
  LoadTarget target;
  const bool six = options.address.find(':') != std::string::npos;
  target.host =
      fmt::format("{}{}{}:{}", six ? "[" : "", options.address, six ? "]" : "", options.port);
  Result<int> socket = Error{};
  for (const addrinfo* each = found; each != nullptr && !socket; each = each->ai_next) {
    target.size = each->ai_addrlen;
    std::memcpy(&target.address, each->ai_addr, each->ai_addrlen);
    socket = connect_to(target);
  }
  if (!socket) return socket.failure();
  ::close(socket.value());
  return target;
}

Result<int> connect_to(const LoadTarget& to) {
  const int socket = ::socket(to.address.ss_family, SOCK_STREAM, 0);
  if (socket < 0) return load_failed(to.host);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&to.address), to.size) != 0) {
    const Error error = load_failed(to.host);
    ::close(socket);
    return error;
  }
  const int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

std::string load_request(const LoadOptions& options, const LoadTarget& to, std::string_view line,
                         const std::string& body) {
  const std::string token =
      options.token.empty() ? "" : fmt::format("Authorization: Bearer {}\r\n", options.token);
  return fmt::format(
      "{} HTTP/1.1\r\nHost: {}\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
      line, to.host, token, body.size(), body);
}

std::size_t read_answer(std::string_view bytes, LoadAnswer& answer) {
  const std::size_t head = bytes.find("\r\n\r\n");
  if (head == std::string_view::npos) return 0;
  if (!bytes.starts_with("HTTP/1.1 ") || bytes.size() < 12) return std::string_view::npos;
  std::from_chars(bytes.data() + 9, bytes.data() + 12, answer.status);
  std::size_t length = 0;
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  const std::size_t at = bytes.find(kLength);
  if (at < head) {
    std::from_chars(bytes.data() + at + kLength.size(), bytes.data() + bytes.size(), length);
  }
  if (bytes.size() < head + 4 + length) return 0;
  answer.body = bytes.substr(head + 4, length);
  return head + 4 + length;
}

}  // namespace rein::serve
