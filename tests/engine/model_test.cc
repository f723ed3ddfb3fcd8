// The engine against a simple model (decision_model.h). Outcomes come whole or in parts. Random commands, valid and invalid. After each, both must
// agree.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>

#include "engine/decision_model.h"
#include "engine/small.h"
#include "property.h"

namespace rein {
namespace {

constexpr std::uint32_t kDefaultValue = 3;

class Pair {
 public:
  explicit Pair(const ModelOptions& options) : model_(options), engine_(make(options)) {}

  void run(const ModelCommand& command) {
    const std::uint64_t before = engine_.state_hash();
    const bool changed = apply(command);
    if (!changed) RC_ASSERT(engine_.state_hash() == before);
    RC_ASSERT(engine_.record().empty() == !changed);
    agree();
  }

 private:
  static Engine make(const ModelOptions& options) {
    EngineOptions made{.seed = 4,
                       .most_open = options.most_open,
                       .remember = static_cast<std::int64_t>(options.remember),
                       .expire_after = options.expire_after};
    if (options.has_default) made.default_outcome = outcome_of(came_of(1, kDefaultValue, 3));
    if (options.budget) {
      made.hard_budget = {static_cast<double>(*options.budget) / 1e6};
      made.largest_costs = {{0.0}, {0.25}, {1.0}};
    }
    return Engine::make("epsilon(epsilon=0.9)", small_shape(), made).value();
  }

  // Returns whether something changed.
  bool apply(const ModelCommand& command) {
    switch (command.kind) {
      case ModelCommand::kDecide:
        return decide_one(command);
      case ModelCommand::kLearn:
        if (model_.open.empty()) return learn_foreign(command);
        return learn(std::next(model_.open.begin(),
                               command.which % static_cast<std::uint32_t>(model_.open.size()))
                         ->first,
                     command);
      case ModelCommand::kLearnAgain:
        if (model_.all.empty()) return learn_foreign(command);
        return learn(model_.all[command.which % model_.all.size()], command);
      case ModelCommand::kLearnForeign:
        return learn_foreign(command);
      case ModelCommand::kCancel:
        return cancel(command);
      case ModelCommand::kTick:
        return tick(model_.now + command.value % 6);
      case ModelCommand::kTickBack:
        return tick(model_.now - 1 - command.value % 6);
      case ModelCommand::kSnapshot:
        return resume();
    }
    return false;
  }

  bool decide_one(const ModelCommand& command) {
    const bool with_free = command.value % 4 != 0;  // action 0 costs nothing and always fits
    const std::vector<std::int32_t> ids =
        with_free ? std::vector<std::int32_t>{2, 0, 1} : std::vector<std::int32_t>{1, 2};
    const std::vector<double> x = context_of(command.which % 16);
    auto ticket =
        engine_.decide({.actions = static_cast<int>(ids.size()), .context = x, .ids = ids});
    int fitting = 0;
    for (std::int32_t id : ids) fitting += model_.fits(id);
    const bool full = static_cast<std::int64_t>(model_.open.size()) == model_.options.most_open;
    if (full && !model_.oldest_to_give_way()) {
      RC_ASSERT(!ticket && ticket.reason() == Reason::kFull);
      return false;
    }
    if (fitting == 0) {
      RC_ASSERT(!ticket && ticket.reason() == Reason::kBudget);
      return false;
    }
    if (full) {
      const std::uint64_t gone = *model_.oldest_to_give_way();
      RC_ASSERT(engine_.gave_way_last().size() == 1 && engine_.gave_way_last()[0] == gone);
      expire(gone);
      model_.gave_way += 1;
    }
    const Engine::Decision& given = ticket.value();
    RC_ASSERT(given.fitting == fitting);
    RC_ASSERT(given.action == ids[static_cast<std::size_t>(given.place)]);
    for (std::size_t a = 0; a < ids.size(); ++a) {
      if (!model_.fits(ids[a])) RC_ASSERT(given.probabilities[a] == 0.0);
    }
    RC_ASSERT(model_.fits(given.action));
    for (std::uint64_t id : model_.all) RC_ASSERT(id != given.id);
    model_.open[given.id] = {model_.now, given.action};
    model_.all.push_back(given.id);
    actions_[given.id] = given.action;
    return true;
  }

