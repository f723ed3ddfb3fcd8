// UpperBounds: upper confidence bounds on the mean costs of every action, for a limit on every round
// (policy/stage.h). Two kinds:
//
//   ranges   from the declared ranges alone (tuning/ellipsoid.h): the noise is measured, features may be in
//            any units, and parameters of any size. One ellipsoid per cost and set of parameters.
//   oracle   g^ + r sqrt(w) of a linear oracle: the published bound, for |theta| <= 1 and |phi| <= norm, with
//            noise as large as the range allows
#pragma once

#include <memory>
#include <span>

#include "policy/confidence.h"
#include "rein/bytes.h"
#include "rein/policy.h"

namespace rein {

class UpperBounds {
 public:
  virtual ~UpperBounds() = default;

  // Number of doubles that write() takes from its scratch.
  virtual std::size_t scratch() const = 0;
  // Writes the bound of every cost and action, one row per cost, in the units of the shape. May use the
  // estimates of the decision as room.
  virtual void write(const Round& round, Scratch& scratch, Decision& decision,
                     std::span<double> out) const = 0;
  // The reward and every cost, in the units of the shape; NaN: it has not come with this outcome.
  virtual void learn(const Round& round, int action, std::span<const double> heads) = 0;
  virtual void save(ByteWriter& out) const = 0;
  virtual Result<> load(ByteReader& in) = 0;
};

// Together they fail with probability delta at most. `oracle` is that of the second kind; the name `none`
// asks for the first.
Result<std::unique_ptr<UpperBounds>> make_upper_bounds(const Spec& oracle, Confidence confidence,
                                                       const Shape& shape, const Own& own);

// Writes the second kind, from what an oracle says of every action.
void write_upper(const Shape& shape, const Estimates& said, double radius, std::span<double> out);

}  // namespace rein
