// The engine against a simple model: a map of open decisions, a list of settled ones, and plain
// sums. Random commands, valid and invalid. After each, both must agree.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <optional>

#include "engine/small.h"
#include "property.h"

namespace rein {
namespace {

constexpr std::int64_t kLargest[3] = {0, 250'000, 1'000'000};  // of each action, in micro-units

struct Options {
  std::int64_t most_open;
  std::size_t remember;
  std::int64_t expire_after;
  bool has_default;
  std::optional<std::int64_t> budget;  // in micro-units
};

struct Command {
  enum Kind {
    kDecide,
    kLearn,
    kLearnAgain,
    kLearnForeign,
    kCancel,
    kTick,
    kTickBack,
    kSnapshot
  } kind;
  std::uint32_t which;  // decision, among those of the kind
  std::uint32_t value;  // of the outcome, or of the clock
};

struct Model {
  struct Open {
    std::int64_t at;
    int action;
  };
  struct Settled {
    std::uint64_t id;
    std::optional<std::uint32_t> value;  // none: expired
    bool cancelled = false;
  };

  explicit Model(const Options& given) : options(given) {}

  std::int64_t held() const {
    std::int64_t sum = 0;
    for (const auto& [id, one] : open) sum += kLargest[one.action];
    return sum;
  }
  bool fits(int action) const {
    return !options.budget || spent + held() + kLargest[action] <= *options.budget;
  }
  void settle(std::uint64_t id, std::optional<std::uint32_t> value, std::int64_t cost) {
    open.erase(id);
    spent += cost;
    settled.push_back({id, value});
    if (settled.size() > options.remember) settled.pop_front();
  }
  Settled* find(std::uint64_t id) {
    for (Settled& one : settled) {
      if (one.id == id) return &one;
    }
    return nullptr;
  }

  Options options;
  std::map<std::uint64_t, Open> open;
  std::vector<std::uint64_t> all;  // ids in the order of their decisions
  std::deque<Settled> settled;
  std::int64_t now = 0;
  std::int64_t spent = 0;
  std::int64_t learned = 0;
  std::int64_t cancelled = 0;
  double reward = 0.0;
};

// Multiples of 2^-10, so that sums of rewards are exact. Action 2 with value 7 costs its largest.
double reward_of(std::uint32_t value) { return static_cast<double>(value % 8) / 8.0; }
std::int64_t cost_of(int action, std::uint32_t value) {
  return kLargest[action] * static_cast<std::int64_t>(value % 8) / 7;
}
Outcome outcome_of(int action, std::uint32_t value) {
  return {.reward = reward_of(value), .costs = {static_cast<double>(cost_of(action, value)) / 1e6}};
}

constexpr std::uint32_t kDefaultValue = 3;

class Pair {
 public:
  explicit Pair(const Options& options) : model_(options), engine_(make(options)) {}

  void run(const Command& command) {
    const std::uint64_t before = engine_.state_hash();
    const bool changed = apply(command);
    if (!changed) RC_ASSERT(engine_.state_hash() == before);
    RC_ASSERT(engine_.record().empty() == !changed);
    agree();
  }

 private:
  static Engine make(const Options& options) {
    EngineOptions made{.seed = 4,
                       .most_open = options.most_open,
                       .remember = static_cast<std::int64_t>(options.remember),
                       .expire_after = options.expire_after};
    if (options.has_default) made.default_outcome = outcome_of(1, kDefaultValue);
    if (options.budget) {
      made.hard_budget = {static_cast<double>(*options.budget) / 1e6};
      made.largest_costs = {{0.0}, {0.25}, {1.0}};
    }
    return Engine::make("epsilon(epsilon=0.9)", small_shape(), made).value();
  }

  // Returns whether something changed.
  bool apply(const Command& command) {
    switch (command.kind) {
      case Command::kDecide:
        return decide_one(command);
      case Command::kLearn:
        if (model_.open.empty()) return learn_foreign(command);
        return learn(std::next(model_.open.begin(),
                               command.which % static_cast<std::uint32_t>(model_.open.size()))
                         ->first,
                     command.value);
      case Command::kLearnAgain:
        if (model_.all.empty()) return learn_foreign(command);
        return learn(model_.all[command.which % model_.all.size()], command.value);
      case Command::kLearnForeign:
        return learn_foreign(command);
      case Command::kCancel:
        return cancel(command);
      case Command::kTick:
        return tick(model_.now + command.value % 6);
      case Command::kTickBack:
        return tick(model_.now - 1 - command.value % 6);
      case Command::kSnapshot:
        return resume();
    }
    return false;
  }

  bool decide_one(const Command& command) {
    const bool with_free = command.value % 4 != 0;  // action 0 costs nothing and always fits
    const std::vector<std::int32_t> ids =
        with_free ? std::vector<std::int32_t>{2, 0, 1} : std::vector<std::int32_t>{1, 2};
    const std::vector<double> x = context_of(command.which % 16);
    auto ticket =
        engine_.decide({.actions = static_cast<int>(ids.size()), .context = x, .ids = ids});
    int fitting = 0;
    for (std::int32_t id : ids) fitting += model_.fits(id);
    if (static_cast<std::int64_t>(model_.open.size()) == model_.options.most_open) {
      RC_ASSERT(!ticket && ticket.reason() == Reason::kFull);
      return false;
    }
    if (fitting == 0) {
      RC_ASSERT(!ticket && ticket.reason() == Reason::kBudget);
      return false;
    }
    const Engine::Decision& given = ticket.value();
    RC_ASSERT(given.fitting == fitting);
    RC_ASSERT(given.action_id == ids[static_cast<std::size_t>(given.action)]);
    for (std::size_t a = 0; a < ids.size(); ++a) {
      if (!model_.fits(ids[a])) RC_ASSERT(given.probabilities[a] == 0.0);
    }
    RC_ASSERT(model_.fits(given.action_id));
    for (std::uint64_t id : model_.all) RC_ASSERT(id != given.id);
    model_.open[given.id] = {model_.now, given.action_id};
    model_.all.push_back(given.id);
    return true;
  }

  bool learn(std::uint64_t id, std::uint32_t value) {
    const auto open = model_.open.find(id);
    const int action = open == model_.open.end() ? actions_[id] : open->second.action;
    actions_[id] = action;
    auto done = engine_.learn(id, outcome_of(action, value));
    if (open != model_.open.end()) {
      RC_ASSERT(done && done.value() == LearnResult::kApplied);
      model_.reward += reward_of(value);
      model_.learned += 1;
      model_.settle(id, value % 8, cost_of(action, value));
      return true;
    }
    Model::Settled* settled = model_.find(id);
    if (!settled) {
      RC_ASSERT(!done && done.reason() == Reason::kExpired);
    } else if (settled->cancelled) {
      RC_ASSERT(!done && done.reason() == Reason::kConflict);
    } else if (!settled->value) {  // the bill replaces the hold, which was counted as spent
      RC_ASSERT(done && done.value() == LearnResult::kLate);
      model_.spent += cost_of(action, value) - kLargest[action];
      settled->value = value % 8;
      return true;
    } else if (*settled->value == value % 8) {
      RC_ASSERT(done && done.value() == LearnResult::kDuplicate);
    } else {
      RC_ASSERT(!done && done.reason() == Reason::kConflict);
    }
    return false;
  }

  bool cancel(const Command& command) {
    if (model_.all.empty()) return learn_foreign(command);
    const std::uint64_t id = model_.all[command.which % model_.all.size()];
    const auto open = model_.open.find(id);
    auto done = engine_.cancel(id);
    if (open != model_.open.end()) {
      RC_ASSERT(done.ok());
      actions_[id] = open->second.action;
      model_.settle(id, std::nullopt, 0);
      if (!model_.settled.empty()) model_.settled.back().cancelled = true;
      model_.cancelled += 1;
      return true;
    }
    const Model::Settled* settled = model_.find(id);
    if (settled && settled->cancelled) {
      RC_ASSERT(done.ok());
    } else {
      RC_ASSERT(!done && done.reason() ==
                             (settled && settled->value ? Reason::kConflict : Reason::kExpired));
    }
    return false;
  }

  bool learn_foreign(const Command& command) {
    const std::uint64_t id = (std::uint64_t{command.which} << 32) | command.value;
    for (std::uint64_t known : model_.all) RC_PRE(known != id);
    auto done = engine_.learn(id, outcome_of(0, 0));
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
      const int action = open->second.action;
      if (model_.options.has_default) {
        model_.reward += reward_of(kDefaultValue);
        model_.learned += 1;
      }
      actions_[id] = action;
      model_.settle(id, std::nullopt, kLargest[action]);
      ++expired;
    }
    RC_ASSERT(done && done.value() == expired);
    return true;
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
    RC_ASSERT(state.cancelled == model_.cancelled);
    RC_ASSERT(state.remembered == static_cast<std::int64_t>(model_.settled.size()));
    RC_ASSERT(engine_.policy().state().rounds == model_.learned);
    RC_ASSERT(engine_.policy().state().reward == model_.reward);
    if (!model_.options.budget) return;
    RC_ASSERT(state.budgets[0].spent == model_.spent);
    RC_ASSERT(state.budgets[0].held == model_.held());
    RC_ASSERT(state.budgets[0].spent + state.budgets[0].held <= *model_.options.budget);
  }

  Model model_;
  Engine engine_;
  std::map<std::uint64_t, int> actions_;  // of decisions that are over
};

TEST(Model, TheEngineDoesWhatTheModelDoes) {
  EXPECT_TRUE(rc::check([] {
    const Options options{.most_open = *rc::gen::inRange<std::int64_t>(1, 12),
                          .remember = *rc::gen::inRange<std::size_t>(0, 10),
                          .expire_after = *rc::gen::inRange<std::int64_t>(0, 12),
                          .has_default = *rc::gen::arbitrary<bool>(),
                          .budget = *rc::gen::element<std::optional<std::int64_t>>(
                              std::nullopt, 0, 249'999, 2'500'001, 20'000'000)};
    Pair pair(options);
    const int steps = *rc::gen::inRange(1, 250);
    for (int step = 0; step < steps; ++step) {
      pair.run({.kind = *rc::gen::weightedElement<Command::Kind>({{10, Command::kDecide},
                                                                  {7, Command::kLearn},
                                                                  {4, Command::kLearnAgain},
                                                                  {1, Command::kLearnForeign},
                                                                  {2, Command::kCancel},
                                                                  {3, Command::kTick},
                                                                  {1, Command::kTickBack},
                                                                  {1, Command::kSnapshot}}),
                .which = *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>()),
                .value = *rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>())});
    }
  }));
}

}  // namespace
}  // namespace rein
