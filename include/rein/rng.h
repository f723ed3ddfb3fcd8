// Rng: the only source of randomness in rein.
//
// The generator is counter-based (Philox 4x32-10; Salmon, Moraes, Dror, Shaw, SC 2011): draw n is a
// pure function of (seed, stream, n). So a run resumes exactly from its counter, and seeds never
// overlap. A world can ask for the noise of (round, action) without storing it. The distributions
// are our own, because those of the standard library differ between implementations.
//
// Nothing in rein owns an Rng: the caller passes it in and so controls what is random.
#pragma once

#include <cstdint>

namespace rein {

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  std::uint64_t seed() const { return seed_; }
  std::uint64_t stream() const { return stream_; }
  // The number of draws so far; set_counter() moves to any place in the sequence.
  std::uint64_t counter() const { return counter_; }
  void set_counter(std::uint64_t counter) { counter_ = counter; }

  // 64 random bits. Each function below makes one draw, except normal(), which makes two.
  std::uint64_t bits();
  // In [0, 1), a multiple of 2^-53.
  double uniform();
  // In {0, ..., n - 1}. REQUIRES n >= 1.
  std::int64_t below(std::int64_t n);
  // -1 or +1, with the given mean. REQUIRES mean in [-1, 1].
  double rademacher(double mean = 0.0);
  // Mean 0, variance 1 (Box and Muller's method on our own log and cos).
  double normal();

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t counter_ = 0;
};

}  // namespace rein
