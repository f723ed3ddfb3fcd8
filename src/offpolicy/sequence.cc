#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.h"
#include "offpolicy/rows.h"
#include "rein/offpolicy.h"

namespace rein {
namespace {

// log(2 / 0.05): a capital over 40 refutes a mean on one side, at 2.5 %.
constexpr double kLogCapital95 = 3.6888794541139363;

// A bet b and the share of the capital that it has. Every bet is half of the one before, so that one
// of them is near the best for any number of rows.
struct Bet {
  double size, log_share;
  double price;  // psi(size)
};

const std::array<Bet, 40>& bets() {
  static const std::array<Bet, 40> all = [] {
    std::array<Bet, 40> out{};
    double size = 0.9;
    double k = 1.0;
    for (Bet& bet : out) {
      bet = {size, -log(k * (k + 1.0)), -log(1.0 - size) - size};  // the shares sum to below 1
      size /= 2.0;
      k += 1.0;
    }
    return out;
  }();
  return all;
}

// One side of the sequence: the lower end of the running mean of s >= 0, where every mean of s given
// the past is at most 1.
class LowerEnd {
 public:
  void add(double s) {
    const double mean = std::min(1.0, (0.5 + sum_) / (count_ + 1.0));
    squares_ += (s - mean) * (s - mean);
    sum_ += s;
    count_ += 1.0;
  }
  double end() const { return count_ > 0.0 ? (sum_ - excess()) / count_ : 0.0; }

 private:
  // The least excess of the sum over the sum of its means that the bets do not allow.
  double excess() const {
    double high = HUGE_VAL;
    for (const Bet& bet : bets()) high = std::min(high, excess_of(bet));
    double low = 0.0;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2.0;
      (capital(middle) < 40.0 ? low : high) = middle;
    }
    return high;
  }
  double excess_of(const Bet& bet) const {
    return (kLogCapital95 - bet.log_share + bet.price * squares_) / bet.size;
  }
  double capital(double excess) const {
    double sum = 0.0;
    for (const Bet& bet : bets())
      sum += exp(bet.log_share + bet.size * excess - bet.price * squares_);
    return sum;
  }

  double count_ = 0.0, sum_ = 0.0, squares_ = 0.0;
};

Result<> check(const OfflineRows& rows, std::span<const double> target, int head,
               const OutcomeRange& range, int points) {
  if (auto good = check_rows(rows); !good) return good;
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
  if (!rows.unit.empty()) {
    return Error{"sequence: rows belong together in units; accepted: rows that do not"};
  }
  for (const double weight : rows.weights) {
    if (weight != 1.0)
      return Error{fmt::format("sequence: found a row of weight {}; accepted: 1", weight)};
  }
  return {};
}

}  // namespace

Result<ConfidenceSequence> confidence_sequence(const OfflineRows& rows,
                                               std::span<const double> target, int head,
                                               const OutcomeRange& range, int points) {
  if (auto good = check(rows, target, head, range, points); !good) return good.failure();
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
    if (row + 1 < rows.rows * (point + 1) / points) continue;
    while (point < points && rows.rows * (point + 1) / points <= row + 1) ++point;
    const double least = std::clamp(low.end(), 0.0, 1.0);
    const double largest = std::clamp(1.0 - high.end(), 0.0, 1.0);
    const bool any = least <= largest;
    out.rows.push_back(row + 1);
    out.low.push_back(any ? range.low + width * least : kNan);
    out.high.push_back(any ? range.low + width * largest : kNan);
  }
  return out;
}

}  // namespace rein
