// Alarm: does the oracle's class of functions hold the truth at all?
//
// Everything that rein promises rests on realizability, and no oracle can see by its own regret
// that it fails: the regret of vaw is small for any outcomes. Two tests look from outside.
//
// Where the truth is in the class, the chance that either ever rings is at most delta, over all
// rounds, heads and actions together. A third of delta each goes to the shadow, to the noise of a
// block and to the errors of a block; n is the number of heads.
//
// Shadow. Beside our prediction p stands a richer one, s = p + correction, the correction learned
// by ridge regression of y - p on random Fourier features of (context, features), from the rounds
// that are looked at. Per head, over those rounds and in units,
//
//     D = sum (p - y)^2 - (s - y)^2         ring when D > U + 2 ln(3 n / delta)
//
// where U is our oracle's certificate, a bound on sum (p - y)^2 - (f* - y)^2 over all rounds up to
// and including this one: u is asked for after the oracle has learned the round. If the truth f* is
// in the class and noise is fresh, D - U is at most a sum of terms 2 c xi - c^2 with c known before
// the noise xi: c = s - f* in rounds looked at, c = p - f* in the others. xi lies in an interval of
// length 2, so exp of half that sum is a supermartingale, and by Ville's inequality a head ever
// rings with probability at most delta / (3 n). No assumption about contexts, the shadow, or which
// rounds are looked at.
//
// Bias. Per action and head, sums of y - p over blocks of 64, 128, 256, ... plays. At the end of
// the b-th block, of length N and with Q = sum (y - p)^2, it rings when |sum (y - p)| is over
//
//     min over j of { psi(x) Q / (2 x) + 2 l / x,  x = 2^-j }  +  sqrt(N (2 U + 8 ln(3 n / delta)))
//     psi(x) = -ln(1 - x) - x,  j = 1 .. J = 1 + floor(b / 2),
//     l = ln(2 J b (b + 1) 3 cells / delta)
//
// The first part is what noise adds up to. For v >= -1 and 0 <= x < 1, exp(x v - psi(x) v^2) <=
// 1 + x v (Fan, Grama, Liu 2015). With v = +-(y - p) / 2 its mean is at most exp(+-x (f* - p) / 2),
// so exp(+-x sum xi / 2 - psi(x) Q / 4) is a supermartingale: an empirical Bernstein bound that
// holds for martingales, about sqrt(2 l Q) at the best x. l pays for two signs, J values of x, all
// blocks (sum of 1 / (b (b + 1)) = 1) and all cells. The second part is what the errors of a right
// class add up to: sum |p - f*| <= sqrt(N sum (p - f*)^2), and sum (p - f*)^2 <= 2 U + 8 ln(3 n /
// delta) in all rounds at once but with chance delta / (3 n) per head, by the same argument.
//
// Once it rings it keeps ringing. Looking costs one update of a small matrix; it is done every
// `every` rounds at first and less often later (see kOften in alarm.cc). learn() allocates nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "estimate/feature_map.h"
#include "estimate/heads.h"
#include "estimate/kernel_features.h"
#include "estimate/ridge.h"

namespace rein {

class Alarm {
 public:
  enum class Why { kQuiet, kShadow, kBias };
  struct Options {
    double delta = 0.01;  // chance of ever ringing where the class is right, at most
    int every = 2;        // rounds between looks at first, on average
    int size = 32;        // Fourier features of the shadow, an even number
    double width = 0.5;   // of its kernel
    std::uint64_t seed = 1;
  };

  Alarm(const Shape& shape, const Options& options);
  explicit Alarm(const Shape& shape) : Alarm(shape, Options()) {}

  // One round learned: what was predicted for the action before its outcome was learned, in units,
  // without optimism or correction; the outcomes, in the units of the shape; and u, our oracle's
  // regret() after it has learned this round. A head whose prediction is NaN is left out of this
  // round.
  void learn(const Round& round, int action, std::span<const double> predicted_units,
             std::span<const double> outcomes, double u);

  // Whether the next round is one of those that are looked at.
  bool due() const { return rounds_ + 1 >= next_; }
  std::int64_t rounds() const { return rounds_; }

  bool ringing() const { return why_ != Why::kQuiet; }
  Why why() const { return why_; }
  // "quiet", "shadow" or "bias".
  std::string_view word() const;
  // The head that rang, and after how many rounds; -1 where nothing did.
  int head() const { return head_; }
  std::int64_t since() const { return since_; }
  // D of a head so far, in units.
  double excess(int head) const { return excess_[static_cast<std::size_t>(head)]; }
  // Rounds looked at.
  std::int64_t looks() const { return looks_; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Cell {  // of one action and head: the present block
    double plays = 0.0;
    double sum = 0.0;
    double squares = 0.0;
    double size = kFirst;  // plays that end it
    static constexpr double kFirst = 64.0;
  };
  double noise_of(const Cell& cell) const;
  void learn_bias(int id, int head, double miss, double u);
  void look(const Round& round, int action, std::span<const double> predicted, double u);
  void ring(Why why, int head);

  Options options_;
  Heads heads_;
  FeatureMap map_;
  int sets_;
  FourierFeatures curves_;
  Ridge shadow_;
  double log_;  // ln(3 heads / delta)
  std::vector<Cell> cells_;
  std::vector<double> excess_;  // D, one a head
  std::vector<double> work_;    // z, psi, then y, residual and correction of every head
  std::int64_t rounds_ = 0;
  std::int64_t next_ = 1;  // the round to look at
  std::int64_t looks_ = 0;
  Why why_ = Why::kQuiet;
  int head_ = -1;
  std::int64_t since_ = -1;
};

}  // namespace rein
