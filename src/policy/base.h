// PolicyBase: what a peer needs that is no composition. It checks what comes in, keeps the totals,
// draws the action, saves and loads; the peer says how a distribution is made and what it learns.
// Everything a peer sees of costs is in units.
#pragma once

#include <vector>

#include "policy/plan.h"
#include "price/forms.h"
#include "rein/policy.h"

namespace rein {

class PolicyBase : public Policy {
 public:
  using Policy::decide;
  Result<> decide(const Round& round, std::span<const double> reserved, Rng& rng, Scratch& scratch,
                  Decision& decision) const final;
  Result<> learn(const Round& round, const Decision& decision, const Outcome& outcome) final;

  const Shape& shape() const final { return shape_; }
  const Spec& spec() const final { return spec_; }
  PolicyState state() const final;
  std::string save() const final;
  Result<> load(std::string_view bytes) final;

 protected:
  PolicyBase(const Spec& spec, const Plan& plan, const Form& form);

  // Fills estimates, scores, probabilities and gamma of a prepared decision, whose prices are those
  // of prices(), in units.
  virtual void choose(const Round& round, Scratch& scratch, Decision& decision) const = 0;
  // Learns one outcome. rounds() already counts it. `costs` less their rate, in units. Where an
  // oracle of the caller's own throws, what save_parts() saves is brought back.
  virtual void absorb(const Round& round, const Decision& decision, const Outcome& outcome,
                      const Costs& costs) = 0;
  // Reward per unit of every cost, in units, with this much more on the queues.
  virtual Costs prices(const Costs& reserved) const = 0;
  virtual Costs queues() const = 0;
  virtual Costs parameters() const = 0;
  virtual const Oracle* oracle() const = 0;  // null where there is none
  virtual void save_parts(ByteWriter& out) const = 0;
  virtual Result<> load_parts(ByteReader& in) = 0;

  const Terms& terms() const { return terms_; }
  const Form& form() const { return form_; }
  int costs() const { return static_cast<int>(shape_.costs.size()); }
  std::int64_t rounds() const { return rounds_; }
  double unit(int head) const { return units_[static_cast<std::size_t>(head)]; }

 private:
  Result<> read(std::string_view bytes);
  void absorb_or_undo(const Round& round, const Decision& decision, const Outcome& outcome,
                      const Costs& costs);

  Spec spec_;
  Shape shape_;
  Terms terms_;
  Form form_;
  std::vector<double> units_;
  bool own_oracle_;  // one of the caller's own, which may throw
  std::int64_t rounds_ = 0;
  double reward_ = 0.0;
  Costs spent_;  // in the units of the shape
};

}  // namespace rein
