// What the estimates of a policy are made of.
#include <algorithm>

#include "base/math.h"
#include "base/size.h"
#include "estimate/weights.h"
#include "policy/base.h"

namespace rein {

// The estimates are made three times: by the oracle alone, with the prior, and as decide() plays them.
Result<> PolicyBase::explain(const Round& round, const Decision& decision,
                             std::span<Explanation> out) const {
  if (!oracle_) {
    return Error{"explain: this policy has no oracle; accepted: policies that estimate"};
  }
  if (auto fits = validate(shape_, round); !fits) return fits;
  for (const Explanation& one : out) {
    if (auto fits = check_action(round, one.action); !fits) return fits;
  }
  Decision made(*this);
  Scratch working;
  if (auto done = estimate(round, decision.paces, working, made); !done) return done.failure();
  const int heads = made.estimates.heads();
  Estimates plain;
  plain.prepare(heads, round.actions);
  working.reset(oracle_->scratch());
  oracle_->predict(round, working, plain);
  Estimates with_prior = plain;
  add_prior(round, with_prior);

  for (Explanation& one : out) {
    const auto a = as_size(one.action);
    one.heads.resize(as_size(heads));
    for (int h = 0; h < heads; ++h) {
      HeadExplanation& head = one.heads[as_size(h)];
      head.estimate = made.estimates.mean(h)[a];
      head.width = plain.width(h)[a];
      head.terms.clear();
      head.has_weights = weights_of(*oracle_, round, one.action, h, head.terms);
      head.linear = 0.0;
      for (const Term& term : head.terms) head.linear += term.part();
      head.rest = plain.mean(h)[a] - head.linear;
      head.prior = with_prior.mean(h)[a] - plain.mean(h)[a];
      head.calibration = head.estimate - with_prior.mean(h)[a];
      sort_terms(head.terms);
    }
    explain_score(decision, one);
  }
  return {};
}

void PolicyBase::explain_score(const Decision& decision, Explanation& out) const {
  const auto a = as_size(out.action);
  out.prices = decision.prices;
  if (a >= decision.probabilities().size()) return;
  out.probability = decision.probabilities()[a];
  const double scale = decision.log_scale == 0.0 ? 1.0 : exp(decision.log_scale);
  out.score = decision.scores()[a] * scale * unit(0);
  const Estimates& said = decision.estimates;
  out.bonus = out.score - said.mean(0)[a];
  for (int i = 0; i < std::min(out.prices.size(), said.heads() - 1); ++i) {
    out.bonus += out.prices[i] * said.mean(i + 1)[a];
  }
}

}  // namespace rein
