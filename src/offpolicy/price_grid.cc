#include "offpolicy/price_grid.h"

#include <algorithm>
#include <utility>

#include "offpolicy/dense.h"

namespace rein {
namespace {

// Rows that the grids are made from, evenly spread over the log.
constexpr std::int64_t kGridRows = 5000;
// Prices of a grid. With a held price there is a grid of both, and 64 x 24 places cost as much as six
// plain grids.
constexpr int kPrices = 256;
constexpr int kPricesHeld = 64;
constexpr int kHeldPrices = 24;

int first_action(const PathInput& input) {
  int best = -1;
  for (std::size_t a = 0; a < input.reward.size(); ++a) {
    if (input.allowed[a] == 0) continue;
    const std::size_t b = static_cast<std::size_t>(best);
    if (best < 0 || input.reward[a] > input.reward[b] ||
        (input.reward[a] == input.reward[b] && input.cost[a] < input.cost[b])) {
      best = static_cast<int>(a);
    }
  }
  return best;
}

// The next action on the hull, or -1; sets the price at which it takes over.
int next_action(const PathInput& input, int current, double& price) {
  const std::size_t now = static_cast<std::size_t>(current);
  int best = -1;
  for (std::size_t a = 0; a < input.reward.size(); ++a) {
    if (input.allowed[a] == 0 || !(input.cost[a] < input.cost[now])) continue;
    const double at = (input.reward[now] - input.reward[a]) / (input.cost[now] - input.cost[a]);
    if (best < 0 || at < price ||
        (at == price && input.cost[a] < input.cost[static_cast<std::size_t>(best)])) {
      best = static_cast<int>(a);
      price = at;
    }
  }
  return best;
}

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
void visit_sample(const RowSample& sample, const ActionModels& models, const PricedGrid& grid,
                  double held, const Visit& visit) {
  const OfflineRows rows = sample.rows.view();
  std::vector<double> predicted(at(grid.actions) * at(grid.heads));
  PathWork work;
  for (std::int64_t row = 0; row < rows.rows; ++row) {
    const int fold = models.fold_of(row * sample.step);
    if (!models.trained(fold)) continue;
    models.predict(fold, context_of(rows, row), predicted.data());
    const double* source = grid.source(fold, predicted.data());
    fill(grid, source, offered_of(rows, row), held, work);
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

std::vector<double> held_prices(const RowSample& sample, const ActionModels& models,
                                const PricedGrid& grid) {
  std::vector<double> breaks;
  visit_sample(sample, models, grid, 0.0,
           [&](const double* source, PathWork& work) { held_breaks(grid, source, work, breaks); });
  if (grid.options.constant) mix_breaks(grid, breaks);
  return grid_of(std::move(breaks), kHeldPrices);
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

void price_path(const PathInput& input, std::span<const double> grid, std::vector<PathStep>& out) {
  out.clear();
  int action = first_action(input);
  out.push_back({action, 0});
  double price = 0.0;
  for (action = next_action(input, action, price); action >= 0;
       action = next_action(input, action, price)) {
    const int from = static_cast<int>(
        std::lower_bound(grid.begin() + out.back().from, grid.end(), price) - grid.begin());
    if (from >= static_cast<int>(grid.size())) return;
    if (from == out.back().from) {
      out.back().action = action;
    } else {
      out.push_back({action, from});
    }
  }
}

void price_breaks(const PathInput& input, std::vector<double>& out) {
  double price = 0.0;
  int action = first_action(input);
  for (action = next_action(input, action, price); action >= 0;
       action = next_action(input, action, price)) {
    out.push_back(price);
  }
}

bool ClassOptions::same_policies(const ClassOptions& other) const {
  const auto same_head = [](const HeadLimit& a, const HeadLimit& b) {
    return a.head == b.head && a.at_least == b.at_least;
  };
  return cost == other.cost && constant == other.constant && usable == other.usable &&
         std::ranges::equal(limits, other.limits, same_head);
}

RowSample RowSample::of(std::int64_t rows, int actions, int features) {
  return {.step = std::max<std::int64_t>(1, rows / kGridRows),
          .rows = {.actions = actions, .features = features}};
}

void RowSample::add(const OfflineRows& log_part, std::int64_t first) {
  for (std::int64_t row = (step - first % step) % step; row < log_part.rows; row += step) {
    const double* x = context_of(log_part, row);
    rows.context.insert(rows.context.end(), x, x + log_part.features);
    for (int a = 0; a < log_part.actions; ++a)
      rows.offered.push_back(offers(log_part, row, a) ? 1 : 0);
    rows.played.push_back(log_part.played[at(row)]);
    rows.propensity.push_back(log_part.propensity[at(row)]);
    rows.weights.push_back(log_part.complete(row) ? log_part.weight(row) : 0.0);
  }
}

void RowSample::save(std::vector<double>& out) const {
  const OfflineRows all = rows.view();
  for (std::int64_t row = 0; row < all.rows; ++row) {
    const double* x = context_of(all, row);
    const std::uint8_t* offered = offered_of(all, row);
    out.insert(out.end(), x, x + all.features);
    out.insert(out.end(), offered, offered + all.actions);
    out.insert(out.end(), {static_cast<double>(all.played[at(row)]), all.propensity[at(row)],
                           all.weights[at(row)]});
  }
}

bool RowSample::load(std::span<const double> numbers) {
  if (numbers.size() % width() != 0) return false;
  for (; !numbers.empty(); numbers = numbers.subspan(width())) {
    const auto offered = numbers.begin() + rows.features;
    rows.context.insert(rows.context.end(), numbers.begin(), offered);
    for (int a = 0; a < rows.actions; ++a) rows.offered.push_back(offered[a] != 0.0 ? 1 : 0);
    const double played = offered[rows.actions];
    if (!(played >= 0.0 && played < rows.actions)) return false;
    rows.played.push_back(static_cast<std::int32_t>(played));
    rows.propensity.push_back(offered[rows.actions + 1]);
    rows.weights.push_back(offered[rows.actions + 2]);
  }
  return true;
}

void PricedGrid::paths(int fold, const double* predicted, const std::uint8_t* offered,
                       PathWork& work, std::vector<std::vector<PathStep>>& out) const {
  out.resize(held.size());
  for (std::size_t l = 0; l < held.size(); ++l) {
    fill(*this, source(fold, predicted), offered, held[l], work);
    price_path({work.reward, work.cost, work.allowed}, prices, out[l]);
  }
}

PricedGrid make_grid(const RowSample& sample, const ActionModels& models, ClassOptions options) {
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
    visit_sample(sample, models, grid, grid.held[l], [&](const double*, const PathWork& work) {
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
