// Gain: the exploration rate gamma, computed from the books, the prices and the number of actions. A
// larger gamma is greedier. Terms::gamma_scale multiplies the result.
#pragma once

#include <memory>

#include "rein/pricer.h"
#include "rein/result.h"
#include "rein/spec.h"

namespace rein {

class Gain {
 public:
  virtual ~Gain() = default;

  // gamma for scores divided by exp(prices.log_scale). `actions` is K of this round. Changes
  // nothing.
  virtual double gamma(const Books& books, const Prices& prices, int actions) const = 0;
  // Records a round that was decided at this log_scale: adds z = exp(2 log_scale) to the sum S.
  virtual void learn(double log_scale) = 0;

  virtual void save(ByteWriter& out) const = 0;
  virtual Result<> load(ByteReader& in) = 0;
};

// Makes the gain that the spec names: theory, constant, ... `rein list` shows all.
Result<std::unique_ptr<Gain>> make_gain(const Spec& spec, const Terms& terms);

}  // namespace rein
