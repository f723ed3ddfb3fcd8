// Ids: the id of decision n is the number n, encrypted. So no id repeats within 2^64 decisions.
// Without the key, ids reveal nothing about order or count. With the key, the engine can tell
// whether it ever gave out an id, without storing it.
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
  // The key as two halves, the lower half first.
  explicit IdCipher(std::array<std::uint64_t, 2> key);
  // The key derived from a seed and a secret.
  static IdCipher from(std::uint64_t seed, std::array<std::uint64_t, 2> secret);

  std::uint64_t id_of(std::uint64_t number) const { return ids_from(number)[0]; }
  // The ids of this number and the next three. One call for four ids is faster than two calls for
  // single ids, because the steps of a single encryption depend on each other.
  std::array<std::uint64_t, 4> ids_from(std::uint64_t number) const;
  std::uint64_t number_of(std::uint64_t id) const;

 private:
  static constexpr int kRounds = 27;
  std::array<std::uint32_t, kRounds> keys_;
};

}  // namespace rein
