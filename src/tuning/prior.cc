#include "tuning/prior.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/size.h"
#include "base/tuned.h"
#include "rein/bytes.h"

namespace rein {
namespace {

// A new expected cost changes an estimate by at most this factor: a reference near 0 would multiply errors.
constexpr double kMostFactor = 0x1p10;
constexpr double kFaint = -40.0;        // logarithm of a probability that counts as 0

double factor_of(double declared, double reference) {
  return std::clamp(declared / reference, 1.0 / kMostFactor, kMostFactor);
}

// Plays that a mean is over.
double level(double plays) { return std::min(plays, tuned::kMeanPlays); }

}  // namespace

double Prior::Cell::mean() const { return sum / level(plays); }

Prior::Prior(const Shape& shape, std::vector<double> units, const Costs& rates, Options options)
    : per_action_(shape.features == 0),
      reward_(shape.reward),
      units_(std::move(units)),
      told_(units_.size()),
      rates_(static_cast<int>(units_.size()) - 1),
      options_(std::move(options)),
      cells_(as_size(shape.actions) * units_.size()),
      pools_(units_.size()) {
  if (rates.size() == rates_.size()) rates_ = rates;
  for (const CostShape& cost : shape.costs) {
    fills_.push_back(options_.pooled && options_.features && !per_action_ && cost.range.low >= 0.0);
  }
  for (std::size_t h = 0; h < told_.size(); ++h) {
    told_[h].cost = static_cast<int>(h) - 1;
    if (shape.expected.empty()) continue;
    const ExpectedHead& head = shape.expected[h];
    told_[h] = {.cost = head.cost, .sign = head.sign, .zero = head.zero / units_[h]};
  }
}

double Prior::declared(const Round& round, int action, int head) const {
  const bool now = !round.expected_costs.empty();
  const auto row = as_size(now ? action : round.id(action));
  const Told& told = told_[as_size(head)];
  const std::size_t j = row * as_size(rates_.size()) + as_size(told.cost);
  const double cost = now ? round.expected_costs[j] : options_.declared[j];
  return told.sign * cost / units_[as_size(head)] + told.zero;
}

double Prior::pooled(int head) const {
  const Pool& pool = pools_[as_size(head)];
  if (head == 0) return pool.actions == 0.0 ? 0.0 : pool.means / pool.actions;
  const double rate = rates_[head - 1];
  const double mean = (rate + pool.means) / (1.0 + pool.actions);
  return pool.fit == 0.0 ? std::min(mean, rate) : mean;
}

double Prior::plays(int id, int head) const {
  const Cell& cell = cells_[at(id, head)];
  if (options_.memory == 0.0) return cell.plays;
  return cell.plays * exp((cell.last - rounds_) / options_.memory);
}

double Prior::share(int id, int head) const {
  return per_action_ ? 1.0 / (1.0 + plays(id, head)) : 0.0;
}

double Prior::guess(int id, int head) const {
  const Cell& cell = cells_[at(id, head)];
  const Pool& pool = pools_[as_size(head)];
  double others = pooled(head);
  if (cell.plays == 0.0) return others;
  const double plays = this->plays(id, head);
  const double mean = cell.mean();
  if (cell.zero) {
    const double faint = plays * log((pool.zeros + 1.0) / (pool.plays + 2.0));
    others = faint < kFaint ? 0.0 : others * exp(faint);
  } else if (head > 0 && mean <= rates_[head - 1]) {
    others = std::min(others, rates_[head - 1]);
  }
  return (plays * mean + others) / (1.0 + plays);
}

double Prior::lift(int id) const {
  return options_.pooled && per_action_ ? share(id, 0) * guess(id, 0) : 0.0;
}

double Prior::unknown(const Round& round, int cost, double width) const {
  if (!fills_[as_size(cost)] || is_declared(round, cost + 1)) return 0.0;
  const Pool& pool = pools_[as_size(cost + 1)];
  const double pooled = (rates_[cost] + pool.means) / (1.0 + pool.actions);
  return width / (1.0 + width) * pooled;
}

double Prior::corrected(const Round& round, int action, int cost, double mean) const {
  return estimate(round, action, cost + 1, mean);
}

double Prior::estimate(const Round& round, int action, int head, double mean) const {
  const int id = round.id(action);
  const double missing = share(id, head);
  if (!is_declared(round, head)) {
    return options_.pooled && missing > 0.0 ? std::fma(missing, guess(id, head), mean) : mean;
  }
  const Cell& cell = cells_[at(id, head)];
  const double reference = cell.declared ? cell.reference : declared(round, action, head);
  const double plays = this->plays(id, head);
  const double weight = options_.weight;
  const double sum = std::fma(plays, std::fma(missing, reference, mean), weight * reference);
  return from_learned(round, action, head, sum / (plays + weight));
}

// The inverse of estimate(). For an action that was not played, or at an end of the range, it is not
// known: the widest.
double Prior::moved_reward(const Round& round, int action, double mean) const {
  constexpr double kWidest = 2.0;
  const int id = round.id(action);
  const double plays = this->plays(id, 0), weight = options_.weight;
  const bool clipped = !(mean * units_[0] > reward_.low && mean * units_[0] < reward_.high);
  if (clipped || !(plays > 0.0)) return kWidest;
  const Cell& cell = cells_[at(id, 0)];
  const double reference = cell.declared ? cell.reference : declared(round, action, 0);
  const double played = learned(round, action, 0, mean);
  const double plain =
      (played * (plays + weight) - weight * reference) / plays - share(id, 0) * reference;
  return std::min(std::abs(played - plain), kWidest);
}

double Prior::mean_told(const Round& round, int action, int head) const {
  const Cell& cell = cells_[at(round.id(action), head)];
  const double reference = cell.declared ? cell.reference : declared(round, action, head);
  const double plays = level(cell.plays);
  const double sum = cell.plays > 0.0 ? plays * cell.mean() : 0.0;
  return (sum + options_.weight * reference) / (plays + options_.weight);
}

double Prior::without_regression(const Round& round, int action, int cost) const {
  return from_learned(round, action, cost + 1, mean_told(round, action, cost + 1));
}

double Prior::least(const Round& round, int cost) const {
  double least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < round.actions; ++a) {
    const Cell& cell = cells_[at(round.id(a), cost + 1)];
    double known = cell.plays > 0.0 ? cell.mean() : least;
    if (is_declared(round, cost + 1)) known = mean_told(round, a, cost + 1);
    if (known < least) least = from_learned(round, a, cost + 1, known);
  }
  return least;
}

