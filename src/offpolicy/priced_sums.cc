#include "offpolicy/priced_sums.h"

#include <algorithm>

#include "offpolicy/at.h"
#include "offpolicy/balance.h"
#include "offpolicy/numbers.h"

namespace rein {
namespace {

using Paths = std::vector<std::vector<PathStep>>;  // per held price

// One row after the other, with its scores and its path in every class.
class ScoredRows {
 public:
  ScoredRows(const ActionModels& models, std::span<const PricedGrid> grids, const OfflineRows& rows)
      : heads(at(rows.heads)), models_(models), grids_(grids), rows_(rows), paths_(grids.size()) {
    predicted.resize(at(rows.actions) * heads);
    scores.resize(predicted.size());
    same_.resize(grids.size());
    // Without a context, and with all actions on offer, all rows of a fold have the same path.
    for (std::size_t g = 0; g < grids.size(); ++g) {
      if (!grids[g].options.constant || !rows.offered.empty()) continue;
      same_[g].resize(at(models.folds()));
      for (int f = 0; f < models.folds(); ++f) {
        grids[g].paths(f, nullptr, nullptr, work_, same_[g][at(f)]);
      }
    }
  }

  // False if the row is not evaluated. `place` is its number in the log.
  bool load(std::int64_t row, std::int64_t place) {
    fold = models_.fold_of(place);
    weight = rows_.weight(row);
    if (!rows_.complete(row) || !(weight > 0.0) || !models_.trained(fold)) return false;
    models_.predict(fold, rows_.context.data() + row * rows_.features, predicted.data());
    played = rows_.played[at(row)];
    inverse = 1.0 / rows_.propensity[at(row)];
    context = rows_.context.data() + row * rows_.features;
    center = models_.mean_context(fold);
    outcomes_ = rows_.outcomes.data() + row * rows_.heads;
    const std::uint8_t* offered =
        rows_.offered.empty() ? nullptr : rows_.offered.data() + row * rows_.actions;
    all_offered_ = offered == nullptr ||
                   std::find(offered, offered + rows_.actions, 0) == offered + rows_.actions;
    for (std::size_t g = 0; g < grids_.size(); ++g) {
      if (same_[g].empty()) grids_[g].paths(fold, predicted.data(), offered, work_, paths_[g]);
    }
    return true;
  }
  const Paths& paths(std::size_t grid) const {
    return same_[grid].empty() ? paths_[grid] : same_[grid][at(fold)];
  }
  // What every mixture needs of the row.
  void prepare() {
    for (int a = 0; a < rows_.actions; ++a) {
      for (std::size_t h = 0; h < heads; ++h) scores[at(a) * heads + h] = score(a, h);
    }
    const std::size_t features = at(rows_.features);
    powers.resize(3 * features);
    for (std::size_t j = 0; j < features; ++j) {
      const double x = context[j] - center[j];
      powers[j] = x;
      powers[features + j] = x * x;
      powers[2 * features + j] = x * x * x * x;
    }
  }
  // The doubly robust score of an action.
  double score(int action, std::size_t head) const {
    const double q = predicted[at(action) * heads + head];
    return action == played ? q + inverse * (outcomes_[head] - q) : q;
  }

  bool all_offered() const { return all_offered_; }

  std::size_t heads;
  std::vector<double> predicted;
  std::vector<double> scores;  // doubly robust, action x head
  int fold = 0;
  int played = 0;
  double weight = 1.0;
  double inverse = 1.0;             // 1 / propensity
  const double* context = nullptr;  // of the row
  const double* center = nullptr;   // the mean context of the fold's training rows
  std::vector<double> powers;  // of context - center: first, second and fourth, feature by feature

