#include "world/log_estimates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <mutex>
#include <numeric>
#include <thread>

#include "base/size.h"
#include "rein/log_rows.h"
#include "rein/offpolicy.h"

namespace rein {
namespace {

constexpr double kBinSize = 200.0;  // effective sample size of a bin
constexpr int kMostBins = 20;
constexpr std::int64_t kMostMeans = std::int64_t{1} << 30;

// Keeps the rows that have all outcomes and some weight: the others say nothing here.
void drop_incomplete(LogRows& log) {
  const OfflineRows view = log.view();
  std::vector<std::int64_t> kept;
  for (std::int64_t row = 0; row < view.rows; ++row) {
    if (view.complete(row) && view.weight(row) > 0.0) kept.push_back(row);
  }
  if (static_cast<std::int64_t>(kept.size()) == view.rows) return;
  const auto pick = [&](auto& column, std::size_t width) {
    if (column.empty()) return;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      std::copy_n(column.begin() + static_cast<std::ptrdiff_t>(as_size(kept[i]) * width), width,
                  column.begin() + static_cast<std::ptrdiff_t>(i * width));
    }
    column.resize(kept.size() * width);
  };
  pick(log.played, 1);
  pick(log.propensity, 1);
  pick(log.outcomes, log.heads.size());
  pick(log.context, as_size(log.features));
  pick(log.offered, log.actions.size());
  pick(log.weights, 1);
}

Result<> check_propensities(const LogEstimatesKeys& keys, LogRows& log, int threads) {
  if (!log.propensity.empty()) return {};
  if (!keys.estimate_propensities) {
    return Error{
        fmt::format("log {}: it has no propensities; accepted: a log that has them, or "
                    "propensities=estimate, which believes that the context shows all "
                    "that the logging policy saw",
                    keys.file)};
  }
  auto found = estimate_propensities(log.view(), threads);
  if (!found) return found.failure();
  log.propensity = std::move(found).value();
  return {};
}

// The range of the outcomes in the log. Costs that are never negative begin at 0.
Range range_of(const OfflineRows& rows, int head) {
  double low = rows.outcomes[as_size(head)];
  double high = low;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const double y = rows.outcomes[as_size(row * rows.heads + head)];
    low = std::min(low, y);
    high = std::max(high, y);
  }
  if (head > 0) low = std::min(low, 0.0);
  return {low, high > low ? high : low + 1.0};
}

bool has_two_values(const OfflineRows& rows, int head, const Range& range) {
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const double y = rows.outcomes[as_size(row * rows.heads + head)];
    if (y != range.low && y != range.high) return false;
  }
  return true;
}

void scale_context(LogEstimates& out) {
  const auto d = as_size(out.shape.context);
  const auto n = static_cast<double>(out.rows);
  for (std::size_t j = 0; j < d; ++j) {
    double sum = 0.0, square = 0.0;
    for (std::size_t at = j; at < out.context.size(); at += d) sum += out.context[at];
    const double mean = sum / n;
    for (std::size_t at = j; at < out.context.size(); at += d) {
      out.context[at] -= mean;
      square += out.context[at] * out.context[at];
    }
    const double spread = std::sqrt(square / n);
    for (std::size_t at = j; spread > 0.0 && at < out.context.size(); at += d) {
      out.context[at] /= spread;
    }
  }
  double longest = 0.0;
  for (std::size_t at = 0; at < out.context.size(); at += d) {
    double norm = 0.0;
    for (std::size_t j = 0; j < d; ++j) norm += out.context[at + j] * out.context[at + j];
    longest = std::max(longest, norm);
  }
  const double by = std::sqrt(longest) * (1.0 + 1e-12);  // rounding makes none longer than 1
  for (double& x : out.context) x = by > 0.0 ? x / by : 0.0;
}