Costs Prior::least_declared() const {
  if (options_.declared.empty()) return {};
  Costs least(rates_.size());
  for (std::size_t j = 0; j < options_.declared.size(); ++j) {
    const auto i = static_cast<int>(j % as_size(least.size()));
    const double cost = options_.declared[j] / units_[as_size(i + 1)];
    if (j < as_size(least.size()) || cost < least[i]) least[i] = cost;
  }
  return least;
}

void Prior::apply(const Round& round, Estimates& estimates) const {
  if (!options_.pooled && !is_declared(round)) return;
  const std::span<double> reward = estimates.mean(0);
  const bool told = declares_reward(round);
  for (int a = 0; a < round.actions; ++a) {
    const double mean = told ? units_[0] * estimate(round, a, 0, reward[a] / units_[0])
                             : std::fma(units_[0], lift(round.id(a)), reward[a]);
    reward[a] = std::clamp(mean, reward_.low, reward_.high);
  }
  for (int i = 0; i < rates_.size(); ++i) {
    const double unit = units_[as_size(i + 1)];
    const std::span<double> mean = estimates.mean(i + 1);
    const std::span<const double> width = estimates.width(i + 1);
    for (int a = 0; a < round.actions; ++a) {
      mean[a] = unit * (corrected(round, a, i, mean[a] / unit) + unknown(round, i, width[a]));
    }
  }
}

double Prior::to_learn(const Round& round, int action, int cost, double outcome) const {
  return learned(round, action, cost + 1, outcome);
}

double Prior::to_learn_reward(const Round& round, int action, double outcome) const {
  return learned(round, action, 0, outcome);
}

double Prior::learned(const Round& round, int action, int head, double outcome) const {
  const Cell& cell = cells_[at(round.id(action), head)];
  if (!cell.declared || !is_declared(round, head)) return outcome;
  const double now = declared(round, action, head);
  const Told& told = told_[as_size(head)];
  if (told.sign * (cell.reference - told.zero) <= 0.0) return outcome - (now - cell.reference);
  return told.zero + (outcome - told.zero) / factor_of(now - told.zero, cell.reference - told.zero);
}

