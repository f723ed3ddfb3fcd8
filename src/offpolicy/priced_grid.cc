#include "offpolicy/priced_grid.h"

#include <algorithm>
#include <utility>

#include "offpolicy/at.h"
#include "offpolicy/numbers.h"

namespace rein {
namespace {

constexpr std::int64_t kGridRows = 5000;  // rows that the grids are made from
constexpr int kPrices = 256;
constexpr int kPricesHeld = 64;  // with a held price there is a grid of both
constexpr int kHeld = 24;

// A grid from 0 over the quantiles of these prices, with room above the largest.
std::vector<double> grid_of(std::vector<double> breaks, int size) {
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  std::vector<double> grid{0.0};
  if (breaks.empty()) return grid;
  const std::int64_t count = static_cast<std::int64_t>(breaks.size());
  const std::int64_t inner = std::min<std::int64_t>(count, size - 4);
  for (std::int64_t i = 0; i < inner; ++i) {
    const double price = breaks[at(inner == 1 ? 0 : i * (count - 1) / (inner - 1))];
    if (price > grid.back()) grid.push_back(price);
  }
  for (const double factor : {2.0, 4.0, 16.0}) grid.push_back(grid.back() * factor);
  return grid;
}

// Rewards, costs and allowed actions at one held price.
void fill(const PricedGrid& grid, const double* source, const std::uint8_t* offered, double held,
          PathWork& work) {
  const std::size_t heads = at(grid.heads);
  const ClassOptions& options = grid.options;
  work.reward.resize(at(grid.actions));
  work.cost.resize(at(grid.actions));
  work.allowed.resize(at(grid.actions));
  double factor = 0.0;
  std::size_t limited = 0;
  if (grid.limited()) {
    limited = at(options.limits[0].head);
    factor = options.limits[0].at_least ? held : -held;
  }
  bool any = false;
  for (std::size_t a = 0; a < work.reward.size(); ++a) {
    work.reward[a] = source[a * heads];
    if (factor != 0.0) work.reward[a] += factor * source[a * heads + limited];
    work.cost[a] = source[a * heads + at(options.cost)];
    const bool here = offered == nullptr || offered[a] != 0;
    work.allowed[a] = here && options.usable[a] != 0 ? 1 : 0;
    any = any || work.allowed[a] != 0;
  }
  if (any) return;
  // No usable action was offered: any offered one may be played.
  for (std::size_t a = 0; a < work.reward.size(); ++a) {
    work.allowed[a] = offered == nullptr || offered[a] != 0 ? 1 : 0;
  }
}

// Calls visit(source, work) for the rows of the sample, at one held price.
template <class Visit>
void each_row(const GridSample& sample, const ActionModels& models, const PricedGrid& grid,
              double held, const Visit& visit) {
  const std::size_t features = at(models.frame().features);
  const std::size_t width = sample_width(models.frame().features, grid.actions);
  std::vector<double> predicted(at(grid.actions) * at(grid.heads));
  std::vector<std::uint8_t> offered(at(grid.actions));
  PathWork work;
  for (std::size_t i = 0; i * width < sample.numbers.size(); ++i) {
    const int fold = models.fold_of(static_cast<std::int64_t>(i) * sample.step);
    if (!models.trained(fold)) continue;
    const double* row = sample.numbers.data() + i * width;
    for (std::size_t a = 0; a < offered.size(); ++a) offered[a] = row[features + a] != 0.0 ? 1 : 0;
    models.predict(fold, row, predicted.data());
    const double* source = grid.source(fold, predicted.data());
    fill(grid, source, offered.data(), held, work);
    visit(source, work);
  }
}

// Held prices at which the action changes. REQUIRES a limit.
void held_breaks(const PricedGrid& grid, const double* source, PathWork& work,
                 std::vector<double>& out) {
  const HeadLimit& limit = grid.options.limits[0];
  for (std::size_t a = 0; a < work.cost.size(); ++a) {
    const double value = source[a * at(grid.heads) + at(limit.head)];
    work.cost[a] = limit.at_least ? -value : value;
  }
  price_breaks({work.reward, work.cost, work.allowed}, out);
}

// A fixed mix changes at few prices, all rows at once. If the action of the largest reward keeps the
// limit, held prices matter only above a price at which the action changes.
void mix_breaks(const PricedGrid& grid, std::vector<double>& out) {
  const std::size_t lanes = at(grid.actions) * at(grid.heads);
  PathWork work;
  for (std::size_t first = 0; first < grid.constants.size(); first += lanes) {
    const double* source = grid.constants.data() + first;
    fill(grid, source, nullptr, 0.0, work);
    std::vector<double> prices;
    price_breaks({work.reward, work.cost, work.allowed}, prices);
    for (const double price : prices) {
      for (const double factor : {1.0, 2.0, 4.0, 16.0}) {
        fill(grid, source, nullptr, 0.0, work);
        for (std::size_t a = 0; a < work.reward.size(); ++a) {
          work.reward[a] -= factor * price * work.cost[a];
        }
        held_breaks(grid, source, work, out);
      }
    }
  }
}

std::vector<double> held_prices(const GridSample& sample, const ActionModels& models,
                                const PricedGrid& grid) {
  std::vector<double> breaks;
  each_row(sample, models, grid, 0.0,
           [&](const double* source, PathWork& work) { held_breaks(grid, source, work, breaks); });
  if (grid.options.constant) mix_breaks(grid, breaks);
  return grid_of(std::move(breaks), kHeld);
}

// All folds decide alike, by the mean of what they know. A mix of few actions hardly fits noise. Chosen by
// each fold for itself, it would be worse on the fold's own rows than it is: where two actions earn about
// the same, the one that looks better in all other rows looks worse in these.
void choose_together(std::vector<double>& constants, std::size_t lanes) {
  const std::size_t folds = constants.size() / lanes;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    double sum = 0.0;
    for (std::size_t fold = 0; fold < folds; ++fold) sum += constants[fold * lanes + lane];
    for (std::size_t fold = 0; fold < folds; ++fold)
      constants[fold * lanes + lane] = sum / static_cast<double>(folds);
  }
}

}  // namespace

