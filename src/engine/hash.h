// Hash: a 64-bit hash of a sequence of 64-bit words. It detects accidents, not attacks.
//
//     h_0 = k0;  h_n = (rotate(h_{n-1}, 29) xor word_n) * k1
//
// At the end come the number of words and a final mix of shifts and multiplications. Bytes are
// hashed after their count, as little-endian words, with the last word padded by zeros. Whole
// groups of four words go to four such hashes in parallel, whose results are then added as words.
//
// Every step is a bijection of the word and of the state before it, so a change of any single word
// always changes the result.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rein {

class Hash {
 public:
  void add(std::uint64_t word) {
    state_ = step(state_, word);
    ++words_;
  }
  void add(std::string_view bytes) {
    add(static_cast<std::uint64_t>(bytes.size()));
    if (bytes.size() >= 64) bytes = add_in_lanes(bytes);
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) add(word_at(bytes, 0));
    std::uint64_t rest = 0;
    if (!bytes.empty()) std::memcpy(&rest, bytes.data(), bytes.size());
    add(rest);
  }
  std::uint64_t value() const {
    std::uint64_t h = state_ ^ words_;
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93ULL;
    h = (h ^ (h >> 29)) * 0xA0761D6478BD642FULL;
    return h ^ (h >> 32);
  }

 private:
  static constexpr std::uint64_t kStart = 0x243F6A8885A308D3ULL;  // fractional digits of pi

  static std::uint64_t step(std::uint64_t state, std::uint64_t word) {
    return (std::rotl(state, 29) ^ word) * 0x9E3779B97F4A7C15ULL;
  }
  static std::uint64_t word_at(std::string_view bytes, std::size_t i) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + 8 * i, 8);
    return word;
  }
  // Returns the bytes that are left over.
  std::string_view add_in_lanes(std::string_view bytes) {
    std::uint64_t lanes[4] = {kStart, kStart + 1, kStart + 2, kStart + 3};
    for (; bytes.size() >= 32; bytes.remove_prefix(32)) {
      for (std::size_t i = 0; i < 4; ++i) lanes[i] = step(lanes[i], word_at(bytes, i));
    }
    for (std::uint64_t lane : lanes) add(lane);
    return bytes;
  }

  std::uint64_t state_ = kStart;
  std::uint64_t words_ = 0;
};

inline std::uint64_t hash_of(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace rein
