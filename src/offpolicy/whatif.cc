#include "rein/whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

#include "offpolicy/rows.h"
#include "offpolicy/shards.h"
#include "offpolicy/unit_question.h"
#include "offpolicy/whatif_driver.h"

namespace rein {
namespace {

// Counts finished steps, and asks the caller from one thread at a time.
class Progress {
 public:
  Progress(const std::function<bool(double)>& callback, std::int64_t steps)
      : callback_(callback), steps_(steps) {}
  bool step() {
    const double share = static_cast<double>(++done_) / static_cast<double>(steps_);
    if (!callback_) return true;
    const std::lock_guard lock(mutex_);
    return callback_(std::min(share, 1.0));
  }

 private:
  const std::function<bool(double)>& callback_;
  std::int64_t steps_;
  std::atomic<std::int64_t> done_{0};
  std::mutex mutex_;
};

LogOutline outline_of(const OfflineRows& rows) {
  const std::span<const double> first = rows.context.first(at(rows.features));
  return {.rows = rows.rows,
          .actions = rows.actions,
          .heads = rows.heads,
          .features = rows.features,
          .first_context = {first.begin(), first.end()}};
}

Result<void> check_predictions(const OfflineRows& rows, std::span<const double> given) {
  const std::size_t lanes = at(rows.actions) * at(rows.heads);
  if (given.size() != at(rows.rows) * lanes) {
    return Error{
        fmt::format("whatif: found {} predictions; accepted: none, or {} rows x {} actions x {} "
                    "outcomes",
                    given.size(), rows.rows, rows.actions, rows.heads)};
  }
  const auto wrong =
      std::find_if(given.begin(), given.end(), [](double x) { return !std::isfinite(x); });
  if (wrong == given.end()) return {};
  return Error{fmt::format("whatif: the prediction of row {} is {}; accepted: finite numbers",
                           at(wrong - given.begin()) / lanes, *wrong)};
}

bool learner_made(const OfflineRows& rows, Adaptive adaptive) {
  if (adaptive != Adaptive::kAuto) return adaptive == Adaptive::kYes;
  return !rows.propensity.empty() && varies_with_time(rows);
}

// The rows as the passes need them: with propensities, whole units, and predictions as contexts.
struct ReadyRows {
  OfflineRows rows;
  std::vector<double> estimated;  // propensities
  RowColumns grouped;
};

Result<void> make_ready(const OfflineRows& given, const WhatifOptions& options, ReadyRows& out) {
  if (auto good = check_rows(given); !good) return good.failure();
  out.rows = given;
  if (!options.predictions.empty()) {
    if (auto good = check_predictions(given, options.predictions); !good) return good.failure();
    out.rows.context = options.predictions;
    out.rows.features = out.rows.actions * out.rows.heads;
  }
  if (out.rows.propensity.empty()) {
    auto found = estimate_propensities(given, options.fit.threads);
    if (!found) return found.failure();
    out.estimated = std::move(found).value();
    out.rows.propensity = out.estimated;
  }
  if (given.unit.empty()) return {};
  if (learner_made(given, options.adaptive)) {
    return Error{
        "whatif: a learning policy made the log, and its rows belong together in units; accepted: "
        "one of the two"};
  }
  out.grouped = grouped_by_unit(out.rows);
  out.rows = out.grouped.view();
  return {};
}

// False if `go_on` stopped the work.
Result<bool> run_passes(const OfflineRows& rows, int threads, const std::function<bool()>& go_on,
                        WhatifDriver& driver) {
  const auto sums_of = [&](const RowRange& shard) {
    const RowRange range = whole_units(rows, shard);
    return shard_sums(driver.task(), some_rows(rows, range), range.first);
  };
  const auto merge = [&](std::vector<double>&& sums) { driver.add(std::move(sums)); };
  while (!driver.done()) {
    const bool finished = sum_shards(rows.rows, {.threads = threads,
                                                 .size = driver.task().size(),
                                                 .go_on = go_on,
                                                 .sums_of = sums_of,
                                                 .merge = merge});
    if (!finished) return false;
    if (auto next = driver.end_pass(); !next) return next.failure();
  }
  return true;
}

}  // namespace

Result<std::vector<Whatif>> whatif_curves(const OfflineRows& given, const WhatifOptions& options,
                                          const std::vector<WhatifQuestion>& questions) {
  ReadyRows ready;
  if (auto good = make_ready(given, options, ready); !good) return good.failure();
  const OfflineRows& rows = ready.rows;
  WhatifOptions known = options;
  if (!rows.unit.empty()) known.adaptive = Adaptive::kNo;
  const bool estimated = given.propensity.empty();
  auto made = WhatifDriver::make(outline_of(rows), known, questions, rows.unit, estimated);
  if (!made) return made.failure();
  WhatifDriver driver = std::move(made).value();
  const double usual = estimated ? kUsualLambda : 0.0;
  const double lambda = options.sensitivity > 0.0 ? options.sensitivity : usual;
  std::int64_t steps = kWhatifPasses * shards_of(rows.rows);
  for (const WhatifQuestion& question : questions) {
    if (lambda > 0.0) steps += static_cast<std::int64_t>(question.budgets.size());
  }
  const Error stopped{"whatif: stopped", Reason::kFailed};
  Progress progress(options.progress, steps);
  const auto go_on = [&] { return progress.step(); };
  auto finished = run_passes(rows, options.fit.threads, go_on, driver);
  if (!finished) return finished.failure();
  if (!finished.value()) return stopped;
  const std::string asked = question_about_units(given);
  std::vector<Whatif> out = driver.results();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].lambda = lambda;
    if (!rows.unit.empty()) out[i].units = rows.unit.back() + 1;
    if (!asked.empty()) out[i].warnings.push_back(asked);
    if (lambda > 0.0 && !add_sensitivity(rows, driver.task(), driver.priced(i),
                                         options.fit.threads, go_on, out[i])) {
      return stopped;
    }
  }
  return out;
}

