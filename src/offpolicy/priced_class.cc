#include "offpolicy/priced_class.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/math.h"
#include "offpolicy/overlap.h"

namespace rein {
namespace {

// A table of values from what changes at each price.
std::vector<double> table_of(std::span<const double> changes, std::size_t line, std::size_t heads,
                             double total) {
  std::vector<double> out(changes.begin(), changes.end());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i % line >= heads) out[i] += out[i - heads];
  }
  for (double& value : out) value /= total;
  return out;
}

// From sums of squares of so many observations to the variance of their mean.
double deviation_factor(double observations, double total) {
  return observations / (observations - 1.0) / (total * total);
}

// The sums of the balance of one mixture after the other, in the order that balance_of takes.
class BalanceTests {
 public:
  BalanceTests(const ErrorSums& layout, std::span<const double> sums, std::size_t actions)
      : layout_(layout),
        sums_(sums),
        actions_(actions),
        features_(layout.balance_each / 3 - actions),
        changed_(3 * features_, 0.0),
        tests_(layout.balance_each) {}

  // REQUIRES k = 0, 1, 2, ...
  std::span<const double> at(std::size_t k) {
    const double* next = sums_.data() + layout_.balance + k * layout_.balance_each;
    for (std::size_t power = 0; power < 3; ++power) {
      double* out = tests_.data() + power * (actions_ + features_);
      std::copy_n(next + power * actions_, actions_, out);
      const double* change = next + 3 * actions_ + power * features_;
      double* sum = changed_.data() + power * features_;
      for (std::size_t j = 0; j < features_; ++j) out[actions_ + j] = sum[j] += change[j];
    }
    return tests_;
  }

 private:
  const ErrorSums& layout_;
  std::span<const double> sums_;
  std::size_t actions_, features_;
  std::vector<double> changed_;  // sums of the features, up to the last mixture
  std::vector<double> tests_;
};

}  // namespace

PricedClass::PricedClass(PricedGrid grid) : limits_(grid.options.limits) {
  values_ = std::make_shared<Values>(Values{.grid = std::move(grid)});
}

PricedClass PricedClass::with_limits(std::vector<HeadLimit> limits) const {
  PricedClass out(*this);
  out.limits_ = std::move(limits);
  return out;
}

void PricedClass::set_values(std::span<const double> sums, int folds) {
  auto values = std::make_shared<Values>(Values{.grid = grid()});
  const ValueSums layout(values->grid, folds);
  const std::size_t heads = at(values->grid.heads);
  const std::size_t line = values->grid.prices.size() * heads;
  values->used = static_cast<std::int64_t>(sums[layout.count]);
  const std::span<const double> of_fold = sums.subspan(layout.weights, layout.lists);
  double total = 0.0;
  for (const double weight : of_fold) total += weight;
  if (!limited()) values->table = table_of(sums.first(layout.cells), line, heads, total);
  for (std::size_t fold = 0; limited() && fold < layout.lists; ++fold) {
    values->fold_shares.push_back(of_fold[fold] / total);
    const double rows = std::max(of_fold[fold], 1e-300);  // a fold without rows has tables of 0
    const auto table = [&](std::size_t i) {
      return table_of(sums.subspan(i * layout.cells, layout.cells), line, heads, rows);
    };
    values->fold_tables.push_back(table(2 * fold));
    values->predicted.push_back(table(2 * fold + 1));
  }
  values_ = std::move(values);
}

std::vector<std::vector<double>> PricedClass::set_errors(const ClassErrorSums& sums,
                                                         std::vector<CurvePoint>& points) const {
  const std::size_t count = points.size();
  const std::size_t actions = at(grid().actions);
  const ErrorSums layout(grid(), count);
  const LogErrorSums log(grid().actions, grid().features);
  const std::span<const double> own = sums.own;
  const double total = sums.log[log.total];
  const double n = static_cast<double>(rows_used());
  const double factor = deviation_factor(sums.log[log.observations], total);
  std::vector<std::vector<double>> covariance(at(grid().heads), std::vector<double>(count * count));
  for (std::size_t h = 0; h < covariance.size(); ++h) {
    const double* next = own.data() + h * layout.triangle;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t m = 0; m <= k; ++m) {
        const double c = factor * *next++;
        covariance[h][k * count + m] = c;
        covariance[h][m * count + k] = c;
      }
    }
  }
  // The balance of the log, per action: a policy is not trusted that plays an action out of balance. It
  // is known if every row offers every action, whether or not the log lists what it offers.
  const std::size_t features = at(grid().features);
  const double limit = balance_limit(actions * (2 + features) + features);
  std::vector<double> of_log(actions, 0.0);
  for (std::size_t a = 0; sums.log[log.partial] == 0.0 && a < actions; ++a) {
    of_log[a] = log_balance_of(sums.log.first(log.total), features, a, n);
  }
  BalanceTests tests(layout, own, actions);
  for (std::size_t k = 0; k < count; ++k) {
    const double sum = own[layout.sum + k];
    const double square = own[layout.square + k];
    const double fourth = own[layout.fourth + k];
    points[k].effective_size = square > 0.0 ? sum * sum / square : 0.0;
    points[k].variance_rows = fourth > 0.0 ? square * square / fourth : 0.0;
    points[k].balance = balance_of(tests.at(k), n);
    points[k].balance_limit = limit;
    points[k].shares.assign(actions, 0.0);
    for (std::size_t a = 0; a < actions; ++a) {
      points[k].shares[a] = own[layout.shares + k * actions + a] / total;
      if (points[k].shares[a] > 0.0) points[k].balance = std::max(points[k].balance, of_log[a]);
    }
  }
  return covariance;
}

ErrorShape PricedClass::shape_of(std::span<const double> sums, std::size_t count,
                                 std::size_t head, std::size_t k) const {
  return ErrorShape::of(sums.data() + ErrorSums(grid(), count).powers + 3 * (head * count + k));
}

double PricedClass::rows_behind(std::span<const double> sums, std::size_t count,
                                std::size_t k) const {
  const double carriers =
      RawMoments::carriers(sums.data() + ErrorSums(grid(), count).raw + RawMoments::kSize * k);
  return std::min(shape_of(sums, count, 0, k).carriers, carriers);
}

std::vector<std::array<double, 3>> PricedClass::plain_errors(const ClassErrorSums& sums,
                                                             std::size_t count) const {
  const ErrorSums layout(grid(), count);
  const LogErrorSums log(grid().actions, grid().features);
  const double factor = deviation_factor(sums.log[log.observations], sums.log[log.total]);
  std::vector<std::array<double, 3>> out(count);
  for (std::size_t i = 0; i < 3 * count; ++i)
    out[i / 3][i % 3] = factor * sums.own[layout.plain + i];
  return out;
}

// Which mixture of priced policies meets a budget.
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
  const auto value_at = [&](int k, int head) { return all[at(first + k)].values[at(head)]; };
  out.cost_slope = slopes(grid().heads, grid().options.cost, j - first, last - first + 1,
                          high - low, value_at);
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
