// KernelFeatures: nonlinear features (curves) of a vector z. A linear function of the curves is,
// nearly, a function of the Gaussian kernel k(z, z') = exp(-|z - z'|^2 / (2 width^2)). Two ways:
//
//   FourierFeatures     psi_j = cos(w_j . z) / sqrt n and sin(w_j . z) / sqrt n, the n = size / 2
//                       frequencies w_j drawn once from N(0, I / width^2). psi(z) . psi(z') is k on
//                       average, |psi| = 1 exactly. (Rahimi, Recht 2007; the pairs: Sutherland,
//                       Schneider 2015.)
//   DictionaryFeatures  psi = M^-1 (k(z_1, z), ..., k(z_n, z)) with M M' the kernel matrix of the
//                       points kept, z_1 to z_n. psi(z) . psi(z') is k exactly where one of the two
//                       is kept. What no kept point explains, r = 1 - |psi|^2 = the squared
//                       distance of k(z, .) from the span of theirs, decides: where r > novelty
//                       and there is room, the next coordinate is sqrt r, and learning keeps z.
//                       (Approximate linear dependence: Engel, Mannor, Meir 2004; Nystrom features:
//                       Williams, Seeger 2001.)
//
// M grows by one row when a point is kept, so earlier coordinates never change. For a learner on
// psi a new point is a feature that was 0 until now.
#pragma once

#include <span>
#include <vector>

#include "base/size.h"
#include "estimate/factors.h"
#include "rein/rng.h"

namespace rein {

class KernelFeatures {
 public:
  virtual ~KernelFeatures() = default;
  // Doubles of working memory that row() needs.
  virtual std::size_t work() const { return 0; }
  // Writes the `size` curves at z, for this set of parameters.
  virtual void row(int set, const double* z, double* psi, double* work) const = 0;
  // Called after z was learned. psi is the result of row() for z.
  virtual void learn(int /*set*/, const double* /*z*/, const double* /*psi*/) {}
  // The learned state; frequencies follow from the spec.
  virtual void save(ByteWriter& /*out*/) const {}
  virtual void load(ByteReader& /*in*/) {}
};

// KernelWidths: the width of the kernel, measured. It is the root mean squared distance of the
// first 32 vectors z from each other. Over such a distance the kernel falls to exp(-1/2). A number
// whose standard deviation is over 4 times the median of all numbers counts as if it had the
// median: it has another unit, or its scale was taken from an unusually small value
// (unit_features.h).
class KernelWidths {
 public:
  explicit KernelWidths(int d) : means_(as_size(d)), squares_(means_), widths_(means_) {}
  // Whether there were enough vectors, not all of them the same.
  bool known() const { return known_; }
  // Adds a vector. REQUIRES that they are not known yet.
  void add(const double* z);
  // The widths, one per number. REQUIRES that they are known.
  std::span<const double> widths() const { return widths_; }
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  void find();

  std::int64_t count_ = 0;
  std::vector<double> means_;
  std::vector<double> squares_;  // sums of squared distances from the mean
  std::vector<double> widths_;
  bool known_ = false;
};

class FourierFeatures final : public KernelFeatures {
 public:
  // z has d numbers. REQUIRES an even size.
  FourierFeatures(int d, int size, double width, std::uint64_t seed);
  void row(int set, const double* z, double* psi, double* work) const override;
  // Takes a width per number of z, in place of the single width. REQUIRES that nothing was learned.
  void set_widths(std::span<const double> widths);

 private:
  int d_;
  int pairs_;
  double scale_;
  std::uint64_t seed_;
  std::vector<double> frequencies_;  // pairs x d
};

class DictionaryFeatures final : public KernelFeatures {
 public:
  // One dictionary per set of parameters.
  DictionaryFeatures(int d, int size, int sets, double width, double novelty);
  std::size_t work() const override { return as_size(stride_); }
  void row(int set, const double* z, double* psi, double* work) const override;
  void learn(int set, const double* z, const double* psi) override;
  void save(ByteWriter& out) const override;
  void load(ByteReader& in) override;

  // Number of points kept in this set.
  int kept(int set) const { return kept_[as_size(set)]; }

 private:
  std::size_t points_at(int set) const { return as_size(set) * as_size(d_) * as_size(stride_); }

  int d_;
  int size_;
  int stride_;  // size, rounded up to whole lanes
  double scale_;
  double novelty_;
  std::vector<int> kept_;       // number of points in every set
  std::vector<double> points_;  // sets x d x stride: number j of every point
  Factors factors_;             // M of every set; unused rows are those of I
};

}  // namespace rein
