#include "rein/whatif.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include "offpolicy/alike.h"
#include "offpolicy/at.h"
#include "offpolicy/grouped.h"
#include "offpolicy/shards.h"
#include "offpolicy/whatif_driver.h"
#include "offpolicy/whatif_sensitivity.h"

namespace rein {
namespace {

// Counts finished steps, and asks the caller from one thread at a time.
class Progress {
 public:
  Progress(const std::function<bool(double)>& told, std::int64_t steps)
      : told_(told), steps_(steps) {}
  bool step() {
    const double share = static_cast<double>(++done_) / static_cast<double>(steps_);
    if (!told_) return true;
    const std::lock_guard lock(mutex_);
    return told_(std::min(share, 1.0));
  }

 private:
  const std::function<bool(double)>& told_;
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

}  // namespace

Result<Whatif> whatif(const OfflineRows& given, const WhatifOptions& options) {
  if (auto good = check_rows(given); !good) return good.failure();
  OfflineRows rows = given;
  if (!options.predictions.empty()) {
    if (auto good = check_predictions(given, options.predictions); !good) return good.failure();
    rows.context = options.predictions;
    rows.features = rows.actions * rows.heads;
  }
  std::vector<double> estimated;
  if (rows.propensity.empty()) {
    auto found = estimate_propensities(given, options.fit.threads);
    if (!found) return found.failure();
    estimated = std::move(found).value();
    rows.propensity = estimated;
  }
  std::optional<GroupedRows> grouped;
  WhatifOptions known = options;
  if (!rows.unit.empty()) {
    if (learner_made(given, options.adaptive)) {
      return Error{
          "whatif: a learning policy made the log, and its rows belong together in units; accepted: "
          "one of the two"};
    }
    known.adaptive = Adaptive::kNo;
    rows = grouped.emplace(rows).view();
  }
  auto made = WhatifDriver::make(outline_of(rows), known, rows.unit, given.propensity.empty());
  if (!made) return made.failure();
  WhatifDriver driver = std::move(made).value();
  const double usual = given.propensity.empty() ? kUsualLambda : 0.0;
  const double lambda = options.sensitivity > 0.0 ? options.sensitivity : usual;
  const std::int64_t more = lambda > 0.0 ? static_cast<std::int64_t>(options.budgets.size()) : 0;
  const Error stopped{"whatif: stopped", Reason::kFailed};
  Progress progress(options.progress, kWhatifPasses * shards_of(rows.rows) + more);
  const auto go_on = [&] { return progress.step(); };
  while (!driver.done()) {
    const auto sums_of = [&](const ShardRange& shard) {
      const ShardRange range = whole_units(rows, shard);
      return shard_sums(driver.task(), some_rows(rows, range), range.first);
    };
    const bool finished = sum_shards(
        rows.rows, {.threads = options.fit.threads,
                    .size = driver.task().size(),
                    .go_on = go_on,
                    .sums_of = sums_of,
                    .merge = [&](std::vector<double>&& sums) { driver.add(std::move(sums)); }});
    if (!finished) return stopped;
    if (auto next = driver.end_pass(); !next) return next.failure();
  }
  Whatif out = driver.result();
  out.lambda = lambda;
  if (!rows.unit.empty()) out.units = rows.unit.back() + 1;
  if (std::string asked = question_about_units(given); !asked.empty()) {
    out.warnings.push_back(std::move(asked));
  }
  if (lambda > 0.0 && !add_sensitivity(rows, driver.task(), options.fit.threads, go_on, out)) {
    return stopped;
  }
  return out;
}

}  // namespace rein
