#include "policy/peers/oplb.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/size.h"
#include "policy/peers/peer.h"
#include "policy/stage.h"
#include "policy/upper_bounds.h"

namespace rein {
namespace {

constexpr double kRounding = 1e-12;  // a reward this little above the line is on it

// The best mix under one cap: the better of two actions, one within the cap and one beyond it, until
// no action lies above the line through them. REQUIRES some action within the cap.
void best_mix(std::span<const double> rewards, std::span<const double> costs, double cap,
              std::span<double> p) {
  const std::size_t none = rewards.size();
  std::size_t within = none, beyond = none;
  for (std::size_t a = 0; a < rewards.size(); ++a) {
    std::size_t& best = costs[a] <= cap ? within : beyond;
    if (best == none || rewards[a] > rewards[best]) best = a;
  }
  std::ranges::fill(p, 0.0);
  double slope = 0.0;
  bool mixes = beyond != none && rewards[beyond] > rewards[within];
  for (std::size_t step = 0; mixes && step < 2 * rewards.size(); ++step) {
    slope = (rewards[beyond] - rewards[within]) / (costs[beyond] - costs[within]);
    const double line = rewards[within] - slope * costs[within];
    std::size_t highest = none;
    double most = line + kRounding * std::max(1.0, std::abs(line));
    for (std::size_t a = 0; a < rewards.size(); ++a) {
      if (rewards[a] - slope * costs[a] <= most) continue;
      most = rewards[a] - slope * costs[a];
      highest = a;
    }
    if (highest == none) break;
    (costs[highest] <= cap ? within : beyond) = highest;
    mixes = rewards[beyond] > rewards[within];
  }
  if (!mixes) {
    p[within] = 1.0;
    return;
  }
  const double share =
      std::clamp((cap - costs[within]) / (costs[beyond] - costs[within]), 0.0, 1.0);
  p[within] = 1.0 - share;
  p[beyond] = share;
}

class Oplb final : public PolicyBase {
 public:
  Oplb(const Spec& spec, Plan plan, const Rules& rules, const Stage& stage,
       const Confidence& confidence)
      : PolicyBase(spec, plan.shape, std::move(plan.oracle), rules),
        stage_(stage),
        confidence_(confidence) {
    for (int i = 0; i < costs(); ++i) {
      const double high = shape().costs[as_size(i)].range.high;
      const double most = std::max(0.0, high - stage.known(i));
      lift_ = std::max(lift_, 1.0 + 2.0 * most / room(i));
    }
  }

  std::size_t scratch() const override {
    return PolicyBase::scratch() + as_size(shape().actions) * as_size(costs());
  }

 private:
  Result<> accepts(const Round& round) const override {
    if (const auto place = stage_.place(round); !place) return place.failure();
    return {};
  }
  std::span<const double> choose(const Round& round, const Books&, Scratch& scratch,
                                 Decision& decision) const override {
    const Estimates& said = decision.estimates;
    const double radius = confidence_.radius(rounds());
    const std::span<double> scores = decision.scores();
    for (std::size_t a = 0; a < scores.size(); ++a) {
      scores[a] = said.mean(0)[a] / unit(0) + lift_ * radius * half_width(said.width(0)[a]);
    }
    decision.gamma = 1.0;
    decision.prices = Costs(costs());
    const std::size_t n = as_size(round.actions);
    const std::span<double> upper = scratch.take(n * as_size(costs()));
    const int place = stage_.place(round).value();  // accepts() has seen it
    write_upper(shape(), said, radius, upper);
    stage_.set_known(place, n, upper);
    for (std::size_t a = 0; a < n; ++a) {
      double most = (upper[a] - stage_.known(0)) / room(0);
      for (int i = 1; i < costs(); ++i) {
        most = std::max(most, (upper[as_size(i) * n + a] - stage_.known(i)) / room(i));
      }
      upper[a] = most;
    }
    best_mix(scores, upper.first(n), 1.0, decision.probabilities());
    return {};
  }

  void commit(const Lesson&, Books&) override {}
  void tell(PolicyState& state) const override { state.setting.reset(); }  // no promise about sums
  void save_parts(ByteWriter& out) const override { out.tag("oplb"); }
  Result<> load_parts(ByteReader& in) override {
    in.tag("oplb");
    return in.status();
  }

  // Between the limit and what the safe action costs.
  double room(int cost) const { return stage_.limit(cost) - stage_.known(cost); }

  Stage stage_;
  Confidence confidence_;
  double lift_ = 1.0;  // alpha_r
};

}  // namespace

Result<std::unique_ptr<Policy>> make_oplb(const Spec& spec, const Shape& shape, const Own& own) {
  SpecReader read(spec, "policy spec");
  const PlanKeys keys(read, "ridge");
  Stage stage(read);
  Confidence confidence = read_confidence(read, Radius::kEllipsoid);
  if (auto done = read.finish(); !done) return done.failure();
  auto planned = make_plan(keys, shape, Setting::kExpectation, /*reward_only=*/false, own);
  if (!planned) return planned.failure();
  Plan& plan = planned.value();
  if (auto fits = stage.fit(plan.shape); !fits) return fits.failure();
  for (int i = 0; i < plan.terms.costs; ++i) {
    if (stage.known(i) < stage.limit(i)) continue;
    return Error{"policy spec: oplb needs a safe action that costs less than the limit; accepted: "
                 "cost below limit"};
  }
  if (auto fits = fit_confidence(plan, keys, confidence); !fits) return fits.failure();
  const Rules rules(plan.terms);
  return std::make_unique<Oplb>(spec, std::move(plan), rules, stage, confidence);
}

}  // namespace rein
