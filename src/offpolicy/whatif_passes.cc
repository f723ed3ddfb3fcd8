#include "rein/whatif_passes.h"

#include <fmt/format.h>

#include <utility>

#include "offpolicy/shards.h"
#include "offpolicy/whatif_driver.h"

namespace rein {

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
