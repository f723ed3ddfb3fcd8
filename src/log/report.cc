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

std::string shown_names(std::span<const std::string> names) {
  constexpr std::size_t kMost = 3;
  std::string out;
  for (std::size_t i = 0; i < names.size() && i < kMost; ++i) {
    out += (i == 0 ? "" : ", ") + quoted(names[i]);
  }
  return names.size() > kMost ? out + ", ..." : out;
}

std::string LogNote::str(std::string_view verb) const {
  if (count == 1) {
    return fmt::format("{}line {}: {}", of_file ? "" : fmt::format("{} 1 row: ", verb), first,
                       what);
  }
  const std::string who =
      of_file ? fmt::format("{} lines", count) : fmt::format("{} {} rows", verb, count);
  return fmt::format("{}, lines {} to {}; the first: {}", who, first, last, what);
}

std::string LogReport::str() const {
  std::string out = fmt::format("{}: {} rows kept, {} refused", path, kept, refused);
  if (skipped > 0) out += fmt::format(", {} skipped as they ask", skipped);
  out += '\n';
  for (const LogNote& each : notes) {
    if (each.count > 0) out += "  " + each.str(each.refused ? "refused" : "kept") + '\n';
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
