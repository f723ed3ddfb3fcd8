// Oracle: estimates the reward and every cost of every action, and learns from outcomes.
//
// An oracle is an online regression with m + 1 heads: head 0 is the reward, head i is cost i. Its
// quality enters the theory through one number, U. U bounds the cumulative squared error of each
// head: the sum over rounds of (prediction - true mean)^2. An oracle must accept rounds in any
// order, also one chosen by an adversary.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "rein/bytes.h"
#include "rein/estimates.h"
#include "rein/own.h"
#include "rein/result.h"
#include "rein/round.h"
#include "rein/scratch.h"
#include "rein/shape.h"
#include "rein/spec.h"

namespace rein {

class OracleAbilities;

class Oracle {
 public:
  virtual ~Oracle() = default;

  // Estimates every action of the round, and changes nothing. REQUIRES a round that fits the shape
  // of the oracle, and estimates prepared for it.
  virtual void predict(const Round& round, Scratch& scratch, Estimates& estimates) const = 0;
  // Number of doubles that predict() takes from its scratch, for any round of the shape.
  virtual std::size_t scratch() const = 0;
  // Learns the outcomes (reward, cost 1, ..., cost m) of one action. REQUIRES finite values inside
  // the ranges of the shape, or NaN for an outcome that has not come: the head of that outcome
  // learns nothing now. The outcome may come in a later call with the same round and action. So
  // each head is learned from the rounds in which it was seen, and only from these. From then on
  // widths may differ by head (Estimates::apart()). An oracle of the caller's own throws Failure
  // for NaN unless its learns_parts() returns true.
  virtual void learn(const Round& round, int action, std::span<const double> outcomes) = 0;

  // U before the first round: an upper bound on the cumulative squared error of one head over this
  // many rounds, under the assumptions on the oracle's page.
  virtual double bound(std::int64_t rounds) const = 0;
  // U as observed: the oracle's square-loss regret so far against the best function of its class,
  // plus the term for the class; the largest over heads. NaN if unknown.
  virtual double regret() const = 0;

  // Number of features that a width is computed from; 0 without widths.
  virtual int dimension() const { return 0; }
  // What oracles of this library can do besides (src/estimate/abilities.h); yours need nothing of it.
  virtual const OracleAbilities& abilities() const;

  // The complete state, bit for bit. load() REQUIRES bytes from an oracle of the same spec and
  // shape and refuses others. A refused load leaves the oracle unusable: make a new one.
  virtual void save(ByteWriter& out) const = 0;
  virtual Result<> load(ByteReader& in) = 0;
};

// Makes the oracle that the spec names: vaw, ons, adagrad, forest, mlp, ... `rein list` shows all.
// `own` holds the oracles that the caller brings.
Result<std::unique_ptr<Oracle>> make_oracle(const Spec& spec, const Shape& shape,
                                            const Own& own = {});

// A list of functions from (round, action) to the means of all heads. A world that knows its true
// functions offers one. A caller who has a finite list of candidate models may offer one too.
class FunctionClass {
 public:
  virtual ~FunctionClass() = default;
  virtual int size() const = 0;
  // Writes out[head], the value of this function at this action, for every head < out.size().
  // Values lie within the ranges of the shape. An oracle may ask for the first heads only.
  virtual void evaluate(int function, const Round& round, int action,
                        std::span<double> out) const = 0;
};

}  // namespace rein
