// Noise, and the streams of chance that worlds draw from.
//
// All noise is pre-drawn in effect: the outcome of (round, action, head) is a pure function of the
// seed and those three, whatever was asked before. So every policy that runs on one seed meets the
// same world, and nothing is stored. Contexts come from streams of their own: a world with other
// noise has the same contexts.
//
//   rademacher  one end of the range or the other, with the exact mean
//   gaussian    mean + sd N(0, 1), cut off symmetrically about the mean where the nearer end of the
//               range lies: outcomes stay in range and the mean stays exact (a plain clip moves it)
//   low         gaussian with sd 0.05
//   none        the mean itself
#pragma once

#include <cstdint>

#include "base/spec_reader.h"
#include "rein/rng.h"
#include "rein/shape.h"

namespace rein {

// What a stream is for. It fills the top byte, so no stream of a world is one that a policy uses.
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
  // Asks the reader for `noise` and `sd`.
  Noise(SpecReader& read, std::string_view usual, std::uint64_t seed, double usual_sd = 0.25);

  // What the action gives in this head. REQUIRES mean inside the range.
  double draw(std::int64_t round, int action, int head, double mean, const Range& range) const;
  // The most that draw() can give.
  double highest(double mean, const Range& range) const;

 private:
  double truncated(Rng& rng, double half_width) const;

  Kind kind_ = Kind::kNone;
  double sd_ = 0.0;
  std::uint64_t seed_ = 0;
};

}  // namespace rein
