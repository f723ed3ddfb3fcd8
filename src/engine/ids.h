// Ids: the n-th decision gets the number n, enciphered. So no id comes twice in 2^64 decisions, ids
// tell nothing of their order or count to who lacks the key, and the engine, which has it, can tell
// an id it once gave from one it never did without remembering any.
//
// The cipher is Speck64/128 (Beaulieu and others, "The SIMON and SPECK families of lightweight
// block ciphers", 2013): on two 32-bit words, 27 rounds of
//
//     x = (rotate_right(x, 8) + y) xor k_i;  y = rotate_left(y, 3) xor x
#pragma once

#include <array>
#include <cstdint>

namespace rein {

class IdCipher {
 public:
  // The key as two halves, the lower first.
  explicit IdCipher(std::array<std::uint64_t, 2> key);
  // The key that a seed gives, changed by a secret.
  static IdCipher from(std::uint64_t seed, std::array<std::uint64_t, 2> secret);

  std::uint64_t id_of(std::uint64_t number) const { return ids_from(number)[0]; }
  // Of this number and the next three, in less time than it takes for two: a round of the cipher
  // waits for the one before.
  std::array<std::uint64_t, 4> ids_from(std::uint64_t number) const;
  std::uint64_t number_of(std::uint64_t id) const;

 private:
  static constexpr int kRounds = 27;
  std::array<std::uint32_t, kRounds> keys_;
};

}  // namespace rein
