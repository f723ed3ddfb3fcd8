#include "rein/assign.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/math.h"
#include "base/size.h"
#include "rein/rng.h"
#include "solve/assignment.h"

namespace rein {
namespace {

constexpr std::int64_t kAssignAsked = 256;  // rounds between two questions whether to go on

Result<> check_assign(const Engine& engine, const RoundBatch& rounds, const AssignOptions& options) {
  const Shape& shape = engine.policy().shape();
  if (rounds.rounds < 1 || rounds.actions < 1 || rounds.actions > shape.actions) {
    return Error{fmt::format("assign: found {} rounds of {} actions; accepted: at least 1, of 1 to {} "
                             "actions",
                             rounds.rounds, rounds.actions, shape.actions)};
  }
  if (!options.totals.empty() && options.totals.size() != shape.costs.size()) {
    return Error{fmt::format("assign: found {} totals; accepted: one per cost ({}), or none",
                             options.totals.size(), shape.costs.size())};
  }
  for (const double total : options.totals) {
    if (!std::isnan(total)) continue;
    return Error::of("budget", "assign: found a budget that is no number; accepted: numbers");
  }
  if (!(options.explore >= 0.0 && options.explore <= 1.0)) {
    return Error::of("explore", fmt::format("assign: explore: found {}; accepted: 0 to 1",
                                            options.explore));
  }
  return {};
}

// The estimates of every round, as assign_actions() takes them.
class Estimated {
 public:
  Estimated(const Engine& engine, const RoundBatch& rounds)
      : engine_(engine), rounds_(rounds), cells_(rounds.columns.size()) {
    heads_ = as_size(engine.policy().shape().heads());
    actions_ = as_size(rounds.actions);
  }

  Result<> fill(const GoOn& go_on) {
    values_.assign(as_size(rounds_.rounds) * heads_ * actions_, kNan);
    for (std::int64_t t = 0; t < rounds_.rounds; ++t) {
      if (go_on && t % kAssignAsked == 0 && !go_on(t)) {
        return Error{fmt::format("assign: stopped after {} of {} rounds", t, rounds_.rounds),
                     Reason::kFailed};
      }
      if (auto done = fill(t); !done) {
        return done.failure().in(fmt::format("assign: round {}: ", t));
      }
    }
    return {};
  }

  double at(std::int64_t t, std::size_t head, std::size_t action) const {
    return values_[(as_size(t) * heads_ + head) * actions_ + action];
  }
  bool offers(std::int64_t t, std::size_t action) const { return !std::isnan(at(t, 0, action)); }
  std::int32_t id(std::int64_t t, std::size_t action) const {
    if (rounds_.ids.empty()) return static_cast<std::int32_t>(action);
    return rounds_.ids[as_size(t) * actions_ + action];
  }
  const std::vector<double>& values() const { return values_; }
  std::size_t heads() const { return heads_; }
  std::size_t actions() const { return actions_; }
  std::int64_t rounds() const { return rounds_.rounds; }

 private:
  Result<> fill(std::int64_t t) {
    const Shape& shape = engine_.policy().shape();
    const auto part = [t](auto all, std::size_t count) {
      return all.empty() ? all : all.subspan(as_size(t) * count, count);
    };
    const Round round{.actions = rounds_.actions,
                      .context = part(rounds_.contexts, as_size(shape.context)),
                      .features = part(rounds_.features, actions_ * as_size(shape.features)),
                      .ids = part(rounds_.ids, actions_)};
    for (std::size_t c = 0; c < cells_.size(); ++c) cells_[c] = rounds_.columns[c].at(as_size(t));
    auto found = engine_.look(round, scratch_, {.row = cells_});
    if (!found) return found.failure();
    const Estimates& estimates = *found.value().estimates;
    if (as_size(estimates.heads()) != heads_) {
      return Error{fmt::format("the policy {} estimates no costs; accepted: one that does, such as ccb",
                               engine_.policy().spec().str())};
    }
    double* out = values_.data() + as_size(t) * heads_ * actions_;
    for (int h = 0; h < estimates.heads(); ++h) {
      for (const double mean : estimates.mean(h)) *out++ = mean;
    }
    return {};
  }

