// Errors of estimates: what every row adds to an estimate less the truth, and the interval that follows.
//
// Rows of one unit (a user, a session, a day) are alike, so a unit is one observation: the errors of
// its rows are added up before anything is squared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/quantiles.h"
#include "offpolicy/rows.h"

namespace rein {

// An estimate whose variance fewer observations carry has no interval, because a single observation says
// nothing about a spread (reach95).
inline constexpr double kFewestErrorRows = 2.0;

// The units of some rows, numbered from 0. If `of` is empty, every row is an observation of its own.
struct Units {
  std::vector<std::int32_t> of;
  std::size_t count = 0;
  // The units of the chosen rows of a log, numbered anew.
  static Units some(const OfflineRows& rows, std::span<const std::int64_t> chosen);
  std::size_t size(std::size_t rows) const { return of.empty() ? rows : count; }
};

// The shape of an error that is a sum of errors e: its skewness, sum e^3 / (sum e^2)^(3/2), and how many
// observations carry it, (sum e^2)^2 / sum e^4. Both 0 where all e are 0.
struct ErrorShape {
  double skewness = 0.0, carriers = 0.0;
  // From the sums of squares, cubes and fourth powers.
  static ErrorShape of(const double* powers);
};

// How many standard errors the 95 % interval reaches to both sides. NaN if fewer than kFewestErrorRows
// observations carry the error.
//
// Skewed errors: the estimate less the truth, in standard errors, is made symmetric by Hall's cubic
// transformation (Hall, Journal of the Royal Statistical Society B, 1992), and its ends are carried
// back. The variance is estimated too. Its relative error, sqrt(sum e^4) / sum e^2, is that of a variance
// from `carriers` normal numbers. So the ends are those of Student's t with carriers - 1 degrees of
// freedom.
//
// `choices`: the estimate is the best of so many by the same observations. Then all of them have intervals
// that hold together (Bonferroni): the best of ten equal ones lay outside its own interval in a quarter of
// logs.
struct Reach {
  double low, high;
};
Reach reach95(const ErrorShape& shape, int choices = 1);

// What Student's t passes, on both sides together, with this chance. REQUIRES freedom >= 1.
double student(double freedom, double outside);
inline double student95(double freedom) { return student(freedom, 0.05); }

// Sets covariance, skewness, error_rows and the interval of `value` from errors, rows x heads, that sum
// up to its error. `mean`: the value is a mean, so the errors sum to 0, and the variance is multiplied by
// observations / (observations - 1). The ends are NaN without `interval`, and where all errors are 0,
// because nothing is then known about the spread.
void set_errors(PolicyValue& value, std::span<const double> errors, const Units& units, bool mean,
                bool interval);

// The joint band: how many standard errors cover all points of a curve at once.
// The 95 % quantile of the largest |t| over n normal variables with this covariance (n x n), from
// 10 000 draws. Variables of variance 0 do not count. At least kNormal95, which is
// the answer for a single point.
double joint_quantile(std::span<const double> covariance, int n, std::uint64_t seed);

}  // namespace rein
