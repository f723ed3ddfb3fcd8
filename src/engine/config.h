// Config: everything an engine is made from, checked, with its byte form.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "money/budgets.h"
#include "rein/engine.h"
#include "rein/meaning.h"

namespace rein {

struct Config {
  Spec policy;
  Shape shape;  // as it was given; its function classes are not saved
  EngineOptions options;
  Own own = {};  // not saved
  // Which meaning of its spec the policy has (rein/meaning.h), and what it was when the engine was made,
  // with its defaults written out.
  int meaning = kMeaning;
  std::string resolved = {};
  // Whether the policy followed the budgets of the engine when the config was saved.
  std::optional<bool> paced = {};
  // Whether the policy is left out: its state then stays bytes, and nothing learns (blind.h). Not
  // saved.
  bool blind = false;
};

inline int cost_count(const Shape& shape) { return static_cast<int>(shape.costs.size()); }

// The form of this version of saved state (rein/state_version.h).
std::string encode(const Config& config, int version);
Result<Config> decode_config(std::string_view bytes, int version);

// Makes the policy that the spec meant under the meaning of this config.
Result<std::unique_ptr<Policy>> make_meant(const Config& config, const Shape& shape);

// Refuses options over their limits, and options that do not fit each other or the shape.
Result<> validate(const Shape& shape, const EngineOptions& options);

// The part of validate() that is about most_open, remember and expire_after.
Result<> check_limits(const EngineOptions& options);

// Whether the policy follows the budgets of the engine: a budget steers, or the policy is a ccb
// without a budget of its own.
bool is_paced(const Config& config);
// Refuses budgets that cannot be paced. REQUIRES options that validate() accepts.
Result<> check_paced(const Shape& shape, const EngineOptions& options);

// Refuses a policy that prices a cost which cannot be negative, without a budget for it: the cost
// would have to stay 0.
Result<> check_has_budget(const Policy& policy);
// Refuses a budget that both the spec and the shape give, if they differ.
Result<> check_given_once(const Config& config, const Policy& policy);

// All budgets: those of the list, and those of the short form. REQUIRES options that validate()
// accepts.
std::vector<Budget> budgets_of(const Shape& shape, const EngineOptions& options);
// The most that the safe action can cost: as given, or its entry in largest_costs, or 0.
Costs safe_cost_of(const Shape& shape, const EngineOptions& options);
// The coins in which the costs are counted. REQUIRES options that validate() accepts.
Coins coins_of(const Shape& shape, const EngineOptions& options);

// The largest cost of every action, as declared. An id here is the place of an action (roster.h).
// REQUIRES options that validate() accepts.
class LargestCosts {
 public:
  LargestCosts(const Shape& shape, const EngineOptions& options);

  // Whether anything says what the action with this id can cost.
  bool declared(std::int32_t id, int cost) const;
  // The largest cost of the action with this id, as it is held, in coins.
  Micro hold_of(std::int32_t id, int cost) const {
    if (id == safe_) return safe_holds_[static_cast<std::size_t>(cost)];
    const std::size_t row = by_id_.empty() ? 0 : static_cast<std::size_t>(id);
    return holds_[row * static_cast<std::size_t>(common_.size()) + static_cast<std::size_t>(cost)];
  }
  // add() declares the largest costs of an added action; empty: those from the ranges. replace()
  // does so for an action at the place of a removed action.
  void add(const Costs& largest);
  void replace(std::int32_t id, const Costs& largest);
  // The largest over all actions.
  const Micros& hold_of_any() const { return hold_of_any_; }

 private:
  Micro hold(int cost, double largest) const;
  void add_holds(const Costs& largest);

  Costs common_;              // from the ranges of the shape
  std::vector<Costs> by_id_;  // empty: common_ for all
  std::int32_t safe_ = -1;
  Coins coins_;
  // Largest costs as they are held, in coins: per action id (a single row if by_id_ is empty), of
  // the safe action, and the largest over all actions.
  std::vector<Micro> holds_;
  Micros safe_holds_{};
  Micros hold_of_any_{};
};

}  // namespace rein