Result<Whatif> whatif(const OfflineRows& rows, const WhatifOptions& options) {
  auto found = whatif_curves(rows, options, {{options.cost, options.budgets, options.limits}});
  if (!found) return found.failure();
  return std::move(found.value()[0]);
}

static_assert(kWhatifShardRows == kShardRows);

struct WhatifPasses::State {
  WhatifDriver driver;
  std::int64_t next = 0;  // shard
};

WhatifPasses::WhatifPasses(std::unique_ptr<State> state) : state_(std::move(state)) {}
WhatifPasses::~WhatifPasses() = default;
WhatifPasses::WhatifPasses(WhatifPasses&&) noexcept = default;
WhatifPasses& WhatifPasses::operator=(WhatifPasses&&) noexcept = default;

Result<WhatifPasses> WhatifPasses::start(const LogOutline& log, const WhatifOptions& options) {
  return start(log, options, {{options.cost, options.budgets, options.limits}});
}

Result<WhatifPasses> WhatifPasses::start(const LogOutline& log, const WhatifOptions& options,
                                         const std::vector<WhatifQuestion>& questions) {
  const bool fits = log.rows >= 1 && log.rows <= kMaxOfflineRows && log.actions >= 1 &&
                    log.heads >= 1 && log.features >= 0 &&
                    log.first_context.size() == static_cast<std::size_t>(log.features);
  if (!fits) {
    return Error{fmt::format(
        "whatif: found {} rows, {} actions, {} outcomes, {} features and a first row of {}; "
        "accepted: 1 to {} rows, at least 1 action and 1 outcome, and a first row of all features",
        log.rows, log.actions, log.heads, log.features, log.first_context.size(), kMaxOfflineRows)};
  }
  if (!options.predictions.empty()) {
    return Error{"whatif: found predictions; accepted in parts: none, the regressions are fitted"};
  }
  if (options.sensitivity != 0.0) {
    return Error{
        "whatif: found a sensitivity; accepted in parts: none. Sensitivity bands need all rows"};
  }
  auto driver = WhatifDriver::make(log, options, questions, {}, false);
  if (!driver) return driver.failure();
  return WhatifPasses(std::make_unique<State>(State{std::move(driver).value()}));
}

std::int64_t WhatifPasses::shards() const { return shards_of(state_->driver.task().rows); }
int WhatifPasses::pass() const { return static_cast<int>(state_->driver.task().pass); }
bool WhatifPasses::done() const { return state_->driver.done(); }
std::string WhatifPasses::task() const { return state_->driver.task().bytes(); }
const std::vector<Whatif>& WhatifPasses::results() const { return state_->driver.results(); }

Result<> WhatifPasses::add(std::vector<double> sums) {
  const WhatifTask& task = state_->driver.task();
  if (done()) return Error{"whatif: all shards of all passes were added"};
  const std::size_t found = sums.size();
  if (!state_->driver.add(std::move(sums))) {
    return Error{
        fmt::format("whatif: shard {} has {} sums; accepted: {}, as the task of pass {} has",
                    state_->next, found, task.size(), pass())};
  }
  if (++state_->next < shards()) return {};
  state_->next = 0;
  return state_->driver.end_pass();
}

Result<std::vector<double>> whatif_sums(std::string_view bytes, const OfflineRows& rows,
                                        std::int64_t shard) {
  auto read = WhatifTask::from(bytes);
  if (!read) return read.failure();
  const WhatifTask& task = read.value();
  if (shard < 0 || shard >= shards_of(task.rows)) {
    return Error{
        fmt::format("whatif: found shard {}; accepted: 0 to {}", shard, shards_of(task.rows) - 1)};
  }
  const RowRange range = shard_rows(task.rows, shard);
  const bool fits = rows.rows == range.last - range.first && rows.actions == task.actions &&
                    rows.heads == task.heads && rows.features == task.features;
  if (!fits) {
    return Error{fmt::format(
        "whatif: shard {} has {} rows, {} actions, {} outcomes and {} features; accepted: {}, {}, "
        "{} and {}. Did the log change?",
        shard, rows.rows, rows.actions, rows.heads, rows.features, range.last - range.first,
        task.actions, task.heads, task.features)};
  }
  if (auto good = check_some_rows(rows); !good) {
    return Error{fmt::format("whatif: rows from {} on: {}", range.first, good.error())};
  }
  if (rows.propensity.empty()) {
    return Error{
        "whatif: the log has no propensities; accepted in parts: logs with propensities. Without "
        "them use whatif() on all rows, which estimates them"};
  }
  return shard_sums(task, rows, range.first);
}

}  // namespace rein
