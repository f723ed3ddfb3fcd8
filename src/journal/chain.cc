#include "journal/chain.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rein {

std::uint64_t chained(std::uint64_t before, std::int64_t number, std::string_view bytes) {
  // A seed is mixed into every block, so it carries both numbers of the place.
  const std::uint64_t place = before + static_cast<std::uint64_t>(number) * 0x9E3779B97F4A7C15U;
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), place);
}

}  // namespace rein
