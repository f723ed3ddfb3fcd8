// Hash: 64 bits of a sequence of 64-bit words. Finds accidents, not attackers.
//
//     h_0 = k0;  h_n = (rotate(h_{n-1}, 29) xor word_n) * k1;  then the count of words and a
//     final mix of shifts and multiplications
//
// Every step is a bijection of the word and of the state before it, so a change of any single word
// always changes the result. Bytes are read as little-endian words, the last one padded with zeros,
// and their number is hashed as well.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace rein {

class Hash {
 public:
  void add(std::uint64_t word) {
    state_ = (std::rotl(state_, 29) ^ word) * 0x9E3779B97F4A7C15ULL;
    ++words_;
  }
  void add(std::string_view bytes) {
    add(static_cast<std::uint64_t>(bytes.size()));
    for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), 8);
      add(word);
    }
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
  std::uint64_t state_ = 0x243F6A8885A308D3ULL;  // the fraction of pi
  std::uint64_t words_ = 0;
};

inline std::uint64_t hash_of(std::string_view bytes) {
  Hash hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace rein
