// Which mixture of priced policies meets a budget.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "offpolicy/priced_class.h"

namespace rein {
namespace {

// A slope needs two points that differ by at least this share of the range of the cost.
constexpr double kSlopeWindow = 0.1;

// Slopes of all heads against head `by`, around the bracket (high - 1, high) of a list of values.
// Widens the bracket evenly until it spans enough.
template <class ValueAt>
std::vector<double> slopes(int heads, int by, int high, int count, double range,
                           const ValueAt& value_at) {
  int low = high - 1;
  const auto span_of = [&] { return value_at(low, by) - value_at(high, by); };
  while (std::abs(span_of()) < kSlopeWindow * range && (low > 0 || high + 1 < count)) {
    low = std::max(low - 1, 0);
    high = std::min(high + 1, count - 1);
  }
  std::vector<double> out(at(heads), 0.0);
  const double span = span_of();
  if (span == 0.0) return out;
  for (int head = 0; head < heads; ++head) {
    out[at(head)] = (value_at(low, head) - value_at(high, head)) / span;
  }
  return out;
}

}  // namespace

// The policy of one price, with the held price that keeps the limit.
struct PricedClass::Node {
  bool possible = false;
  int held = 0;        // the limit is met between held - 1 and held
  double share = 1.0;  // of `held`
  std::vector<double> values;
};

std::vector<PricedClass::Node> PricedClass::nodes(std::span<const double> table) const {
  const int heads = grid().heads;
  const int places = static_cast<int>(grid().prices.size());
  const int levels = static_cast<int>(grid().held.size());
  std::vector<Node> out(at(places));
  for (int j = 0; j < places; ++j) {
    Node& node = out[at(j)];
    const auto value = [&](int l, int head) {
      return table[(at(l) * at(places) + at(j)) * at(heads) + at(head)];
    };
    const auto short_of = [&](int l) {
      if (limits_.empty()) return 0.0;
      const HeadLimit& limit = limits_[0];
      const double over = value(l, limit.head) - limit.amount;
      return limit.at_least ? -over : over;
    };
    int l = 0;
    while (l < levels && short_of(l) > 0.0) ++l;
    if (l == levels) continue;
    node.possible = true;
    node.held = l;
    node.values.resize(at(heads));
    if (l > 0) {
      node.share = short_of(l - 1) / (short_of(l - 1) - short_of(l));
    }
    for (int head = 0; head < heads; ++head) {
      node.values[at(head)] =
          l == 0 ? value(0, head)
                 : node.share * value(l, head) + (1.0 - node.share) * value(l - 1, head);
    }
  }
  return out;
}

BudgetMix PricedClass::meet(double budget, std::span<const double> table) const {
  const std::vector<Node> all = nodes(table);
  const int count = static_cast<int>(all.size());
  const auto cost = [&](int j) { return all[at(j)].values[at(grid().options.cost)]; };
  BudgetMix out;
  const auto add = [&](int j, double share) {
    const Node& node = all[at(j)];
    if (out.parts.empty()) out.parts.emplace_back();
    if (node.share > 0.0) out.parts[0].push_back({node.held, j, share * node.share});
    if (node.share < 1.0) out.parts[0].push_back({node.held - 1, j, share * (1.0 - node.share)});
    out.price += share * grid().prices[at(j)];
    out.held_price += share * node.share * grid().held[at(node.held)];
    if (node.share < 1.0)
      out.held_price += share * (1.0 - node.share) * grid().held[at(node.held - 1)];
    if (out.values.empty()) out.values.assign(at(grid().heads), 0.0);
    for (std::size_t h = 0; h < out.values.size(); ++h) out.values[h] += share * node.values[h];
  };
  int first = 0;
  while (first < count && !all[at(first)].possible) ++first;
  int j = first;
  while (j < count && all[at(j)].possible && cost(j) > budget) ++j;
  if (j == count || !all[at(j)].possible) return out;
  out.possible = true;
  out.cost_slope.assign(at(grid().heads), 0.0);
  if (j == first) {
    add(j, 1.0);
    return out;
  }
  out.binding = true;
  const double share = (cost(j - 1) - budget) / (cost(j - 1) - cost(j));
  add(j - 1, 1.0 - share);
  add(j, share);
  // With a limit the mixture is valued as it is (rein/whatif.h), so nothing is corrected.
  if (limited()) return out;
  int last = j;
  while (last + 1 < count && all[at(last + 1)].possible) ++last;
  double low = cost(first);
  double high = low;
  for (int k = first; k <= last; ++k) {
    low = std::min(low, cost(k));
    high = std::max(high, cost(k));
  }
  out.cost_slope = slopes(grid().heads, grid().options.cost, j - first, last - first + 1, high - low,
                          [&](int k, int head) { return all[at(first + k)].values[at(head)]; });
  return out;
}

bool PricedClass::reward_at(double budget, double& reward) const {
  const std::size_t heads = at(grid().heads);
  const std::size_t count = grid().prices.size();
  const auto value = [&](std::size_t j, int head) { return values_->table[j * heads + at(head)]; };
  const int cost = grid().options.cost;
  std::size_t j = 0;
  while (j < count && value(j, cost) > budget) ++j;
  if (j == count) return false;
  reward = value(j, 0);
  if (j == 0) return true;
  const double share = (value(j - 1, cost) - budget) / (value(j - 1, cost) - value(j, cost));
  reward = (1.0 - share) * value(j - 1, 0) + share * value(j, 0);
  return true;
}

std::vector<double> PricedClass::value_of(const BudgetMix& mix,
                                          std::span<const std::vector<double>> tables) const {
  std::vector<double> out(at(grid().heads), 0.0);
  for (std::size_t fold = 0; fold < mix.parts.size(); ++fold) {
    for (const MixPart& part : mix.parts[fold]) {
      const std::size_t cell = at(part.held) * grid().prices.size() + at(part.price);
      for (std::size_t h = 0; h < out.size(); ++h) {
        out[h] += values_->fold_shares[fold] * part.share * tables[fold][cell * out.size() + h];
      }
    }
  }
  return out;
}

BudgetMix PricedClass::meet(double budget) const {
  if (!limited()) return meet(budget, values_->table);
  BudgetMix out{.possible = true, .cost_slope = std::vector<double>(at(grid().heads), 0.0)};
  for (std::size_t fold = 0; fold < values_->fold_shares.size(); ++fold) {
    out.parts.emplace_back();
    if (values_->fold_shares[fold] == 0.0) continue;
    BudgetMix of_fold = meet(budget, values_->predicted[fold]);
    if (!of_fold.possible) return {};
    out.parts.back() = std::move(of_fold.parts[0]);
    out.binding = out.binding || of_fold.binding;
    out.price += values_->fold_shares[fold] * of_fold.price;
    out.held_price += values_->fold_shares[fold] * of_fold.held_price;
  }
  out.values = value_of(out, values_->fold_tables);
  return out;
}

// The least (sign 1) or the largest (sign -1) spend of the nodes that meet() chooses from. With a limit
// each fold has its own, by its predictions. A budget needs every fold, so the least is the largest of
// their least spends. The largest is their mean.
double PricedClass::spend(double sign) const {
  const auto of = [&](std::span<const double> table) {
    double out = kNan;
    for (const Node& node : nodes(table)) {
      if (node.possible) out = std::fmin(out, sign * node.values[at(grid().options.cost)]);
      if (!node.possible && !std::isnan(out)) break;
    }
    return sign * out;
  };
  if (!limited()) return of(values_->table);
  double mean = 0.0;
  double worst = kNan;
  for (std::size_t fold = 0; fold < values_->fold_shares.size(); ++fold) {
    if (values_->fold_shares[fold] == 0.0) continue;
    const double spent = of(values_->predicted[fold]);
    mean += values_->fold_shares[fold] * spent;
    worst = std::fmax(worst, spent);
  }
  return sign > 0.0 && !std::isnan(mean) ? worst : mean;
}

}  // namespace rein
