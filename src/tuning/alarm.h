// Alarm: tests whether the oracle's function class contains the truth (realizability).
//
// All guarantees of rein assume realizability. No oracle can detect from its own regret that it
// fails: the regret of vaw is small for any outcomes. The alarm runs two tests beside the oracle.
//
// If the truth is in the class, the probability that either test ever rings is at most delta, over
// all rounds, heads and actions together. One third of delta goes to the shadow, one to the noise
// of a block and one to the errors of a block. n is the number of heads.
//
// Shadow. It compares our prediction p with a richer one, s = p + correction. The correction is
// learned by ridge regression of y - p on random Fourier features of (context, features), from the
// rounds that are looked at. Per head, over those rounds and in units,
//
//     D = sum (p - y)^2 - (s - y)^2         ring when D > U + 2 ln(3 n / delta)
//
// where U is our oracle's certificate, a bound on sum (p - y)^2 - (f* - y)^2 over all rounds up to
// and including this one. u is read after the oracle has learned the round. If the truth f* is in
// the class and noise is fresh, D - U is at most a sum of terms 2 c xi - c^2, with c known before
// the noise xi. c = s - f* in rounds looked at, and c = p - f* in the others. xi lies in an
// interval of length 2, so exp of half that sum is a supermartingale. By Ville's inequality a head
// ever rings with probability at most delta / (3 n). This needs no assumption about contexts, the
// shadow, or which rounds are looked at.
//
// Bias. It sums y - p per action and head over blocks of 64, 128, 256, ... plays. At the end of
// block b, of length N and with Q = sum (y - p)^2, it rings if |sum (y - p)| exceeds
//
//     min over j of { psi(x) Q / (2 x) + 2 l / x,  x = 2^-j }  +  sqrt(N (2 U + 8 ln(3 n / delta)))
//     psi(x) = -ln(1 - x) - x,  j = 1 .. J = 1 + floor(b / 2),
//     l = ln(2 J b (b + 1) 3 cells / delta)
//
// The first part bounds the sum of the noise. For v >= -1 and 0 <= x < 1, exp(x v - psi(x) v^2) <=
// 1 + x v (Fan, Grama, Liu 2015). With v = +-(y - p) / 2 its mean is at most exp(+-x (f* - p) / 2),
// so exp(+-x sum xi / 2 - psi(x) Q / 4) is a supermartingale. This gives an empirical Bernstein
// bound for martingales, about sqrt(2 l Q) at the best x. l covers two signs, J values of x, all
// blocks (sum of 1 / (b (b + 1)) = 1) and all cells.
//
// The second part bounds the sum of the errors of a correct class: sum |p - f*| <= sqrt(N sum (p -
// f*)^2). By the same argument sum (p - f*)^2 <= 2 U + 8 ln(3 n / delta) in all rounds at once,
// except with probability delta / (3 n) per head.
//
// Once it rings it keeps ringing. A look costs one update of a small matrix. Looks come every
// `every` rounds at first and less often later (see kOften in alarm.cc). learn() allocates nothing,
// but where it is about to ring and asks for free_regret().
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
    double delta = 0.01;  // largest probability of ever ringing for a correct class
    int every = 2;        // mean number of rounds between looks at first
    int size = 32;        // Fourier features of the shadow, an even number
    double width = 0.5;   // width of its kernel
    std::uint64_t seed = 1;
  };

  Alarm(const Shape& shape, const Options& options);
  explicit Alarm(const Shape& shape) : Alarm(shape, Options()) {}

  // Adds one learned round. The predictions are those for the action before its outcome was
  // learned, in units, without optimism or correction. The outcomes are in the units of the shape.
  // u is our oracle's regret() after it has learned this round. A head with prediction NaN is
  // skipped in this round. With `of`, that oracle, the alarm rings only where its free_regret(),
  // which holds for a theta of any size, says so too. It takes long, so it is asked only then, and
  // not at every look.
  void learn(const Round& round, int action, std::span<const double> predicted_units,
             std::span<const double> outcomes, double u, const Oracle* of = nullptr);

  // Whether the next round is looked at.
  bool due() const { return rounds_ + 1 >= next_; }
  std::int64_t rounds() const { return rounds_; }

  bool ringing() const { return why_ != Why::kQuiet; }
  Why why() const { return why_; }
  // "quiet", "shadow" or "bias".
  std::string_view word() const;
  // The head that rang, and after how many rounds; -1 if none rang.
  int head() const { return head_; }
  std::int64_t since() const { return since_; }
  // D of a head so far, in units.
  double excess(int head) const { return excess_[static_cast<std::size_t>(head)]; }
  // Number of rounds looked at.
  std::int64_t looks() const { return looks_; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Cell {  // the current block of one action and head
    double plays = 0.0;
    double sum = 0.0;
    double squares = 0.0;
    double size = kFirst;  // plays at which it ends
    static constexpr double kFirst = 64.0;
  };
  double noise_of(const Cell& cell) const;
  struct Regret {  // of the oracle that is watched
    double u;
    const Oracle* of;  // null: only u is known
  };
  void learn_bias(int id, int head, double miss, const Regret& regret);
  void look(const Round& round, int action, std::span<const double> predicted,
            const Regret& regret);
  void ring(Why why, int head);

  Options options_;
  Heads heads_;
  FeatureMap map_;
  int sets_;
  FourierFeatures curves_;
  Ridge shadow_;
  double log_;  // ln(3 heads / delta)
  std::vector<Cell> cells_;
  std::vector<double> excess_;  // D, one per head
  std::vector<double> work_;    // z, psi, then y, residual and correction of every head
  std::int64_t rounds_ = 0;
  std::int64_t next_ = 1;  // the next round to look at
  std::int64_t looks_ = 0;
  Why why_ = Why::kQuiet;
  int head_ = -1;
  std::int64_t since_ = -1;
};

}  // namespace rein