  const Engine& engine_;
  const RoundBatch& rounds_;
  std::vector<Cell> cells_;
  std::size_t heads_, actions_;
  std::vector<double> values_;
  LookScratch scratch_;
};

// What a uniform choice among the actions on offer spends and earns in all, per head.
std::vector<double> uniform_totals(const Estimated& all) {
  std::vector<double> sums(all.heads(), 0.0);
  for (std::int64_t t = 0; t < all.rounds(); ++t) {
    for (std::size_t h = 0; h < sums.size(); ++h) {
      double sum = 0.0, count = 0.0;
      for (std::size_t a = 0; a < all.actions(); ++a) {
        if (!all.offers(t, a)) continue;
        sum += all.at(t, h, a);
        count += 1.0;
      }
      sums[h] += sum / count;
    }
  }
  return sums;
}

std::vector<OneForAll> one_for_all(const Estimated& all) {
  std::vector<OneForAll> out;
  for (std::size_t a = 0; a < all.actions(); ++a) {
    OneForAll each{.action = all.id(0, a), .spent = Costs(static_cast<int>(all.heads()) - 1)};
    for (std::int64_t t = 0; t < all.rounds(); ++t) {
      if (!all.offers(t, a) || all.id(t, a) != each.action) {
        each.offered = false;
        continue;
      }
      each.reward += all.at(t, 0, a);
      for (int i = 0; i < each.spent.size(); ++i) each.spent[i] += all.at(t, as_size(i + 1), a);
    }
    out.push_back(std::move(each));
  }
  return out;
}

// The action of each round after the draw, with its probability.
void draw_actions(const Estimated& all, const AssignedActions& best, const AssignOptions& options,
                  Assignment& out) {
  Rng rng(options.seed);
  for (std::int64_t t = 0; t < all.rounds(); ++t) {
    std::vector<std::size_t> offered;
    for (std::size_t a = 0; a < all.actions(); ++a) {
      if (all.offers(t, a)) offered.push_back(a);
    }
    const double each = options.explore / static_cast<double>(offered.size());
    const auto chosen = as_size(best.actions[as_size(t)]);
    std::size_t played = chosen;
    if (options.explore > 0.0 && rng.uniform() < options.explore) {
      played = offered[as_size(rng.below(static_cast<std::int64_t>(offered.size())))];
    }
    out.actions.push_back(all.id(t, played));
    out.probability.push_back(played == chosen ? 1.0 - options.explore + each : each);
    for (std::size_t h = 0; h < all.heads(); ++h) {
      const double sure = (1.0 - options.explore) * all.at(t, h, chosen);
      out.estimates.push_back(all.at(t, h, played));
      (h == 0 ? out.reward : out.spent[static_cast<int>(h) - 1]) += all.at(t, h, played);
      (h == 0 ? out.expected_reward : out.expected_spent[static_cast<int>(h) - 1]) += sure;
    }
  }
}

}  // namespace

Result<Assignment> assign(const Engine& engine, const RoundBatch& rounds,
                          const AssignOptions& options, const GoOn& go_on) {
  if (auto fits = check_assign(engine, rounds, options); !fits) return fits.failure();
  const Shape& shape = engine.policy().shape();
  Estimated all(engine, rounds);
  if (auto done = all.fill(go_on); !done) return done.failure();
  const std::vector<double> uniform = uniform_totals(all);
  std::vector<double> limits(shape.costs.size(), std::numeric_limits<double>::infinity());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < limits.size(); ++i) {
    names.push_back(shape.costs[i].name);
    if (options.totals.empty() || std::isinf(options.totals[i])) continue;
    const double drawn = options.explore * uniform[i + 1];
    if (options.explore > 0.0 && drawn > options.totals[i]) {
      return Error::of("explore", fmt::format("assign: exploring a share of {} alone spends {:.6g} of {}; "
                                              "accepted: a smaller share, or a budget of more than {:.6g}",
                                              options.explore, drawn, names[i], options.totals[i]));
    }
    limits[i] = options.explore < 1.0 ? (options.totals[i] - drawn) / (1.0 - options.explore)
                                      : std::numeric_limits<double>::infinity();
  }
  auto best = assign_actions({.rounds = rounds.rounds,
                              .actions = rounds.actions,
                              .costs = static_cast<int>(limits.size()),
                              .values = all.values(),
                              .limits = limits},
                             names);
  if (!best) return best.failure();
  Assignment out{.prices = best.value().prices,
                 .spent = Costs(static_cast<int>(limits.size())),
                 .expected_spent = Costs(static_cast<int>(limits.size())),
                 .ties = best.value().ties,
                 .raised = best.value().raised,
                 .one_for_all = one_for_all(all)};
  draw_actions(all, best.value(), options, out);
  out.expected_reward += options.explore * uniform[0];
  for (std::size_t i = 0; i < limits.size(); ++i) {
    out.expected_spent[static_cast<int>(i)] += options.explore * uniform[i + 1];
  }
  return out;
}

}  // namespace rein
