// Small numeric tools of this room: dense symmetric systems (row-major, full storage), the
// standardiser of features, and lists of numbers as bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rein/bytes.h"

namespace rein {

// Replaces the lower triangle of the n x n matrix by its Cholesky factor. A pivot below 1e-12 of its
// diagonal entry makes its column 0, so a covariance that is only semi-definite has a factor too.
void semi_cholesky(std::span<double> matrix, int n);
// Solves L L' x = b in place. Directions whose pivot is 0 get 0.
void semi_solve(std::span<const double> factor, int n, std::span<double> b);
// Adds weight z z' to the lower triangle of a matrix, row-major, full storage.
inline void add_outer(double weight, std::span<const double> z, double* matrix) {
  for (std::size_t j = 0; j < z.size(); ++j) {
    const double weighted = weight * z[j];
    for (std::size_t k = 0; k <= j; ++k) matrix[j * z.size() + k] += weighted * z[k];
  }
}

// Standardizer: features less their mean, in units of their standard deviation. A feature that does
// not vary keeps its unit.
class Standardizer {
 public:
  Standardizer() = default;
  explicit Standardizer(std::size_t features) : mean_(features, 0.0), deviation_(features, 0.0) {}
  // From merged sums (add_moments) over n rows: of x - origin, then of its square.
  static Standardizer of_moments(std::span<const double> origin, std::span<const double> moments,
                                 double n);

  // Takes a row of this weight. Rows of weight 0 change nothing. After the last row: finish().
  void add(const double* x, double weight = 1.0);
  void finish();

  std::size_t features() const { return mean_.size(); }
  double mean(std::size_t j) const { return mean_[j]; }
  double deviation(std::size_t j) const { return deviation_[j]; }
  // z = (1, features in their units).
  void apply(const double* x, std::span<double> z) const {
    z[0] = 1.0;
    for (std::size_t j = 0; j < mean_.size(); ++j) z[j + 1] = (x[j] - mean_[j]) / deviation_[j];
  }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  double total_ = 0.0;                    // weight of the rows
  std::vector<double> mean_, deviation_;  // deviation_: sums of squares until finish()
};

// Adds sum and sum of squares of x - origin, per feature, so that large equal offsets do not hurt.
void add_moments(const double* x, std::span<const double> origin, std::span<double> sums);

// Lists of numbers with their length, for state that is sent to other processes.
void save_numbers(ByteWriter& out, std::span<const double> numbers);
std::vector<double> load_numbers(ByteReader& in);

}  // namespace rein
