#include "evaluate/falsify_calls.h"

#include <algorithm>
#include <cmath>

namespace rein {
namespace {

class Calls {
 public:
  explicit Calls(const FalsifyCase& of) : of_(of) {}
  void add(const char* quantity, double measured, double bound) {
    if (std::isnan(measured) || !(bound > 0.0) || std::isinf(bound)) return;
    calls_.push_back(
        {.quantity = quantity, .measured = measured, .bound = bound, .command = of_.command()});
  }
  void add(const char* quantity, double measured, const std::optional<double>& bound) {
    if (bound) add(quantity, measured, *bound);
  }
  void add(const char* quantity, const Costs& measured, const Costs& bounds) {
    for (int i = 0; i < bounds.size(); ++i) add(quantity, measured[i], bounds[i]);
  }
  std::vector<Call> take() { return std::move(calls_); }

 private:
  const FalsifyCase& of_;
  std::vector<Call> calls_;
};

}  // namespace

// What the certificate says of rewards, of every mean, and of the noise: the first follows from the
// others, which a run comes closer to.
std::vector<Call> certificate_calls(const FalsifyCase& of, const Totals& totals) {
  Calls calls(of);
  if (totals.no_certificate != NoCertificate::kNone) return calls.take();
  calls.add("regret (certified)", totals.regret, totals.certified_regret);
  calls.add("regret_long_term (certified)", totals.regret_long_term, totals.certified_long_term);
  calls.add("means (certified)", totals.certified_means, 1.0);
  calls.add("noise (certified)", totals.certified_noise, 1.0);
  return calls.take();
}

std::vector<Call> calls_of(const FalsifyCase& of, const Totals& totals) {
  if (of.certify) return certificate_calls(of, totals);
  Calls calls(of);
  if (totals.no_bound == NoBound::kErrors && of.own_u) {
    // Weighted by probability the errors exceeded U, even if those of the played actions did not.
    calls.add("oracle_error", std::max(totals.oracle_error, totals.u_bound * (1.0 + 1e-9)),
              totals.u_bound);
  }
  const Bounds& bounds = totals.bounds;
  if (!bounds.regret) return calls.take();
  if (of.own_u) calls.add("oracle_error", totals.oracle_error, totals.u_bound);
  calls.add("regret", totals.regret, bounds.regret);
  // Part (d) guarantees the same against the best over all rounds, in any world. Part (f) and
  // pacing do so if contexts are independent: then there is a stationary policy.
  const bool iid = !std::isnan(totals.regret_stationary);
  if (of.setting == Setting::kKnapsack || iid) {
    calls.add("regret_long_term", totals.regret_long_term, bounds.regret);
  }
  calls.add("regret_stationary", totals.regret_stationary, bounds.regret);
  const bool positive = of.setting == Setting::kAlmostSure;
  calls.add(positive ? "ccv_positive" : "ccv", positive ? totals.ccv_positive : totals.ccv,
            bounds.ccv);
  calls.add("ccv_average", totals.ccv_average, bounds.ccv_average);
  calls.add("ccv_share", totals.ccv_share, bounds.ccv_share);
  calls.add("regret (margin)", totals.regret, bounds.regret_margin);
  calls.add("ccv_max (margin)", totals.ccv_max, bounds.ccv_max);
  const Bounds& with_premise = totals.bounds_with_premise;
  calls.add("regret (e)", totals.regret, with_premise.regret);
  calls.add("ccv (e)", totals.ccv, with_premise.ccv);
  calls.add("queue_rms (e)", totals.queue_rms, with_premise.queue_rms);
  return calls.take();
}

}  // namespace rein
