// Lp: the only interface to a general linear-program solver (COIN-OR CLP).
//
//     max  sum_j value_j x_j   s.t.  low_r <= sum_j entry_{r,j} x_j <= high_r,   x >= 0
//
// Add rows first, then columns, then call maximize(). After a solve, columns may be added, and
// values and rows changed. The next solve starts from the last basis, which makes column generation
// cheap. Numbers should be about 1: there is no scaling. An Lp prints nothing. Objects share
// nothing; use one object per thread.
//
// Without CLP (cmake -DREIN_CLP=OFF) no Lp can be made. Ask has_lp() first.
//
// For the small LP of a single round use Mixture (solve/mixture.h), which is about fifty times
// faster.
#pragma once

#include <limits>
#include <memory>
#include <span>

namespace rein {

// Whether the library was built with CLP.
bool has_lp();

enum class LpStatus { kOptimal, kInfeasible, kUnbounded, kStopped };

class Lp {
 public:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  Lp();
  ~Lp();
  Lp(Lp&&) noexcept;
  Lp& operator=(Lp&&) noexcept;

  // Adds an empty row and returns its index. REQUIRES no columns yet, low <= high.
  int add_row(double low, double high);
  // Adds a column with these entries (rows ascending) and returns its index.
  int add_column(double value, std::span<const int> rows, std::span<const double> entries);
  void set_row(int row, double low, double high);
  void set_value(int column, double value);
  // Fixes a column at 0 from now on.
  void drop(int column);
  int rows() const;
  int columns() const;

  LpStatus maximize();
  // REQUIRES that the last maximize() returned kOptimal, and that nothing was changed since.
  double value() const;
  double x(int column) const;
  // The gain per unit increase of a row's right-hand side.
  double price(int row) const;

 private:
  struct Clp;
  std::unique_ptr<Clp> clp_;
};

}  // namespace rein
