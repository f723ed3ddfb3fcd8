// Change: notices that the function behind the outcomes has changed with time.
//
// There are two tests. LevelTest (level.h) sees outcomes that lie higher or lower than predicted.
// The test of weights compares our prediction p with a second prediction, q = p + correction. The
// correction is learned by ridge regression of y - p on the same phi as our oracle, with a memory
// of N outcomes. Both are in the same class of functions. So a class that is wrong gives q no
// advantage: only a change with time does. Per head, over the rounds that are looked at,
//
//     gain = ((p - y)^2 - (q - y)^2) / (2 s^2)      at most 2; s^2: noise of this action and head
//     D    = max(0, D + gain - 2 max(0, usual))     ring when D > 15 + ln(heads)
//
// `usual` is the mean gain so far, over about the last 4 N outcomes. Where the class is wrong and the
// contexts in which an action is played move slowly, q gains a little all the time. That is no
// change.
//
// s^2 is the running mean of (p - y)^2 (1 - v), v the width: it estimates the variance of the noise
// if the class is right. If noise were normal with this variance and p were the true mean, exp(sum
// of gains) would be a supermartingale, and the mean number of looks until a false alarm at least
// exp(15). None of the two is exact, so this is no proof: docs/alarm.md has the rate that was
// measured. s^2 is at least 0.01 times the mean square outcome: a smaller change does not matter.
// p is tested only where it must be better than q if nothing changes: after 4 N outcomes since the
// start or the last ring, and where v <= 0.05. What is not known yet is no change.
//
// N is 8 d per set of parameters and at least 200. The correction learns one outcome of a head in d / 8, and in
// at most 8. A test that looks often learns every one up to d = 32, and else one in four.
//
// What was learned before a change is wrong, but the correction has learned since. hand_over() gives
// it to the oracle. A sum that rings was last 0 about when the change was. The part of the
// correction's memory that is younger is
//
//     share = 1 - exp(-outcomes since then / N),     at least 1/2
//
// The older part saw residuals of mean 0. So the change is about correction / share. Our oracle takes
// over theta + correction / share for the head that rang, and share A of the correction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "estimate/heads.h"
#include "estimate/level.h"
#include "estimate/ridge.h"

namespace rein {

class Change {
 public:
  // Whether noticing changes takes little memory for phi of d numbers in so many sets.
  static bool fits(int d, int sets, int heads);
  Change(int d, int sets, const Shape& shape, bool often);

  struct Found {
    int head;
    int set;       // the set of parameters that changed; LevelTest::kAll: all of them
    double share;  // of the memory that is since the change
  };
  // Adds one outcome. `predicted` and `outcomes` are in the units of the shape; the prediction was
  // made before the outcome was learned. NaN: the outcome of this head has not come. Returns the
  // change if one is noticed; then call hand_over().
  std::optional<Found> learn(int set, const double* phi, std::span<const double> predicted,
                             std::span<const double> outcomes, HeadValues& widths);
  // Gives what was learned since the change to the oracle, and starts again.
  void hand_over(const Found& found, Ridge& oracle);

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Noise {  // of a set and a head
    double count = 0.0;
    double square = 0.0;  // running mean of (p - y)^2 (1 - v)
    double size = 0.0;    // running mean of y^2
  };
  static std::int64_t every_of(int d, bool often);
  static double memory_of(int d, int sets);
  double share(int head, std::int64_t since) const;
  // Tests the residual of one head, whose outcome in units is y.
  void look(int set, int head, double y, double width, std::optional<Found>& found);
  // Adds to D of a head; true if it rings.
  bool test(int head, double gain);
  bool is_due(int head) const { return seen_[static_cast<std::size_t>(head)] % every_ == 0; }

  Heads heads_;
  double threshold_;  // of D
  double memory_;
  std::int64_t every_;
  Ridge shadow_;
  std::vector<Noise> noise_;  // by set and head
  LevelTest level_;
  std::vector<double> sums_;         // D, by head
  std::vector<std::int64_t> zero_;   // outcomes seen when D was last 0
  std::vector<double> usual_;        // running mean of the gain, by head
  std::vector<std::int64_t> seen_;   // outcomes, by head
  std::vector<std::int64_t> since_;  // outcomes seen when it rang last
  std::vector<double> residual_;     // of the outcome being learned; NaN: not seen,
  std::vector<double> due_;          // or not to be learned
  std::vector<double> correction_;
};

}  // namespace rein