 private:
  const ActionModels& models_;
  std::span<const PricedGrid> grids_;
  const OfflineRows& rows_;
  const double* outcomes_ = nullptr;
  bool all_offered_ = true;
  PathWork work_;
  std::vector<Paths> paths_;
  std::vector<std::vector<Paths>> same_;  // per class and fold
};

// What changes at each place of the grid; the sums along it follow when all rows are there.
void add_values(const PricedGrid& grid, const ValueSums& layout, const ScoredRows& row,
                const Paths& paths, double* block) {
  const std::size_t heads = row.heads;
  const std::size_t list = grid.limited() ? at(row.fold) : 0;
  block[layout.weights + list] += row.weight;
  block[layout.count] += 1.0;
  for (std::size_t l = 0; l < paths.size(); ++l) {
    int before = -1;
    for (const PathStep& now : paths[l]) {
      double* cell =
          block + 2 * list * layout.cells + (l * grid.prices.size() + at(now.from)) * heads;
      for (std::size_t h = 0; h < heads; ++h) {
        const double old = before < 0 ? 0.0 : row.score(before, h);
        cell[h] += row.weight * (row.score(now.action, h) - old);
        if (!grid.limited()) continue;
        const double was = before < 0 ? 0.0 : row.predicted[at(before) * heads + h];
        cell[layout.cells + h] += row.weight * (row.predicted[at(now.action) * heads + h] - was);
      }
      before = now.action;
    }
  }
}

constexpr std::size_t kRowsTogether = 8;

// Room for the scores of every mixture of one class.
struct ErrorWork {
  std::vector<double> off;  // of the rows that wait for their products: row x head x mixture
  std::size_t filled = 0;   // how many wait
  std::vector<double> score, target;
};

// Adds the balance of the features where the weight changes from that of the mixture before: its
// sums are those of all changes up to a mixture. Few neighbours differ, so that is much less work.
void add_weight_change(double before, double now, std::span<const double> powers, double* sums) {
  const std::size_t features = powers.size() / 3;
  const double old = before * before;
  const double square = now * now;
  const double factors[] = {now - before, square - old, square * square - old * old};
  for (std::size_t power = 0; power < 3; ++power) {
    const double* x = powers.data() + power * features;
    double* sum = sums + power * features;
    for (std::size_t j = 0; j < features; ++j) sum[j] += factors[power] * x[j];
  }
}

// The row's score of one mixture and the probabilities of its actions. Adds shares and weights;
// returns the weight.
double score_mix(const ScoredRows& row, const BudgetMix& mix, const Paths& paths, double* shares,
                 double& sum, double& square, ErrorWork& work) {
  double* const score = work.score.data();
  const std::size_t heads = row.heads;
  double ratio = 0.0;
  std::fill(work.target.begin(), work.target.end(), 0.0);
  if (!mix.possible) {
    std::fill_n(score, heads, 0.0);
    return 0.0;
  }
  const std::vector<MixPart>& parts = mix.parts[mix.parts.size() > 1 ? at(row.fold) : 0];
  const int only = action_at(paths[at(parts[0].held)], parts[0].price);
  const bool same = std::all_of(parts.begin() + 1, parts.end(), [&](const MixPart& one) {
    return action_at(paths[at(one.held)], one.price) == only;
  });
  if (same) {  // as in most rows
    std::copy_n(row.scores.data() + at(only) * heads, heads, score);
    shares[only] += row.weight;
    work.target[at(only)] = 1.0;
    if (only == row.played) ratio = row.inverse;
  } else {
    std::fill_n(score, heads, 0.0);
    for (const MixPart& one : parts) {
      const int action = action_at(paths[at(one.held)], one.price);
      const double* each = row.scores.data() + at(action) * heads;
      for (std::size_t h = 0; h < heads; ++h) score[h] += one.share * each[h];
      shares[action] += row.weight * one.share;
      work.target[at(action)] += one.share;
      if (action == row.played) ratio += one.share * row.inverse;
    }
  }
  sum += row.weight * ratio;
  square += row.weight * ratio * row.weight * ratio;
  return ratio;
}

void add_errors(const PricedGrid& grid, const ErrorSums& layout, std::span<const BudgetMix> mixes,
                const ScoredRows& row, const Paths& paths, ErrorWork& work, double* block) {
  const std::size_t count = mixes.size();
  const std::size_t cost = at(grid.options.cost);
  double* const errors = work.off.data() + work.filled * row.heads * count;
  block[layout.total] += row.weight;
  if (row.all_offered()) {
    add_log_balance({.played = at(row.played),
                     .weight = row.weight,
                     .context = row.context,
                     .center = row.center},
                    row.inverse, at(grid.features),
                    {block + layout.log_balance, layout.total - layout.log_balance});
  } else {
    block[layout.partial] += row.weight;
  }
  double before = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const BudgetMix& mix = mixes[k];
    const double ratio = score_mix(row, mix, paths, block + layout.shares + k * at(grid.actions),
                                   block[layout.sum + k], block[layout.square + k], work);
    double* balance = block + layout.balance + k * layout.balance_each;
    const double off = mix.possible ? row.weight * (ratio - 1.0) : 0.0;
    if (off != before) {
      add_weight_change(before, off, row.powers, balance + balance_size(at(grid.actions), 0));
    }
    before = off;
    if (mix.possible) {
      add_balance(
          {.played = at(row.played), .weight = row.weight, .ratio = ratio, .target = work.target},
          {balance, balance_size(at(grid.actions), 0)});
      const double reward = row.weight * (work.score[0] - mix.values[0]);
      const double spent = row.weight * (work.score[cost] - mix.values[cost]);
      double* plain = block + layout.plain + 3 * k;
      plain[0] += reward * reward;
      plain[1] += spent * spent;
      plain[2] += reward * spent;
    }
    for (std::size_t h = 0; h < row.heads; ++h) {
      double value = 0.0;
      if (mix.possible) {
        value = work.score[h] - mix.values[h];
        if (mix.binding) value -= mix.cost_slope[h] * (work.score[cost] - mix.values[cost]);
      }
      errors[h * count + k] = row.weight * value;
    }
  }
  ++work.filled;
}

// Adds the products of the rows that wait, in their order: several rows at once touch the covariance
// less often.
void add_products(const ErrorSums& layout, std::size_t heads, std::size_t count, ErrorWork& work,
                  double* block) {
  const std::size_t width = heads * count;
  std::fill(work.off.begin() + static_cast<std::ptrdiff_t>(work.filled * width), work.off.end(),
            0.0);
  work.filled = 0;
  for (std::size_t h = 0; h < heads; ++h) {
    const double* o = work.off.data() + h * count;
    double* line = block + h * layout.triangle;
    for (std::size_t k = 0; k < count; ++k) {
      double now[kRowsTogether];
      for (std::size_t r = 0; r < kRowsTogether; ++r) now[r] = o[r * width + k];
      for (std::size_t m = 0; m <= k; ++m) {
        double sum = line[m];
        for (std::size_t r = 0; r < kRowsTogether; ++r) sum += now[r] * o[r * width + m];
        line[m] = sum;
      }
      line += k + 1;
    }
  }
}

}  // namespace

