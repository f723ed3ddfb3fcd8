#include "solve/lp.h"

#include <ClpSimplex.hpp>
#include <cmath>
#include <vector>

#include "base/check.h"

namespace rein {
namespace {

// CLP's default tolerances are 1e-7. Problems here are scaled to about 1 and compared at 1e-9.
constexpr double kTolerance = 1e-10;
// Smaller entries are rounding of 0.
constexpr double kNothing = 1e-14;

double to_clp(double bound) {
  if (bound == Lp::kInfinity) return COIN_DBL_MAX;
  if (bound == -Lp::kInfinity) return -COIN_DBL_MAX;
  return bound;
}

}  // namespace

bool has_lp() { return true; }

struct Lp::Clp {
  ClpSimplex model;
  bool solved = false;
  // Columns that are not in the model yet, because CLP copies the whole matrix for each addition.
  std::vector<double> values, entries;
  std::vector<int> starts{0}, rows;

  Clp() {
    model.setLogLevel(0);
    model.setOptimizationDirection(-1.0);
    model.scaling(0);  // with scaling, a single entry of 1e-16 stops CLP before the optimum
    model.setPrimalTolerance(kTolerance);
    model.setDualTolerance(kTolerance);
  }

  int waiting() const { return static_cast<int>(values.size()); }

  void flush() {
    if (waiting() == 0) return;
    model.addColumns(waiting(), nullptr, nullptr, values.data(), starts.data(), rows.data(),
                     entries.data());  // null bounds mean 0 and infinity
    values.clear();
    entries.clear();
    rows.clear();
    starts.resize(1);
  }
};

Lp::Lp() : clp_(std::make_unique<Clp>()) {}
Lp::~Lp() = default;
Lp::Lp(Lp&&) noexcept = default;
Lp& Lp::operator=(Lp&&) noexcept = default;

int Lp::rows() const { return clp_->model.numberRows(); }

int Lp::columns() const { return clp_->model.numberColumns() + clp_->waiting(); }

int Lp::add_row(double low, double high) {
  check(columns() == 0, "an Lp takes its rows before its columns");
  check(low <= high, "a row of an Lp has low <= high");
  const int row = rows();
  clp_->model.resize(row + 1, 0);
  clp_->model.setRowBounds(row, to_clp(low), to_clp(high));
  return row;
}

int Lp::add_column(double value, std::span<const int> rows, std::span<const double> entries) {
  check(rows.size() == entries.size(), "a column of an Lp has one entry per row named");
  clp_->values.push_back(value);
  clp_->rows.insert(clp_->rows.end(), rows.begin(), rows.end());
  for (double entry : entries) {
    clp_->entries.push_back(std::abs(entry) < kNothing ? 0.0 : entry);
  }
  clp_->starts.push_back(static_cast<int>(clp_->rows.size()));
  clp_->solved = false;
  return columns() - 1;
}

void Lp::set_row(int row, double low, double high) {
  check(row >= 0 && row < rows() && low <= high, "a row of an Lp exists and has low <= high");
  clp_->model.setRowBounds(row, to_clp(low), to_clp(high));
  clp_->solved = false;
}

void Lp::set_value(int column, double value) {
  check(column >= 0 && column < columns(), "a column of an Lp exists");
  clp_->flush();
  clp_->model.setObjectiveCoefficient(column, value);
  clp_->solved = false;
}

void Lp::drop(int column) {
  check(column >= 0 && column < columns(), "a column of an Lp exists");
  clp_->flush();
  clp_->model.setColumnUpper(column, 0.0);
  clp_->solved = false;
}

LpStatus Lp::maximize() {
  clp_->flush();
  clp_->model.primal();
  clp_->solved = clp_->model.isProvenOptimal();
  if (clp_->solved) return LpStatus::kOptimal;
  if (clp_->model.isProvenPrimalInfeasible()) return LpStatus::kInfeasible;
  if (clp_->model.isProvenDualInfeasible()) return LpStatus::kUnbounded;
  return LpStatus::kStopped;
}

double Lp::value() const {
  check(clp_->solved, "an Lp is read after it was solved");
  return clp_->model.objectiveValue();
}

double Lp::x(int column) const {
  check(clp_->solved && column >= 0 && column < columns(), "an Lp is read after it was solved");
  return clp_->model.primalColumnSolution()[column];
}

double Lp::price(int row) const {
  check(clp_->solved && row >= 0 && row < rows(), "an Lp is read after it was solved");
  return clp_->model.dualRowSolution()[row];
}

}  // namespace rein
