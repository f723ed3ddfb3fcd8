#include "offpolicy/whole_models.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "offpolicy/action_models.h"
#include "solve/long_term.h"

namespace rein {
namespace {

// Rounds whose price is within this share of the price of the file have the same price: prices are
// quotients of estimates, and differ by rounding.
constexpr double kSamePrice = 1e-9;

// Totals per head over the rows at this price.
std::vector<double> totals_at(const OfflineRows& rows, const WholeModels& models, int cost,
                              double price) {
  const std::size_t heads = at(rows.heads);
  std::vector<double> sums(heads, 0.0);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const double* x = context_of(rows, row);
    const int best = priced_action(rows, row, models, cost, price);
    for (std::size_t h = 0; h < heads; ++h) sums[h] += models.predict(at(best) * heads + h, x);
  }
  return sums;
}

}  // namespace

// Every row is in the first of two folds, and the second fold is fitted on the first.
Result<WholeModels> WholeModels::fit(const OfflineRows& rows, FitOptions options) {
  WholeModels out;
  options.folds = 2;
  options.forward = false;
  auto made = fit_frame(rows, options);
  if (!made) return made.failure();
  FitFrame frame = std::move(made).value();
  const std::vector<std::int32_t> same(at(rows.rows), 0);
  frame.units = same;
  const std::span<const double> origin = rows.context.first(at(rows.features));
  std::vector<double> moments(2 * origin.size(), 0.0);
  add_moments(rows, origin, moments);
  frame.scaling = Standardizer::of_moments(origin, moments, static_cast<double>(rows.rows));
  std::vector<double> normal(NormalSums(frame).size, 0.0);
  add_normal(frame, rows, 0, normal);
  const ActionModels models = ActionModels::solved(std::move(frame), normal, options);
  const std::size_t lanes = at(rows.actions) * at(rows.heads);
  std::vector<double> x(at(rows.features), 0.0), zero(lanes), one(lanes);
  models.predict(1, x.data(), zero.data());
  out.width_ = 1 + x.size();
  out.weights_.assign(lanes * out.width_, 0.0);
  for (std::size_t lane = 0; lane < lanes; ++lane) out.weights_[lane * out.width_] = zero[lane];
  for (std::size_t j = 0; j < x.size(); ++j) {
    x[j] = 1.0;
    models.predict(1, x.data(), one.data());
    x[j] = 0.0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      out.weights_[lane * out.width_ + 1 + j] = one[lane] - zero[lane];
    }
  }
  return out;
}

int priced_action(const OfflineRows& rows, std::int64_t row, const WholeModels& models, int cost,
                  double price, double* margin) {
  const std::size_t heads = at(rows.heads);
  const double* x = context_of(rows, row);
  int best = -1;
  double best_score = 0.0, best_cost = 0.0, second = -std::numeric_limits<double>::infinity();
  for (int a = 0; a < rows.actions; ++a) {
    if (!offers(rows, row, a)) continue;
    const double paid = models.predict(at(a) * heads + at(cost), x);
    const double score = models.predict(at(a) * heads, x) - price * paid;
    if (best >= 0 && (score < best_score || (score == best_score && paid >= best_cost))) {
      second = std::max(second, score);
      continue;
    }
    if (best >= 0) second = std::max(second, best_score);
    best = a;
    best_score = score;
    best_cost = paid;
  }
  if (margin != nullptr) *margin = std::isinf(second) ? 0.0 : best_score - second;
  return best;
}

Result<PricedModels> fit_priced(const OfflineRows& rows, const PricedPolicyOptions& options) {
  if (auto good = check_rows(rows); !good) return good.failure();
  if (options.cost < 1 || options.cost >= rows.heads) {
    return Error{fmt::format("priced policy: found head {} for the budget; accepted: 1 to {}",
                             options.cost, rows.heads - 1)};
  }
  auto fitted = WholeModels::fit(rows, options.fit);
  if (!fitted) return fitted.failure();
  const WholeModels& models = fitted.value();
  const std::size_t heads = at(rows.heads);
  LongTerm problem(rows.actions, 1);
  std::vector<double> values;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    values.clear();
    for (const std::size_t head : {std::size_t{0}, at(options.cost)}) {
      for (int a = 0; a < rows.actions; ++a) {
        if (offers(rows, row, a)) {
          values.push_back(models.predict(at(a) * heads + head, context_of(rows, row)));
        }
      }
    }
    problem.add(values, static_cast<int>(values.size() / 2));
  }
  const double n = static_cast<double>(rows.rows);
  const double budgets[] = {options.budget * n};
  const LongTermAnswer answer = problem.solve(budgets);
  if (std::isnan(answer.value)) return Error{"priced policy: the log is too long; accepted: fewer rows"};
  if (answer.relaxed > kSamePrice * n) {
    return Error{fmt::format("priced policy: the budget of {:.6g} per round cannot be met: the cheapest "
                             "actions cost {:.6g}; accepted: at least that",
                             options.budget, options.budget + answer.relaxed / n)};
  }
  PricedModels out{.models = fitted.value(), .cost = options.cost, .price = answer.prices[0]};
  out.low = out.price * (1.0 - kSamePrice);
  out.high = out.price * (1.0 + kSamePrice);
  out.values = totals_at(rows, models, options.cost, out.low);
  if (out.price > 0.0) {
    const std::vector<double> dear = out.values;
    const std::vector<double> cheap =
        totals_at(rows, models, options.cost, out.high);
    const double step = dear[at(options.cost)] - cheap[at(options.cost)];
    if (step > 0.0) out.share = std::clamp((dear[at(options.cost)] - budgets[0]) / step, 0.0, 1.0);
    for (std::size_t h = 0; h < heads; ++h) out.values[h] += out.share * (cheap[h] - dear[h]);
  }
  for (double& value : out.values) value /= n;
  return out;
}

}  // namespace rein
