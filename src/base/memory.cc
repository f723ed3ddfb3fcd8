#include "base/memory.h"

#include <fmt/format.h>

namespace rein {
namespace {

std::string size_in_words(std::size_t bytes) {
  const auto size = static_cast<double>(bytes);
  if (size >= 1e9) return fmt::format("{:.1f} GB were", size / 1e9);
  if (size >= 1e6) return fmt::format("{:.1f} MB were", size / 1e6);
  return fmt::format("{} bytes were", bytes);
}

}  // namespace

OutOfMemory out_of_memory(const std::bad_alloc& thrown, const std::string& who,
                          const std::string& less) {
  if (const auto* named = dynamic_cast<const OutOfMemory*>(&thrown)) return *named;
  const auto* sized = dynamic_cast<const TooMuch*>(&thrown);
  return OutOfMemory(fmt::format(
      "{}: out of memory{}; accepted: {}", who,
      sized == nullptr ? std::string()
                       : fmt::format(": {} asked for at once", size_in_words(sized->bytes())),
      less));
}

}  // namespace rein