  bool learn(std::uint64_t id, const ModelCommand& command) {
    const auto open = model_.open.find(id);
    const int action = actions_[id];
    const Model::Came given = came_of(action, command.value, command.parts());
    auto done = engine_.learn(id, outcome_of(given));
    if (open == model_.open.end()) return answered(done, model_.find(id), action, given);
    Model::Came& came = open->second.came;
    if (came.conflicts(given)) {
      RC_ASSERT(!done && done.reason() == Reason::kConflict);
      return false;
    }
    const Model::Came news = came.news(given);
    if (!news.any()) {
      RC_ASSERT(done && done.value() == LearnResult::kDuplicate);
      return false;
    }
    RC_ASSERT(done && done.value() == LearnResult::kApplied);
    model_.rounds += came.any() ? 0 : 1;
    model_.reward += news.reward.value_or(0.0);
    model_.spent += news.cost.value_or(0);
    model_.billed += news.cost.value_or(0);
    came.add(news);
    if (came.all()) model_.settle(id);
    return true;
  }

  // The answer for a decision that is no longer open.
  bool answered(const Result<LearnResult>& done, Model::Settled* settled, int action,
                const Model::Came& given) {
    if (!settled) {
      RC_ASSERT(done && done.value() == LearnResult::kForgotten);
      return false;
    }
    if (settled->cancelled || settled->came.conflicts(given)) {
      RC_ASSERT(!done && done.reason() == Reason::kConflict);
      return false;
    }
    const Model::Came news = settled->came.news(given);
    if (!news.any()) {
      RC_ASSERT(done && done.value() == LearnResult::kDuplicate);
      return false;
    }
    if (!given.cost) {  // a reward after expiry
      RC_ASSERT(!done && done.reason() == Reason::kExpired);
      return false;
    }
    RC_ASSERT(done && done.value() == LearnResult::kLate);
    if (!news.cost) return false;  // booked before; the reward beside it is never accepted
    model_.spent +=
        *news.cost - kModelLargest[action];  // in place of the hold, which counted as spent
    model_.billed += *news.cost;
    settled->came.cost = news.cost;
    return true;
  }

  bool cancel(const ModelCommand& command) {
    if (model_.all.empty()) return learn_foreign(command);
    const std::uint64_t id = model_.all[command.which % model_.all.size()];
    const auto open = model_.open.find(id);
    auto done = engine_.cancel(id);
    if (open != model_.open.end()) {
      if (open->second.came.any()) {
        RC_ASSERT(!done && done.reason() == Reason::kConflict);
        return false;
      }
      RC_ASSERT(done.ok());
      model_.settle(id, true);
      model_.cancelled += 1;
      return true;
    }
    const Model::Settled* settled = model_.find(id);
    if (settled && settled->cancelled) {
      RC_ASSERT(done.ok());
    } else {
      const bool came = settled && settled->came.any();
      RC_ASSERT(!done && done.reason() == (came ? Reason::kConflict : Reason::kExpired));
    }
    return false;
  }

  bool learn_foreign(const ModelCommand& command) {
    const std::uint64_t id = (std::uint64_t{command.which} << 32) | command.value;
    for (std::uint64_t known : model_.all) RC_PRE(known != id);
    auto done = engine_.learn(id, outcome_of(came_of(0, 0, command.parts())));
    RC_ASSERT(!done && done.reason() == Reason::kUnknown);
    return false;
  }

  bool tick(std::int64_t now) {
    auto done = engine_.tick(now);
    if (now < model_.now) {
      RC_ASSERT(!done && done.reason() == Reason::kInvalid);
      return false;
    }
    model_.now = now;
    std::int64_t expired = 0;
    for (std::uint64_t id : model_.all) {  // oldest first
      const auto open = model_.open.find(id);
      if (open == model_.open.end() || model_.options.expire_after == 0 ||
          now - open->second.at <= model_.options.expire_after) {
        continue;
      }
      expire(id);
      ++expired;
    }
    RC_ASSERT(done && done.value() == expired);
    return true;
  }

