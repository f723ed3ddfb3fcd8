#include "engine/ids.h"

#include <bit>

#include "rein/rng.h"

namespace rein {
namespace {

constexpr std::uint64_t kKeyStream = 0x6964;  // separate from the stream that decisions draw from

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }
constexpr std::uint64_t join(std::uint32_t x, std::uint32_t y) {
  return (static_cast<std::uint64_t>(x) << 32) | y;
}

}  // namespace

IdCipher::IdCipher(std::array<std::uint64_t, 2> key) {
  std::array<std::uint32_t, 3> l = {high(key[0]), low(key[1]), high(key[1])};
  keys_[0] = low(key[0]);
  for (std::uint32_t i = 0; i + 1 < kRounds; ++i) {
    std::uint32_t& next = l[i % 3];
    next = (keys_[i] + std::rotr(next, 8)) ^ i;
    keys_[i + 1] = std::rotl(keys_[i], 3) ^ next;
  }
}

IdCipher IdCipher::from(std::uint64_t seed, std::array<std::uint64_t, 2> secret) {
  Rng rng(seed, kKeyStream);
  for (std::uint64_t& half : secret) half ^= rng.bits();
  return IdCipher(secret);
}

std::array<std::uint64_t, 4> IdCipher::ids_from(std::uint64_t number) const {
  std::array<std::uint32_t, 4> x, y;
  for (std::uint32_t i = 0; i < 4; ++i) {
    x[i] = high(number + i);
    y[i] = low(number + i);
  }
  for (std::uint32_t key : keys_) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      x[i] = (std::rotr(x[i], 8) + y[i]) ^ key;
      y[i] = std::rotl(y[i], 3) ^ x[i];
    }
  }
  return {join(x[0], y[0]), join(x[1], y[1]), join(x[2], y[2]), join(x[3], y[3])};
}

std::uint64_t IdCipher::number_of(std::uint64_t id) const {
  std::uint32_t x = high(id);
  std::uint32_t y = low(id);
  for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) {
    y = std::rotr(y ^ x, 3);
    x = std::rotl((x ^ *key) - y, 8);
  }
  return join(x, y);
}

}  // namespace rein
