#include "offpolicy/whatif_task.h"

#include "offpolicy/at.h"
#include "offpolicy/log_sums.h"
#include "offpolicy/numbers.h"

namespace rein {
namespace {

constexpr const char* kTag = "whatif-task-2";
constexpr double kNoRow = 2.0;  // in place of a propensity
ShardSamples samples_of(const WhatifTask& task, const OfflineRows& rows, std::int64_t first) {
  ShardSamples out;
  add_sample(rows, first, sample_step(task.rows), out.grid);
  out.time.add(rows, first, task.rows);
  out.tail.add(rows.propensity);
  return out;
}

}  // namespace

void ShardSamples::save(std::vector<double>& out) const {
  for (std::size_t i = 0; i < PropensityTail::kRows; ++i)
    out.push_back(i < tail.smallest.size() ? tail.smallest[i] : kNoRow);
  out.push_back(static_cast<double>(grid.size()));
  out.insert(out.end(), grid.begin(), grid.end());
  out.insert(out.end(), time.played.begin(), time.played.end());
  out.insert(out.end(), time.propensity.begin(), time.propensity.end());
}

bool ShardSamples::load(std::span<const double> numbers) {
  if (numbers.size() <= PropensityTail::kRows) return false;
  std::vector<double> smallest;
  for (const double p : numbers.first(PropensityTail::kRows)) {
    if (p < kNoRow) smallest.push_back(p);
  }
  numbers = numbers.subspan(PropensityTail::kRows);
  if (!(numbers[0] >= 0.0 && numbers[0] < static_cast<double>(numbers.size()))) return false;
  const std::size_t count = static_cast<std::size_t>(numbers[0]);
  const std::size_t rows = (numbers.size() - 1 - count) / 2;
  if (1 + count + 2 * rows != numbers.size()) return false;
  tail.add(smallest);
  const auto begin = numbers.begin() + 1;
  const auto split = begin + static_cast<std::ptrdiff_t>(count);
  const auto middle = split + static_cast<std::ptrdiff_t>(rows);
  grid.insert(grid.end(), begin, split);
  for (auto played = split; played != middle; ++played) {
    time.played.push_back(static_cast<std::int32_t>(*played));
  }
  time.propensity.insert(time.propensity.end(), middle, numbers.end());
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
      for (std::size_t g = 0; g < grids.size(); ++g)
        out += ErrorSums(grids[g], mixes[g].size()).size;
      return out;
    case WhatifPass::kDone:
      break;
  }
  return out;
}

std::vector<double> shard_sums(const WhatifTask& task, const OfflineRows& rows,
                               std::int64_t first) {
  std::vector<double> sums;
  switch (task.pass) {
    case WhatifPass::kDescribe:
      sums.assign(task.size(), 0.0);
      add_log(rows, first, task.rows, task.origin, sums);
      samples_of(task, rows, first).save(sums);
      return sums;
    case WhatifPass::kFit:
      sums.assign(task.size(), 0.0);
      add_spread(rows, task.mean, std::span(sums).first(spread_size(task.heads)));
      add_normal(task.frame, rows, first, std::span(sums).subspan(spread_size(task.heads)));
      return sums;
    case WhatifPass::kValue:
      return value_sums(task.models, task.grids, rows, first);
    case WhatifPass::kSpread:
      return error_sums(task.models, task.grids, task.mixes, task.mean, rows, first);
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
    for (const auto& list : mixes) {
      out.u64(list.size());
      for (const BudgetMix& mix : list) mix.save(out);
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
    task.grids.resize(at(in.between("classes", 0, 2)));
    for (PricedGrid& grid : task.grids) grid.load(in);
  }
  if (task.pass == WhatifPass::kSpread) {
    task.mean = load_numbers(in);
    if (task.mean.size() != at(task.heads)) return Error{"whatif: the task is damaged"};
    task.mixes.resize(task.grids.size());
    for (auto& list : task.mixes) {
      list.resize(at(in.between("mixtures", 0, kMaxWhatifBudgets + 8)));
      for (BudgetMix& mix : list) mix.load(in);
    }
  }
  if (auto whole = in.finish(); !whole) return whole.failure();
  return task;
}

}  // namespace rein
