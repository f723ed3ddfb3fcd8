#include "http/url.h"

#include <fmt/format.h>

namespace rein::serve {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<std::string> unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return Error{fmt::format("query: found \"{}\"; accepted: %XX with two hex digits", text.substr(i, 3))};
    }
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

Result<std::vector<std::pair<std::string, std::string>>> query_of(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    auto name = unescaped(part.substr(0, equals));
    if (!name) return name.failure();
    auto value = unescaped(equals == std::string_view::npos ? "" : part.substr(equals + 1));
    if (!value) return value.failure();
    for (const auto& pair : pairs) {
      if (pair.first == name.value()) {
        return Error{fmt::format("query: found \"{}\" twice; accepted: once", name.value())};
      }
    }
    pairs.emplace_back(std::move(name.value()), std::move(value.value()));
  }
  return pairs;
}

}  // namespace rein::serve
