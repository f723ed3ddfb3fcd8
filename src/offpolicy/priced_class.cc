#include "offpolicy/priced_class.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "offpolicy/at.h"
#include "offpolicy/balance.h"
#include "offpolicy/shards.h"

namespace rein {
namespace {

GridSample sample_of(const OfflineRows& rows) {
  GridSample out{.step = sample_step(rows.rows)};
  add_sample(rows, 0, out.step, out.numbers);
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

PricedClass::PricedClass(PricedGrid grid) : grid_(std::move(grid)) {}

PricedClass::PricedClass(const OfflineRows& rows, const ActionModels& models, ClassOptions options)
    : grid_(make_grid(sample_of(rows), models, std::move(options))) {}

void PricedClass::paths(int fold, const double* predicted, const std::uint8_t* offered,
                        std::vector<std::vector<PathStep>>& out) const {
  PathWork work;
  grid_.paths(fold, predicted, offered, work, out);
}

void PricedClass::value_grid(const OfflineRows& rows, const ActionModels& models) {
  std::vector<double> total;
  const std::span<const PricedGrid> one(&grid_, 1);
  const auto sums = [&](const ShardRange& range) {
    return value_sums(models, one, some_rows(rows, range), range.first);
  };
  sum_shards(rows.rows, {.sums_of = sums, .merge = [&](std::vector<double>&& next) {
                           add_sums(total, std::move(next));
                         }});
  set_values(total, models.folds());
}

void PricedClass::set_values(std::span<const double> sums, int folds) {
  const ValueSums layout(grid_, folds);
  const std::size_t heads = at(grid_.heads);
  const std::size_t line = grid_.prices.size() * heads;
  used_ = static_cast<std::int64_t>(sums[layout.count]);
  const std::span<const double> of_fold = sums.subspan(layout.weights, layout.lists);
  double total = 0.0;
  for (const double weight : of_fold) total += weight;
  if (!limited()) {
    table_ = table_of(sums.first(layout.cells), line, heads, total);
    return;
  }
  fold_shares_.clear();
  fold_tables_.clear();
  predicted_.clear();
  for (std::size_t fold = 0; fold < layout.lists; ++fold) {
    fold_shares_.push_back(of_fold[fold] / total);
    const double rows = std::max(of_fold[fold], 1e-300);  // a fold without rows has tables of 0
    const auto table = [&](std::size_t i) {
      return table_of(sums.subspan(i * layout.cells, layout.cells), line, heads, rows);
    };
    fold_tables_.push_back(table(2 * fold));
    predicted_.push_back(table(2 * fold + 1));
  }
}

std::vector<std::vector<double>> PricedClass::set_errors(std::span<const double> sums,
                                                         std::vector<CurvePoint>& points) const {
  const std::size_t count = points.size();
  const std::size_t actions = at(grid_.actions);
  const ErrorSums layout(grid_, count);
  const double total = sums[layout.total];
  const double n = static_cast<double>(used_);
  const double factor = deviation_factor(sums[layout.observations], total);
  std::vector<std::vector<double>> covariance(at(grid_.heads), std::vector<double>(count * count));
  for (std::size_t h = 0; h < covariance.size(); ++h) {
    const double* next = sums.data() + h * layout.triangle;
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t m = 0; m <= k; ++m) {
        const double c = factor * *next++;
        covariance[h][k * count + m] = c;
        covariance[h][m * count + k] = c;
      }
    }
  }
  // The balance of the log, per action: a policy is not trusted that plays one out of balance. It is
  // known if every row offers every action, said by a list or not.
  const std::size_t features = at(grid_.features);
  const double limit = balance_limit(actions * (2 + features) + features);
  const std::span<const double> log_sums =
      sums.subspan(layout.log_balance, layout.total - layout.log_balance);
  std::vector<double> of_log(actions, 0.0);
  for (std::size_t a = 0; sums[layout.partial] == 0.0 && a < actions; ++a) {
    of_log[a] = log_balance_of(log_sums, features, a, n);
  }
  BalanceTests tests(layout, sums, actions);
  for (std::size_t k = 0; k < count; ++k) {
    const double sum = sums[layout.sum + k];
    const double square = sums[layout.square + k];
    const double fourth = sums[layout.fourth + k];
    points[k].effective_size = square > 0.0 ? sum * sum / square : 0.0;
    points[k].variance_rows = fourth > 0.0 ? square * square / fourth : 0.0;
    points[k].balance = balance_of(tests.at(k), n);
    points[k].balance_limit = limit;
    points[k].shares.assign(actions, 0.0);
    for (std::size_t a = 0; a < actions; ++a) {
      points[k].shares[a] = sums[layout.shares + k * actions + a] / total;
      if (points[k].shares[a] > 0.0) points[k].balance = std::max(points[k].balance, of_log[a]);
    }
  }
  return covariance;
}

ErrorShape PricedClass::shape_of(std::span<const double> sums, std::size_t count,
                                 std::size_t head, std::size_t k) const {
  return ErrorShape::of(sums.data() + ErrorSums(grid_, count).powers + 3 * (head * count + k));
}

double PricedClass::rows_behind(std::span<const double> sums, std::size_t count, std::size_t head,
                                std::size_t k) const {
  const double carriers = RawMoments::carriers(
      sums.data() + ErrorSums(grid_, count).raw + RawMoments::kSize * (head * count + k));
  return std::min(shape_of(sums, count, head, k).carriers, carriers);
}

std::vector<std::array<double, 3>> PricedClass::plain_errors(std::span<const double> sums,
                                                             std::size_t count) const {
  const ErrorSums layout(grid_, count);
  const double factor = deviation_factor(sums[layout.observations], sums[layout.total]);
  std::vector<std::array<double, 3>> out(count);
  for (std::size_t i = 0; i < 3 * count; ++i)
    out[i / 3][i % 3] = factor * sums[layout.plain + i];
  return out;
}

}  // namespace rein