std::int64_t sample_step(std::int64_t rows) { return std::max<std::int64_t>(1, rows / kGridRows); }

void add_sample(const OfflineRows& rows, std::int64_t first, std::int64_t step,
                std::vector<double>& out) {
  for (std::int64_t row = (step - first % step) % step; row < rows.rows; row += step) {
    const double* x = rows.context.data() + row * rows.features;
    out.insert(out.end(), x, x + rows.features);
    for (int a = 0; a < rows.actions; ++a) {
      const bool here = rows.offered.empty() || rows.offered[at(row * rows.actions + a)] != 0;
      out.push_back(here ? 1.0 : 0.0);
    }
    out.push_back(rows.played[at(row)]);
    out.push_back(rows.propensity[at(row)]);
    out.push_back(rows.complete(row) ? rows.weight(row) : 0.0);
  }
}

void PricedGrid::paths(int fold, const double* predicted, const std::uint8_t* offered,
                       PathWork& work, std::vector<std::vector<PathStep>>& out) const {
  out.resize(held.size());
  for (std::size_t l = 0; l < held.size(); ++l) {
    fill(*this, source(fold, predicted), offered, held[l], work);
    price_path({work.reward, work.cost, work.allowed}, prices, out[l]);
  }
}

PricedGrid make_grid(const GridSample& sample, const ActionModels& models, ClassOptions options) {
  const FitFrame& frame = models.frame();
  PricedGrid grid{.actions = frame.actions,
                  .heads = frame.heads,
                  .features = frame.features,
                  .options = std::move(options),
                  .held = {0.0}};
  if (grid.options.constant) {
    const std::size_t lanes = at(frame.lanes());
    grid.constants.resize(at(models.folds()) * lanes);
    for (int fold = 0; fold < models.folds(); ++fold) {
      models.predict(fold, models.mean_context(fold), grid.constants.data() + at(fold) * lanes);
    }
    if (!frame.forward) choose_together(grid.constants, lanes);
  }
  if (grid.limited()) grid.held = held_prices(sample, models, grid);
  std::vector<double> breaks;
  const std::size_t levels = grid.held.size();
  for (const std::size_t l : {std::size_t{0}, levels / 2, levels - 1}) {
    each_row(sample, models, grid, grid.held[l], [&](const double*, const PathWork& work) {
      price_breaks({work.reward, work.cost, work.allowed}, breaks);
    });
    if (levels == 1) break;
  }
  grid.prices = grid_of(std::move(breaks), levels == 1 ? kPrices : kPricesHeld);
  return grid;
}

void PricedGrid::save(ByteWriter& out) const {
  out.i64(actions);
  out.i64(heads);
  out.i64(features);
  out.i64(options.cost);
  out.u64(options.limits.size());
  for (const HeadLimit& limit : options.limits) {
    out.i64(limit.head);
    out.f64(limit.amount);
    out.u64(limit.at_least ? 1 : 0);
  }
  out.u64(options.constant ? 1 : 0);
  out.text({reinterpret_cast<const char*>(options.usable.data()), options.usable.size()});
  for (const auto* numbers : {&constants, &prices, &held}) save_numbers(out, *numbers);
}

void PricedGrid::load(ByteReader& in) {
  actions = static_cast<int>(in.between("actions", 1, kMaxModelDoubles));
  heads = static_cast<int>(in.between("heads", 1, kMaxModelDoubles));
  features = static_cast<int>(in.between("features", 0, kMaxModelDoubles));
  options.cost = static_cast<int>(in.between("cost", 1, heads));
  options.limits.resize(at(in.between("limits", 0, kMaxOfflineLimits)));
  for (HeadLimit& limit : options.limits) {
    limit.head = static_cast<int>(in.between("head", 1, heads));
    limit.amount = in.f64();
    limit.at_least = in.u64() != 0;
  }
  options.constant = in.u64() != 0;
  const std::string usable = in.text();
  options.usable.assign(usable.begin(), usable.end());
  for (auto* numbers : {&constants, &prices, &held}) *numbers = load_numbers(in);
}

}  // namespace rein
