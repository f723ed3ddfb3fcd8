// Coordinates: the features of a shape's default map, whitened by what the first learned rounds offered
// (tuning/whitening.h). What linear means are bounded in, by ranges alone (tuning/ellipsoid.h,
// docs/theory/certificate.md, step 1).
#pragma once

#include <span>

#include "estimate/feature_map.h"
#include "rein/bytes.h"
#include "rein/shape.h"
#include "tuning/whitening.h"

namespace rein {

// The map that coordinates are made of.
FeatureMap plain_map(const Shape& shape);

class Coordinates {
 public:
  // With `used` false they take no memory, for those who found that they would take too much.
  explicit Coordinates(const Shape& shape, bool used = true);

  const FeatureMap& map() const { return map_; }
  // Whether all actions of a round have the same features: parameters per action, and no numbers of
  // their own.
  bool alike() const;
  bool fixed() const { return whitening_.fixed(); }
  // Before they are fixed: one more learned round. Returns whether they are fixed now. `phi` is room
  // for a vector.
  bool collect(const Round& round, std::span<double> phi);
  // psi of one action. REQUIRES that they are fixed.
  void write(const Round& round, int action, std::span<double> phi, std::span<double> psi) const;
  // By number of psi: 1 if the first rounds showed it, else 0.
  std::span<const double> shown() const { return whitening_.shown(); }

  void save(ByteWriter& out) const { out.parts(rounds_, whitening_); }
  void load(ByteReader& in) { in.parts(rounds_, whitening_); }

 private:
  FeatureMap map_;
  Whitening whitening_;
  double rounds_ = 0.0;  // collected
};

}  // namespace rein
