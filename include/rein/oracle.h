// Oracle: estimates the reward and every cost of every action, and learns from what came.
//
// An online regression oracle with m + 1 heads: head 0 is the reward, head i the i-th cost. The
// quality of an oracle enters the theory through one number, U: a bound on the cumulative squared
// error of each single head, sum over rounds of (prediction - true mean)^2. Oracles must take any
// order of rounds, an adversary's too.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rein/result.h"
#include "rein/round.h"
#include "rein/scratch.h"
#include "rein/shape.h"
#include "rein/spec.h"

namespace rein {

class ByteReader;
class ByteWriter;

// What an oracle says about every action of one round, in the units of the shape.
class Estimates {
 public:
  // `heads` rows of `actions` numbers, of any value. Allocates only where there never were as many.
  void prepare(int heads, int actions);
  // Rows of fewer numbers than they were prepared for.
  void set_actions(int actions) { actions_ = actions; }
  // Fewer rows than were prepared; the widths follow the last one.
  void set_heads(int heads) { heads_ = heads; }

  int actions() const { return actions_; }
  int heads() const { return heads_; }
  // Estimated means of one head, one number an action, inside the head's range.
  std::span<double> mean(int head) { return {numbers_.data() + at(head), size()}; }
  std::span<const double> mean(int head) const { return {numbers_.data() + at(head), size()}; }
  // phi' (A + phi phi')^-1 phi for every action, in [0, 1): how little is known about it.
  // Zeros from an oracle that has no widths.
  std::span<double> width() { return {numbers_.data() + at(heads_), size()}; }
  std::span<const double> width() const { return {numbers_.data() + at(heads_), size()}; }

 private:
  std::size_t at(int head) const { return static_cast<std::size_t>(head) * stride_; }
  std::size_t size() const { return static_cast<std::size_t>(actions_); }
  std::vector<double> numbers_;  // a row a head, and one of widths
  std::size_t stride_ = 0;
  int heads_ = 0;
  int actions_ = 0;
};

class Oracle {
 public:
  virtual ~Oracle() = default;

  // Estimates for every action of the round. Changes nothing. REQUIRES a round that fits the shape
  // the oracle was made for, and estimates prepared for it.
  virtual void predict(const Round& round, Scratch& scratch, Estimates& estimates) const = 0;
  // Doubles that predict() takes from its scratch, for any round of the shape.
  virtual std::size_t scratch() const = 0;
  // Learns the outcomes (reward, cost 1, ..., cost m) of one action. REQUIRES finite values inside
  // the ranges of the shape.
  virtual void learn(const Round& round, int action, std::span<const double> outcomes) = 0;

  // U before the first round: what the cumulative squared error of a head stays under for this many
  // rounds, if the world is as the oracle assumes (see its page).
  virtual double bound(std::int64_t rounds) const = 0;
  // U as observed: the largest over heads of the oracle's regret in square loss so far against the
  // best function of its class, with what the class allows added; NaN where it cannot be known.
  virtual double regret() const = 0;

  // Features that a width is made of; 0 from an oracle that has no widths.
  virtual int dimension() const { return 0; }

  // All state, exactly. load() REQUIRES bytes from an oracle of the same spec and shape, and
  // refuses others; a refused load leaves the oracle unusable: make a new one.
  virtual void save(ByteWriter& out) const = 0;
  virtual Result<> load(ByteReader& in) = 0;
};

// Makes the oracle that the spec names: vaw, ons, adagrad, forest, mlp, ... `rein list` shows all.
Result<std::unique_ptr<Oracle>> make_oracle(const Spec& spec, const Shape& shape);

// A list of functions from (round, action) to the means of all heads. A world that knows its truth
// offers one; so may anyone who has a finite list of candidate models.
class FunctionClass {
 public:
  virtual ~FunctionClass() = default;
  virtual int size() const = 0;
  // out[head] = value of this function at this action, within the ranges of the shape, for head <
  // out.size(): an oracle may want only the first heads.
  virtual void evaluate(int function, const Round& round, int action,
                        std::span<double> out) const = 0;
};

}  // namespace rein
