// The hash of categories and words: FNV-1a over the bytes, then a final mix (that of MurmurHash3).
// The hash of a text is the same on every machine and must never change, because what an agent
// learned depends on it. The function is short enough to be written again in any language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rein {

class TextHash {
 public:
  void add(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001B3U; }
  std::uint64_t value() const {
    std::uint64_t h = value_;
    h = (h ^ (h >> 33U)) * 0xFF51AFD7ED558CCDU;
    h = (h ^ (h >> 33U)) * 0xC4CEB9FE1A85EC53U;
    return h ^ (h >> 33U);
  }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325U;
};

inline std::uint64_t text_hash(std::string_view bytes) {
  TextHash hash;
  for (const char c : bytes) hash.add(static_cast<unsigned char>(c));
  return hash.value();
}

// The lowest bit of a hash is its sign, the others choose a bucket.
inline std::size_t bucket_of(std::uint64_t hash, std::size_t buckets) {
  return static_cast<std::size_t>((hash >> 1U) % buckets);
}
inline double sign_of(std::uint64_t hash) { return (hash & 1U) != 0 ? 1.0 : -1.0; }

}  // namespace rein