// The correction of one action and head.
class Corrected {
 public:
  Corrected(const OfflineRows& rows, int action, int head, LogEstimates& out)
      : rows_(rows), action_(action), head_(head), out_(out) {
    for (std::int64_t row = 0; row < rows.rows; ++row) {
      if (rows.offered.empty() || rows.offered[as_size(row * rows.actions + action)] != 0) {
        order_.push_back(row);
      }
    }
    std::ranges::stable_sort(order_, {}, [&](std::int64_t row) { return mean(row); });
  }

  // The effective size of the rows that played the action, by their weights.
  double effective_size() const {
    double sum = 0.0, square = 0.0;
    for (const std::int64_t row : order_) {
      const double w = weight_of(row);
      sum += w;
      square += w * w;
    }
    return square > 0.0 ? sum * sum / square : 0.0;
  }

  // Predictions become estimates.
  void correct(const Range& range) {
    const int bins = std::clamp(static_cast<int>(effective_size() / kBinSize), 1, kMostBins);
    double wanted = 0.0, weights = 0.0;
    for (int bin = 0; bin < bins; ++bin) {
      const std::size_t first = order_.size() * as_size(bin) / as_size(bins);
      const std::size_t last = order_.size() * as_size(bin + 1) / as_size(bins);
      double surprise = 0.0, weight = 0.0;
      for (std::size_t i = first; i < last; ++i) {
        const std::int64_t row = order_[i];
        weight += rows_.weight(row);
        if (weight_of(row) > 0.0) surprise += weight_of(row) * (outcome(row) - mean(row));
      }
      for (std::size_t i = first; i < last; ++i) {
        mean(order_[i]) += surprise / weight;
        wanted += rows_.weight(order_[i]) * mean(order_[i]);
      }
      weights += weight;
    }
    if (weights > 0.0) keep_in(range, std::clamp(wanted / weights, range.low, range.high));
  }

  // The deviation of outcomes around their estimates, over the rows that played the action.
  double deviation() const {
    double square = 0.0, weight = 0.0;
    for (const std::int64_t row : order_) {
      const double w = weight_of(row), off = outcome(row) - mean(row);
      square += w * off * off;
      weight += w;
    }
    return weight > 0.0 ? std::sqrt(square / weight) : 0.0;
  }

 private:
  double& mean(std::int64_t row) {
    return out_.means[as_size((row * rows_.actions + action_) * rows_.heads + head_)];
  }
  double mean(std::int64_t row) const {
    return out_.means[as_size((row * rows_.actions + action_) * rows_.heads + head_)];
  }
  double outcome(std::int64_t row) const {
    return rows_.outcomes[as_size(row * rows_.heads + head_)];
  }
  // weight / propensity if the action was played, else 0.
  double weight_of(std::int64_t row) const {
    if (rows_.played[as_size(row)] != action_) return 0.0;
    return rows_.weight(row) / rows_.propensity[as_size(row)];
  }

  double mean_within(const Range& range, double shift) const {
    double sum = 0.0, weights = 0.0;
    for (const std::int64_t row : order_) {
      sum += rows_.weight(row) * std::clamp(mean(row) + shift, range.low, range.high);
      weights += rows_.weight(row);
    }
    return sum / weights;
  }

  // Cuts to the range after a shift for which the mean over all rows is `wanted`.
  void keep_in(const Range& range, double wanted) {
    const double width = range.high - range.low;
    double low = 0.0, high = 0.0;
    while (mean_within(range, low) > wanted && low > -4.0 * width) low -= 0.25 * width;
    while (mean_within(range, high) < wanted && high < 4.0 * width) high += 0.25 * width;
    for (int step = 0; step < 50 && low < high; ++step) {
      const double middle = 0.5 * (low + high);
      (mean_within(range, middle) < wanted ? low : high) = middle;
    }
    for (const std::int64_t row : order_) {
      mean(row) = std::clamp(mean(row) + low, range.low, range.high);
    }
  }

  const OfflineRows& rows_;
  int action_, head_;
  LogEstimates& out_;
  std::vector<std::int64_t> order_;
};

