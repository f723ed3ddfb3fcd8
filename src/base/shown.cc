#include "base/shown.h"

namespace rein {
namespace {

constexpr std::size_t kShownBytes = 40;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; }

}  // namespace

std::string shown(std::string_view text) {
  std::size_t size = text.size();
  if (size > kShownBytes) {
    size = kShownBytes;
    while (size > kShownBytes - 4 && continues_character(text[size])) --size;
  }
  std::string out(text.substr(0, size));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  if (text.size() > kShownBytes) out += "...";
  return out;
}

}  // namespace rein
