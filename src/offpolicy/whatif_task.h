// WhatifTask: what a worker must know to sum one shard of what-if curves, in any process.
//
// A curve takes four passes over the log. Each pass sums over shards, and needs the results of the passes
// before it:
//   kDescribe  what the log earned, units of the features, a sample of rows
//   kFit       normal equations of the regressions, spread of the log's outcomes
//   kValue     values of the priced policies and of the fixed mixes, on their grids of prices
//   kSpread    covariance of the mixtures that meet the budgets
// All curves of a call share the passes. kDescribe and kFit do not depend on the budgets, and curves
// whose limits differ in their amounts alone share a grid.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "offpolicy/log_sums.h"
#include "offpolicy/priced_sums.h"
#include "offpolicy/propensity_model.h"
#include "offpolicy/tail.h"

namespace rein {

enum class WhatifPass { kDescribe, kFit, kValue, kSpread, kDone };
inline constexpr int kWhatifPasses = 4;

struct WhatifTask {
  WhatifPass pass = WhatifPass::kDescribe;
  std::int64_t rows = 0;  // of the whole log
  int actions = 1, heads = 1, features = 0;
  std::vector<double> origin;       // kDescribe: the context of the first row
  FitFrame frame;                   // kFit
  std::vector<double> mean;         // kFit, kSpread: what the log earned and spent
  ActionModels models;              // kValue, kSpread
  std::vector<PricedGrid> grids;    // kValue, kSpread
  std::vector<MixedClass> classes;  // kSpread

  // How many sums a shard returns. In the pass kDescribe its samples of rows follow (ShardSamples).
  std::size_t size() const;
  std::string bytes() const;
  static Result<WhatifTask> from(std::string_view bytes);
};

// What a shard of kDescribe returns after its sums, in this order:
//   - its smallest propensities; where a shard has fewer than PropensityTail::kRows, numbers above 1 fill
//     the rest
//   - how many numbers its RowSample has, and these numbers (price_grid.h)
//   - the same of its TailSample (tail.h)
//   - the rows of its time sample (log_sums.h)
struct ShardSamples {
  PropensityTail tail;
  RowSample grid;
  TailSample outcomes;
  RowColumns time;

  static ShardSamples of(const WhatifTask& task);
  void add(const OfflineRows& rows, std::int64_t first, std::int64_t total);
  void save(std::vector<double>& out) const;
  // Appends the samples of a shard to these. Returns false if there are too few or too many numbers.
  bool load(std::span<const double> numbers);
};

// The sums of a shard that begins at row `first` of the log. REQUIRES check_some_rows(rows).
std::vector<double> shard_sums(const WhatifTask& task, const OfflineRows& rows, std::int64_t first);

}  // namespace rein
