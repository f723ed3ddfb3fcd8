#include "offpolicy/tail.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "base/math.h"

namespace rein {
namespace {

// Larger logs are sampled: so many rows know an index to 0.01.
constexpr std::int64_t kAllRows = 131'072;
constexpr std::int64_t kSampledRows = 65'536;
// Share of an action's outcomes that are its tail. Larger shares see the body of a law, smaller ones have too few
// outcomes: with 1000 rows, 20 % tells a Pareto law of index 1.5 from a lognormal one with sigma 1 in 95 of 100 logs.
constexpr double kTailShare = 0.2;
// A tail may begin further out. So halves of the share count too, as long as they have so many spacings: an
// estimate from 300 has an error of 0.08.
constexpr std::size_t kFewestFurtherOut = 300;
// Fewer spacings say nothing: the error of an estimate from 30 is 0.25.
constexpr std::size_t kFewestSpacings = 30;
// An action is also judged alone, if so many spacings are its own. The error is then 0.04, so that one of many
// light tails is hardly ever called heavy.
constexpr std::size_t kFewestAlone = 1000;
// Of the spacings of an action, the largest, which are left out.
constexpr double kLeftOut = 0.05;

// Ascending outcomes of one action, seen from one side.
class Side {
 public:
  Side(const std::vector<double>& sorted, bool upper) : sorted_(sorted), upper_(upper) {
    const std::size_t quarter = sorted.size() / 4;
    center_ = upper ? sorted[quarter] : sorted[sorted.size() - 1 - quarter];
  }
  // The distance of the i-th largest outcome, from 0.
  double operator[](std::size_t i) const {
    return upper_ ? sorted_[sorted_.size() - 1 - i] - center_ : center_ - sorted_[i];
  }
  std::size_t size() const { return sorted_.size(); }
  // How many outcomes have a distance above 0.
  std::size_t beyond() const {
    const auto begin = sorted_.begin();
    return upper_ ? sorted_.size() - at(std::upper_bound(begin, sorted_.end(), center_) - begin)
                  : at(std::lower_bound(begin, sorted_.end(), center_) - begin);
  }

 private:
  const std::vector<double>& sorted_;
  bool upper_;
  double center_;
};

// Scaled log spacings with their places, and the line through them.
struct Spacings {
  double count = 0.0, place = 0.0, gap = 0.0, place_square = 0.0, product = 0.0;

