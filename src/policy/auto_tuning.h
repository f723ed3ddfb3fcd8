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

#include "policy/certificate.h"
#include "policy/extra.h"
#include "policy/parts.h"
#include "policy/window.h"
#include "tuning/calibration.h"
#include "tuning/noise.h"
#include "tuning/optimism.h"
#include "tuning/prior.h"
#include "tuning/shared_part.h"

namespace rein {

class AutoTuning final : public Extra {
 public:
  struct Options {
    double optimism = 1.0;  // multiplies the bonus
    bool certifies = true;  // U was not given
    Prior::Options prior = {};
    Shares shares = {};
    bool has_shared_part = false;  // what actions have in common plays, where each alone knows too little
    bool waits_apart = true;       // every head has a delay of its own; else the first part's counts
    bool owns_noise = true;  // where the noise of costs swamps the rewards, it is that of the actions themselves
  };
  // Borrows the oracle, the gain and the explorer. `rehearsed` is the explorer that prices are solved for.
  AutoTuning(const Shape& shape, const Terms& terms, const Parts& parts, const Explorer& rehearsed,
             Options options);

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
  void add_prior(const Round& round, Estimates& estimates) const override;
  const Prior& prior() const { return prior_; }
  const SharedPart* shared() const { return shared_.get(); }
  void save(ByteWriter& out) const override;
  void load(ByteReader& in) override;

 private:
  void hope(const Round& round, const Books& books, const Prices& prices, Decision& decision) const;
  bool is_swamped(int cost, const Books& books, const Prices& prices, double shrink,
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

  // What is found out about an outcome before the oracle learns it. look() and learned() write it, learn()
  // reads it.
  struct Before {
    bool teaches = false;       // it says something about the other actions,
    bool is_asked = false;      // and alone_ has what the action gives by itself
    double own_reward = 0.0;    // the oracle's, of the action played, in units; where it was asked
    bool is_made_again = false; // again_ has the decision
  };

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
  Before before_;
  Estimates one_;                       // of that action
  Shares shares_;
  Calibration calibration_;
  DecisionWindow window_;
  std::int64_t rehearsed_ = 0;                // logged rounds that were added to it
  std::unique_ptr<Certificate> certificate_;  // null where U was given
  std::int64_t rounds_ = 0;  // whose outcomes have begun to come, those of a log included
  Decision again_;  // a decision that is made again, for the rehearsal: its outcome came late
  Scratch scratch_;
  std::vector<double> raw_;
};

}  // namespace rein