ValueSums::ValueSums(const PricedGrid& grid, int folds)
    : cells(grid.places() * at(grid.heads)),
      lists(grid.limited() ? at(folds) : 1),
      weights(grid.limited() ? 2 * cells * lists : cells),
      count(weights + lists),
      size(count + 1) {}

std::vector<double> value_sums(const ActionModels& models, std::span<const PricedGrid> grids,
                               const OfflineRows& rows, std::int64_t first) {
  std::vector<ValueSums> layouts;
  std::size_t size = 0;
  for (const PricedGrid& grid : grids) size += layouts.emplace_back(grid, models.folds()).size;
  std::vector<double> out(size, 0.0);
  ScoredRows row(models, grids, rows);
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if (!row.load(i, first + i)) continue;
    double* block = out.data();
    for (std::size_t g = 0; g < grids.size(); ++g) {
      add_values(grids[g], layouts[g], row, row.paths(g), block);
      block += layouts[g].size;
    }
  }
  return out;
}

ErrorSums::ErrorSums(const PricedGrid& grid, std::size_t mixes)
    : triangle(mixes * (mixes + 1) / 2),
      shares(at(grid.heads) * triangle),
      sum(shares + mixes * at(grid.actions)),
      square(sum + mixes),
      balance(square + mixes),
      balance_each(balance_size(at(grid.actions), at(grid.features))),
      plain(balance + mixes * balance_each),
      log_balance(plain + 3 * mixes),
      total(log_balance + log_balance_size(at(grid.actions), at(grid.features))),
      partial(total + 1),
      size(partial + 1) {}

std::vector<double> error_sums(const ActionModels& models, std::span<const PricedGrid> grids,
                               std::span<const std::vector<BudgetMix>> mixes,
                               const OfflineRows& rows, std::int64_t first) {
  std::vector<ErrorSums> layouts;
  std::size_t size = 0;
  for (std::size_t g = 0; g < grids.size(); ++g) {
    size += layouts.emplace_back(grids[g], mixes[g].size()).size;
  }
  std::vector<double> out(size, 0.0);
  ScoredRows row(models, grids, rows);
  std::vector<ErrorWork> work(grids.size());
  for (std::size_t g = 0; g < grids.size(); ++g) {
    work[g].off.resize(kRowsTogether * row.heads * mixes[g].size());
    work[g].score.resize(row.heads);
    work[g].target.resize(at(rows.actions));
  }
  const auto each_class = [&](const auto& visit) {
    double* block = out.data();
    for (std::size_t g = 0; g < grids.size(); block += layouts[g].size, ++g) visit(g, block);
  };
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    if (!row.load(i, first + i)) continue;
    row.prepare();
    each_class([&](std::size_t g, double* block) {
      add_errors(grids[g], layouts[g], mixes[g], row, row.paths(g), work[g], block);
      if (work[g].filled == kRowsTogether) {
        add_products(layouts[g], row.heads, mixes[g].size(), work[g], block);
      }
    });
  }
  each_class([&](std::size_t g, double* block) {
    add_products(layouts[g], row.heads, mixes[g].size(), work[g], block);
  });
  return out;
}

void BudgetMix::save(ByteWriter& out) const {
  out.u64(possible ? 1 : 0);
  out.u64(binding ? 1 : 0);
  out.u64(parts.size());
  for (const auto& list : parts) {
    out.u64(list.size());
    for (const MixPart& part : list) {
      out.i64(part.held);
      out.i64(part.price);
      out.f64(part.share);
    }
  }
  save_numbers(out, values);
  save_numbers(out, cost_slope);
}

void BudgetMix::load(ByteReader& in) {
  possible = in.u64() != 0;
  binding = in.u64() != 0;
  parts.resize(at(in.between("lists", 0, 1000)));
  for (auto& list : parts) {
    list.resize(at(in.between("parts", 0, 1000)));
    for (MixPart& part : list) {
      part.held = static_cast<int>(in.between("held", 0, 1000));
      part.price = static_cast<int>(in.between("price", 0, 1000));
      part.share = in.f64();
    }
  }
  values = load_numbers(in);
  cost_slope = load_numbers(in);
}

}  // namespace rein
