// LinearProblem: the hidden parameters of the world `linear`, and the distribution of its action
// features. Everything is a pure function of the seed.
//
// Signed costs. phi is a unit vector of d numbers. u and v_h are unit vectors, with v_h
// perpendicular to u:
//
//     reward      theta_0 = tension u + sqrt(1 - tension^2) v_0
//     costs       theta_i = u where m = 1, else 0.8 u + 0.6 v_i
//
// so rewarding actions tend to cost. One action per round, at a random place, is made safe. It is
// moved towards -u: phi <- (1 - l) phi - l u with the smallest l such that theta_i . phi <= -margin
// for all i. All theta_i have the same part along u, so one l works for every cost.
//
// Positive costs. phi = (1, psi) / sqrt 2 and theta_h = (1, w_h) / sqrt 2, with psi and w_h in d -
// 1 dimensions made as above. So every mean is (1 + w_h . psi) / 2, in [0, 1]. The safe action is
// phi times the largest number, at most 1, that keeps every mean cost at or below `safe`.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rein {

class LinearProblem {
 public:
  struct Options {
    int actions = 8;
    int features = 8;
    int costs = 1;
    bool positive = false;
    double margin = 0.1;   // signed costs: the safe action's means are at most -margin
    double safe = 0.05;    // positive costs: the safe action's means are at most this
    double tension = 0.6;  // cosine between the reward and the cost directions
  };
  // The largest possible margin: the part of theta_i along u.
  static double most_margin(int costs) { return costs <= 1 ? 1.0 : 0.8; }

  LinearProblem(const Options& options, std::uint64_t seed);

  // heads rows of `features` numbers; |theta_h| <= 1.
  std::vector<double> theta() const;
  // The size of psi: all features except the constant one.
  int inner() const { return inner_; }
  // The features of all actions of context `index`, in version `which`. A non-empty `pull` is added
  // to every direction before normalising, which gives another distribution.
  void draw(std::int64_t index, int which, std::span<const double> pull,
            std::span<double> features) const;

 private:
  std::span<const double> w(int head) const;
  void make_safe(double* row) const;

  Options options_;
  std::uint64_t seed_;
  int inner_;
  std::vector<double> u_;
  std::vector<double> w_;  // `heads` rows of inner_ numbers
};

}  // namespace rein
