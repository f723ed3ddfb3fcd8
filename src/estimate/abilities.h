// OracleAbilities: what an oracle may be able to do besides predicting and learning. Every method has a
// default, which is what is true of an oracle that cannot. So nobody asks an oracle what type it is.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "estimate/changes.h"
#include "estimate/widths.h"
#include "rein/explanation.h"
#include "rein/oracle.h"

namespace rein {

class Optimistic;

class OracleAbilities {
 public:
  virtual ~OracleAbilities() = default;

  // Whether it has forgotten something, or has left outcomes out: then no U is certified.
  virtual bool forgets() const { return false; }
  // The number of later outcomes after which an outcome weighs 1 / e; 0: no fixed memory.
  virtual double memory() const { return 0.0; }
  // The changes with time that it noticed; nothing if it does not look for any.
  virtual std::optional<Changes> change() const { return std::nullopt; }

  // An upper bound on the sum of the widths of the actions that it learns (widths.h). REQUIRES a
  // dimension() above 0.
  virtual WidthSum width_sum(std::int64_t /*rounds*/) const {
    constexpr double kUnknown = std::numeric_limits<double>::infinity();
    return {kUnknown, kUnknown};
  }
  // Its regret against functions of any size (free_regret.h). Nothing: its class has no such size, and
  // Oracle::regret() is all there is.
  virtual std::optional<double> free_regret() const { return std::nullopt; }

  // Writes the terms of a head of an action, in the order of phi, where the estimate is a sum of weights
  // times numbers of the round, up to shrinking and clipping. Weights are in the units of the shape.
  // Returns false if the head has no weights.
  virtual bool weights(const Round& /*round*/, int /*action*/, int /*head*/,
                       std::vector<Term>& /*out*/) const {
    return false;
  }
  // What it predicted for the outcome that it learned last, just before it learned it: one number per
  // head, of the heads that came. Empty: it keeps none, and predict() must be asked.
  virtual std::span<const double> predicted() const { return {}; }

  // Itself, if it is the one that adds optimism to another oracle.
  virtual const Optimistic* optimistic() const { return nullptr; }
};

// The bound of any oracle: zeros if it has no widths.
inline WidthSum width_sum(const Oracle& oracle, std::int64_t rounds) {
  return oracle.dimension() == 0 ? WidthSum() : oracle.abilities().width_sum(rounds);
}

}  // namespace rein
