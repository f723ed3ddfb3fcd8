// Who may ask: names in the Host header, origins of pages, the token. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "http/server.h"

namespace rein::serve {

// The options of the server, prepared for the checks of each request.
class HttpGate {
 public:
  explicit HttpGate(const HttpOptions& options);

  // The value of a Host header: its name is accepted, whatever the port.
  bool knows_host(std::string_view value) const;
  // Whether an Origin header is accepted: the page came from this host, as the Host header names
  // it, or from a name in the options.
  bool knows_origin(std::string_view value, std::string_view host) const;
  // The value of an Authorization header. Takes the same time for every wrong token of a length.
  bool knows_token(std::string_view value) const;
  // What the token of an Authorization header, or a key without a scheme, may do; null: it is none of
  // HttpOptions::tokens.
  std::shared_ptr<const Access> access_of(std::string_view value) const;
  std::shared_ptr<const Access> access_of_key(std::string_view key) const;
  // Whether a key is the token, without a scheme before it: clients of the closed ranking service
  // send their key in a header of its own.
  bool knows_key(std::string_view value) const;
  // Whether a path needs no token. An entry that ends in * stands for all paths that begin with it.
  bool is_open(std::string_view path) const;
  // Paths whose requests may use the memory that is kept back from the others.
  bool comes_first(std::string_view path) const;
  bool needs_token() const { return !token_.empty() || !tokens_.empty(); }
  std::int64_t most_body_bytes() const { return most_body_bytes_; }

 private:
  bool is_listed(std::string_view name) const;

  std::string token_;
  std::vector<std::shared_ptr<const Access>> tokens_;
  std::vector<std::string> hosts_;
  std::vector<std::string> open_paths_;
  std::vector<std::string> first_paths_;
  std::string address_;
  bool loopback_ = false;  // the server listens on a loopback address
  bool any_ = false;       // the server listens on every address
  std::int64_t most_body_bytes_ = 0;
};

// True for 127.0.0.0/8, ::1 and "localhost".
bool is_loopback(std::string_view address);

}  // namespace rein::serve
