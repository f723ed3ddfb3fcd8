#include "rein/rng.h"

#include <array>
#include <cmath>

#include "base/math.h"

namespace rein {
namespace {

// Philox 4x32 with 10 rounds: a 128-bit counter scrambled under a 64-bit key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = 0xD2511F53ULL * counter[0];
    const std::uint64_t b = 0xCD9E8D57ULL * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

constexpr std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
constexpr std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

}  // namespace

std::uint64_t Rng::bits() {
  const std::uint64_t n = counter_++;
  const auto block =
      philox({low(n), high(n), low(stream_), high(stream_)}, {low(seed_), high(seed_)});
  return (static_cast<std::uint64_t>(block[1]) << 32) | block[0];
}

double Rng::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

std::int64_t Rng::below(std::int64_t n) {
  // The high half of bits * n. Its bias is below n / 2^64, which is undetectable.
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(bits()) * static_cast<std::uint64_t>(n);
  return static_cast<std::int64_t>(product >> 64);
}

double Rng::rademacher(double mean) { return uniform() < 0.5 * (1.0 + mean) ? 1.0 : -1.0; }

double Rng::normal() {
  constexpr double kTwoPi = 6.283185307179586;
  const double u = 1.0 - uniform();  // in (0, 1]
  const double v = uniform();
  return std::sqrt(-2.0 * log(u)) * cos(kTwoPi * v);
}

}  // namespace rein
