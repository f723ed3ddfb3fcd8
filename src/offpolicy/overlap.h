// How well a log covers what a policy plays: weights, calibration of the propensities, balance.
//
// Balance: whether the weighted actions and contexts of a log are those that a policy meets. The means
// of [played = a] w - target(a), per action, and of (w - 1) (x - center), per feature, are 0 on average.
// Where the log could hardly play what the policy plays, no weight shows it, because such rows are
// missing. What the weights then miss shows here. A mean that fewer than 30 rows carry is not judged,
// because it is not normal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "offpolicy/propensity_model.h"
#include "offpolicy/scores.h"

namespace rein {

// `adaptive`: a learner made the log.
Overlap overlap_of(const OfflineRows& rows, std::span<const double> target,
                   const PolicyScores& scores, const PropensityModel& model, bool adaptive);

// Calibration: per action, the number of rows that offer it, then the sums of 1 / propensity over those
// that played it, then of its squares.
constexpr std::size_t calibration_size(int actions) { return 3 * at(actions); }
void add_calibration(const OfflineRows& rows, std::int64_t row, std::span<double> sums);
// Sets calibration and calibration_error.
void set_calibration(std::span<const double> sums, Overlap& out);
// Per action, whether the mean of [played] / propensity is too far from 1 for propensities to be right
// and the action to have been possible in all rows: by more than 5 standard errors.
std::vector<std::uint8_t> miscalibrated(const Overlap& overlap);

// Whether the mean weight is too far from 1 for propensities to be right.
bool off_balance(const Overlap& overlap);
// Whether weighted actions and contexts are those that the policy meets, within chance.
bool balanced(const Overlap& overlap);
// The size that decides whether there is an interval: the effective size of the log, or the size to expect
// if that is smaller. In the log of a learner it is the size that the least propensity guarantees.
double size_for_interval(const Overlap& overlap);
// What the reader must know before using the estimates. Actions are named by their numbers where
// there are no names.
std::vector<std::string> warnings_of(const OfflineRows& rows, const Overlap& overlap,
                                     std::int64_t missing, std::span<const std::string> actions);

// Sums of the balance of one policy: for every test its sum, then its squares, then its fourth powers.
// Tests are the actions, then the features.
constexpr std::size_t balance_size(std::size_t actions, std::size_t features) {
  return 3 * (actions + features);
}

struct BalanceRow {
  std::size_t played = 0;
  double weight = 1.0;             // of the row
  double ratio = 0.0;              // w = target(played) / propensity
  std::span<const double> target;  // per action
  const double* context = nullptr;
  const double* center = nullptr;  // any fixed point; the mean context makes the test sharp
};
void add_balance(const BalanceRow& row, std::span<double> sums);

// The balance of the log itself: the means of [played = a] / propensity - 1, and of this number times
// x - center, for every action a. What a row adds to the sums of actions that it did not play is the same
// for all of them. So that is kept once, and every action has what its own rows change.
constexpr std::size_t log_balance_size(std::size_t actions, std::size_t features) {
  return 3 * (actions + 1) * (1 + features);
}
// Uses context, center, played and weight; `inverse` is 1 / propensity.
void add_log_balance(const BalanceRow& row, double inverse, std::size_t features,
                     std::span<double> sums);
// The largest |mean| of an action's tests in standard errors over n rows.
double log_balance_of(std::span<const double> sums, std::size_t features, std::size_t action,
                      double n);

// The largest |mean| in standard errors over n rows; 0 if no test is judged.
double balance_of(std::span<const double> sums, double n);
// What chance allows: 1 % over so many tests together.
double balance_limit(std::size_t tests);

}  // namespace rein
