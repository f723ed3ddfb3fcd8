#include <fmt/format.h>

#include "log/notes.h"

namespace rein {

std::string quoted(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "\"";
  for (const char c : text.substr(0, kMost)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return out + (text.size() > kMost ? "...\"" : "\"");
}

std::string LogReport::str() const {
  std::string out = fmt::format("{}: {} rows kept, {} refused", path, kept, refused);
  if (skipped > 0) out += fmt::format(", {} skipped as they ask", skipped);
  out += '\n';
  for (const LogNote& each : notes) {
    out += fmt::format("  {} {} row{}: line {}{}: {}\n", each.refused ? "refused" : "kept",
                       each.count, each.count == 1 ? "" : "s", each.first,
                       each.count == 1 ? "" : fmt::format(" to {}", each.last), each.what);
  }
  return out;
}

std::string FeatureName::str() const {
  std::string out = space;
  if (!space.empty()) out += '^';
  out += name;
  if (category) out += '=' + value;
  return out;
}

}  // namespace rein
