#include "offpolicy/log_sums.h"

#include "offpolicy/fit_sums.h"
#include "offpolicy/log_checks.h"
#include "offpolicy/overlap.h"

namespace rein {
namespace {

void add_complete(const LogSums& layout, const OfflineRows& rows, std::int64_t row,
                  std::span<double> sums) {
  const std::size_t played = at(rows.played[at(row)]);
  const double weight = rows.weight(row);
  sums[layout.complete] += 1.0;
  if (weight > 0.0) sums[layout.usable] += 1.0;
  sums[layout.weight] += weight;
  for (int head = 0; head < rows.heads; ++head) {
    sums[layout.outcomes + at(head)] += weight * rows.outcomes[at(row * rows.heads + head)];
  }
  sums[layout.plays + played] += 1.0;
  sums[layout.shares + played] += weight;
  add_calibration(rows, row, sums.subspan(layout.calibration, calibration_size(rows.actions)));
}

}  // namespace

LogSums::LogSums(int actions, int heads, int features) {
  std::size_t next = 0;
  const auto list = [&](std::size_t& begin, std::size_t length) {
    begin = next;
    next += length;
  };
  for (std::size_t* number : {&complete, &missing, &usable, &weight}) list(*number, 1);
  list(outcomes, at(heads));
  for (std::size_t* per_action : {&plays, &shares}) list(*per_action, at(actions));
  list(calibration, calibration_size(actions));
  list(moments, 2 * at(features));
  list(time, time_sums_size(actions));
  size = next;
}

void add_log(const OfflineRows& rows, std::int64_t first, std::int64_t total,
             std::span<const double> origin, std::span<double> sums) {
  const LogSums layout(rows.actions, rows.heads, rows.features);
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (rows.complete(row)) {
      add_complete(layout, rows, row, sums);
    } else {
      sums[layout.missing] += 1.0;
    }
  }
  add_moments(rows, origin, sums.subspan(layout.moments, 2 * origin.size()));
  add_time_sums(rows, first, total, sums.subspan(layout.time, time_sums_size(rows.actions)));
}

void add_spread(const OfflineRows& rows, std::span<const double> mean, std::span<double> sums) {
  std::vector<double> error(mean.size(), 0.0);
  bool any = false;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    if (rows.complete(row)) {
      any = true;
      for (std::size_t head = 0; head < mean.size(); ++head) {
        error[head] +=
            rows.weight(row) * (rows.outcomes[at(row) * mean.size() + head] - mean[head]);
      }
    }
    const bool last = rows.unit.empty() || row + 1 == rows.rows ||
                      rows.unit[at(row + 1)] != rows.unit[at(row)];
    if (!last || !any) continue;
    for (std::size_t head = 0; head < mean.size(); ++head) {
      const double square = error[head] * error[head];
      sums[3 * head] += square;
      sums[3 * head + 1] += square * error[head];
      sums[3 * head + 2] += square * square;
      error[head] = 0.0;
    }
    sums[3 * mean.size()] += 1.0;
    any = false;
  }
}

}  // namespace rein
