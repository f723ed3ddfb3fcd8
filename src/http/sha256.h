// SHA-256 (FIPS 180-4), for digests of tokens. Not made to be fast.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace rein::serve {

using Sha256 = std::array<std::uint8_t, 32>;

Sha256 sha256(std::string_view text);
std::string hex_of(const Sha256& digest);

}  // namespace rein::serve
