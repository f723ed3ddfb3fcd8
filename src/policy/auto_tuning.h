// AutoTuning: what tuning=auto adds to a policy.
//
//   Noise         how far outcomes lie from their estimates sets every scale
//   Optimism      actions that are little known score higher
//   Prior         with prior=pooled, the costs of actions that were hardly played are not 0
//   SharedPart    what actions have in common, where each alone knows too little
//   Calibration   the costs of an action are corrected by how wrong they were
//   Window        recent decisions are kept, for the pricer to rehearse its next price on; those
//                 with late outcomes as they would be made now
//   Certificate   U is certified from what was learned, unless it was given
//   what fits     an action that might take the money of the rounds to come is not played, unless
//                 every other costs as much
//
// docs/tuning.md and docs/lab say why.
#pragma once

#include <memory>
#include <vector>

#include "explore/gain.h"
#include "policy/certificate.h"
#include "policy/extra.h"
#include "policy/window.h"
#include "tuning/calibration.h"
#include "tuning/noise.h"
#include "tuning/optimism.h"
#include "tuning/prior.h"
#include "tuning/shared_part.h"

namespace rein {

class AutoTuning final : public Extra {
 public:
  // Borrows the oracle and the gain of the policy. `optimism` multiplies the bonus. `certify`: U
  // was not given. `waits_apart`: every head has a delay of its own; else the first part's counts.
  // `owns_noise`: where the noise of costs swamps the rewards, it is that of the actions themselves.
  AutoTuning(const Shape& shape, const Terms& terms, const Oracle& oracle, const Gain& gain,
             const Explorer& explorer, double optimism, bool certify, const Floor& floor, Prior::Options prior,
             const Shares& shares, bool shared, bool waits_apart, bool owns_noise);

  bool correct(const Round& round, std::span<double> raw, Decision& decision) const override;
  void score(const Round& round, const Books& books, const Prices& prices,
             Decision& decision) const override;
  void compete(const Round& round, const Prices& prices, const Decision& decision,
               Books& books) const override;
  void teach(const Round& round, int action, std::span<double> heads) const override;
  void look(const Lesson& lesson) override;
  void learned(const Lesson& lesson, const Oracle& oracle) override;
  void learn(const Lesson& lesson, Books& books, Pricer& pricer) override;
  void tell(PolicyState& state) const override;
  void certify(PolicyState& state) const override;
  // Adds to the oracle's estimates what the prior and the other actions say.
  void add_prior(const Round& round, Estimates& estimates) const;
  const Prior& prior() const { return prior_; }
  const SharedPart* shared() const { return shared_.get(); }
  void save(ByteWriter& out) const override;
  void load(ByteReader& in) override;

 private:
  void hope(const Round& round, const Books& books, const Prices& prices, Decision& decision) const;
  bool is_swamped(int cost, const Books& books, const Prices& prices,
                  const Decision& decision) const;
  // In units; `cost` holds the estimates of cost i.
  double free_of(const Round& round, const Books& books, int i, std::span<const double> cost) const;
  // Asks the oracle what it says about the action that was played, for shared_.
  void ask(const Lesson& lesson);
  void listen(const Lesson& lesson, Books& books);
  bool is_limited(const Books& books, int cost) const;
  bool is_blind(const Round& round, const Books& books) const;
  void measure(const Lesson& lesson, Books& books);
  double taught(const Lesson& lesson) const;
  // Keeps the round for the rehearsal, and lets the pricer look ahead.
  void rehearse(const Lesson& lesson, Books& books, Pricer& pricer);
  void rehearse_warm(const Lesson& lesson, const Books& books, Pricer& pricer);
  // Whether the decision of this round is kept for the rehearsal.
  static bool is_kept(std::int64_t round);
  void remember(const Lesson& lesson);

  const Oracle& plain_;  // without optimism
  Terms terms_;
  std::vector<double> units_;
  Range reward_;
  std::vector<Range> ranges_;  // of the costs, as the oracle learns them
  std::vector<bool> refunds_;  // which costs may be negative
  double parameters_;          // to be learned; 0: actions share them
  OutcomeNoise noise_;
  Optimism optimism_;
  Prior prior_;
  std::unique_ptr<SharedPart> shared_;  // null: every action alone
  std::vector<double> alone_;           // what the action played gives by itself, in units
  std::vector<double> outcome_;         // and what it gave
  bool waits_apart_;
  bool owns_noise_;
  std::vector<double> waits_;           // rounds that each head of a decision takes to come,
  std::vector<double> heard_;           // on average over so many that came
  bool teaches_ = false;                // whether it says something about the others,
  bool asked_ = false;                  // and alone_ is filled in
  double said_ = 0.0;                   // the oracle's own reward of the action played, in units
  Estimates one_;                       // of that action
  Shares shares_;
  Calibration calibration_;
  DecisionWindow window_;
  std::int64_t rehearsed_ = 0;                // logged rounds that were added to it
  std::unique_ptr<Certificate> certificate_;  // null where U was given
  std::int64_t rounds_ = 0;  // whose outcomes have begun to come, those of a log included
  // A decision that is made again, for the rehearsal: its outcome came late.
  bool is_again_ = false;
  Decision again_;
  Scratch scratch_;
  std::vector<double> raw_;
};

}  // namespace rein
