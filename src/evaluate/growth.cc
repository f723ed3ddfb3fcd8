#include "evaluate/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/math.h"
#include "evaluate/student.h"

namespace rein {
namespace {

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}

void add_note(VerifyRow& row, const std::string& words) {
  row.note += (row.note.empty() ? "" : "; ") + words;
}

}  // namespace

std::vector<double> slope_weights(const std::vector<std::int64_t>& horizons) {
  std::vector<double> weights;
  for (std::int64_t t : horizons) weights.push_back(log(static_cast<double>(t)));
  const double middle = mean_of(weights);
  double squares = 0.0;
  for (double& w : weights) {
    w -= middle;
    squares += w * w;
  }
  check(squares > 0.0, "a slope needs two different horizons");
  for (double& w : weights) w /= squares;
  return weights;
}

double log_slope(const std::vector<std::int64_t>& horizons, const std::vector<double>& y) {
  check(y.size() == horizons.size(), "one number a horizon");
  const std::vector<double> weights = slope_weights(horizons);
  double slope = 0.0;
  for (std::size_t h = 0; h < y.size(); ++h) {
    if (!(y[h] > 0.0)) return kNan;
    slope += weights[h] * log(y[h]);
  }
  return slope;
}

Figure growth_exponent(const std::vector<std::int64_t>& horizons,
                       const std::vector<std::vector<double>>& samples) {
  check(samples.size() == horizons.size() && !samples[0].empty(), "samples of every horizon");
  std::vector<double> means;
  for (const std::vector<double>& values : samples) {
    check(values.size() == samples[0].size(), "the same number of seeds at every horizon");
    means.push_back(mean_of(values));
  }
  Figure exponent{log_slope(horizons, means), kNan, kNan};
  const std::size_t seeds = samples[0].size();
  if (std::isnan(exponent.mean) || seeds < 2) return exponent;
  const std::vector<double> weights = slope_weights(horizons);
  double squares = 0.0;
  for (std::size_t s = 0; s < seeds; ++s) {
    double moved = 0.0;  // the weights sum to 0, so the mean of this over seeds is 0
    for (std::size_t h = 0; h < means.size(); ++h) moved += weights[h] * samples[h][s] / means[h];
    squares += moved * moved;
  }
  const auto n = static_cast<double>(seeds);
  const double error = std::sqrt(squares / (n - 1.0) / n);
  const double half = student_t(static_cast<int>(seeds) - 1) * error + kResolution;
  exponent.low = exponent.mean - half;
  exponent.high = exponent.mean + half;
  return exponent;
}

void judge(const std::vector<std::vector<double>>& samples, VerifyRow& row) {
  row.measured.clear();
  for (const std::vector<double>& values : samples) row.measured.push_back(figure(values));
  row.exponent = growth_exponent(row.horizons, samples);
  row.pass = true;
  const bool measured = std::none_of(row.measured.begin(), row.measured.end(),
                                     [](const Figure& f) { return std::isnan(f.mean); });
  if (!measured) {
    row.pass = false;
    add_note(row, "not measured");
  } else if (std::isnan(row.exponent.mean)) {
    add_note(row, "not positive");
  } else {
    const double low = std::isnan(row.exponent.low) ? row.exponent.mean : row.exponent.low;
    if (low > row.theorem) {
      row.pass = false;
      add_note(row, "grows faster than the theorem says");
    }
  }
  for (std::size_t h = 0; h < row.bounds.size(); ++h) {
    if (!(row.measured[h].mean > row.bounds[h])) continue;
    row.pass = false;
    add_note(row, fmt::format("above its bound at T = {}", row.horizons[h]));
  }
}

}  // namespace rein
