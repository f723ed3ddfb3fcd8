// FirstStage: rounds of pure exploration at the beginning, kept to find out how much a policy can
// earn within the budgets (OPT), for prices that need to know what a unit of budget is worth.
//
//     while it lasts     play the action with the largest sqrt(phi' A^-1 phi)
//     when it ends       OPT^ / T = (1/n) max sum_t <p_t, f^_t>
//                                   s.t. sum_t <p_t, g^_{t,i}> <= n b_i  for every cost i
//
// over the n rounds it kept, with the estimates that the oracle has at its end (solve/long_term.h).
// Learning a round copies it into memory made before; the one round that ends the stage solves, and
// is the only one that allocates.
//
// (Agrawal, Devanur, NeurIPS 2016, section on estimating Z. Its slack for estimation errors, larger
// than T at any practical T, is left out.)
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policy/round_store.h"
#include "rein/oracle.h"
#include "rein/shape.h"

namespace rein {

class FirstStage {
 public:
  // `rates`: b of every cost, in units.
  FirstStage(const Shape& shape, std::int64_t rounds, const Costs& rates);

  bool active() const { return seen_ < rounds_; }
  // Keeps a round, while active. For the one that ends the stage: OPT^ / T in units, at least 0;
  // `units` of the reward and every cost. Where the oracle throws, the stage is as it was.
  std::optional<double> learn(const Round& round, const Oracle& oracle,
                              const std::vector<double>& units);

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  double best(const Oracle& oracle, const std::vector<double>& units) const;

  int actions_;
  std::int64_t rounds_;
  Costs rates_;
  std::int64_t seen_ = 0;
  RoundStore kept_;  // fewer than rounds_ where they are large
};

}  // namespace rein