double Prior::from_learned(const Round& round, int action, int head, double estimate) const {
  const Cell& cell = cells_[at(round.id(action), head)];
  if (!cell.declared || !is_declared(round, head)) return estimate;
  const double now = declared(round, action, head);
  const Told& told = told_[as_size(head)];
  if (told.sign * (cell.reference - told.zero) <= 0.0) return estimate + (now - cell.reference);
  return told.zero +
         (estimate - told.zero) * factor_of(now - told.zero, cell.reference - told.zero);
}

void Prior::add(int id, int head, double outcome) {
  Cell& cell = cells_[at(id, head)];
  Pool& pool = pools_[as_size(head)];
  if (options_.memory > 0.0 && cell.plays > 0.0) {
    const double mean = cell.mean();
    cell.plays = this->plays(id, head);
    cell.sum = mean * level(cell.plays);
  }
  const double plays = cell.plays;
  const double before = plays == 0.0 ? 0.0 : cell.mean();
  const double mean = (cell.sum + outcome) / (level(plays) + 1.0);
  cell.plays = plays + 1.0;
  cell.sum = mean * level(cell.plays);
  if (head > 0) {
    const double rate = rates_[head - 1];
    if (plays > 0.0 && before <= rate) pool.fit -= 1.0;
    if (mean <= rate) pool.fit += 1.0;
  }
  if (!cell.zero) {
    pool.means += mean - before;
    pool.plays += 1.0;
    pool.zeros += outcome == 0.0 ? 1.0 : 0.0;
  } else if (outcome != 0.0) {  // joins the pool, with the zeros that it gave before
    cell.zero = false;
    pool.actions += 1.0;
    pool.means += mean;
    pool.plays += plays + 1.0;
    pool.zeros += plays;
  }
}

void Prior::take(const Round& round, int action, int head, double outcome) {
  const int id = round.id(action);
  Cell& cell = cells_[at(id, head)];
  if (!cell.declared && is_declared(round, head)) {
    cell.reference = declared(round, action, head);
    cell.declared = true;
  }
  add(id, head, learned(round, action, head, outcome));
}

void Prior::learn(const Round& round, int action, double reward, const Costs& costs) {
  const int id = round.id(action);
  double came = 0.0;
  if (!std::isnan(reward)) {
    take(round, action, 0, reward);
    came += 1.0;
  }
  for (int i = 0; i < costs.size(); ++i) {
    if (std::isnan(costs[i])) continue;
    take(round, action, i + 1, costs[i]);
    came += 1.0;
  }
  rounds_ += came / static_cast<double>(units_.size());
  if (!std::isnan(reward)) cells_[at(id, 0)].last = rounds_;
  for (int i = 0; i < costs.size(); ++i) {
    if (!std::isnan(costs[i])) cells_[at(id, i + 1)].last = rounds_;
  }
}

void Prior::set_rates(const Costs& rates) {
  rates_ = rates;
  for (int i = 0; i < rates_.size(); ++i) {
    Pool& pool = pools_[as_size(i + 1)];
    pool.fit = 0.0;
    for (std::size_t j = as_size(i + 1); j < cells_.size(); j += units_.size()) {
      const Cell& cell = cells_[j];
      if (cell.plays > 0.0 && cell.mean() <= rates_[i]) pool.fit += 1.0;
    }
  }
}

void Prior::save(ByteWriter& out) const {
  out.tag("prior");
  if (options_.paced) out.parts(rates_);
  out.parts(rounds_);
  for (const Cell& cell : cells_) {
    out.parts(cell.sum, cell.plays, cell.last, cell.reference);
    out.i64((cell.zero ? 1 : 0) + (cell.declared ? 2 : 0));
  }
  for (const Pool& p : pools_) out.parts(p.means, p.actions, p.zeros, p.plays, p.fit);
}

void Prior::load(ByteReader& in) {
  in.tag("prior");
  if (options_.paced) in.parts(rates_);
  in.parts(rounds_);
  const auto actions = static_cast<int>(cells_.size() / units_.size());
  for (Cell& cell : in.saved(cells_, actions)) {
    in.parts(cell.sum, cell.plays, cell.last, cell.reference);
    const std::int64_t flags = in.i64();
    if (flags < 0 || flags > 3) in.fail("prior: a saved action is invalid");
    cell.zero = (flags & 1) != 0;
    cell.declared = (flags & 2) != 0;
  }
  in.put_back();
  for (Pool& p : pools_) in.parts(p.means, p.actions, p.zeros, p.plays, p.fit);
}

}  // namespace rein
