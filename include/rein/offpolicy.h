// Off-policy evaluation: what a policy would have earned and spent on rounds that another policy
// decided.
//
// All heads (the reward, then one per cost) are estimated together, with their covariance. Every
// estimate is a mean of scores, one score per row and head:
//
//   w = target(played) / propensity          m = sum over a of target(a) predicted(a)
//   ips        w y                           snips      sum(w y) / sum(w)
//   dm         m                             dr         m + w (y - predicted(played))
//   switch_dr  m + w (y - predicted(played)) if w <= switch_at, else m
//   dros       m + shrink w / (w^2 + shrink) (y - predicted(played))
//   efficient_dr  dr less the multiples of w - 1 and of w predicted(played) - m that make its variance
//                 least; both are 0 on average, and ips, dr and snips are among the choices
//   blend         dm, or where the log contradicts it an efficient_dr with richer regressions, and mixed
//                 in between; in logs of learners dros and efficient_dr, mixed for the least error
//
// References: Dudik, Langford, Li (ICML 2011); Swaminathan, Joachims (NIPS 2015); Wang, Agarwal,
// Dudik (ICML 2017); Su, Dimakopoulou, Krishnamurthy, Dudik (ICML 2020); Kallus, Uehara (NeurIPS
// 2019).
//
// Intervals are 95 %, from the variance of the scores (for snips of its linear expansion, the delta
// method), with Student's quantiles for the rows that carry that variance and a correction for
// skewness (src/offpolicy/errors.h). Where under 30 rows carry the error and the range of the
// outcome is known, they come from that range instead, and are true at any size
// (src/offpolicy/bounded.h). Rows must be independent of each other, or belong to units that are
// (OfflineRows::unit). Only ips, snips, dr, efficient_dr and stabilized_dr have one: their errors are
// variance alone if propensities are right. They have none if the effective sample size, or the one
// to expect (Overlap::expected_size), is under 200 (ips: 500, because the weights themselves make it
// skewed; in logs of learners another size counts, kSizePerFloorRow), nor if under 30 rows carry the
// variance (Overlap::variance_rows), nor if propensities are visibly wrong, nor if weighted actions
// and contexts are not those that the policy meets (Overlap::balance), nor if under 2 rows carry the
// error (PolicyValue::error_rows).
// dm, switch_dr, dros and blend have a bias that no variance shows, so their ends are NaN.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rein/result.h"

namespace rein {

inline constexpr std::int64_t kMaxOfflineRows = 2'000'000'000;
inline constexpr int kMaxOfflineLimits = 8;                              // limits of one region
inline constexpr std::int64_t kMaxModelDoubles = std::int64_t{1} << 26;  // 512 MiB
// Below these effective sample sizes no interval is given, and a warning says so.
inline constexpr double kSmallestEffectiveSize = 200.0;
inline constexpr double kSmallestIpsSize = 500.0;
// In logs of learners the effective size depends on the outcomes, so logs with a larger size are
// not like the others. There the number of rows times the least propensity times this constant
// takes the place of the effective size.
inline constexpr double kSizePerFloorRow = 5.0;
// No interval is given either if fewer rows carry the variance (Overlap::variance_rows): from about
// 30 rows on a mean is usually taken to be normal.
inline constexpr double kFewestVarianceRows = 30.0;

// Rows of a log by columns. Borrowed views, never owned.
struct OfflineRows {
  std::int64_t rows = 0;
  int actions = 0;
  int heads = 1;                          // the reward, then one per cost
  int features = 0;                       // numbers in a context
  std::span<const std::int32_t> played;   // rows; in [0, actions)
  std::span<const double> propensity;     // rows; of the played action, in (0, 1]; empty: unknown
  std::span<const double> outcomes;       // rows x heads; NaN: missing
  std::span<const double> context;        // rows x features
  std::span<const std::uint8_t> offered;  // rows x actions; empty: every action was offered
  std::span<const double> weights;        // rows; how much a row counts; empty: 1
  // rows; numbers, at least 0. Rows with the same number belong together: one user, session or day.
  // Rows of one unit may be alike, and count as one observation. Empty: rows are independent.
  std::span<const std::int32_t> unit;

