// PricedGrid: a class of policies, one per place on a grid of prices. At price z a row gets the
// action with the largest predicted reward - z * predicted cost (rein/whatif.h).
//
// Price path: these actions of one row, as the price rises from 0. The cost of the chosen action falls
// along it: it walks the upper hull of the points (cost, reward).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "offpolicy/action_models.h"
#include "offpolicy/rows.h"
#include "rein/whatif.h"

namespace rein {

// From the price grid[from] on, `action` is played, until the next step.
struct PathStep {
  int action = 0;
  int from = 0;
};

// The predictions for one row, by which its path is made. Actions that may not be played have
// allowed[a] == 0.
struct PathInput {
  std::span<const double> reward;
  std::span<const double> cost;
  std::span<const std::uint8_t> allowed;
};

// Sets `out` to the path of a row. Of actions with the same score, the action with the lower cost is
// chosen, then the lower number. REQUIRES an allowed action, and a grid that ascends from 0.
void price_path(const PathInput& input, std::span<const double> grid, std::vector<PathStep>& out);

// Appends the prices at which the action changes.
void price_breaks(const PathInput& input, std::vector<double>& out);

// The action at a place of the grid.
inline int action_at(std::span<const PathStep> steps, int place) {
  std::size_t i = steps.size() - 1;
  while (i > 0 && steps[i].from > place) --i;
  return steps[i].action;
}

struct ClassOptions {
  int cost = 1;
  std::vector<HeadLimit> limits;     // at most one
  bool constant = false;             // policies see no context: they are fixed mixes of actions
  std::vector<std::uint8_t> usable;  // actions that the policies may play

  // Whether both have the same policies: the amount of a limit only decides which of them are mixed.
  bool same_policies(const ClassOptions& other) const;
};

// RowSample: every step-th row of a log, of which prices are made. Rows offer what `offered` says and
// have no outcomes; the weight is 0 where one is missing.
struct RowSample {
  std::int64_t step = 1;
  RowColumns rows;

  // Without rows, for a log of this size.
  static RowSample of(std::int64_t rows, int actions, int features);
  // Appends those of these rows, which begin at row `first` of the log.
  void add(const OfflineRows& log_part, std::int64_t first);
  // As numbers, row by row, for a process that adds up shards.
  std::size_t width() const { return at(rows.features) + at(rows.actions) + 3; }
  void save(std::vector<double>& out) const;
  // Appends rows. False if the numbers are not whole rows.
  bool load(std::span<const double> numbers);
};

struct PathWork {
  std::vector<double> reward, cost;
  std::vector<std::uint8_t> allowed;
};

struct PricedGrid {
  int actions = 1;
  int heads = 1;
  int features = 0;
  ClassOptions options;
  std::vector<double> constants;     // folds x lanes: predictions at the mean context, the same for all
                                     // folds unless they are blocks in time
  std::vector<double> prices, held;  // ascending from 0; held: of the limit

  bool limited() const { return !options.limits.empty(); }
  std::size_t places() const { return held.size() * prices.size(); }
  // The predictions by which the policies of a fold decide: those of the row, or of the mean context.
  const double* source(int fold, const double* predicted) const {
    const int lanes = actions * heads;
    return options.constant ? constants.data() + fold * lanes : predicted;
  }
  // The path of every held price for a context of this fold; `predicted` is its prediction.
  void paths(int fold, const double* predicted, const std::uint8_t* offered, PathWork& work,
             std::vector<std::vector<PathStep>>& out) const;

  void save(ByteWriter& out) const;
  void load(ByteReader& in);
};

PricedGrid make_grid(const RowSample& sample, const ActionModels& models, ClassOptions options);

}  // namespace rein
