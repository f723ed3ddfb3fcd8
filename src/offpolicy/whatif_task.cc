#include "offpolicy/whatif_task.h"

#include "offpolicy/log_sums.h"

namespace rein {
namespace {

constexpr const char* kTag = "whatif-task-4";
constexpr double kNoPropensity = 2.0;  // in place of a propensity, where a shard has too few rows

// How many numbers a sample has, and these numbers.
template <class Sample>
void save_sample(const Sample& sample, std::vector<double>& out) {
  const std::size_t place = out.size();
  out.push_back(0.0);
  sample.save(out);
  out[place] = static_cast<double>(out.size() - place - 1);
}

// Takes these numbers from the front.
template <class Sample>
bool load_sample(std::span<const double>& numbers, Sample& sample) {
  if (numbers.empty()) return false;
  if (!(numbers[0] >= 0.0 && numbers[0] < static_cast<double>(numbers.size()))) return false;
  const std::size_t count = static_cast<std::size_t>(numbers[0]);
  if (!sample.load(numbers.subspan(1, count))) return false;
  numbers = numbers.subspan(1 + count);
  return true;
}

}  // namespace

ShardSamples ShardSamples::of(const WhatifTask& task) {
  return {.grid = RowSample::of(task.rows, task.actions, task.features),
          .outcomes = TailSample::of(task.rows, task.actions, task.heads)};
}

void ShardSamples::add(const OfflineRows& rows, std::int64_t first, std::int64_t total) {
  tail.add(rows.propensity);
  grid.add(rows, first);
  outcomes.add(rows, first);
  add_time_sample(rows, first, total, time);
}

void ShardSamples::save(std::vector<double>& out) const {
  for (std::size_t i = 0; i < PropensityTail::kRows; ++i)
    out.push_back(i < tail.smallest.size() ? tail.smallest[i] : kNoPropensity);
  save_sample(grid, out);
  save_sample(outcomes, out);
  out.insert(out.end(), time.played.begin(), time.played.end());
  out.insert(out.end(), time.propensity.begin(), time.propensity.end());
}

bool ShardSamples::load(std::span<const double> numbers) {
  if (numbers.size() <= PropensityTail::kRows) return false;
  std::vector<double> smallest;
  for (const double p : numbers.first(PropensityTail::kRows)) {
    if (p < kNoPropensity) smallest.push_back(p);
  }
  numbers = numbers.subspan(PropensityTail::kRows);
  if (!load_sample(numbers, grid) || !load_sample(numbers, outcomes)) return false;
  const std::size_t rows = numbers.size() / 2;
  if (2 * rows != numbers.size()) return false;
  tail.add(smallest);
  const std::span<const double> played = numbers.first(rows);
  const std::span<const double> propensity = numbers.last(rows);
  for (const double action : played) time.played.push_back(static_cast<std::int32_t>(action));
  time.propensity.insert(time.propensity.end(), propensity.begin(), propensity.end());
  return true;
}

std::size_t WhatifTask::size() const {
  std::size_t out = 0;
  switch (pass) {
    case WhatifPass::kDescribe:
      return LogSums(actions, heads, features).size;
    case WhatifPass::kFit:
      return spread_size(heads) + NormalSums(frame).size;
    case WhatifPass::kValue:
      for (const PricedGrid& grid : grids) out += ValueSums(grid, models.folds()).size;
      return out;
    case WhatifPass::kSpread:
      return ErrorTask{models, grids, classes, mean}.size();
    case WhatifPass::kDone:
      break;
  }
  return out;
}

std::vector<double> shard_sums(const WhatifTask& task, const OfflineRows& rows,
                               std::int64_t first) {
  std::vector<double> sums;
  switch (task.pass) {
    case WhatifPass::kDescribe: {
      sums.assign(task.size(), 0.0);
      add_log(rows, first, task.rows, task.origin, sums);
      ShardSamples samples = ShardSamples::of(task);
      samples.add(rows, first, task.rows);
      samples.save(sums);
      return sums;
    }
    case WhatifPass::kFit:
      sums.assign(task.size(), 0.0);
      add_spread(rows, task.mean, std::span(sums).first(spread_size(task.heads)));
      add_normal(task.frame, rows, first, std::span(sums).subspan(spread_size(task.heads)));
      return sums;
    case WhatifPass::kValue:
      return value_sums(task.models, task.grids, rows, first);
    case WhatifPass::kSpread:
      return error_sums({task.models, task.grids, task.classes, task.mean}, rows, first);
    case WhatifPass::kDone:
      break;
  }
  return sums;
}

std::string WhatifTask::bytes() const {
  ByteWriter out;
  out.tag(kTag);
  out.i64(static_cast<std::int64_t>(pass));
  out.i64(rows);
  for (const int size : {actions, heads, features}) out.i64(size);
  if (pass == WhatifPass::kDescribe) save_numbers(out, origin);
  if (pass == WhatifPass::kFit) {
    frame.save(out);
    save_numbers(out, mean);
  }
  if (pass >= WhatifPass::kValue) {
    models.save(out);
    out.u64(grids.size());
    for (const PricedGrid& grid : grids) grid.save(out);
  }
  if (pass == WhatifPass::kSpread) {
    save_numbers(out, mean);
    out.u64(classes.size());
    for (const MixedClass& each : classes) {
      out.u64(each.grid);
      out.u64(each.mixes.size());
      for (const BudgetMix& mix : each.mixes) mix.save(out);
    }
  }
  return out.take();
}

Result<WhatifTask> WhatifTask::from(std::string_view bytes) {
  ByteReader in(bytes);
  WhatifTask task;
  in.tag(kTag);
  task.pass = static_cast<WhatifPass>(in.between("pass", 0, kWhatifPasses - 1));
  task.rows = in.between("rows", 1, kMaxOfflineRows);
  for (int* size : {&task.actions, &task.heads, &task.features}) {
    *size = static_cast<int>(in.between("size", 0, kMaxModelDoubles));
  }
  if (task.pass == WhatifPass::kDescribe) task.origin = load_numbers(in);
  if (task.pass == WhatifPass::kFit) {
    task.frame.load(in);
    task.mean = load_numbers(in);
  }
  if (task.pass >= WhatifPass::kValue) {
    task.models.load(in);
    task.grids.resize(at(in.between("grids", 0, 2 * kMaxWhatifQuestions)));
    for (PricedGrid& grid : task.grids) grid.load(in);
  }
  if (task.pass == WhatifPass::kSpread) {
    task.mean = load_numbers(in);
    if (task.mean.size() != at(task.heads)) return Error{"whatif: the task is damaged"};
    task.classes.resize(at(in.between("classes", 0, 2 * kMaxWhatifQuestions)));
    const auto last_grid = static_cast<std::int64_t>(task.grids.size()) - 1;
    for (MixedClass& each : task.classes) {
      each.grid = at(in.between("grid", 0, last_grid));
      each.mixes.resize(at(in.between("mixtures", 0, kMaxWhatifBudgets + 8)));
      for (BudgetMix& mix : each.mixes) mix.load(in);
    }
  }
  if (auto whole = in.finish(); !whole) return whole.failure();
  return task;
}

}  // namespace rein
