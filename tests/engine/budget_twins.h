// An engine and a plain, slow model of its budgets (money_model.h) that meet the same operations. After every
// operation both must agree, to the micro-unit.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "engine/life.h"
#include "engine/money_model.h"
#include "engine/money_setup_model.h"
#include "engine/small.h"
#include "property.h"

namespace rein {

class BudgetTwins {
 public:
  BudgetTwins(const MoneySetup& setup, BudgetsMet& met)
      : setup_(setup), met_(met), model_(setup.budgets, kMoneyCosts, setup.most_keys), engine_(make()) {
    // Budgets may be changed before the clock is set.
    Rng rng(setup.seed, 2);
    for (std::int64_t n = 0; n < setup.early_changes; ++n) {
      change(rng);
      life_.note(engine_);
    }
    tick(setup.start);
    life_.note(engine_);
  }

  void run(std::uint64_t operation) {
    Rng rng(operation);
    ++met_.operations;
    const bool hashed = rng.below(64) == 0;
    const std::uint64_t before = hashed ? engine_.state_hash() : 0;
    const bool changed = apply(rng);
    if (hashed && !changed) RC_ASSERT(engine_.state_hash() == before);
    RC_ASSERT(engine_.record().empty() == !changed);
    life_.note(engine_);
    met_.most_open = std::max(met_.most_open, open_);
    agree(rng);
    if (met_.operations % 64 == 0) RC_ASSERT(model_.passed(deals_).empty());
  }
  void finish() {
    RC_ASSERT(model_.passed(deals_).empty());
    const std::uint64_t hash = engine_.state_hash();
    RC_ASSERT(life_.replay(make()) == hash);
    for (std::size_t n = 0; n < life_.snapshots(); ++n) RC_ASSERT(life_.replay_from(n) == hash);
    met_.replays += 1 + static_cast<std::int64_t>(life_.snapshots());
  }

 private:
  Engine make() const {
    Shape shape{.actions = 3, .context = 2, .costs = {{kMoneyCosts[0], {0, 1}}, {kMoneyCosts[1], {0, 2}}}};
    shape.rounds = 2000;
    EngineOptions options{.seed = 4,
                          .most_open = setup_.most_open,
                          .remember = setup_.remember,
                          .expire_after = setup_.expire_after,
                          .budgets = setup_.budgets,
                          .most_keys = setup_.most_keys};
    if (has(BudgetKind::kHard)) {
      for (const Micros2& most : kTwinLargest) {
        options.largest_costs.push_back({in_units(most[0]), in_units(most[1])});
      }
    }
    return Engine::make(setup_.steered ? "ccb" : "epsilon(epsilon=0.9)", shape, options).value();
  }
  bool has(BudgetKind kind) const { return model_.any(kind); }

