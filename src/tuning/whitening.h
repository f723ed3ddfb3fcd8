// Whitening: coordinates in which the features of the first rounds have a mean square of 1 in every
// direction. They are fixed once and for all before the first outcome is learned in them.
//
//     M = mean of phi phi' over the actions that the first rounds offered
//     psi = T phi,  T lower triangular,  T M T' = I
//
// A feature of which these rounds show nothing besides the features before it (a constant beside a
// constant, a category that did not come) keeps its own scale: psi has what is left of it.
//
// Every invertible linear change of coordinates leaves the class of linear means as it is. So any M
// would do for what is proved in them (docs/theory/certificate.md); this one makes |psi|^2 about d.
#pragma once

#include <span>
#include <vector>

#include "rein/bytes.h"

namespace rein {

class Whitening {
 public:
  explicit Whitening(int d);

  // Before they are fixed: one more vector.
  void add(std::span<const double> phi);
  double added() const { return count_; }
  bool fixed() const { return fixed_ != 0.0; }
  void fix();
  // REQUIRES that they are fixed.
  void write(std::span<const double> phi, std::span<double> psi) const;

  // By number of psi: 1 if the first rounds showed it, else 0.
  std::span<const double> shown() const { return shown_; }

  void save(ByteWriter& out) const { out.state("whitening", count_, fixed_, m_, to_, shown_); }
  void load(ByteReader& in) {
    static_cast<void>(in.state("whitening", count_, fixed_, m_, to_, shown_));
  }

 private:
  double product(const double* x, const double* y, int last) const;

  int d_;
  double count_ = 0.0;
  double fixed_ = 0.0;
  std::vector<double> m_;   // the sum of phi phi'
  std::vector<double> to_;  // T
  std::vector<double> scales_, shown_;
};

}  // namespace rein