  void expire(std::uint64_t id) {
    const Model::Open& open = model_.open[id];
    if (model_.options.has_default) {
      model_.reward += open.came.reward ? 0.0 : reward_of(kDefaultValue);
      model_.rounds += open.came.any() ? 0 : 1;
    }
    model_.spent += open.came.cost ? 0 : kModelLargest[open.action];
    model_.settle(id);
  }

  // Replaces the engine by one restored from its snapshot, which must not change anything.
  bool resume() {
    const std::uint64_t hash = engine_.state_hash();
    engine_ = Engine::restore(engine_.snapshot()).value();
    RC_ASSERT(engine_.state_hash() == hash);
    return false;
  }

  void agree() const {
    const EngineState state = engine_.state();
    RC_ASSERT(state.now == model_.now);
    RC_ASSERT(state.open == static_cast<std::int64_t>(model_.open.size()));
    RC_ASSERT(state.decided == static_cast<std::int64_t>(model_.all.size()));
    RC_ASSERT(state.learned + state.expired + state.cancelled + state.open == state.decided);
    RC_ASSERT(state.cancelled == model_.cancelled && state.gave_way == model_.gave_way);
    RC_ASSERT(state.remembered == static_cast<std::int64_t>(model_.settled.size()));
    std::int64_t partly = 0, without_reward = 0, without_cost = 0;
    for (const auto& [id, one] : model_.open) {
      partly += one.came.any() ? 1 : 0;
      without_reward += one.came.reward ? 0 : 1;
      without_cost += one.came.cost ? 0 : 1;
    }
    RC_ASSERT(state.partly == partly && state.without_reward == without_reward);
    RC_ASSERT(state.without_cost[0] == without_cost);
    RC_ASSERT(std::abs(state.billed[0] - static_cast<double>(model_.billed) / 1e6) < 1e-9);
    RC_ASSERT(engine_.policy().state().rounds == model_.rounds);
    RC_ASSERT(engine_.policy().state().reward == model_.reward);
    if (!model_.options.budget) return;
    RC_ASSERT(state.budgets[0].spent == model_.spent);
    RC_ASSERT(state.budgets[0].held == model_.held());
    RC_ASSERT(state.budgets[0].spent + state.budgets[0].held <= *model_.options.budget);
  }

  Model model_;
  Engine engine_;
  std::map<std::uint64_t, int> actions_;
};

TEST(Model, TheEngineDoesWhatTheModelDoes) {
  EXPECT_TRUE(rc::check([] {
    const ModelOptions options{.most_open = *rc::gen::inRange<std::int64_t>(1, 12),
                          .remember = *rc::gen::inRange<std::size_t>(0, 10),
                          .expire_after = *rc::gen::inRange<std::int64_t>(0, 12),
                          .has_default = *rc::gen::arbitrary<bool>(),
                          .budget = *rc::gen::element<std::optional<std::int64_t>>(
                              std::nullopt, 0, 249'999, 2'500'001, 20'000'000)};
    Pair pair(options);
    const int steps = *rc::gen::inRange(1, 250);
    for (int step = 0; step < steps; ++step) {
      pair.run({.kind = *rc::gen::weightedElement<ModelCommand::Kind>({{10, ModelCommand::kDecide},
                                                                  {7, ModelCommand::kLearn},
                                                                  {4, ModelCommand::kLearnAgain},
                                                                  {1, ModelCommand::kLearnForeign},
                                                                  {2, ModelCommand::kCancel},
                                                                  {3, ModelCommand::kTick},
                                                                  {1, ModelCommand::kTickBack},
                                                                  {1, ModelCommand::kSnapshot}}),
                .which = *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>()),
                .value = *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>())});
    }
  }));
}

}  // namespace
}  // namespace rein