  // Returns whether something changed.
  bool apply(Rng& rng) {
    const std::int64_t roll = rng.below(100);
    if (roll < (setup_.patient ? 75 : 45)) return decide(rng);
    if (roll < (setup_.patient ? 80 : 76)) return learn(rng, true);
    if (roll < 83) return learn(rng, false);
    if (roll < 86) return cancel(rng);
    if (roll < 96) return tick(now_ + jump(rng));
    if (roll < 97) return tick(now_ - 1 - rng.below(9));
    if (roll < 99) return change(rng);
    if (life_.snapshots() < 3) life_.snapshot(engine_);
    engine_ = Engine::restore(engine_.snapshot()).value();
    return false;
  }
  static std::int64_t jump(Rng& rng) {
    const std::int64_t roll = rng.below(200);
    if (roll == 0) return rng.below(8'000'000);
    return roll < 3 ? rng.below(200'000) : roll < 12 ? rng.below(500) : rng.below(5);
  }

  std::vector<int> some_keys(Rng& rng) const {
    std::vector<int> keys;
    for (std::size_t d = 0; d < model_.dimensions().size(); ++d) {
      const int names = kTwinNames[model_.dimensions()[d] == "user" ? 1 : 0];
      keys.push_back(rng.below(4) == 0 ? kNobody : static_cast<int>(rng.below(names)));
    }
    return keys;
  }
  std::span<const Scope> scopes_of(const std::vector<int>& keys) {
    names_.clear();
    scopes_.clear();
    for (int key : keys) names_.push_back(std::to_string(key));
    for (std::size_t d = 0; d < keys.size(); ++d) {
      if (keys[d] >= 0) scopes_.push_back({model_.dimensions()[d], names_[d]});
    }
    return scopes_;
  }

  bool decide(Rng& rng) {
    Deal deal{.at = now_, .keys = some_keys(rng)};
    std::array<Micros2, 3> largest = kTwinLargest;
    if (!has(BudgetKind::kHard)) largest.fill({1'000'000, 2'000'000});  // the ranges of the shape
    const bool own = rng.below(8) == 0, limited = rng.below(8) == 0;
    Micros2 most = {model_.left(0, deal.keys), model_.left(1, deal.keys)};
    std::vector<double> own_costs, most_costs;
    for (std::size_t a = 0; own && a < 3; ++a) {
      for (std::size_t i = 0; i < kModelCosts; ++i) {
        largest[a][i] = rng.below(2'000'000);
        own_costs.push_back(in_units(largest[a][i]));
      }
    }
    for (std::size_t i = 0; limited && i < kModelCosts; ++i) {
      const std::int64_t limit = rng.below(2'000'000);
      most[i] = std::min(most[i], limit);
      most_costs.push_back(in_units(limit));
    }
    int fitting = 0;
    const auto fits = [&](std::size_t a) {
      return largest[a][0] <= most[0] && largest[a][1] <= most[1];
    };
    for (std::size_t a = 0; a < 3; ++a) fitting += fits(a);
    const std::vector<double> x = context_of(static_cast<std::uint64_t>(rng.below(16)));
    auto made = engine_.decide(
        {.actions = 3, .context = x},
        {.scopes = scopes_of(deal.keys), .largest_costs = own_costs, .most_costs = most_costs});
    const std::size_t leaving = open_ == setup_.most_open ? oldest_to_give_way() : deals_.size();
    const bool full = open_ == setup_.most_open && leaving == deals_.size();
    if (full || !model_.has_room(deal.keys)) {
      RC_ASSERT(!made && made.reason() == Reason::kFull);
      ++met_.no_place;
      return false;
    }
    if (fitting == 0) {
      RC_ASSERT(!made && made.reason() == Reason::kBudget);
      ++met_.no_money;
      return false;
    }
    if (leaving < deals_.size()) {
      model_.expire(deals_[leaving]);
      settle(leaving, Deal::kExpired);
      ++met_.gave_way;
    }
    const Engine::Decision& given = made.value();
    const auto action = static_cast<std::size_t>(given.action);
    RC_ASSERT(given.fitting == fitting);
    RC_ASSERT(fits(action));
    for (std::size_t a = 0; a < 3; ++a) RC_ASSERT(fits(a) || given.probabilities[a] == 0.0);
    deal.largest = largest[action];
    for (int i = 0; has(BudgetKind::kSteer) && i < kModelCosts; ++i) {
      const double mean = given.estimates->mean(i + 1)[action];
      deal.expected[static_cast<std::size_t>(i)] =
          static_cast<std::int64_t>(std::ceil(std::max(mean * 1e6, 0.0)));
    }
    ids_.push_back(given.id);
    model_.decide(deal);
    deals_.push_back(std::move(deal));
    ++open_;
    ++met_.decided;
    return true;
  }

  // The oldest open decision of which no hard budget holds money; the number of deals if all do.
  std::size_t oldest_to_give_way() {
    for (std::size_t n = oldest_open(); n < deals_.size(); ++n) {
      const Deal& deal = deals_[n];
      bool holds = false;
      for (int b = 0; b < model_.size(); ++b) {
        if (!model_.hard(b)) continue;
        const int i = model_.budget(b).cost == kMoneyCosts[0] ? 0 : 1;
        holds = holds || (!deal.cost(i) && deal.largest[static_cast<std::size_t>(i)] > 0);
      }
      if (deal.status == Deal::kOpen && !holds) return n;
    }
    return deals_.size();
  }

  // The place of a decision, an open one if there is one among a few.
  std::size_t pick(Rng& rng, bool open) {
    std::size_t n = 0;
    for (int tries = 0; tries < 8; ++tries) {
      const auto all = static_cast<std::int64_t>(deals_.size());
      const std::int64_t recent = std::min<std::int64_t>(all, 4 * setup_.most_open + 20);
      n = static_cast<std::size_t>(all - 1 - rng.below(recent));
      if ((deals_[n].status == Deal::kOpen) == open) break;
    }
    return n;
  }

  bool unknown() {
    const auto done = engine_.learn(12345, {.reward = 0.0});
    RC_ASSERT(!done && done.reason() == Reason::kUnknown);
    return false;
  }

  bool learn(Rng& rng, bool open) {
    if (deals_.empty()) return unknown();
    const std::size_t n = pick(rng, open);
    Deal& deal = deals_[n];
    decltype(deal.came) given;
    const std::int64_t parts = rng.below(2) == 0 ? 7 : 1 + rng.below(7);
    if ((parts & 1) != 0) given[0] = rng.below(3);
    for (std::size_t i = 0; i < kModelCosts; ++i) {
      if ((parts & (2 << i)) == 0) continue;
      const std::int64_t roll = rng.below(40);
      given[i + 1] = roll == 0  ? deal.largest[i] + 1 + rng.below(3'000'000)  // above its hold
                     : roll < 8 ? deal.largest[i]
                     : roll < 20 && deal.came[i + 1] ? *deal.came[i + 1]  // the same again
                                                     : rng.below(deal.largest[i] + 1);
    }
    Outcome outcome{.costs = Costs(kModelCosts, kMissing)};
    if (given[0]) outcome.reward = static_cast<double>(*given[0]) / 4.0;
    for (int i = 0; i < kModelCosts; ++i) {
      if (const auto cost = given[static_cast<std::size_t>(i) + 1])
        outcome.costs[i] = in_units(*cost);
    }
    return answered(engine_.learn(ids_[n], outcome), n, given);
  }

  bool answered(const Result<LearnResult>& done, std::size_t n, decltype(Deal::came) given) {
    Deal& deal = deals_[n];
    const bool open = deal.status == Deal::kOpen;
    if (!open && !remembers(n)) {
      RC_ASSERT(done && done.value() == LearnResult::kForgotten);
      return false;
    }
    const bool costs = given[1] || given[2];
    bool conflict = deal.status == Deal::kCancelled, news = false, bill = false;
    for (std::size_t part = 0; part < given.size(); ++part) {
      if (!given[part]) continue;
      conflict = conflict || (deal.came[part] && *deal.came[part] != *given[part]);
      if (deal.came[part]) given[part].reset();
      news = news || given[part];
      bill = bill || (part > 0 && given[part]);
    }
    if (conflict) {
      RC_ASSERT(!done && done.reason() == Reason::kConflict);
      return false;
    }
    if (!news) {
      RC_ASSERT(done && done.value() == LearnResult::kDuplicate);
      return false;
    }
    if (!open && !costs) {
      RC_ASSERT(!done && done.reason() == Reason::kExpired);
      return false;
    }
    RC_ASSERT(done && done.value() == (open ? LearnResult::kApplied : LearnResult::kLate));
    if (!open) given[0].reset();  // a reward after expiry is not accepted
    if (!open && !bill) return false;
    met_.late += open ? 0 : 1;
    for (std::size_t part = 0; part < given.size(); ++part) {
      if (!given[part]) continue;
      if (part > 0) {
        met_.over += *given[part] > deal.largest[part - 1] ? 1 : 0;
        model_.pay(deal, static_cast<int>(part) - 1, *given[part]);
      }
      deal.came[part] = given[part];
    }
    if (open && deal.came[0] && deal.came[1] && deal.came[2]) settle(n, Deal::kLearned);
    return true;
  }

  bool remembers(std::size_t n) const { return std::ranges::find(settled_, n) != settled_.end(); }
  void settle(std::size_t n, Deal::Status status) {
    deals_[n].status = status;
    settled_.push_back(n);
    if (static_cast<std::int64_t>(settled_.size()) > setup_.remember) settled_.pop_front();
    --open_;
  }

  bool cancel(Rng& rng) {
    if (deals_.empty()) return unknown();
    const std::size_t n = pick(rng, true);
    const Deal& deal = deals_[n];
    const bool any = deal.came[0] || deal.came[1] || deal.came[2];
    const auto done = engine_.cancel(ids_[n]);
    if (deal.status == Deal::kOpen && !any) {
      RC_ASSERT(done.ok());
      model_.cancel(deal);
      settle(n, Deal::kCancelled);
      return true;
    }
    const bool again = deal.status == Deal::kCancelled && remembers(n);
    RC_ASSERT(done.ok() == again);
    return false;
  }

  bool tick(std::int64_t to) {
    const auto done = engine_.tick(to);
    if (to < now_) {
      RC_ASSERT(!done);
      return false;
    }
    std::int64_t expired = 0;
    for (std::size_t n = oldest_open(); n < deals_.size(); ++n) {
      if (setup_.expire_after == 0 || to - deals_[n].at <= setup_.expire_after) break;
      if (deals_[n].status != Deal::kOpen) continue;
      model_.expire(deals_[n]);
      settle(n, Deal::kExpired);
      ++expired;
    }
    RC_ASSERT(done && done.value() == expired);
    met_.expired += expired;
    now_ = to;
    model_.tick(to);
    return true;
  }
  std::size_t oldest_open() {
    while (first_ < deals_.size() && deals_[first_].status != Deal::kOpen) ++first_;
    return first_;
  }

  bool change(Rng& rng) {
    const int b = static_cast<int>(rng.below(model_.size()));
    const std::string& name = model_.budget(b).name;
    const std::vector<int> keys = some_keys(rng);
    const std::int64_t micros = rng.below(5'000'000);
    switch (rng.below(5)) {
      case 4: {  // the amount of one key
        const bool can = !model_.budget(b).scope.empty() && model_.applies(b, keys);
        const bool none = rng.below(3) == 0;
        const auto amount = none ? std::nullopt : std::optional(in_units(micros));
        RC_ASSERT(engine_.set_amount(name, amount, scopes_of(keys)).ok() == can);
        if (can) model_.set_own_amount(b, keys, none ? std::nullopt : std::optional(micros));
        return can;
      }
      case 0: {
        const bool can = model_.can_top_up(b, keys);
        RC_ASSERT(engine_.top_up(name, in_units(micros), scopes_of(keys)).ok() == can);
        if (can) model_.top_up(b, keys, micros);
        return can;
      }
      case 1:
        engine_.set_amount(name, in_units(micros)).check();
        model_.set_amount(b, micros);
        return true;
      case 2: {  // changes the pace, not the money
        const bool paced = setup_.steered && model_.budget(b).window.kind != Window::Kind::kRounds;
        RC_ASSERT(engine_.set_rounds(name, 1 + rng.below(900)).ok() == paced);
        return paced;
      }
      default: {
        const bool begun = engine_.begin_window(name).ok();
        RC_ASSERT(begun == model_.begin_window(b));
        return begun;
      }
    }
  }

  void agree(Rng& rng) {
    const EngineState state = engine_.state();
    RC_ASSERT(state.now == now_);
    RC_ASSERT(state.open == open_);
    RC_ASSERT(state.decided == static_cast<std::int64_t>(deals_.size()));
    RC_ASSERT(state.remembered == static_cast<std::int64_t>(settled_.size()));
    const std::vector<int> keys = some_keys(rng);
    const std::vector<BudgetState> found = engine_.budgets(scopes_of(keys)).value();
    std::size_t n = 0;
    for (int b = 0; b < model_.size(); ++b) {
      if (!model_.applies(b, keys)) continue;
      const BudgetState& one = found[n++];
      const MoneyModel::Balance balance = model_.balance(b, keys);
      const MoneyModel::Clock& clock = model_.clock(b);
      RC_ASSERT(one.name == model_.budget(b).name);
      // Expected costs are rounded up one by one, so steered budgets agree to one unit per decision.
      const std::int64_t most = model_.hard(b) ? 0 : open_;
      RC_ASSERT(std::abs(one.limit - balance.limit) <= most);
      RC_ASSERT(one.spent == balance.spent);
      RC_ASSERT(std::abs(one.held - balance.held) <= most);
      RC_ASSERT(one.window == clock.number);
      RC_ASSERT(one.first == clock.first);
      RC_ASSERT(one.last == clock.last);
      RC_ASSERT(one.over_holds == model_.over_holds(b));
    }
    RC_ASSERT(n == found.size());
  }

  MoneySetup setup_;
  BudgetsMet& met_;
  MoneyModel model_;
  Engine engine_;
  Life life_;
  std::vector<Deal> deals_;  // in the order of decisions, as ids_
  std::vector<std::uint64_t> ids_;
  std::deque<std::size_t> settled_;  // those that are remembered
  std::vector<std::string> names_;
  std::vector<Scope> scopes_;
  std::int64_t now_ = 0, open_ = 0;
  std::size_t first_ = 0;
};

}  // namespace rein
