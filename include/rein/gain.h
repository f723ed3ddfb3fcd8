// Gain: how sharply scores become probabilities (gamma), from the books, the prices and the number
// of actions. Terms::gamma_scale multiplies whatever comes out.
#pragma once

#include <memory>

#include "rein/pricer.h"
#include "rein/result.h"
#include "rein/spec.h"

namespace rein {

class Gain {
 public:
  virtual ~Gain() = default;

  // gamma for scores divided by exp(prices.log_scale). `actions` is this round's K. Changes
  // nothing.
  virtual double gamma(const Books& books, const Prices& prices, int actions) const = 0;
  // Commits a round that was decided at this log_scale: z = exp(2 log_scale) joins the sum S.
  virtual void learn(double log_scale) = 0;

  virtual void save(ByteWriter& out) const = 0;
  virtual Result<> load(ByteReader& in) = 0;
};

// Makes the gain that the spec names: theory, constant, ... `rein list` shows all.
Result<std::unique_ptr<Gain>> make_gain(const Spec& spec, const Terms& terms);

}  // namespace rein
