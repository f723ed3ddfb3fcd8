#include "offpolicy/priced_class.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "offpolicy/overlap.h"
#include "offpolicy/shards.h"

namespace rein {
namespace {

RowSample sample_of(const OfflineRows& rows) {
  RowSample out = RowSample::of(rows.rows, rows.actions, rows.features);
  out.add(rows, 0);
  return out;
}

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

PricedClass::PricedClass(const OfflineRows& rows, const ActionModels& models, ClassOptions options)
    : PricedClass(make_grid(sample_of(rows), models, std::move(options))) {}

PricedClass PricedClass::with_limits(std::vector<HeadLimit> limits) const {
  PricedClass out(*this);
  out.limits_ = std::move(limits);
  return out;
}

void PricedClass::paths(int fold, const double* predicted, const std::uint8_t* offered,
                        Paths& out) const {
  PathWork work;
  grid().paths(fold, predicted, offered, work, out);
}

void PricedClass::value_grid(const OfflineRows& rows, const ActionModels& models) {
  std::vector<double> total;
  const std::span<const PricedGrid> grids(&grid(), 1);
  const auto sums_of = [&](const RowRange& range) {
    return value_sums(models, grids, some_rows(rows, range), range.first);
  };
  sum_shards(rows.rows, {.sums_of = sums_of, .merge = [&](std::vector<double>&& next) {
                           add_sums(total, std::move(next));
                         }});
  set_values(total, models.folds());
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

double PricedClass::rows_behind(std::span<const double> sums, std::size_t count, std::size_t head,
                                std::size_t k) const {
  const double carriers = RawMoments::carriers(
      sums.data() + ErrorSums(grid(), count).raw + RawMoments::kSize * (head * count + k));
  return std::min(shape_of(sums, count, head, k).carriers, carriers);
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

}  // namespace rein
