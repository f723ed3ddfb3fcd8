#include "price/predicted.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/math.h"
#include "base/spec_reader.h"
#include "base/tuned.h"
#include "rein/bytes.h"

namespace rein {
namespace {

// Largest price of one spread of costs, in noises of the reward: what cannot be met has no price.
constexpr double kMost = 1e6;
constexpr double kTiny = 1e-100;  // lower limit of every scale and spread

// No cost exceeds 1 in units, so a pace of 1 allows all.
bool limits(double pace) { return pace < 1.0; }

using Slopes = std::array<double, kMaxCosts * kMaxCosts>;

}  // namespace

Result<std::unique_ptr<Pricer>> PredictedPrice::make(const Spec& spec, const Terms& terms) {
  SpecReader read(spec, "pricer spec");
  const bool is_signed = read.flag("signed", !is_nonnegative(terms.setting));
  const double payback = read.number("payback", tuned::kPaybackLeast, {.above = 0.0});
  const double reserve = read.number("reserve", 0.0, {.low = 0.0});
  const bool limited = read.flag("limited", true);
  if (auto done = read.finish(); !done) return done.failure();
  return std::unique_ptr<Pricer>(new PredictedPrice(terms, is_signed, payback, reserve, limited));
}

PredictedPrice::PredictedPrice(const Terms& terms, bool signed_costs, double payback,
                               double reserve, bool limited)
    : terms_(terms),
      signed_(signed_costs),
      payback_(payback),
      reserve_(reserve),
      limited_(limited),
      caps_(terms.costs),
      queues_(terms.costs),
      swings_(terms.costs),
      mu_(terms.costs),
      seen_(terms.costs) {
  if (terms_.rates.empty()) terms_.rates = Costs(terms.costs);
  if (!terms_.paced) return;
  paid_ = planned_ = Costs(terms.costs);
  curves_.resize(static_cast<std::size_t>(terms.costs));
}

double PredictedPrice::scale(int i) const {
  const double largest = std::max(seen_[i], std::abs(terms_.rates[i]));
  return largest == 0.0 ? 1.0 : std::max(largest, kTiny);
}

// `plain` as Prices. The size of a price is the reward that it charges for one scale of its cost.
Prices PredictedPrice::scaled(const Costs& plain) const {
  Prices out{.scaled = plain};
  double largest = 1.0;
  for (int i = 0; i < plain.size(); ++i) largest = std::max(largest, plain[i] * scale(i));
  if (largest == 1.0) return out;
  out.log_scale = log(largest);
  for (double& price : out.scaled) price /= largest;
  return out;
}

void PredictedPrice::price(const Books& books, Prices& out) const {
  if (terms_.paced) {
    Costs plain(queues_.size());
    for (int i = 0; i < plain.size(); ++i) {
      if (!limits(books.paces[i])) continue;
      plain[i] = curves_[static_cast<std::size_t>(i)].at(books.paces[i]);
    }
    out = scaled(plain);
    return;
  }
  const double t = static_cast<double>(std::max<std::int64_t>(books.decided(), 1));
  const double v = terms_.v_scale * std::sqrt(terms_.actions * t * books.u);
  const double least = std::min(least_noise_, books.noise);
  Costs plain = mu_;
  for (int i = 0; i < plain.size(); ++i) {
    const double s = scale(i);
    // Open decisions hold money, and each of them has a budget for its round.
    const double open = books.held(i) - terms_.rates[i] * books.waiting();
    plain[i] += 2.0 * least * std::max(queues_[i] + open, 0.0) / (v * s * s);
  }
  out = scaled(plain);
}

void PredictedPrice::learn(const Books& books, const Paid& paid) {
  least_noise_ = std::min(least_noise_, books.noise);
  for (int i = 0; i < queues_.size(); ++i) {
    queues_[i] += paid.queued[i];
    const auto rounds = static_cast<double>(std::max<std::int64_t>(books.rounds, 1));
    swings_[i] += (queues_[i] * queues_[i] - swings_[i]) / rounds;
    const double rate = !paid.first ? 0.0 : terms_.paced ? books.paces[i] : terms_.rates[i];
    const double cost = paid.queued[i] + rate;
    seen_[i] = std::max(seen_[i], std::abs(cost));
    if (terms_.paced) follow(books, i, cost, paid.first);
  }
}

// Averages what was paid and what the paces had planned, over about the last kPacedMemory rounds whose
// pace limits the spend. A cost that comes after its round was planned with that round, so it is added to
// what was paid only.
void PredictedPrice::follow(const Books& books, int i, double cost, bool first) {
  const double weight = 1.0 / std::min(static_cast<double>(books.rounds), tuned::kLongMemory);
  if (!first) {
    paid_[i] += weight * cost;
    return;
  }
  const double pace = books.paces[i];
  if (!limits(pace) || pace >= curves_[static_cast<std::size_t>(i)].free_from()) return;
  paid_[i] += weight * (cost - paid_[i]);
  planned_[i] += weight * (pace - planned_[i]);
}

bool PredictedPrice::is_scarce() const {
  if (terms_.rounds == 0 || signed_ || terms_.paced) return false;
  for (int i = 0; i < seen_.size(); ++i) {
    const double budget = terms_.rates[i] * static_cast<double>(terms_.rounds);
    if (seen_[i] > tuned::kScarceShare * budget) return true;
  }
  return false;
}

bool PredictedPrice::is_due(std::int64_t rounds) const {
  std::int64_t near = rounds;
  if (terms_.rounds > rounds) near = std::min(near, terms_.rounds - rounds);
  if (near < tuned::kSolveRounds && is_scarce()) return true;
  const std::int64_t period = std::clamp<std::int64_t>(
      near / tuned::kSolveRoundsMost, tuned::kSolveRounds,
      terms_.paced ? tuned::kPacedRoundsMost : tuned::kSolveRoundsMost);
  return rounds % period == 0;
}

double PredictedPrice::correction(int i) const {
  if (!terms_.paced || !(paid_[i] > 0.0 && planned_[i] > 0.0)) return 1.0;
  return std::clamp(planned_[i] / paid_[i], 1.0 / tuned::kPacedCorrection, tuned::kPacedCorrection);
}

Costs PredictedPrice::targets(const Books& books, const Rehearsal& rehearsal) const {
  const double t = static_cast<double>(books.rounds);
  const double known = static_cast<double>(std::max<std::int64_t>(books.rounds + books.warm, 1));
  const bool ends = has_horizon(books);
  const double left = static_cast<double>(std::max<std::int64_t>(terms_.rounds - books.rounds, 1));
  const double waits = ends ? tuned::kPriceSpreading : tuned::kPriceHearing;
  double soon = std::max(payback_ * std::sqrt(t), waits * books.late);
  if (ends) soon = std::min(soon, left);
  const Costs least = rehearsal.least();
  Costs targets(queues_.size());
  for (int i = 0; i < targets.size(); ++i) {
    const double rate = terms_.paced ? books.paces[i] : terms_.rates[i];
    const double more = signed_ ? tuned::kPriceAllowance * scale(i) / std::sqrt(known)
                                : tuned::kSlight * std::max(std::abs(least[i]), rate);
    const double kept = ends ? reserve_ * std::sqrt(swings_[i]) : 0.0;
    const double debt = terms_.paced ? 0.0 : queues_[i] + books.held(i) + kept;
    targets[i] = rate * correction(i) - debt / std::max(soon, 1.0);
    targets[i] = std::max(targets[i], least[i] + more);
  }
  return targets;
}

// A larger price changes no choice that matters. It only makes errors of the estimated costs count, and
// ends all exploration, and among actions of one cost all preference. With a policy that pays `least`,
// no price above (range of the reward) / (rate - least) is of use (Slater): that range is taken to be
// kRewardNoises noises, or so many times what the actions of a round differ by. Rewards may have no noise.
void PredictedPrice::set_caps(const Books& books, const Rehearsal& rehearsal) {
  const Costs spreads = rehearsal.spreads(), least = rehearsal.least();
  const double range = tuned::kRewardNoises * std::max(noise_, rehearsal.reward_spread());
  for (int i = 0; i < caps_.size(); ++i) {
    caps_[i] = spreads[i] > 0.0 ? kMost * noise_ / std::max(spreads[i], kTiny) : mu_[i];
    const double rate = terms_.paced ? books.paces[i] : terms_.rates[i];
    if (limited_ && rate > least[i]) caps_[i] = std::min(caps_[i], range / (rate - least[i]));
  }
}

// The step d with slopes d = excess, limited to the box around the current prices.
Costs PredictedPrice::step(const Costs& excess, std::span<const double> slopes) const {
  const int m = mu_.size();
  Costs d(m);
  for (int sweep = 0; sweep < (m > 1 ? 20 : 1); ++sweep) {
    for (int i = 0; i < m; ++i) {
      double rest = excess[i];
      for (int j = 0; j < m; ++j) rest -= slopes[static_cast<std::size_t>(i * m + j)] * d[j];
      const double s = scale(i), start = tuned::kPriceStart * noise_ / s;
      const double low = std::max(0.0, mu_[i] / tuned::kPriceTrust - start) - mu_[i];
      const double most = std::min(caps_[i], mu_[i] * tuned::kPriceTrust + start);
      const double high = std::max(low, most - mu_[i]);
      const double slope = slopes[static_cast<std::size_t>(i * m + i)] + 1e-9 * s * s / noise_;
      d[i] = std::clamp(d[i] + rest / slope, low, high);
    }
  }
  return d;
}

void PredictedPrice::foresee(const Books& books, Rehearsal& rehearsal) {
  if (!is_due(books.rounds) || rehearsal.rounds() == 0) return;
  for (int i = 0; i < books.largest.size(); ++i) seen_[i] = std::max(seen_[i], books.largest[i]);
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    const double pace = books.paces[static_cast<int>(i)];
    mu_[static_cast<int>(i)] = limits(pace) ? curves_[i].at(pace) : 0.0;
  }
  solve(books, rehearsal);
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    const double pace = books.paces[static_cast<int>(i)];
    if (limits(pace)) curves_[i].learn(pace, mu_[static_cast<int>(i)]);
  }
}

