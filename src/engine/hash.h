// Hash: 64 bits of a sequence of words and texts, by XXH3 of xxHash 0.8, whose results are fixed
// for good. The hash finds accidental damage; an attacker can forge it. Words are hashed as their
// bytes in little-endian order; a text as its length, then its bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rein {

inline std::uint64_t hash_of(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}
inline std::uint64_t hash_of(std::span<const std::uint64_t> words) {
  return XXH3_64bits(words.data(), words.size_bytes());
}

class Hash {
 public:
  Hash() { XXH3_64bits_reset(&state_); }
  void add(std::uint64_t word) { XXH3_64bits_update(&state_, &word, sizeof word); }
  void add(std::string_view bytes) {
    add(static_cast<std::uint64_t>(bytes.size()));
    XXH3_64bits_update(&state_, bytes.data(), bytes.size());
  }
  std::uint64_t value() const { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_;
};

}  // namespace rein
