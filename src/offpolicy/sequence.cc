#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "offpolicy/at.h"
#include "rein/offpolicy.h"

namespace rein {
namespace {

// One side of the sequence: the lower end of the mean of s >= 0, where that mean is at most 1.
class LowerEnd {
 public:
  void add(double s) {
    const double t = count_ + 1.0;
    const double mean = std::min(1.0, (0.5 + sum_) / (count_ + 1.0));
    const double variance = (0.25 + squares_) / (count_ + 1.0);
    const double bet = std::min(0.5, std::sqrt(2.0 * kLog40 / (variance * t * log(1.0 + t))));
    const double off = s - mean;
    bets_ += bet;
    won_ += bet * s;
    paid_ += (-log(1.0 - bet) - bet) * off * off;
    sum_ += s;
    squares_ += off * off;
    count_ = t;
    best_ = std::max(best_, (won_ - kLog40 - paid_) / bets_);
  }
  double best() const { return best_; }

 private:
  static constexpr double kLog40 = 3.6888794541139363;  // log(2 / 0.05)
  double count_ = 0.0, sum_ = 0.0, squares_ = 0.0;
  double bets_ = 0.0, won_ = 0.0, paid_ = 0.0;
  double best_ = 0.0;
};

}  // namespace

Result<ConfidenceSequence> confidence_sequence(const OfflineRows& rows,
                                               std::span<const double> target, int head,
                                               const OutcomeRange& range, int points) {
  if (auto good = check_rows(rows); !good) return good.failure();
  if (rows.propensity.empty()) return Error{"sequence: the log has no propensities"};
  if (target.size() != at(rows.rows) * at(rows.actions)) {
    return Error{fmt::format("sequence: found {} probabilities; accepted: {}", target.size(),
                             rows.rows * rows.actions)};
  }
  if (head < 0 || head >= rows.heads || points < 1 || !(range.low < range.high)) {
    return Error{
        fmt::format("sequence: found head {}, {} points and the range {} to {}; accepted: a head "
                    "below {}, at least 1 point, and a range whose low is below its high",
                    head, points, range.low, range.high, rows.heads)};
  }
  for (const double weight : rows.weights) {
    if (weight != 1.0)
      return Error{fmt::format("sequence: found a row of weight {}; accepted: 1", weight)};
  }
  ConfidenceSequence out;
  LowerEnd low;
  LowerEnd high;
  const double width = range.high - range.low;
  std::int64_t point = 0;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const double y = rows.outcomes[at(row * rows.heads + head)];
    if (!std::isnan(y)) {
      if (y < range.low || y > range.high) {
        return Error{fmt::format("sequence: row {} has outcome {}; accepted: {} to {}", row, y,
                                 range.low, range.high)};
      }
      const double w =
          target[at(row * rows.actions + rows.played[at(row)])] / rows.propensity[at(row)];
      low.add(w * (y - range.low) / width);
      high.add(w * (range.high - y) / width);
    }
    if (row + 1 >= rows.rows * (point + 1) / points) {
      while (point < points && rows.rows * (point + 1) / points <= row + 1) ++point;
      out.rows.push_back(row + 1);
      out.low.push_back(range.low + width * std::min(low.best(), 1.0));
      out.high.push_back(range.high - width * std::min(high.best(), 1.0));
    }
  }
  return out;
}

}  // namespace rein
