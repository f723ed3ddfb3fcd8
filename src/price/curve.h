// PriceCurve: a price as a function of the pace, the amount that may be spent per decision.
//
// Knots half an octave of the pace apart, 24 on either side of the first pace; linear between them.
// learn() moves the two knots around a pace so that the curve meets the price there. Between knots
// that were met the curve is linear; beyond these knots the price is inversely proportional to the
// pace, by at most a factor of 64. So one price solved for one pace serves all decisions near that
// pace, whoever they are for.
#pragma once

#include <array>
#include <cstdint>

#include "rein/result.h"

namespace rein {

class ByteReader;
class ByteWriter;

class PriceCurve {
 public:
  double at(double pace) const;
  // From this pace on the price is 0.
  double free_from() const { return free_from_; }
  void learn(double pace, double price);  // price at least 0

  void save(ByteWriter& out) const;
  Result<> load(ByteReader& in);

 private:
  static constexpr int kSide = 24;
  static constexpr int kKnots = 2 * kSide + 1;
  struct Place {
    std::size_t knot;  // the knot below, never the last knot
    double share;      // of the knot after it
  };
  Place place(double pace) const;
  void spread();
  void find_free();

  double anchor_ = 0.0;      // the pace of the knot in the middle; 0: nothing is known
  double log_anchor_ = 0.0;  // its logarithm
  std::uint64_t met_ = 0;    // knots that were near a pace, one bit each
  std::array<double, kKnots> prices_{};
  double free_from_ = 0.0;  // derived
};

}  // namespace rein
