// Noise, and the random streams that worlds draw from.
//
// The outcome of (round, action, head) is a pure function of the seed and those three, whatever was
// asked before. So every policy on the same seed meets the same world, and nothing is stored.
// Contexts have their own streams: a world with different noise has the same contexts.
//
//   rademacher  one end of the range or the other, with the exact mean
//   gaussian    mean + sd N(0, 1), truncated symmetrically around the mean at the nearer end of
//               the range: outcomes stay in range and the mean stays exact (a plain clip moves it)
//   low         gaussian with sd 0.05
//   none        the mean itself
#pragma once

#include <cstdint>

#include "base/spec_reader.h"
#include "rein/rng.h"
#include "rein/shape.h"

namespace rein {

// The purpose of a stream is its top byte, so worlds and policies never share a stream.
enum class Purpose : std::uint64_t {
  kParameters = 0xA1,
  kContexts = 0xA2,
  kLaws = 0xA3,
  kNoise = 0xA4,
  kOffers = 0xA5
};

inline Rng world_rng(std::uint64_t seed, Purpose purpose, std::uint64_t which = 0) {
  return Rng(seed, (static_cast<std::uint64_t>(purpose) << 56) | which);
}

class Noise {
 public:
  enum class Kind { kNone, kRademacher, kGaussian };

  Noise() = default;  // none
  Noise(Kind kind, double sd, std::uint64_t seed) : kind_(kind), sd_(sd), seed_(seed) {}
  // Reads `noise` and `sd`.
  Noise(SpecReader& read, std::string_view usual, std::uint64_t seed, double usual_sd = 0.25);

  // The outcome of the action in this head. REQUIRES a mean inside the range.
  double draw(std::int64_t round, int action, int head, double mean, const Range& range) const;
  // The largest value that draw() can return.
  double highest(double mean, const Range& range) const;

 private:
  double truncated(Rng& rng, double half_width) const;

  Kind kind_ = Kind::kNone;
  double sd_ = 0.0;
  std::uint64_t seed_ = 0;
};

}  // namespace rein
