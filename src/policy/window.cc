#include "policy/window.h"

#include <algorithm>

#include "base/kernels.h"
#include "base/math.h"
#include "base/size.h"
#include "rein/bytes.h"

namespace rein {
namespace {

constexpr int kMaxWindowDoubles = 1 << 20;
constexpr double kAbsent = -1e30;

int fitting_rounds(int actions, int costs, int most_rounds) {
  const int fits = kMaxWindowDoubles / (actions * (costs + 1) + 1);
  return std::clamp(fits / kLanes * kLanes, kLanes, round_up_to_lanes(most_rounds));
}

}  // namespace

DecisionWindow::DecisionWindow(int actions, int costs, int most_rounds, const Gain& gain,
                               const Explorer& explorer, const Floor& floor, const Shares& shares)
    : actions_(actions),
      costs_(costs),
      most_rounds_(most_rounds),
      size_(fitting_rounds(actions, costs, most_rounds)),
      gain_(gain),
      explorer_(explorer),
      floor_(floor),
      shares_(shares),
      reward_(as_size(actions) * as_size(size_)),
      cost_(as_size(actions) * as_size(size_) * as_size(costs)),
      least_(as_size(size_) * as_size(costs)),
      spread_(least_.size()),
      reward_spread_(as_size(size_)),
      forced_(floor.active() ? least_.size() : 0),
      shared_(shares.active() ? least_.size() : 0),
      kept_(shares.active() ? as_size(size_) : 0),
      rooms_(shares.capped() ? reward_.size() : 0),
      work_(as_size(actions) * kLanes) {}

void DecisionWindow::add(const Estimates& estimates, std::span<const double> units,
                         const Optimism* optimism, const Round* round, int limit) {
  const int offered = estimates.actions();
  for (int a = 0; a < actions_; ++a) {
    reward(a)[at_] = a < offered ? estimates.mean(0)[a] / units[0] : kAbsent;
  }
  if (optimism != nullptr && optimism->active()) {
    for (int a = 0; a < offered; ++a) reward(a)[at_] += optimism->bonus(estimates.width()[a]);
  }
  for (int i = 0; i < costs_; ++i) {
    double least = 1e300, most = -1e300;
    for (int a = 0; a < actions_; ++a) {
      const double g = a < offered ? estimates.mean(i + 1)[a] / units[i + 1] : 0.0;
      cost(i, a)[at_] = g;
      if (a < offered) least = std::min(least, g);
      if (a < offered) most = std::max(most, g);
    }
    least_[as_size(i * size_ + at_)] = least;
    spread_[as_size(i * size_ + at_)] = most - least;
    if (floor_.active()) {
      forced_[as_size(i * size_ + at_)] = floor_.mean_cost(estimates, units, i);
    }
  }
  reward_spread_[as_size(at_)] = reward_spread_of(at_);
  if (round != nullptr && shares_.active()) add_shares(estimates, units, *round);
  used_ = std::max(used_, ++at_);
  if (at_ >= std::min(size_, limit)) at_ = 0;
}

void DecisionWindow::fix_gamma(const Books& books, const Prices& prices) {
  // Gains speak of scores divided by exp(log_scale); here they are not.
  const double scale = prices.log_scale == 0.0 ? 1.0 : exp(prices.log_scale);
  gamma_ = gain_.gamma(books, prices, actions_) / scale;
}

void DecisionWindow::spend(const Costs& prices, Costs& spend, std::span<double> slopes) {
  spend = Costs(costs_);
  kernels().window_spend(reward_.data(), cost_.data(), actions_, size_, costs_, prices.begin(),
                         2.0 * gamma_, work_.data(), spend.begin(), slopes.data());
  const double share = 1.0 / used_;
  for (double& x : spend) x *= share;
  // Slopes stay those of inverse gap weighting: other explorers may jump.
  if (shares_.capped() || !explorer_.weighs_gaps()) spend = spend_by_rounds(prices);
  double chosen = share;  // by the price: slopes are those without most shares, so never too small
  if (floor_.active()) {
    spend = with_floor(spend);
    chosen *= 1.0 - floor_.share();
  }
  if (shares_.active()) {
    spend = with_shares(spend);
    chosen *= kept();
  }
  for (int i = 0; i < costs_ * costs_; ++i) slopes[as_size(i)] *= chosen;
}

Costs DecisionWindow::least() const {
  const Costs chosen = floor_.active() ? with_floor(mean_of(least_)) : mean_of(least_);
  return shares_.active() ? with_shares(chosen) : chosen;
}

double DecisionWindow::reward_spread_of(int round) const {
  double least = 1e300, most = kAbsent;
  for (int a = 0; a < actions_; ++a) {
    const double reward = reward_[as_size(a * size_ + round)];
    if (reward == kAbsent) continue;
    least = std::min(least, reward);
    most = std::max(most, reward);
  }
  return std::max(most - least, 0.0);
}

void DecisionWindow::find_reward_spreads() {
  for (int r = 0; r < used_; ++r) reward_spread_[as_size(r)] = reward_spread_of(r);
}

double DecisionWindow::reward_spread() const {
  double sum = 0.0;
  for (int r = 0; r < used_; ++r) sum += reward_spread_[as_size(r)];
  return sum / std::max(used_, 1);
}

// What is paid where a share of the choices is the floor's.
Costs DecisionWindow::with_floor(Costs paid) const {
  const Costs forced = mean_of(forced_);
  for (int i = 0; i < costs_; ++i) {
    paid[i] = (1.0 - floor_.share()) * paid[i] + floor_.share() * forced[i];
  }
  return paid;
}

Costs DecisionWindow::mean_of(const std::vector<double>& numbers) const {
  Costs mean(costs_);
  for (int i = 0; i < costs_; ++i) {
    for (int r = 0; r < used_; ++r) mean[i] += numbers[as_size(i * size_ + r)];
    mean[i] /= std::max(used_, 1);
  }
  return mean;
}

void DecisionWindow::save(ByteWriter& out) const {
  out.tag("window");
  out.i64(used_);
  out.i64(at_);
  out.parts(reward_, cost_, least_, spread_);
  if (floor_.active()) out.parts(forced_);
  if (shares_.active()) out.parts(shared_, kept_, rooms_);
}

void DecisionWindow::load(ByteReader& in) {
  if (!in.grows()) return read(in);
  DecisionWindow fewer(in.saved(actions_), costs_, most_rounds_, gain_, explorer_, floor_, shares_);
  fewer.read(in);
  take(fewer);
}

void DecisionWindow::take(const DecisionWindow& fewer) {
  if (fewer.size_ != size_) return;  // so many actions that a window holds fewer rounds: a new one
  used_ = fewer.used_;
  at_ = fewer.at_;
  std::ranges::copy(fewer.reward_, reward_.begin());
  for (int a = fewer.actions_; a < actions_; ++a) std::fill_n(reward(a), used_, kAbsent);
  const auto block = fewer.reward_.size();
  for (int i = 0; i < costs_; ++i) {
    std::copy_n(fewer.cost_.data() + as_size(i) * block, block, cost(i, 0));
  }
  std::ranges::copy(fewer.rooms_, rooms_.begin());
  least_ = fewer.least_;
  spread_ = fewer.spread_;
  forced_ = fewer.forced_;
  shared_ = fewer.shared_;
  kept_ = fewer.kept_;
  find_reward_spreads();
}

void DecisionWindow::read(ByteReader& in) {
  in.tag("window");
  used_ = static_cast<int>(in.between("rounds in the window", 0, size_));
  at_ = static_cast<int>(in.between("place in the window", 0, size_ - 1));
  in.parts(reward_, cost_, least_, spread_);
  if (floor_.active()) in.parts(forced_);
  if (shares_.active()) in.parts(shared_, kept_, rooms_);
  if (in.ok()) find_reward_spreads();
}

}  // namespace rein