  // Whether all outcomes of this row are known. Other rows are left out, and counted.
  bool complete(std::int64_t row) const;
  double weight(std::int64_t row) const {
    return weights.empty() ? 1.0 : weights[static_cast<std::size_t>(row)];
  }
};

// Refuses sizes that do not fit, propensities outside (0, 1], actions that do not exist or were not
// offered, infinite outcomes, contexts that are not finite, and weights that are not at least 0.
Result<void> check_rows(const OfflineRows& rows);

// Whether the log was made by a policy that learned.
enum class Adaptive { kAuto, kNo, kYes };

// How rows get predictions from models that never saw them: a ridge regression per action and head
// on the context.
struct FitOptions {
  int folds = 5;
  double ridge = 1.0;  // penalty, on features in units of their standard deviation
  // False: row i belongs to fold i mod folds and is predicted from all other folds.
  // True: folds are consecutive blocks that grow, and a block is predicted from the blocks before it
  // (the first one, a twentieth of the rows, by running means), so that a prediction never depends
  // on later rows. For logs made by a policy that learned.
  bool forward = false;
  int threads = 1;  // changes no bit of any result
};

// Predictions for every row, action and head: out[(row * actions + action) * heads + head].
Result<std::vector<double>> cross_fit(const OfflineRows& rows, const FitOptions& options = {});

// One estimate of the value of a policy, per round.
struct PolicyValue {
  // ips, snips, dm, dr, efficient_dr, switch_dr, dros, blend, stabilized_dr
  std::string estimator;
  std::vector<double> value;       // one per head
  std::vector<double> covariance;  // of the estimates: heads x heads
  std::vector<double> low, high;   // ends of the 95 % interval per head; NaN: none is promised
  // The skewness of the estimate per head, from the third moments of the scores: 0 for a normal
  // law.
  std::vector<double> skewness;
  // How many rows, or units, carry the error, per head: (sum of squared errors)^2 / sum of fourth
  // powers of the errors. The number is small if a single purchase is worth more than all others.
  std::vector<double> error_rows;
  // The estimated bias per head, for switch_dr and dros: the mean of what they leave out.
  std::vector<double> bias;
};

// How well the log covers what the policy would play.
struct Overlap {
  double effective_size = 0.0;  // (sum w)^2 / sum w^2
  // The effective size to expect of a log with these propensities and contexts: rows / mean of sum
  // over a of target(a)^2 / propensity(a), where a model of the known propensities gives those of
  // the actions that were not played. If expected_size is far below effective_size, rows that carry
  // the value are missing. In a log without a floor on its propensities the mean is taken 1.645 of
  // its standard errors larger, so such logs have at least this size with 95 % certainty.
  double expected_size = 0.0;
  // In a log of a learner: rows times the least propensity that it may have. NaN for other logs.
  double floor_size = std::numeric_limits<double>::quiet_NaN();
  // (sum w^2)^2 / sum w^4: how many rows carry the variance. A few rows with large weights among
  // many with small ones leave the effective size large, and every error rests on these few. NaN
  // for a log whose ten smallest propensities differ: in such logs, rows with large weights are
  // missing by chance from the logs that look best, and expected_size decides instead.
  double variance_rows = 0.0;
  double largest_weight = 0.0;     // of w
  double top_share = 0.0;          // share of sum w that the largest 1 % of the rows have
  double mean_weight = 0.0;        // 1 if propensities are right; far from 1: they are not
  double mean_weight_error = 0.0;  // its standard error
  double uncovered = 0.0;  // probability that the policy puts on actions the log never played
  // Per action, the mean of [played] / propensity over the rows where it was offered: 1 if
  // propensities are right. And its standard error.
  std::vector<double> calibration, calibration_error;
  // The largest of the means of [played = a] w - target(a) per action and of (w - 1) x per feature,
  // in standard errors, and what chance allows (1 % over all of them).
  double balance = 0.0, balance_limit = 0.0;
};

// Where outcomes of a head surely lie. NaN: unknown.
struct OutcomeRange {
  double low = 0.0;
  double high = 1.0;
};

struct ValueOptions {
  double switch_at = -1.0;  // largest w that switch_dr uses; negative: chosen (see Evaluation)
  double shrink = -1.0;     // of dros; negative: chosen
  // kYes: adds stabilized_dr, and makes it the recommended estimate. kAuto: if propensities vary
  // with time (rein::varies_with_time).
  Adaptive adaptive = Adaptive::kAuto;
  // The probabilities of a row depend on the outcomes of rows before it, as those of a policy that
  // learns while it is replayed.
  bool learning = false;
  std::vector<std::string> actions;  // names for warnings; empty: numbers
  std::vector<std::string> heads;    // the same
  // One per head, or none. A head whose outcomes are all 0 or 1 has the range 0 to 1 without it.
  std::vector<OutcomeRange> ranges;
};

struct Evaluation {
  std::vector<PolicyValue> values;
  std::size_t recommended = 0;  // index into values: efficient_dr, or stabilized_dr if adaptive
  Overlap overlap;
  // The parameters that were used. A parameter that was not given is the best of 20 candidates: the
  // candidate with the least estimated squared bias plus variance of the reward.
  double switch_at = 0.0;
  double shrink = 0.0;
  bool adaptive = false;
  std::int64_t used = 0;     // rows with all outcomes
  std::int64_t missing = 0;  // rows without
  // Per head, how slowly its largest outcomes fall off: 0 for light tails. From 0.5 on the variance may
  // have no limit, and only a range gives an interval. NaN: too few outcomes to tell.
  std::vector<double> tail_index;
  std::vector<std::string> warnings;
  const PolicyValue* find(std::string_view estimator) const;
};

// The value of the policy whose probabilities are `target` (rows x actions; each row sums to 1),
// with predictions for every row, action and head (cross_fit(), or the caller's own).
Result<Evaluation> evaluate_policy(const OfflineRows& rows, std::span<const double> target,
                                   std::span<const double> predicted,
                                   const ValueOptions& options = {});

// Whether propensities vary with time, which a fixed policy on unchanging contexts does not do.
// Two tests, at level 0.001 together, over all rows and for each action: the means of
// log(propensity) in 10 blocks, and the laws of the propensities in the first and the later rows.
// A log in shuffled order hides it: say kYes for a log that a learning policy made.
bool varies_with_time(const OfflineRows& rows);

// A limit on a head: at most, or at least, this amount per round.
struct HeadLimit {
  int head = 1;
  double amount = 0.0;
  bool at_least = false;
};

// Which rewards are possible together with the limits. The region is the 95 % ellipse of the reward
// and the limited heads: one statement that holds for all these heads at once.
struct RewardRegion {
  bool possible = false;  // some point of the region keeps every limit
  bool certain = false;   // every point of the region does
  double low = 0.0;       // the rewards of the points that keep the limits; NaN if there are none
  double high = 0.0;
};
Result<RewardRegion> reward_region(const PolicyValue& value, std::span<const HeadLimit> limits);

// A confidence sequence: intervals that hold at all times at once with probability 95 %, however
// the log was made, whatever changes, and whenever somebody looks. At every time the interval is
// about the rows so far: the mean of what the policy was to earn in each of these rows, given the
// past. If that never changes, the mean is the value of the policy. Per head it needs the range in
// which outcomes surely lie.
//
// With y scaled to [0, 1] and s = w y >= 0, the mean of s given the past is v_t <= 1. For a bet b in
// [0, 1) and running means e_t in [0, 1] of past s,
//   exp(b (s - e) - psi(b) (s - e)^2) <= 1 + b (s - e),   psi(b) = -log(1 - b) - b   (Fan et al.),
// so exp(b sum (s - v) - psi(b) sum (s - e)^2) is a supermartingale, also where v changes from row to
// row. So is a mixture over a list of bets. By Ville's inequality it never passes 40 with probability
// 97.5 %, and the least excess of sum s over sum v that makes it 40 gives the lower end of the mean of v.
// The upper end is the same for 1 - y. Bets that change from row to row, as in earlier versions, bound a
// weighted mean, and running maxima of the ends are right only if v never changes. (Howard, Ramdas,
// McAuliffe, Sekhon, Annals of Statistics 2021; Waudby-Smith, Wu, Ramdas, Karampatziakis, Mineiro 2022.)
struct ConfidenceSequence {
  std::vector<std::int64_t> rows;  // rows seen at each point
  // NaN where the ends contradict each other: either propensities are wrong, or this log is among
  // the 5 % in which the sequence fails.
  std::vector<double> low, high;
};
// `head` of the rows, at `points` places spread evenly over the log and at its end. Refuses outcomes
// outside the range, units, and weights other than 1. Rows with a missing outcome are left out.
Result<ConfidenceSequence> confidence_sequence(const OfflineRows& rows,
                                               std::span<const double> target, int head,
                                               const OutcomeRange& range, int points = 100);

// Propensities of the played actions, estimated by a multinomial logistic regression on the context
// (frequencies if there is none). Use them with a warning: nothing in the log shows whether the
// logging policy saw more than the context.
Result<std::vector<double>> estimate_propensities(const OfflineRows& rows, int threads = 1);

// How the value of a head changes if the propensities are wrong. Marginal sensitivity model (Tan
// 2006; Zhao, Small, Bhattacharya, JRSS-B 2019): the odds of the true propensity are within a factor
// `lambda` of the odds of the given one, so 1 / p lies between 1 + (1/given - 1) / lambda and
// 1 + lambda (1/given - 1). `low` and `high` are the least and largest value of
//   mean of m + sum(w (y - predicted)) / sum(w)
// over all such propensities, widened by 1.96 standard errors at the extreme weights.
// lambda = 1 gives the self-normalised doubly robust estimate itself.
inline constexpr double kUsualLambda = 1.5;  // where propensities are estimated
inline constexpr double kMostLambda = 1e6;
struct SensitivityBand {
  double value = 0.0;  // at lambda = 1
  double low = 0.0, high = 0.0;
};
Result<SensitivityBand> sensitivity_band(const OfflineRows& rows, std::span<const double> target,
                                         std::span<const double> predicted, int head,
                                         double lambda);

}  // namespace rein
