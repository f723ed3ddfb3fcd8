// FirstStage: rounds of exploration at the beginning, from which a policy finds out how much it can
// earn within the budgets (OPT), for prices that need to know what a unit of budget is worth.
//
//     OPT^ / T = (1/n) max sum_t <p_t, f^_t>
//                s.t. sum_t <p_t, g^_{t,i}> <= n b_i  for every cost i
//
// over the n rounds it kept (solve/long_term.h). There are two kinds:
//
//                widest (linCBwK)                    uniform (SquareCBwK)
//     plays      the largest sqrt(phi' A^-1 phi)     every action with the same probability
//     prices     from the first round, with OPT = T  none (Books::opt is 0); the dual starts anew
//     keeps      its rounds, from the first on       the second half of its rounds
//     estimates  those of the oracle at its end      those that each decision was made from
//     finds      Books::opt = OPT^ / T + b           Books::reach = Z = (OPT^ / T + M) / b
//
// with M = sqrt(K U / T0), and Z at most 1 / b. Where rounds are large, fewer are kept. Rounds are
// counted as they are learned. Learning a round copies it into memory made before; only the round
// that ends the stage solves the LP, and allocates.
//
// linCBwK: Agrawal, Devanur, NeurIPS 2016, section on estimating Z. Its slack for estimation errors
// is larger than T at any practical T, and is left out. SquareCBwK: Han, Zeng, Wang, Xu, AISTATS
// 2023; the paper says that exploration and an LP give Z; M and the use of estimates as they were
// made are ours.
#pragma once

#include <cstdint>
#include <vector>

#include "policy/extra.h"
#include "policy/peers/round_store.h"
#include "price/forms.h"

namespace rein {

class FirstStage final : public Extra {
 public:
  enum class Kind { kWidest, kUniform };
  struct Options {
    Kind kind = Kind::kWidest;
    std::int64_t rounds = 0;  // T0; 0: no first stage
    double z_scale = 1.0;     // of Z, where it finds Z
  };
  // Books::opt before the first round.
  static double opt_before(Kind kind) { return kind == Kind::kUniform ? 0.0 : 1.0; }

  // REQUIRES at least one cost and one round.
  FirstStage(const Shape& shape, const Terms& terms, const Form& form, const Options& options);

  bool active() const { return seen_ < options_.rounds; }
  void score(const Round& round, const Books& books, const Prices& prices,
             Decision& decision) const override;
  void learned(const Lesson& lesson, const Oracle& oracle) override;
  void learn(const Lesson& lesson, Books& books, Pricer& pricer) override;
  void save(ByteWriter& out) const override;
  void load(ByteReader& in) override;

 private:
  bool uniform() const { return options_.kind == Kind::kUniform; }
  void keep(const Round& round, const Estimates& estimates);
  double best(const Oracle& oracle) const;

  Terms terms_;
  Form form_;
  Options options_;
  std::vector<double> units_;
  std::int64_t seen_ = 0;
  RoundStore kept_;  // uniform: estimates in units, as features
  std::vector<double> row_;
  double opt_ = 0.0;  // OPT^ / T, in the round that ends the stage
};

}  // namespace rein
