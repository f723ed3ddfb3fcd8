// FirstStage: rounds of pure exploration at the beginning, kept to find out how much a policy can
// earn within the budgets (OPT), for prices that need to know what a unit of budget is worth.
//
//     while it lasts     play the action with the largest sqrt(phi' A^-1 phi)
//     when it ends       OPT^ / T = (1/n) max sum_t <p_t, f^_t>  s.t.  sum_t <p_t, g^_{t,i}> <= n
//     b_i
//
// over the n rounds it kept, with the estimates that the oracle has at its end (solve/long_term.h).
// Learning a round copies it into memory made before; the one round that ends the stage solves, and
// is the only one that allocates.
//
// (Agrawal, Devanur, NeurIPS 2016, section on estimating Z. Its slack for estimation errors, larger
// than T at any practical T, is left out.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rein/oracle.h"
#include "rein/round.h"
#include "rein/shape.h"

namespace rein {

class FirstStage {
 public:
  // `rates`: b of every cost, in units.
  FirstStage(const Shape& shape, std::int64_t rounds, const Costs& rates);

  bool active() const { return seen_ < rounds_; }
  // Keeps a round, while active. True for the one that ends the stage.
  bool learn(const Round& round);
  // OPT^ / T in units, at least 0; `units` of the reward and every cost. REQUIRES a kept round.
  double best(const Oracle& oracle, const std::vector<double>& units) const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  std::int64_t kept() const { return std::min(seen_, most_kept_); }
  Round round_at(std::int64_t t, std::vector<std::int32_t>& ids) const;

  Shape shape_;
  std::int64_t rounds_;
  Costs rates_;
  std::size_t stride_;      // numbers a round: actions, ids, context, dense features
  std::int64_t most_kept_;  // rounds; fewer than rounds_ where they are large
  std::int64_t seen_ = 0;
  std::vector<double> numbers_;
};

}  // namespace rein
