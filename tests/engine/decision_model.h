// A simple model of an engine: a map of open decisions, a list of settled ones, and plain sums.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "rein/round.h"

namespace rein {

inline constexpr std::int64_t kModelLargest[3] = {0, 250'000,
                                           1'000'000};  // of each action, in micro-units

struct ModelOptions {
  std::int64_t most_open;
  std::size_t remember;
  std::int64_t expire_after;
  bool has_default;
  std::optional<std::int64_t> budget;  // in micro-units
};

struct ModelCommand {
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
  // The parts of an outcome: 1 the reward, 2 the cost, 3 both.
  unsigned parts() const { return value / 8 % 5 < 2 ? value / 8 % 5 + 1 : 3; }
};

struct Model {
  struct Came {
    std::optional<double> reward = std::nullopt;
    std::optional<std::int64_t> cost = std::nullopt;  // in micro-units
    bool any() const { return reward || cost; }
    bool all() const { return reward && cost; }
    bool conflicts(const Came& other) const {
      return (reward && other.reward && *reward != *other.reward) ||
             (cost && other.cost && *cost != *other.cost);
    }
    // What the other brings that is new.
    Came news(const Came& other) const {
      return {reward ? std::nullopt : other.reward, cost ? std::nullopt : other.cost};
    }
    void add(const Came& other) {
      if (other.reward) reward = other.reward;
      if (other.cost) cost = other.cost;
    }
  };
  struct Open {
    std::int64_t at;
    int action;
    Came came = {};
  };
  struct Settled {
    std::uint64_t id;
    Came came;  // what did not come had expired
    bool cancelled = false;
  };

  explicit Model(const ModelOptions& given) : options(given) {}

  std::int64_t held() const {
    std::int64_t sum = 0;
    for (const auto& [id, one] : open) sum += one.came.cost ? 0 : kModelLargest[one.action];
    return sum;
  }
  // The oldest open decision of which no hard budget holds money.
  std::optional<std::uint64_t> oldest_to_give_way() const {
    for (std::uint64_t id : all) {
      const auto found = open.find(id);
      if (found == open.end()) continue;
      const Open& one = found->second;
      if (!options.budget || one.came.cost || kModelLargest[one.action] == 0) return id;
    }
    return std::nullopt;
  }
  bool fits(int action) const {
    return !options.budget || spent + held() + kModelLargest[action] <= *options.budget;
  }
  void settle(std::uint64_t id, bool is_cancelled = false) {
    settled.push_back({id, open[id].came, is_cancelled});
    open.erase(id);
    if (settled.size() > options.remember) settled.pop_front();
  }
  Settled* find(std::uint64_t id) {
    for (Settled& one : settled) {
      if (one.id == id) return &one;
    }
    return nullptr;
  }

  ModelOptions options;
  std::map<std::uint64_t, Open> open;
  std::vector<std::uint64_t> all;  // ids in the order of their decisions
  std::deque<Settled> settled;
  std::int64_t now = 0;
  std::int64_t spent = 0;
  std::int64_t billed = 0;
  std::int64_t rounds = 0;  // learned
  std::int64_t cancelled = 0;
  std::int64_t gave_way = 0;
  double reward = 0.0;
};

// Multiples of 2^-10, so that sums of rewards are exact. Action 2 with value 7 costs its largest.
inline double reward_of(std::uint32_t value) { return static_cast<double>(value % 8) / 8.0; }
inline std::int64_t cost_of(int action, std::uint32_t value) {
  return kModelLargest[action] * static_cast<std::int64_t>(value % 8) / 7;
}
inline Model::Came came_of(int action, std::uint32_t value, unsigned parts) {
  Model::Came came;
  if ((parts & 1U) != 0) came.reward = reward_of(value);
  if ((parts & 2U) != 0) came.cost = cost_of(action, value);
  return came;
}
inline Outcome outcome_of(const Model::Came& came) {
  Outcome outcome;
  if (came.reward) outcome.reward = *came.reward;
  if (came.cost) outcome.costs = {static_cast<double>(*came.cost) / 1e6};
  return outcome;
}

}  // namespace rein