void PredictedPrice::solve(const Books& books, Rehearsal& rehearsal) {
  const int m = mu_.size();
  const Costs targets = this->targets(books, rehearsal);
  const auto excess_at = [&](const Costs& prices, Costs& excess, Slopes& slopes) {
    rehearsal.spend(prices, excess, slopes);
    for (int i = 0; i < m; ++i) excess[i] -= targets[i];
  };
  noise_ = books.noise;
  set_caps(books, rehearsal);
  rehearsal.fix_gamma(books, scaled(mu_));
  const bool settled = terms_.paced && books.rounds > tuned::kPacedSettled;
  const int passes = settled ? tuned::kPacedPasses : tuned::kPricePasses;
  const double tolerance = settled ? tuned::kPacedTolerance : tuned::kSlight;
  Costs excess(m), next_excess(m);
  Slopes slopes, next_slopes;
  excess_at(mu_, excess, slopes);
  for (int pass = 0; pass < passes; ++pass) {
    bool met = true;
    for (int i = 0; i < m; ++i) {
      const bool idle = mu_[i] == 0.0 && excess[i] < 0.0;
      met = met &&
            (idle || std::abs(excess[i]) <= tolerance * (std::abs(targets[i]) + 1e-3 * scale(i)));
    }
    if (met) return;
    const Costs d = step(excess, slopes);
    Costs next = mu_;
    for (int i = 0; i < m; ++i) next[i] += d[i];
    excess_at(next, next_excess, next_slopes);
    double before = 0.0, after = 0.0;
    for (int i = 0; i < m; ++i) {
      before += excess[i] * d[i];
      after += next_excess[i] * d[i];
    }
    if (after < -0.1 * before) {  // passed the root: move to the zero of the secant
      const double share = std::clamp(before / (before - after), 0.1, 0.9);
      for (int i = 0; i < m; ++i) mu_[i] += share * d[i];
      if (pass + 1 < passes) excess_at(mu_, excess, slopes);
    } else {
      mu_ = next;
      excess = next_excess;
      slopes = next_slopes;
    }
  }
}

void PredictedPrice::save(ByteWriter& out) const {
  out.state("predicted", queues_, swings_, mu_, seen_, least_noise_);
  out.parts(paid_, planned_);
  for (const PriceCurve& curve : curves_) curve.save(out);
}

Result<> PredictedPrice::load(ByteReader& in) {
  auto done = in.state("predicted", queues_, swings_, mu_, seen_, least_noise_);
  if (!done) return done;
  in.parts(paid_, planned_);
  for (PriceCurve& curve : curves_) {
    if (done = curve.load(in); !done) return done;
  }
  return {};
}

}  // namespace rein