  void add(const Side& side, double share) {
    // Where most outcomes are the same number, such as 0, half of the others are the tail.
    const auto tail = static_cast<std::size_t>(share * static_cast<double>(side.size()));
    const std::size_t k = std::min(tail, side.beyond() / 2);
    if (k < 2) return;
    const auto left_out = static_cast<std::size_t>(std::ceil(kLeftOut * static_cast<double>(k)));
    if (side[0] == side[left_out]) return;  // a limit that is met again and again
    for (std::size_t i = left_out + 1; i <= k; ++i) {
      const double s = static_cast<double>(i) * log(side[i - 1] / side[i]);
      const double t = -log((static_cast<double>(i) - 0.5) / static_cast<double>(k));
      count += 1.0;
      place += t;
      gap += s;
      place_square += t * t;
      product += t * s;
    }
  }
  bool at_least(std::size_t fewest) const { return count >= static_cast<double>(fewest); }
  double index() const {
    const double spread = place_square - place * place / count;
    const double slope = (product - place * gap / count) / spread;
    const double level = (gap + slope * (count - place)) / count;
    return level > 0.0 ? level + slope / level : 0.0;
  }
};

// `groups`: ascending outcomes.
double index_of(const std::vector<std::vector<double>>& groups) {
  double out = kNan;
  const auto judge = [&](const Spacings& spacings, std::size_t fewest) {
    if (!spacings.at_least(fewest)) return false;
    const double index = spacings.index();
    if (!(out >= index)) out = index;
    return true;
  };
  for (const bool upper : {true, false}) {
    std::vector<Side> sides;
    for (const std::vector<double>& each : groups) {
      if (!each.empty()) sides.emplace_back(each, upper);
    }
    std::size_t fewest = kFewestSpacings;
    for (double share = kTailShare;; share /= 2.0, fewest = kFewestFurtherOut) {
      Spacings all;
      for (const Side& side : sides) all.add(side, share);
      if (!judge(all, fewest)) break;
    }
    for (const Side& side : sides) {
      Spacings alone;
      alone.add(side, kTailShare);
      judge(alone, kFewestAlone);
    }
  }
  return out;
}

// Outcomes of a head by action, ascending.
std::vector<std::vector<double>> by_action(const TailSample& sample, std::size_t head) {
  std::vector<std::vector<double>> out;
  const std::size_t heads = at(sample.heads);
  for (std::size_t i = 0; i < sample.played.size(); ++i) {
    const std::size_t action = at(sample.played[i]);
    if (action >= out.size()) out.resize(action + 1);
    out[action].push_back(sample.outcomes[i * heads + head]);
  }
  for (std::vector<double>& each : out) std::sort(each.begin(), each.end());
  return out;
}

// Sums over units of outcomes less the median of their action, ascending.
std::vector<double> by_unit(const TailSample& sample, std::size_t head,
                            const std::vector<std::vector<double>>& sorted) {
  std::map<std::int32_t, double> sums;
  const std::size_t heads = at(sample.heads);
  for (std::size_t i = 0; i < sample.played.size(); ++i) {
    const std::vector<double>& of_action = sorted[at(sample.played[i])];
    sums[sample.unit[i]] += sample.outcomes[i * heads + head] - of_action[of_action.size() / 2];
  }
  std::vector<double> out;
  for (const auto& [unit, sum] : sums) out.push_back(sum);
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

TailSample TailSample::of(std::int64_t rows, int actions, int heads) {
  return {.actions = actions,
          .heads = heads,
          .step = rows > kAllRows ? rows / kSampledRows : 1};
}

void TailSample::add(const OfflineRows& log_part, std::int64_t first) {
  for (std::int64_t row = 0; row < log_part.rows; ++row) {
    const std::int64_t place = log_part.unit.empty() ? first + row : log_part.unit[at(row)];
    if (place % step != 0 || !log_part.complete(row) || !(log_part.weight(row) > 0.0)) continue;
    played.push_back(log_part.played[at(row)]);
    if (!log_part.unit.empty()) unit.push_back(log_part.unit[at(row)]);
    const double* y = log_part.outcomes.data() + row * heads;
    outcomes.insert(outcomes.end(), y, y + heads);
  }
}

void TailSample::save(std::vector<double>& out) const {
  for (std::size_t i = 0; i < played.size(); ++i) {
    out.push_back(static_cast<double>(played[i]));
    out.push_back(unit.empty() ? -1.0 : static_cast<double>(unit[i]));
    const double* y = outcomes.data() + i * at(heads);
    out.insert(out.end(), y, y + heads);
  }
}

bool TailSample::load(std::span<const double> numbers) {
  const std::size_t width = 2 + at(heads);
  if (numbers.size() % width != 0) return false;
  for (; !numbers.empty(); numbers = numbers.subspan(width)) {
    if (!(numbers[0] >= 0.0 && numbers[0] < actions) || !(numbers[1] >= -1.0)) return false;
    played.push_back(static_cast<std::int32_t>(numbers[0]));
    if (numbers[1] >= 0.0) unit.push_back(static_cast<std::int32_t>(numbers[1]));
    outcomes.insert(outcomes.end(), numbers.begin() + 2,
                    numbers.begin() + static_cast<std::ptrdiff_t>(width));
  }
  return unit.empty() || unit.size() == played.size();
}

std::vector<double> tail_index(const TailSample& sample) {
  std::vector<double> out;
  for (std::size_t head = 0; head < at(sample.heads); ++head) {
    const std::vector<std::vector<double>> groups = by_action(sample, head);
    out.push_back(index_of(groups));
    if (sample.unit.empty()) continue;
    // Where rows have no variance, their sums have none, though these look lighter.
    const double of_units = index_of({by_unit(sample, head, groups)});
    if (!(out.back() >= of_units)) out.back() = of_units;
  }
  return out;
}

std::vector<double> tail_index(const OfflineRows& rows) {
  TailSample sample = TailSample::of(rows.rows, rows.actions, rows.heads);
  sample.add(rows, 0);
  return tail_index(sample);
}

namespace {

ErrorShape shape_of(std::span<const double> errors, double& square) {
  double powers[3] = {0.0, 0.0, 0.0};
  for (const double e : errors) {
    powers[0] += e * e;
    powers[1] += e * e * e;
    powers[2] += e * e * e * e;
  }
  square = powers[0];
  return ErrorShape::of(powers);
}

// REQUIRES descending errors.
void fill_tail(std::vector<double>& errors, double tail_index) {
  const double count = static_cast<double>(errors.size());
  const auto j = static_cast<std::size_t>(std::ceil(kLeftOut * kTailShare * count));
  if (j >= errors.size() || !(errors[j] > 0.0)) return;
  for (std::size_t i = 1; i <= j; ++i) {
    const double ratio = (static_cast<double>(j) + 1.0) / (static_cast<double>(i) - 0.5);
    errors[i - 1] = std::max(errors[i - 1], errors[j] * exp(tail_index * log(ratio)));
  }
}

}  // namespace

Stretch stretch_of(std::vector<double> errors, const Units& units, double tail_index) {
  if (!(tail_index > 0.0)) return {};
  if (!units.of.empty()) {
    std::vector<double> sums(units.count, 0.0);
    for (std::size_t i = 0; i < errors.size(); ++i) sums[at(units.of[i])] += errors[i];
    errors = std::move(sums);
  }
  std::erase(errors, 0.0);
  if (errors.empty()) return {};
  double mean = 0.0;
  for (const double e : errors) mean += e;
  mean /= static_cast<double>(errors.size());
  for (double& e : errors) e -= mean;
  double square = 0.0;
  double filled = 0.0;
  const Reach before = reach95(shape_of(errors, square));
  for (int side = 0; side < 2; ++side) {
    std::sort(errors.begin(), errors.end(), std::greater<>());
    fill_tail(errors, tail_index);
    for (double& e : errors) e = -e;
  }
  const Reach after = reach95(shape_of(errors, filled));
  const double wider = std::sqrt(filled / square);
  const auto factor = [](double x) { return x > 1.0 ? x : 1.0; };  // also of NaN
  return {factor(wider * after.low / before.low), factor(wider * after.high / before.high)};
}

std::string heavy_tail_text(const char* missing, const std::string& head, double tail_index,
                            const std::string& accepted) {
  return fmt::format(
      "no {} for {}: its largest outcomes fall off so slowly that its variance may have no limit "
      "(tail index {:.2f}, and {:g} or more has none). accepted: {}",
      missing, head, tail_index, kHeaviestTail, accepted);
}

}  // namespace rein
