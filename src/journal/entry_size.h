// The longest entry that a journal takes.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "rein/result.h"

namespace rein {

inline constexpr std::int64_t kMostEntryBytes = 64 << 20;

inline Result<> check_entry_bytes(std::size_t bytes) {
  if (bytes <= static_cast<std::size_t>(kMostEntryBytes)) return {};
  return Error{fmt::format("an entry has {} bytes; at most {} are accepted", bytes, kMostEntryBytes)};
}

}  // namespace rein