Result<> correct_all(const LogEstimatesKeys& keys, const LogRows& log, LogEstimates& out) {
  const OfflineRows rows = log.view();
  for (int head = 0; head < rows.heads; ++head) {
    const Range& range = head == 0 ? out.shape.reward : out.shape.costs[as_size(head - 1)].range;
    out.two.push_back(has_two_values(rows, head, range) ? 1 : 0);
    for (int action = 0; action < rows.actions; ++action) {
      Corrected each(rows, action, head, out);
      if (const double size = each.effective_size(); size < keys.least || size == 0.0) {
        return Error{fmt::format(
            "log {}: action \"{}\" was played too seldom: an effective sample size of {:.3g}; "
            "accepted: at least {}, or another least=",
            keys.file, log.actions[as_size(action)], size, std::max(keys.least, 1.0))};
      }
      each.correct(range);
      out.deviation.push_back(each.deviation());
    }
  }
  return {};
}

Result<LogRows> read_rows(const LogEstimatesKeys& keys, int threads) {
  auto format = log_format(keys.format);
  if (!format) return format.failure();
  auto read = read_log(keys.file, {.format = format.value()});
  if (!read) return read.failure();
  auto made = log_rows(std::move(read).value());
  if (!made) return made.failure();
  LogRows log = std::move(made).value();
  drop_incomplete(log);
  if (log.played.empty()) {
    return Error{fmt::format("log {}: no row has the reward and all costs", keys.file)};
  }
  if (auto known = check_propensities(keys, log, threads); !known) return known.failure();
  if (auto good = check_rows(log.view()); !good) return good.failure();
  return log;
}

Result<std::shared_ptr<const LogEstimates>> estimate(const LogEstimatesKeys& keys) {
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  auto read = read_rows(keys, threads);
  if (!read) return read.failure();
  LogRows log = std::move(read).value();
  const OfflineRows rows = log.view();
  if (rows.rows * rows.actions * rows.heads > kMostMeans) {
    return Error{
        fmt::format("log {}: {} rows x {} actions x {} outcomes are too many; accepted: "
                    "{} numbers",
                    keys.file, rows.rows, rows.actions, rows.heads, kMostMeans)};
  }
  auto out = std::make_shared<LogEstimates>();
  out->rows = rows.rows;
  out->shape.actions = rows.actions;
  out->shape.context = rows.features;
  out->shape.reward = range_of(rows, 0);
  for (int head = 1; head < rows.heads; ++head) {
    out->shape.costs.push_back({log.heads[as_size(head)], range_of(rows, head)});
  }
  auto predicted = cross_fit(rows, {.folds = keys.folds, .threads = threads});
  if (!predicted) return predicted.failure();
  out->means = std::move(predicted).value();
  if (auto done = correct_all(keys, log, *out); !done) return done.failure();
  out->context = std::move(log.context);
  out->offered = std::move(log.offered);
  if (keys.scaled) scale_context(*out);
  return std::shared_ptr<const LogEstimates>(std::move(out));
}

// The estimates made last.
struct Cache {
  std::mutex mutex;
  LogEstimatesKeys keys;
  std::uintmax_t size = 0;
  std::filesystem::file_time_type changed;
  std::shared_ptr<const LogEstimates> made;
};
Cache& cache() {
  static Cache* const cache = new Cache;  // outlives threads that end late
  return *cache;
}

}  // namespace

Result<std::shared_ptr<const LogEstimates>> load_log_estimates(const LogEstimatesKeys& keys) {
  std::error_code ignored;
  const auto size = std::filesystem::file_size(keys.file, ignored);
  const auto changed = std::filesystem::last_write_time(keys.file, ignored);
  Cache& last = cache();
  const std::lock_guard lock(last.mutex);
  if (last.made && last.keys == keys && last.size == size && last.changed == changed) {
    return last.made;
  }
  auto made = estimate(keys);
  if (!made) return made;
  last.keys = keys;
  last.size = size;
  last.changed = changed;
  last.made = made.value();
  return made;
}

}  // namespace rein
