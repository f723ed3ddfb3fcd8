// The checksum of a journal entry. It covers the entry, its number and the checksum of the entry
// before it. So an entry that was changed, moved, repeated or taken out is found, by its number.
#pragma once

#include <cstdint>
#include <string_view>

namespace rein {

// The checksum that stands before entry 1.
inline constexpr std::uint64_t kChainStart = 0x7265696e6a6f7572;

std::uint64_t chained(std::uint64_t before, std::int64_t number, std::string_view bytes);

}  // namespace rein
