// PricedGrid: a class of policies, one per place on a grid of prices. At price z a row gets the
// action with the largest predicted reward - z * predicted cost (rein/whatif.h).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "offpolicy/action_models.h"
#include "offpolicy/price_path.h"
#include "rein/whatif.h"

namespace rein {

struct ClassOptions {
  int cost = 1;
  std::vector<HeadLimit> limits;     // at most one
  bool constant = false;             // policies see no context: they are fixed mixes of actions
  std::vector<std::uint8_t> usable;  // actions that the policies may play
};

// Every step-th row of a log, of which prices are made. A row is its context, a flag per action that
// was offered, the action that was played, its propensity, and how much the row counts: 0 if an
// outcome is missing.
struct GridSample {
  std::int64_t step = 1;
  std::vector<double> numbers;
};
inline std::size_t sample_width(int features, int actions) {
  return static_cast<std::size_t>(features + actions + 3);
}
std::int64_t sample_step(std::int64_t rows);
// Appends the rows of a shard that begins at row `first` of the log.
void add_sample(const OfflineRows& rows, std::int64_t first, std::int64_t step,
                std::vector<double>& out);

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
  // What the policies of a fold decide by.
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

PricedGrid make_grid(const GridSample& sample, const ActionModels& models, ClassOptions options);

}  // namespace rein
