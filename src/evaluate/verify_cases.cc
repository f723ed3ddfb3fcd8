// The rates of every part of the theorem, derived in docs/verify.md:
//
//   a, b  regret, CCV          sqrt(T sqrt(KTU))                  T^(3/4) (KU)^(1/4)
//   b     CCV averaged, and    sqrt(KTU)                          T^(1/2) (KU)^(1/2) / eps
//         in 99 % of rounds
//   c     regret               sqrt(KTU)
//         CCV (positive parts) ln(M) / lambda
//   d     regret, both kinds   sqrt(KTU)
//         consumption          ln(M) / lambda, B in lambda
//   e     regret, Q+ rms, CCV  sqrt(KTU)
//   f     regret, all kinds    sqrt(T (sqrt(KTU) + B))
//         consumption          the same
//   g     regret, largest CCV  sqrt(KTU)                          / eps; docs/theory/slater.md
//
// "All kinds" of regret: against the best of every round, the best over all rounds, and in part (f)
// the best stationary policy.
#include "evaluate/verify_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.h"
#include "price/exponential.h"

namespace rein {
namespace {

constexpr const char* kTruthA = "ccb(oracle=truth,setting=expectation,tuning=theory,u=1)";
constexpr const char* kTruthB = "ccb(oracle=truth,setting=slater,tuning=theory,u=1)";
constexpr const char* kTruthC = "ccb(oracle=truth,setting=almost_sure,tuning=theory,u=1)";
constexpr const char* kTruthD = "ccb(oracle=truth,setting=knapsack,tuning=theory,u=1)";
constexpr const char* kTruthF = "ccb(oracle=truth,setting=linear_constraints,tuning=theory,u=1)";
constexpr const char* kAnytimeTruthA =
    "ccb(horizon=0,oracle=truth,setting=expectation,tuning=theory,u=1)";
constexpr const char* kAnytimeTruthB =
    "ccb(horizon=0,oracle=truth,setting=slater,tuning=theory,u=1)";
constexpr const char* kAnytimeTruthC =
    "ccb(horizon=0,oracle=truth,setting=almost_sure,tuning=theory,u=1)";
constexpr const char* kAnytimeTruthD =
    "ccb(horizon=0,oracle=truth,setting=knapsack,tuning=theory,u=1)";
constexpr const char* kAnytimeA = "ccb(horizon=0,setting=expectation,tuning=theory)";
constexpr const char* kLearnedA = "ccb(setting=expectation,tuning=theory)";
constexpr const char* kLearnedB = "ccb(setting=slater,tuning=theory)";
constexpr const char* kLowNoiseA = "ccb(setting=expectation,tuning=theory,u=8)";
constexpr const char* kLowNoiseB = "ccb(setting=slater,tuning=theory,u=8)";
constexpr const char* kLearnedC = "ccb(setting=almost_sure,tuning=theory,u=6)";
constexpr const char* kLearnedD = "ccb(setting=knapsack,tuning=theory,u=8)";
constexpr const char* kLearnedF = "ccb(setting=linear_constraints,tuning=theory)";

// With the truth as its oracle a policy has U = 1, and the effect of prices shows at short
// horizons. An oracle that learns without noise has a total squared error of a few units, which the
// run checks. With noise, U is the oracle's own bound.
//
// Regret is positive where rewarding actions save cost (two_arm, tension=-1). Violation is positive
// where rewarding actions cost (the trap, tension=1). With rate=0.5 and tension=0.5 a cap binds in
// some rounds, while the budget over all rounds hardly does. Then the best over all rounds is far
// above the best of every round.
const std::vector<VerifyCase> kCases = {
    {"ae", "two_arm", kTruthA, 0.0, 14, 20, 14, true},
    {"ae", "slack_then_trap(slack=0)", kTruthA, 0.0, 10, 20, 11, true},
    {"ae", "slack_then_trap(slack=0)", kLowNoiseA, 0.0, 10, 20, 11, true},
    {"a", "linear(d=2,k=2,tension=-1)", kLearnedA, 0.0, 10, 20, 11, true},
    {"a", "linear(d=2,k=2,tension=1)", kLearnedA, 0.0, 10, 20, 11, true},
    {"ae", "linear(d=2,k=3,order=adaptive,target=queue,tension=1)", kLearnedA, 0.0, 10, 20, 11,
     true},
    {"a", "misspecified(d=3,k=2,strength=0.2)", kLearnedA, 0.0, 10, 20, 11, true},
    {"a", "linear(d=2,k=3,m=2,noise=none,tension=1)", kTruthA, 0.0, 10, 20, 11, true},
    {"a", "linear(d=2,k=2,m=2,tension=-1)", kLearnedA, 0.0, 10, 20, 11, true},
    {"a", "linear(d=2,k=3,m=4,tension=1)", kLearnedA, 0.0, 10, 20, 11, true},
    {"e", "linear(d=2,k=3,m=2,order=adaptive,target=queue,tension=1)", kLearnedA, 0.0, 10, 20, 11,
     true},
    {"e", "linear(d=2,k=3,m=4,noise=none,tension=-1)", kTruthA, 0.0, 10, 20, 11, true},
    {"a", "two_arm", kAnytimeTruthA, 0.0, 14, 20, 14, true},
    {"a", "slack_then_trap(slack=0)", kAnytimeTruthA, 0.0, 10, 20, 11, true},
    {"a", "linear(d=2,k=2,tension=-1)", kAnytimeA, 0.0, 10, 20, 11, true},
    {"a", "linear(d=2,k=3,m=2,order=adaptive,target=queue,tension=1)", kAnytimeA, 0.0, 10, 20, 11,
     true},
    {"b", "slack_then_trap(slack=0)", kAnytimeTruthB, 0.5, 10, 20, 11, true},
    {"c", "two_arm", kAnytimeTruthC, 0.0, 17, 22, 15, true},
    {"c", "slack_then_trap(slack=0)", kAnytimeTruthC, 0.0, 15, 20, 15, true},
    {"d", "spend_or_save(budget=$B,future=high,high=-1,medium=-1)", kAnytimeTruthD, 0.0, 17, 22, 15,
     true},
    {"bg", "slack_then_trap(slack=0)", kTruthB, 0.5, 10, 20, 11, true},
    {"bg", "slack_then_trap(slack=0)", kLowNoiseB, 0.5, 10, 20, 11, true},
    {"b", "linear(d=2,k=2,margin=0.3,tension=-1)", kLearnedB, 0.3, 10, 20, 11, true},
    {"bg", "linear(d=2,k=3,m=2,margin=0.3,noise=none,tension=1)", kTruthB, 0.3, 14, 20, 14, true},
    {"bg", "slack_then_trap(m=4,slack=0)", kTruthB, 0.5, 10, 20, 11, true},
    {"g", "linear(d=2,k=3,margin=0.3,order=adaptive,target=queue,tension=1)", kLearnedB, 0.3, 10,
     20, 11, true},
    {"g", "two_arm", kTruthB, 0.0, 14, 20, 14, true},
    {"g", "linear(d=2,k=3,m=2,margin=0.3,noise=none,tension=-1)", kTruthB, 0.0, 10, 20, 11, true},
    {"g", "two_arm(m=4)", kTruthB, 0.0, 14, 20, 14, true},
    {"c", "two_arm", kTruthC, 0.0, 14, 20, 14, true},
    {"c", "slack_then_trap(slack=0)", kTruthC, 0.0, 14, 20, 14, true},
    {"c", "slack_then_trap(slack=1)", kLearnedC, 0.0, 14, 20, 14, true},
    {"c", "two_arm(m=2)", kTruthC, 0.0, 14, 20, 14, true},
    {"c", "two_arm(m=4)", kTruthC, 0.0, 14, 20, 14, true},
    {"c", "slack_then_trap(slack=0)", kLearnedC, 0.0, 17, 22, 17, false},
    {"d", "spend_or_save(budget=$B,future=high,high=-1,medium=-1)", kTruthD, 0.0, 14, 20, 14, true},
    {"d", "spend_or_save(budget=$B,future=high,medium=1)", kTruthD, 0.0, 14, 20, 14, true},
    {"d", "spend_or_save(budget=$B,future=high,medium=1)", kLearnedD, 0.0, 17, 22, 17, false},
    {"d", "spend_or_save(future=high,medium=-1,rate=0.5)", kTruthD, 0.0, 14, 20, 14, true},
    {"d", "spend_or_save(budget=$B,future=high,high=-1,m=2,medium=-1)", kTruthD, 0.0, 14, 20, 14,
     true},
    {"d", "spend_or_save(budget=$B,future=high,high=-1,m=4,medium=-1)", kTruthD, 0.0, 14, 20, 14,
     true},
    {"f", "linear(budget=$B,d=2,k=2,noise=none,tension=1)", kTruthF, 0.0, 10, 20, 11, true},
    {"f", "linear(budget=$B,d=2,k=3,noise=none,tension=0.5)", kTruthF, 0.0, 10, 20, 11, true},
    {"f", "linear(budget=$B,d=2,k=2,tension=-1)", kLearnedF, 0.0, 10, 20, 11, true},
    {"f", "linear(budget=$B,d=2,k=2,tension=1)", kLearnedF, 0.0, 10, 20, 11, true},
    {"f", "linear(budget=$C,d=2,k=2,noise=none,tension=1)", kTruthF, 0.0, 10, 20, 11, true},
    {"f", "linear(budget=$D,d=2,k=2,noise=none,tension=1)", kTruthF, 0.0, 10, 20, 11, true},
    {"f", "linear(budget=$B,d=2,k=3,m=2,noise=none,tension=1)", kTruthF, 0.0, 10, 20, 11, true},
    {"f", "linear(d=2,k=3,m=4,noise=none,rate=0.1,tension=0.5)", kTruthF, 0.0, 10, 20, 11, true},
};

double regret(const Totals& t) { return t.regret; }
double regret_long_term(const Totals& t) { return t.regret_long_term; }
double regret_stationary(const Totals& t) { return t.regret_stationary; }
// Of several costs the largest, beside the smallest of their bounds.
double largest(const Costs& costs) {
  return costs.empty() ? kNan : *std::max_element(costs.begin(), costs.end());
}
double least(const Costs& costs) {
  return costs.empty() ? kNan : *std::min_element(costs.begin(), costs.end());
}
double bound_regret(const Totals& t) { return t.bounds.regret.value_or(kNan); }
double bound_ccv(const Totals& t) { return least(t.bounds.ccv); }

// Without a horizon every block of rounds adds its own (docs/theory/anytime.md), and at most 1 per
// round.
double over_blocks(const Terms& terms, double (*of)(const Terms&)) {
  double sum = 0.0;
  for (int j = 0; j < Terms::blocks(terms.rounds); ++j) {
    const Terms block = terms.of_block(j);
    sum += std::min(of(block), static_cast<double>(block.rounds));
  }
  return sum;
}
bool restarts(const Terms& terms) { return terms.anytime && is_nonnegative(terms.setting); }

double root(const Terms& terms) {
  return restarts(terms) ? over_blocks(terms, root) : terms.root();
}
double root_and_budget(const Terms& terms) {
  const double budget = terms.budgets.empty() ? 0.0 : terms.budgets[0];
  return std::sqrt(static_cast<double>(terms.rounds) * (terms.root() + budget));
}
double exponential_rate(const Terms& terms) {
  if (restarts(terms)) return over_blocks(terms, exponential_rate);
  return log(exponential_cap(terms)) / exponential_lambda(terms, 0);
}

// The budgets that $B, $C and $D stand for, in this order.
std::string replaced(const char* world, const std::array<std::string, 3>& budgets) {
  std::string spec = world;
  const std::size_t at = spec.find('$');
  if (at == std::string::npos) return spec;
  return spec.replace(at, 2, budgets[static_cast<std::size_t>(spec[at + 1] - 'B')]);
}

constexpr const char* kThreeQuarters = "T^(3/4) (KU)^(1/4)";
constexpr const char* kHalf = "(KTU)^(1/2)";
constexpr const char* kByMargin = "(KTU)^(1/2) / eps";
constexpr const char* kWithBudget = "T^(1/2) ((KTU)^(1/2) + B)^(1/2)";

}  // namespace

const std::vector<VerifyCase>& verify_cases() { return kCases; }

std::string with_budget(const char* world, std::int64_t rounds) {
  const auto t = static_cast<double>(rounds);
  const double root = std::sqrt(t), fourth = std::sqrt(root), eighth = std::sqrt(fourth);
  const auto text = [](double budget) { return fmt::format("{}", std::floor(budget)); };
  return replaced(world, {text(root), text(root * eighth), text(root * fourth)});
}

std::string named_budget(const char* world) {
  return replaced(world, {"sqrt T", "T^(5/8)", "T^(3/4)"});
}

std::vector<BoundClaim> claims_of(char part) {
  const auto ccv = [](const Totals& t) { return largest(t.ccv); };
  const auto spend = [](const Totals& t) { return largest(t.spend); };
  switch (part) {
    case 'a':
      return {{"regret", regret, bound_regret, root_and_budget, kThreeQuarters},
              {"ccv", ccv, bound_ccv, root_and_budget, kThreeQuarters}};
    case 'b':
      return {{"regret", regret, bound_regret, root_and_budget, kThreeQuarters},
              {"ccv", ccv, bound_ccv, root_and_budget, kThreeQuarters},
              {"ccv_average", [](const Totals& t) { return largest(t.ccv_average); },
               [](const Totals& t) { return least(t.bounds.ccv_average); }, root, kByMargin},
              {"ccv_share", [](const Totals& t) { return largest(t.ccv_share); },
               [](const Totals& t) { return least(t.bounds.ccv_share); }, root, kByMargin}};
    case 'c':
      return {{"regret", regret, bound_regret, root, kHalf},
              {"ccv", [](const Totals& t) { return largest(t.ccv_positive); }, bound_ccv,
               exponential_rate, "(KTU)^(1/2) ln M"}};
    case 'd':
      return {{"regret", regret, bound_regret, root, kHalf},
              {"regret_long_term", regret_long_term, bound_regret, root, kHalf},
              {"ccv", spend, bound_ccv, exponential_rate, "((KTU)^(1/2) + B) ln M"}};
    case 'e':
      return {{"regret", regret,
               [](const Totals& t) { return t.bounds_with_premise.regret.value_or(kNan); }, root,
               kHalf},
              {"queue_rms", [](const Totals& t) { return largest(t.queue_rms); },
               [](const Totals& t) { return least(t.bounds_with_premise.queue_rms); }, root,
               kHalf},
              {"ccv", ccv, [](const Totals& t) { return least(t.bounds_with_premise.ccv); }, root,
               kHalf}};
    case 'f':
      return {{"regret", regret, bound_regret, root_and_budget, kWithBudget},
              {"regret_long_term", regret_long_term, bound_regret, root_and_budget, kWithBudget},
              {"regret_stationary", regret_stationary, bound_regret, root_and_budget, kWithBudget},
              {"ccv", spend, bound_ccv, root_and_budget, kWithBudget}};
    case 'g':
      return {{"regret", regret,
               [](const Totals& t) { return t.bounds.regret_margin.value_or(kNan); }, root,
               kByMargin},
              {"ccv_max", [](const Totals& t) { return largest(t.ccv_max); },
               [](const Totals& t) { return least(t.bounds.ccv_max); }, root, kByMargin}};
    default:
      throw Bug("a part that the theorem does not have");
  }
}

BoundClaim error_claim() {
  return {"oracle_error", [](const Totals& t) { return t.oracle_error; },
          [](const Totals& t) { return t.u_bound; },
          [](const Terms& terms) { return static_cast<double>(terms.rounds); },
          "T, by the misspecification"};
}

}  // namespace rein
