#include "rein/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/math.h"
#include "offpolicy/log_policies.h"
#include "offpolicy/rows.h"
#include "offpolicy/scores.h"
#include "offpolicy/shards.h"

namespace rein {
namespace {

constexpr std::uint64_t kCoinStream = 32;
// Rows between two reports of progress.
constexpr std::int64_t kProgressRows = 1024;
// The last rows of the training part that the price is rehearsed on, and how many rows apart they are at
// most, as in Engine::warm_start.
constexpr std::int64_t kRehearsedRows = 512;
constexpr std::int64_t kLargestStride = 4;

Result<> check(const OfflineRows& rows, const ReplayOptions& options) {
  if (auto good = check_rows(rows); !good) return good;
  if (rows.propensity.empty()) {
    return Error{
        "replay: the log has no propensities; estimate them first (estimate_propensities)"};
  }
  if (!(options.quantile >= 0.0 && options.quantile < 1.0)) {
    return Error{
        fmt::format("replay: found quantile {}; accepted: 0 to below 1", options.quantile)};
  }
  if (options.rounds < 0 || options.rounds > kMaxHorizon) {
    return Error{fmt::format("replay: found {} rounds; accepted: 1 to {}, or 0 for a choice",
                             options.rounds, kMaxHorizon)};
  }
  return {};
}

// The quantile of the propensities of complete rows; NaN if there are none.
double least_of(const OfflineRows& rows, double quantile) {
  std::vector<double> p;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (rows.complete(row) && rows.weight(row) > 0.0) p.push_back(rows.propensity[at(row)]);
  }
  if (p.empty()) return kNan;
  const std::size_t place = static_cast<std::size_t>(quantile * static_cast<double>(p.size()));
  std::nth_element(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(place), p.end());
  return p[place];
}

// What is the same in every row of a replay.
struct Coins {
  double least = 0.0;
  double most_weight = 0.0;
  double expected = 0.0;  // lived rows

  Coins(const OfflineRows& rows, double quantile) : least(least_of(rows, quantile)) {
    double sum = 0.0;
    for (std::int64_t row = 0; row < rows.rows; ++row) {
      if (!rows.complete(row)) continue;
      sum += rows.weight(row);
      most_weight = std::max(most_weight, rows.weight(row));
    }
    most_weight = most_weight > 0.0 ? most_weight : 1.0;
    expected = least * sum / most_weight;
  }
  // A row that counts w times as much as another is kept w times as often.
  double keep(const OfflineRows& rows, std::int64_t row) const {
    return std::min(1.0, least / rows.propensity[at(row)]) * rows.weight(row) / most_weight;
  }
  std::int64_t horizon() const {
    return std::max<std::int64_t>(1,
                                  static_cast<std::int64_t>(expected - 2.0 * std::sqrt(expected)));
  }
};

void add_warnings(LogReplay& out, const OfflineRows& rows, double quantile) {
  if (out.accepted < kFewLivedRows) {
    out.warnings.push_back(fmt::format(
        "the learner lived only {} of {} rows: the smallest propensity is {:.3g}. Its value is "
        "that of the beginning of a run{}",
        out.accepted, rows.rows, out.least,
        quantile == 0.0 ? "; a quantile above 0 lets it live more rows, at the price of a history "
                          "that is not exact"
                        : ""));
  }
  if (quantile > 0.0) {
    out.warnings.push_back(fmt::format(
        "actions that the log played with a probability below {:.3g} were lived too rarely, so the "
        "history is not exactly that of a real run",
        out.least));
  }
  if (out.accepted < out.horizon) {
    out.warnings.push_back(fmt::format(
        "the log ended after {} of the {} rounds that the learner was told: what it would do later "
        "is not in the answer",
        out.accepted, out.horizon));
  }
}

}  // namespace

Result<LogReplay> replay_policy(const OfflineRows& rows, std::string_view spec,
                                const ReplayOptions& options) {
  if (auto good = check(rows, options); !good) return good.failure();
  const Coins coins(rows, options.quantile);
  if (std::isnan(coins.least)) return Error{"replay: no row of the log has all outcomes"};
  const std::int64_t horizon = options.rounds > 0 ? options.rounds : coins.horizon();
  auto made = LogLearner::make(spec, rows, options.learner, horizon);
  if (!made) return made.failure();
  LogLearner& learner = made.value();
  const std::int64_t own = learner.policy().shape().rounds;
  LogReplay out{.policy = learner.policy().spec().str(),
                .horizon = own > 0 ? own : horizon,
                .least = coins.least};
  out.target.resize(at(rows.rows) * at(rows.actions));
  Rng coin(options.learner.seed, kCoinStream);
  std::vector<std::int64_t> lived;
  std::vector<double> outcomes;
  for (std::int64_t row = 0; row < rows.rows && out.accepted < out.horizon; ++row) {
    if (row % kProgressRows == 0 && options.learner.progress &&
        !options.learner.progress(static_cast<double>(row) / static_cast<double>(rows.rows))) {
      return Error{"replay: stopped", Reason::kFailed};
    }
    auto action = learner.decide(rows, row, out.target.data() + row * rows.actions);
    if (!action) return action.failure();
    out.rows = row + 1;
    const double u = coin.uniform();
    if (action.value() != rows.played[at(row)] || !rows.complete(row)) continue;
    if (u >= coins.keep(rows, row)) continue;
    if (auto done = learner.learn(rows, row); !done) return done.failure();
    const double* y = rows.outcomes.data() + row * rows.heads;
    outcomes.insert(outcomes.end(), y, y + rows.heads);
    lived.push_back(row);
    ++out.accepted;
  }
  out.target.resize(at(out.rows) * at(rows.actions));
  const std::vector<double> once(at(out.accepted), 1.0);
  out.rejection = mean_of("rejection", outcomes, once, rows.heads, Units::some(rows, lived),
                          static_cast<double>(out.accepted) >= kSmallestEffectiveSize);
  add_warnings(out, rows, options.quantile);
  return out;
}

Result<std::vector<double>> frozen_policy(const OfflineRows& train, const OfflineRows& rows,
                                          std::string_view spec, const LearnerOptions& options) {
  if (auto good = check_rows(train); !good) return good.failure();
  if (auto good = check_rows(rows); !good) return good.failure();
  auto made = LogLearner::make(spec, train, options, rows.rows);
  if (!made) return made.failure();
  LogLearner& learner = made.value();
  const std::int64_t all = train.rows + rows.rows;
  const auto go_on = [&](std::int64_t done) {
    return done % kProgressRows != 0 || !options.progress ||
           options.progress(static_cast<double>(done) / static_cast<double>(all));
  };
  const Error stopped{"frozen policy: stopped", Reason::kFailed};
  for (std::int64_t row = 0; row < train.rows; ++row) {
    if (!go_on(row)) return stopped;
    if (!train.complete(row)) continue;
    if (auto done = learner.warm(train, row, true); !done) return done.failure();
  }
  const std::int64_t stride =
      std::clamp<std::int64_t>(train.rows / kRehearsedRows, 1, kLargestStride);
  for (std::int64_t i = std::min(kRehearsedRows, train.rows / stride); i > 0; --i) {
    if (auto done = learner.warm(train, train.rows - 1 - (i - 1) * stride, false); !done) {
      return done.failure();
    }
  }
  std::vector<double> out(at(rows.rows) * at(rows.actions));
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (!go_on(train.rows + row)) return stopped;
    if (auto done = learner.decide(rows, row, out.data() + row * rows.actions); !done) {
      return done.failure();
    }
  }
  return out;
}

}  // namespace rein
