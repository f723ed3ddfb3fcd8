// Change: notices that the function behind the outcomes has changed with time.
//
// It compares our prediction p with a second one, q = p + correction. The correction is learned by
// ridge regression of y - p on the same phi as our oracle, with a memory of N outcomes. Both are in
// the same class of functions. So a class that is wrong gives q no advantage: only a change with
// time does. Per head, over the rounds that are looked at,
//
//     gain = ((p - y)^2 - (q - y)^2) / (2 s^2)      at most 2; s^2: noise of this action and head
//     D    = max(0, D + gain - 2 max(0, usual))     ring when D > 25 + ln(heads)
//
// `usual` is the mean gain so far, over about the last 4 N outcomes. Where the class is wrong and the
// contexts in which an action is played move slowly, q gains a little all the time. That is no
// change.
//
// s^2 is the running mean of (p - y)^2 (1 - v), v the width: it estimates the variance of the noise
// if the class is right. If noise were normal with this variance and p were the true mean, exp(sum
// of gains) would be a supermartingale, and the mean number of looks until a false alarm at least
// exp(25). None of the two is exact, so this is no proof: docs/alarm.md has the rate that was
// measured. s^2 is at least 0.01 times the mean square outcome: a smaller change does not matter.
// p is tested only where it must be better than q if nothing changes: after 4 N outcomes since the
// start or the last ring, and where v <= 0.05. What is not known yet is no change.
//
// N is 8 d per set of parameters and at least 200. With d > 32 every fourth outcome of a head is
// looked at.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/heads.h"
#include "estimate/ridge.h"

namespace rein {

class Change {
 public:
  // Whether noticing changes takes little memory for phi of d numbers in so many sets.
  static bool fits(int d, int sets, int heads);
  Change(int d, int sets, const Shape& shape);

  double memory() const { return memory_; }
  // Adds one outcome. `predicted` and `outcomes` in the units of the shape; the prediction is of
  // before the outcome was learned. NaN: the outcome of this head has not come. Returns true if a
  // change is noticed; then D starts again.
  bool learn(int set, const double* phi, std::span<const double> predicted,
             std::span<const double> outcomes, HeadValues& widths);
  // The head that rang last; -1: none did.
  int head() const { return head_; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Noise {  // of a set and a head
    double count = 0.0;
    double square = 0.0;  // running mean of (p - y)^2 (1 - v)
    double size = 0.0;    // running mean of y^2
  };
  static double memory_of(int d, int sets);
  // Takes the residual of one head, whose outcome is y in units; true if it rings.
  bool look(int set, int head, double y, double width);
  // Adds to D of a head; true if it rings.
  bool test(int head, double gain);

  Heads heads_;
  double memory_;
  std::int64_t every_;
  Ridge shadow_;
  std::vector<Noise> noise_;         // by set and head
  std::vector<double> sums_;         // D, by head
  std::vector<double> usual_;        // running mean of the gain, by head
  std::vector<std::int64_t> seen_;   // outcomes, by head
  std::vector<std::int64_t> since_;  // outcomes seen when it rang last
  int head_ = -1;
  std::vector<double> residual_;
  std::vector<double> correction_;
};

}  // namespace rein
