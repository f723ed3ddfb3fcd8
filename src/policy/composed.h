// Composed: a policy made of parts: an oracle, a pricer, a gain, an explorer, and extras. ccb and
// most peers are compositions; their files only choose the parts.
//
//     score_a = f^_a - sum_i price_i g^_{i,a}         (units; divided by exp(log_scale))
//     p       = explore(score, gamma)
#pragma once

#include "policy/base.h"
#include "policy/parts.h"

namespace rein {

class Composed final : public PolicyBase {
 public:
  Composed(const Spec& spec, const Shape& shape, Parts parts, const Rules& rules);

  std::size_t scratch() const override;

 private:
  std::span<const double> choose(const Round& round, const Books& books, Scratch& scratch,
                                 Decision& decision) const override;
  void teach(const Round& round, int action, std::span<double> heads) const override;
  bool learns_parts() const override { return true; }
  void attempt(const Lesson& lesson) override;
  void commit(const Lesson& lesson, Books& books) override;
  void bill(const Paid& paid, const Books& books) override { parts_.pricer->learn(books, paid); }
  void add_prior(const Round& round, Estimates& estimates) const override;
  void tell(PolicyState& state) const override;
  void certify(PolicyState& state) const override;
  void save_parts(ByteWriter& out) const override;
  Result<> load_parts(ByteReader& in) override;
  void score(const Round& round, const Books& books, const Prices& prices,
             Decision& decision) const;
  // Numbers of every cost of every action: what extras that correct costs keep in decide().
  std::size_t raw_size(int actions) const;

  Parts parts_;  // the oracle is the base's
};

}  // namespace rein
