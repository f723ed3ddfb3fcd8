// std::from_chars of doubles, which clang 19's library for WebAssembly lacks: by strtod, which rounds as it does. The
// texts here are specs, numbers without blanks and signs in front.
#pragma once

#include <charconv>
#include <cstdlib>
#include <string>

namespace std {

inline from_chars_result from_chars(const char* first, const char* last, double& value,
                                    chars_format = chars_format::general) {
  const string text(first, last);
  char* end = nullptr;
  const double found = strtod(text.c_str(), &end);
  if (end == text.c_str()) return {first, errc::invalid_argument};
  value = found;
  return {first + (end - text.c_str()), errc()};
}

}  // namespace std
