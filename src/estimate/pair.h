// pair: two oracles, one for the reward and one for all costs. For rewards and costs from different
// function classes (F and G in the paper).
//
//     head 0         the reward oracle, made for the reward alone
//     heads 1 .. m   the cost oracle, made for a shape whose first head is the first cost
//
// Each learns only its own heads, so each is exactly the oracle that it would be alone. U bounds
// every single head, so U = max(U of the reward, U of the costs). The theorem needs the sum over
// heads, U_reward + m U_cost, which is at most (m + 1) U. regret() is the larger of the two in the
// same way; it is unknown if the regret of either oracle is. Widths and optimism are the reward
// oracle's; once an outcome has come in part, costs have the widths of the cost oracle.
// pair(reward=optimistic(of=A),cost=B) is made as optimistic(of=pair(reward=A,cost=B)).
#pragma once

#include <memory>

#include "estimate/abilities.h"
#include "estimate/free_regret.h"
#include "estimate/weights.h"
#include "rein/oracle.h"

namespace rein {

class OraclePair final : public Oracle, public OracleAbilities {
 public:
  static Result<std::unique_ptr<Oracle>> make(const Spec& spec, const Shape& shape, const Own& own);
  // `cost` is null if the shape has no costs.
  OraclePair(std::unique_ptr<Oracle> reward, std::unique_ptr<Oracle> cost, const Shape& shape);

  void predict(const Round& round, Scratch& scratch, Estimates& estimates) const override;
  std::size_t scratch() const override;
  void learn(const Round& round, int action, std::span<const double> outcomes) override;
  double bound(std::int64_t rounds) const override;
  double regret() const override { return regret_by(regret_of); }
  std::optional<double> free_regret() const override { return regret_by(rein::free_regret); }
  int dimension() const override { return reward_->dimension(); }
  WidthSum width_sum(std::int64_t rounds) const override {
    return rein::width_sum(*reward_, rounds);
  }
  bool weights(const Round& round, int action, int head, std::vector<Term>& out) const override {
    return head == 0 ? weights_of(*reward_, round, action, 0, out)
                     : weights_of(*cost_, round, action, head - 1, out);
  }
  const OracleAbilities& abilities() const override { return *this; }
  void save(ByteWriter& out) const override;
  Result<> load(ByteReader& in) override;

 private:
  // regret() or free_regret(), by that of the members.
  double regret_by(double (*regret_of)(const Oracle&)) const;

  std::unique_ptr<Oracle> reward_;
  std::unique_ptr<Oracle> cost_;
  int heads_;
  int actions_;
  bool in_parts_ = false;  // an outcome has come in part
  bool reward_first_;      // an oracle of the caller's may throw, so it learns before ours
};

}  // namespace rein
