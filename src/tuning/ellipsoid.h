// Ellipsoid: confidence bounds on linear means, at all times at once, where nobody knows the noise.
//
// One set of parameters, every head. Outcomes y are in units and in a declared range. Per head,
// the mean of y given everything before is theta . psi. From the pairs learned so far, with weights
// w that are known before y,
//
//     A = sum w psi psi'      b = sum w psi y       theta^ = G b,  G = (A + tiny I)^-1
//     e = y - p               p: any prediction made before y, inside the range
//     V = sum (w e)^2 psi psi'
//
//     |theta^ . psi - theta . psi|^2  <=  R^2 psi' G (V + L) G psi  +  what tiny adds       (bound)
//
// for all times, all psi and all L >= 0 (diagonal here) together, except with probability delta per
// head. R depends on A, V and L alone. The proof is in docs/theory/certificate.md, steps 1 to 4,
// with every constant. Nothing is assumed about the noise but the range: squared misses of
// predictions that were made before the outcome take the place of its variance, direction by
// direction.
//
// The caller gives psi of size about sqrt(d) (tuning/whitening.h): the length is what w is made
// of. Bounds are refreshed when the outcomes have grown by a sixteenth, so they are of a past time,
// which the statement allows. One refresh takes about 20 d^3 multiply-adds per head, learn()
// (heads + 1) d^2, a bound d^2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "rein/bytes.h"
#include "rein/shape.h"

namespace rein {

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

class Ellipsoid {
 public:
  // `ranges` of the heads, in units. `delta` for each head.
  Ellipsoid(int d, std::vector<Range> ranges, double delta);
  // Number of doubles that one takes.
  static std::size_t size(int d, int heads);

  // Before the first outcome: which numbers of psi have a mean square of 1 over vectors for which
  // the means are known to lie in the range (Whitening::shown); all unless said.
  void set_shown(std::span<const double> shown) { std::ranges::copy(shown, shown_.begin()); }
  // The mean of a head at psi lies in it; inside the range.
  Interval bounds(const double* psi, int head) const;
  // For tests: by how much a mean lies above the estimate at psi, as a share of the width; NaN
  // while there are no bounds.
  double miss(const double* psi, int head, double mean) const;
  // What is expected of an outcome, inside the range.
  double predict(const double* psi, int head) const;
  // One number per head, in units.
  void learn(const double* psi, std::span<const double> outcomes);

  // R of a head; infinite while there is none. For tests.
  double radius(int head) const { return radius_[static_cast<std::size_t>(head)]; }
  // Multiplies every R: 1 but in tests that must find a false bound.
  void scale_radius(double by) { scale_ = by; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Try {  // one L, and what it gives
    double radius = 0.0;
    double score = 0.0;  // R^2 times the mean of psi' G (V + L) G psi over what was learned
  };
  void refresh();
  void refresh_head(int head, double tiny);
  void write_w(int head, double floor);
  Try attempt(int head, double floor);
  double radius_of(int head, double log_det, double trace, double inverse_norm) const;
  std::size_t square() const { return static_cast<std::size_t>(d_) * static_cast<std::size_t>(d_); }
  double* matrix(std::vector<double>& of, int head) const {
    return of.data() + static_cast<std::size_t>(head) * square();
  }
  const double* matrix(const std::vector<double>& of, int head) const {
    return of.data() + static_cast<std::size_t>(head) * square();
  }

  int d_;
  std::vector<Range> ranges_;
  double log_delta_;  // ln(2 / delta)
  double log_gamma_;  // ln Gamma(d / 2 + 1)
  double scale_ = 1.0;

  double count_ = 0.0;
  double weights_ = 0.0;        // sum of w
  double next_ = 0.0;           // outcomes at which bounds are refreshed
  std::vector<double> a_;       // A
  std::vector<double> b_;       // heads x d
  std::vector<double> v_;       // V: heads x d x d
  std::vector<double> floor_;   // by head: log2 of L where there are outcomes
  std::vector<double> sums_;    // by head: of outcomes
  std::vector<double> theta_;   // heads x d
  std::vector<double> width_;   // heads x d x d: R^2 G (V + L) G and the rest
  std::vector<double> radius_;  // by head

  std::vector<double> inverse_, seen_;      // G, and G A G
  std::vector<double> prior_;               // C^-1 of step 4 of the page
  std::vector<double> shown_;               // by number of psi
  std::vector<double> w_, factor_, other_;  // d x d, for refresh()
  std::vector<double> expected_;            // by head, for learn()
};

}  // namespace rein
