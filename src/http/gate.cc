#include "http/gate.h"

#include <arpa/inet.h>

#include <algorithm>
#include <optional>

#include "http/text.h"

namespace rein::serve {
namespace {

// An address in the form that inet_ntop gives, or nothing if it is no address.
std::optional<std::string> as_address(std::string_view text) {
  const std::string copy(text);
  unsigned char bytes[16];
  char out[INET6_ADDRSTRLEN];
  for (const int family : {AF_INET, AF_INET6}) {
    if (::inet_pton(family, copy.c_str(), bytes) == 1 &&
        ::inet_ntop(family, bytes, out, sizeof out) != nullptr) {
      return out;
    }
  }
  return std::nullopt;
}

// The name in "name", "name:port" or "[address]:port"; empty if the text is none of these.
std::string_view name_of(std::string_view authority) {
  std::string_view name = authority;
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos) return {};
    name = authority.substr(1, close - 1);
    port = authority.substr(close + 1);
    if (name.find(':') == std::string_view::npos) return {};
  } else if (const std::size_t colon = authority.find(':'); colon != std::string_view::npos) {
    name = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (!port.empty()) {
    if (port[0] != ':' || port.size() > 6) return {};
    port.remove_prefix(1);
    if (!std::all_of(port.begin(), port.end(), is_digit)) return {};
  }
  return name;
}

// The token of an Authorization header.
std::optional<std::string_view> bearer(std::string_view value) {
  constexpr std::string_view kScheme = "bearer ";
  if (value.size() < kScheme.size() || !same_word(value.substr(0, kScheme.size()), kScheme)) {
    return std::nullopt;
  }
  return value.substr(kScheme.size());
}

}  // namespace

bool is_loopback(std::string_view address) {
  if (same_word(address, "localhost")) return true;
  const auto known = as_address(address);
  return known && (known->starts_with("127.") || *known == "::1");
}

HttpGate::HttpGate(const HttpOptions& options)
    : token_(options.token),
      tokens_(options.tokens),
      hosts_(options.hosts),
      open_paths_(options.open_paths),
      first_paths_(options.first_paths),
      address_(as_address(options.address).value_or(options.address)),
      loopback_(is_loopback(options.address)),
      any_(address_ == "0.0.0.0" || address_ == "::"),
      most_body_bytes_(options.most_body_bytes) {
  for (std::string& host : hosts_) {
    std::transform(host.begin(), host.end(), host.begin(), lower);
  }
}

bool HttpGate::is_listed(std::string_view name) const {
  return std::any_of(hosts_.begin(), hosts_.end(),
                     [&](const std::string& host) { return same_word(name, host); });
}

bool HttpGate::knows_host(std::string_view value) const {
  const std::string_view name = name_of(value);
  if (name.empty()) return false;
  if (is_listed(name)) return true;
  const auto address = as_address(name);
  if (address && *address == address_) return true;
  if (is_loopback(name)) return loopback_ || any_;
  // A page of another site reaches us only under a name (DNS rebinding), never under an address.
  return any_ && address;
}

bool HttpGate::knows_origin(std::string_view value, std::string_view host) const {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!value.starts_with(scheme)) continue;
    value.remove_prefix(scheme.size());
    const std::string_view name = name_of(value);
    return !name.empty() && (same_letters(value, host) || is_listed(name));
  }
  return false;
}

bool HttpGate::knows_token(std::string_view value) const {
  const auto token = bearer(value);
  return token && knows_key(*token);
}

std::shared_ptr<const Access> HttpGate::access_of(std::string_view value) const {
  const auto token = bearer(value);
  return token ? access_of_key(*token) : nullptr;
}

std::shared_ptr<const Access> HttpGate::access_of_key(std::string_view key) const {
  if (tokens_.empty()) return nullptr;
  // Digests may be compared up to the first difference: it says nothing about the token.
  const Sha256 digest = sha256(key);
  const auto found = std::ranges::find(tokens_, digest, [](const auto& each) { return each->digest; });
  return found == tokens_.end() ? nullptr : *found;
}

bool HttpGate::knows_key(std::string_view value) const {
  if (token_.empty()) return false;
  // Looks at every byte, wherever the first difference is.
  unsigned different = value.size() == token_.size() ? 0U : 1U;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char own = token_[i % token_.size()];
    different |= static_cast<unsigned char>(value[i] ^ own);
  }
  return different == 0;
}

bool HttpGate::comes_first(std::string_view path) const {
  return std::ranges::any_of(first_paths_,
                             [&](std::string_view end) { return path.ends_with(end); });
}

bool HttpGate::is_open(std::string_view path) const {
  return std::ranges::any_of(open_paths_, [&](std::string_view open) {
    return open.ends_with('*') ? path.starts_with(open.substr(0, open.size() - 1)) : path == open;
  });
}

}  // namespace rein::serve
