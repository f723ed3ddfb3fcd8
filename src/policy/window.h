// DecisionWindow: the estimates that a policy's last few hundred decisions were made from. They are
// kept so that what it would spend at other prices can be computed quickly
// (kernels().window_spend). A ring; rounds are lanes. Actions that a round did not offer score -1e30 and are never chosen.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "explore/explorer.h"
#include "explore/gain.h"
#include "policy/floor.h"
#include "policy/shares.h"
#include "rein/oracle.h"
#include "rein/pricer.h"
#include "tuning/optimism.h"

namespace rein {

class DecisionWindow final : public Rehearsal {
 public:
  // Room for up to `most_rounds` rounds; fewer where actions are so many that it would be large.
  // The floor and the shares apply to the probabilities that are rehearsed too.
  DecisionWindow(int actions, int costs, int most_rounds, const Gain& gain,
                 const Explorer& explorer, const Floor& floor = {}, const Shares& shares = {});

  // Remembers one decision's estimates, in units, with what optimism adds to its rewards now. Shares
  // need the round. Once `limit` rounds are remembered, the oldest makes room. REQUIRES a limit of
  // at least 1 that never falls.
  void add(const Estimates& estimates, std::span<const double> units,
           const Optimism* optimism = nullptr, const Round* round = nullptr,
           int limit = std::numeric_limits<int>::max());

  int rounds() const override { return used_; }
  void fix_gamma(const Books& books, const Prices& prices) override;
  void spend(const Costs& prices, Costs& spend, std::span<double> slopes) override;
  Costs least() const override;
  Costs spreads() const override { return mean_of(spread_); }
  double reward_spread() const override;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  void read(ByteReader& in);
  // Takes over the rounds of a window of fewer actions, in which the others were not offered.
  void take(const DecisionWindow& fewer);
  Costs mean_of(const std::vector<double>& numbers) const;
  double reward_spread_of(int round) const;
  void find_reward_spreads();
  Costs with_floor(Costs paid) const;
  void add_shares(const Estimates& estimates, std::span<const double> units, const Round& round);
  // What the shares force, and the rest of what is paid.
  Costs with_shares(Costs paid) const;
  double kept() const;  // by the policy's own choice, on average
  // What the policy's own choice pays, computed round by round with its explorer and most shares.
  Costs spend_by_rounds(const Costs& prices);
  double* reward(int action) { return reward_.data() + static_cast<std::size_t>(action * size_); }
  double* cost(int i, int action) {
    return cost_.data() + static_cast<std::size_t>((i * actions_ + action) * size_);
  }

  int actions_;
  int costs_;
  int most_rounds_;
  int size_;  // rounds, a multiple of eight
  const Gain& gain_;
  const Explorer& explorer_;
  Floor floor_;
  Shares shares_;
  int used_ = 0;
  int at_ = 0;
  double gamma_ = 0.0;
  std::vector<double> reward_;
  std::vector<double> cost_;
  std::vector<double> least_;   // of each cost, every round
  std::vector<double> spread_;  // the most less the least
  std::vector<double> reward_spread_;  // the same of the rewards; not saved, as reward_ says it
  std::vector<double> forced_;  // what the floor alone pays of each cost; empty without one
  // With shares: what they alone pay of each cost, what they leave, and the rooms of the actions.
  std::vector<double> shared_, kept_, rooms_;
  std::vector<double> work_;
};

}  // namespace rein
