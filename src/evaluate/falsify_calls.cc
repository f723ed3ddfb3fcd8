#include <cmath>

#include "evaluate/falsify.h"

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

std::vector<Call> calls_of(const FalsifyCase& of, const Totals& totals) {
  // Infeasible rounds have no promise; neither has a run that no bound is printed for.
  if (totals.infeasible_rounds > 0 || !totals.bounds.regret) return {};
  Calls calls(of);
  const bool error_passed = totals.oracle_error > totals.u;
  if (error_passed && !of.own_u) return {};
  if (of.own_u) calls.add("oracle_error", totals.oracle_error, totals.u);
  if (error_passed) return calls.take();

  const Bounds& bounds = totals.bounds;
  calls.add("regret", totals.regret, bounds.regret);
  // Part (d) promises the same against the best over all rounds, whatever comes; part (f) and
  // pacing where contexts are independent, which is where there is a stationary policy.
  const bool iid = !std::isnan(totals.regret_stationary);
  if (of.setting == Setting::kKnapsack || iid) {
    calls.add("regret_long_term", totals.regret_long_term, bounds.regret);
  }
  calls.add("regret_stationary", totals.regret_stationary, bounds.regret);
  const bool positive = of.setting == Setting::kAlmostSure;
  calls.add(positive ? "ccv_positive" : "ccv", positive ? totals.ccv_positive : totals.ccv,
            bounds.ccv);
  if (totals.ccv.size() == 1) calls.add("ccv_average", totals.ccv_average[0], bounds.ccv_average);
  const Bounds& with_premise = totals.bounds_with_premise;
  calls.add("regret (e)", totals.regret, with_premise.regret);
  calls.add("ccv (e)", totals.ccv, with_premise.ccv);
  calls.add("queue_rms (e)", totals.queue_rms, with_premise.queue_rms);
  return calls.take();
}

}  // namespace rein
