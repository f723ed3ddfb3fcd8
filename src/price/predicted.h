// predicted: the price at which this policy would spend the remaining budget over the remaining
// rounds.
//
//     price_i = mu_i + 2 n max(Q_i, 0) / (V_t s_i^2),   V_t = v_scale sqrt(K t U_t)
//
// mu comes from a rehearsal: it replays the estimates of the last few hundred decisions with the
// current gamma and explorer, so the cost of exploration is counted. mu is solved every eighth round
// at first and every 64th later; with a horizon also in each of the first and last eight rounds. So
// the rehearsed spend meets the target
//
//     b_i - (q_i + r_i) / min(T - t, max(payback sqrt t, h D))   T - t is infinite without a horizon
//
// After the last round of the horizon the target is computed as without a horizon.
//
// If the engine keeps the budgets (Terms::paced), the target is the pace of the decision: what is left of
// the tightest budget over the decisions to come. mu is then a curve over the pace (price/curve.h), solved
// for the paces that occur, and there is no queue in the price. A rehearsal may always be wrong in the
// same direction. So the target is multiplied by the ratio of what was planned to what was paid, both
// averaged over 2000 rounds.
//
// The terms of the target:
//   - q_i = consumption + reserved - b_i t, the debt. The debt is paid back within payback sqrt t rounds or
//     within h D rounds, whichever is longer, and within the remaining rounds. D (Books::late) is how many
//     rounds an outcome takes to come: a debt that is paid back sooner than that makes the spend swing. h
//     is 20 with a horizon and 5 without.
//   - r_i, with a horizon, is `reserve` times the root mean square of the queue so far. The last rounds may
//     be expensive, and a debt from them could not be paid back.
// n is the least noise of the reward so far, so that V_t s_i^2 / n never falls.
//
// The target is never below the smallest spend of any choice, plus an allowance: 0.3 s / sqrt t for signed
// costs, and 1 % of the larger of that smallest spend and b_i for others. An infeasible target would raise
// the price until nothing is ever tried again. Logged rounds (Books::warm) count in t and their costs in s_i, but not in q_i. So after
// a warm start there is a price before the first round.
//
// s_i, the scale of a cost, is the largest absolute value of it that was paid, or b_i if that is
// larger. All constants are in scales and in noises of the reward. log_scale is log max(1, largest
// price_i s_i). So nothing depends on units or on the width of a declared range. The price of a
// cost is at most 1e6 noises divided by its mean spread over the actions of a round.
//
// The solver takes Newton steps on the rehearsed spend. Each changes the price by at most a factor
// of two, and a secant shortens a step that overshoots. With several costs the steps are solved
// jointly (Gauss-Seidel on the box). docs/theory/default.md says which parts of the theorem still hold.
#pragma once

#include <vector>

#include "price/curve.h"
#include "rein/pricer.h"

namespace rein {

class PredictedPrice final : public Pricer {
 public:
  static Result<std::unique_ptr<Pricer>> make(const Spec& spec, const Terms& terms);

  void price(const Books& books, Prices& out) const override;
  void learn(const Books& books, const Paid& paid) override;
  void foresee(const Books& books, Rehearsal& rehearsal) override;
  Costs queues() const override { return queues_; }
  Costs parameters() const override { return mu_; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  PredictedPrice(const Terms& terms, bool signed_costs, double payback, double reserve,
                 bool limited);
  void follow(const Books& books, int i, double cost, bool first);
  // Whether one play can take a large part of a budget.
  bool is_scarce() const;
  bool is_due(std::int64_t rounds) const;
  double scale(int i) const;
  Prices scaled(const Costs& plain) const;
  Costs targets(const Books& books, const Rehearsal& rehearsal) const;
  bool has_horizon(const Books& books) const {
    return terms_.rounds > 0 && books.rounds < terms_.rounds;
  }
  double correction(int i) const;
  // Solves for mu.
  void solve(const Books& books, Rehearsal& rehearsal);
  void set_caps(const Books& books, const Rehearsal& rehearsal);
  Costs step(const Costs& excess, std::span<const double> slopes) const;

  Terms terms_;
  bool signed_;
  double payback_;
  double reserve_;
  bool limited_;  // to prices that can be of use
  double noise_ = 1.0;  // of the reward, and
  Costs caps_;          // caps: of the current solve
  Costs queues_;
  Costs swings_;  // mean square of each queue so far
  Costs mu_;
  Costs seen_;                // the largest absolute value of each cost that was paid
  double least_noise_ = 1.0;  // of the reward so far
  // If paced: what was paid and planned per round, on average, where there was a price.
  Costs paid_, planned_;
  std::vector<PriceCurve> curves_;  // one per cost if paced
};

}  // namespace rein
