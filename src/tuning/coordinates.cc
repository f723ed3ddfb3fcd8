#include "tuning/coordinates.h"

#include <algorithm>

#include "base/spec_reader.h"
#include "rein/spec.h"

namespace rein {
namespace {

// Coordinates are fixed once so many rounds, and so many vectors per feature, were seen. Of one
// round no more than kMostOffered actions are looked at.
constexpr double kFirstRounds = 8.0;
constexpr double kFirstVectors = 2.0;
constexpr int kMostOffered = 64;

}  // namespace

// A goal is mapped by adding constants, so the class must have one.
FeatureMap plain_map(const Shape& shape) {
  Spec spec("coordinates");
  if (!shape.expected.empty()) spec.set("bias", {.is = 1.0});
  SpecReader read(spec, "coordinates");
  return FeatureMap(read, shape);
}

Coordinates::Coordinates(const Shape& shape, bool used)
    : map_(plain_map(shape)), whitening_(used ? map_.size() : 1) {}

bool Coordinates::alike() const {
  return map_.kind() == FeatureMap::Kind::kPerAction && map_.features() == 0;
}

bool Coordinates::collect(const Round& round, std::span<double> phi) {
  const int looked_at = alike() ? 1 : std::min(round.actions, kMostOffered);
  for (int a = 0; a < looked_at; ++a) {
    map_.row(round, a, phi);
    whitening_.add(phi);
  }
  rounds_ += 1.0;
  if (rounds_ < kFirstRounds || whitening_.added() < kFirstVectors * map_.size()) return false;
  whitening_.fix();
  return true;
}

void Coordinates::write(const Round& round, int action, std::span<double> phi,
                        std::span<double> psi) const {
  map_.row(round, action, phi);
  whitening_.write(phi, psi);
}

}  // namespace rein
