#include "offpolicy/segment_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace rein {
namespace {

constexpr int kCuts = 31;  // thresholds that are tried per feature
// A threshold may be off its quantile by this share of the rows, so that it has few digits.
constexpr double kQuantileSlack = 0.01;
// A split that lowers the impurity by less than this share of that of all rows is noise to its readers.
constexpr double kLeastSplitGain = 0.02;

std::vector<double> cuts_of(const LabelledRows& rows, int feature) {
  std::vector<double> values(rows.label.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = rows.context[i * at(rows.features) + at(feature)];
  }
  std::ranges::sort(values);
  std::vector<double> distinct = values, cuts;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() <= at(kCuts) + 1) {
    for (std::size_t i = 0; i + 1 < distinct.size(); ++i) {
      cuts.push_back(round_number_in(distinct[i], distinct[i + 1]));
    }
    return cuts;
  }
  const auto quantile = [&](double q) {
    const double place = q * static_cast<double>(values.size() - 1);
    return values[at(static_cast<std::int64_t>(place))];
  };
  for (int k = 1; k <= kCuts; ++k) {
    const double q = static_cast<double>(k) / (kCuts + 1);
    const double low = quantile(q - kQuantileSlack), high = quantile(q + kQuantileSlack);
    if (!(low < high)) continue;
    const double cut = round_number_in(low, high);
    if (cuts.empty() || cut > cuts.back()) cuts.push_back(cut);
  }
  return cuts;
}

// Weight times Gini impurity.
double impurity(std::span<const double> weights) {
  double sum = 0.0, squares = 0.0;
  for (const double w : weights) {
    sum += w;
    squares += w * w;
  }
  return sum > 0.0 ? sum - squares / sum : 0.0;
}

struct Split {
  double gain = 0.0;
  int feature = -1;
  double at = 0.0;
};

struct Leaf {
  SegmentPath path;
  std::vector<std::size_t> rows;
  Split best;
};

class Grower {
 public:
  Grower(const LabelledRows& rows, std::int64_t least) : rows_(rows), least_(at(least)) {
    for (int j = 0; j < rows.features; ++j) cuts_.push_back(cuts_of(rows, j));
  }

  // The split that lowers the impurity most.
  Split best_split(const std::vector<std::size_t>& members) const {
    Split best;
    const std::size_t labels = at(rows_.labels);
    std::vector<double> whole(labels, 0.0);
    for (const std::size_t i : members) whole[at(rows_.label[i])] += rows_.weight[i];
    const double before = impurity(whole);
    for (int j = 0; j < rows_.features; ++j) {
      const std::vector<double>& cuts = cuts_[at(j)];
      if (cuts.empty()) continue;
      std::vector<double> bins((cuts.size() + 1) * labels, 0.0);
      std::vector<std::size_t> counts(cuts.size() + 1, 0);
      for (const std::size_t i : members) {
        const double x = rows_.context[i * at(rows_.features) + at(j)];
        const auto bin = static_cast<std::size_t>(std::ranges::lower_bound(cuts, x) - cuts.begin());
        bins[bin * labels + at(rows_.label[i])] += rows_.weight[i];
        counts[bin] += 1;
      }
      std::vector<double> below(labels, 0.0), above(labels);
      std::size_t count = 0;
      for (std::size_t k = 0; k < cuts.size(); ++k) {
        count += counts[k];
        for (std::size_t a = 0; a < labels; ++a) below[a] += bins[k * labels + a];
        if (count < least_ || members.size() - count < least_) continue;
        for (std::size_t a = 0; a < labels; ++a) above[a] = std::max(whole[a] - below[a], 0.0);
        const double gain = before - impurity(below) - impurity(above);
        if (gain > best.gain) best = {gain, j, cuts[k]};
      }
    }
    return best;
  }

  std::vector<SegmentPath> grow(int most) const {
    Leaf root;
    root.rows.resize(rows_.label.size());
    std::vector<double> whole(at(rows_.labels), 0.0);
    for (std::size_t i = 0; i < root.rows.size(); ++i) {
      root.rows[i] = i;
      whole[at(rows_.label[i])] += rows_.weight[i];
    }
    root.best = best_split(root.rows);
    const double enough = kLeastSplitGain * impurity(whole);
    std::vector<Leaf> leaves{std::move(root)};
    while (static_cast<int>(leaves.size()) < most) {
      const auto next = std::ranges::max_element(
          leaves, {}, [](const Leaf& leaf) { return leaf.best.gain; });
      if (next->best.feature < 0 || next->best.gain < enough) break;
      auto [low, high] = halves(*next);
      *next = std::move(low);
      leaves.push_back(std::move(high));
    }
    std::vector<SegmentPath> out;
    for (Leaf& leaf : leaves) out.push_back(std::move(leaf.path));
    return out;
  }

 private:
  std::pair<Leaf, Leaf> halves(const Leaf& leaf) const {
    Leaf low{.path = leaf.path}, high{.path = leaf.path};
    low.path.push_back({leaf.best.feature, false, leaf.best.at});
    high.path.push_back({leaf.best.feature, true, leaf.best.at});
    for (const std::size_t i : leaf.rows) {
      const double x = rows_.context[i * at(rows_.features) + at(leaf.best.feature)];
      (x > leaf.best.at ? high : low).rows.push_back(i);
    }
    low.best = best_split(low.rows);
    high.best = best_split(high.rows);
    return {std::move(low), std::move(high)};
  }

  const LabelledRows& rows_;
  std::size_t least_;
  std::vector<std::vector<double>> cuts_;  // per feature, ascending
};

}  // namespace

double round_number_in(double low, double high) {
  const double middle = low + 0.5 * (high - low);
  for (int digits = 0; digits < 17; ++digits) {
    const double rounded = std::stod(fmt::format("{:.{}e}", middle, digits));
    if (rounded >= low && rounded < high) return rounded;
  }
  return low;
}

std::vector<SegmentPath> grow_segments(const LabelledRows& rows, int most, std::int64_t least) {
  return Grower(rows, least).grow(most);
}

}  // namespace rein
