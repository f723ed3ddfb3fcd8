// A shop that gives coupons, and engines whose budgets steer it.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rein/engine.h"
#include "rein/rng.h"

namespace rein {

// Coupons: nothing, a small one, a large one. Who wants them depends on the context.
struct Shop {
  Rng rng{3};
  std::vector<double> x = {1.0, 0.0, 0.0};

  static Shape shape() {
    return {.actions = 3, .context = 3, .reward = {0, 1}, .costs = {{"coupons", {0.0, 3.0}}}};
  }
  void next() {
    x[1] = rng.uniform();
    x[2] = rng.uniform();
  }
  Outcome outcome(int action) {
    const double want = action == 0   ? 0.1 + 0.2 * x[1]
                        : action == 1 ? 0.2 + 0.5 * x[1]
                                      : 0.25 + 0.3 * x[1] + 0.4 * x[2];
    const double roll = rng.uniform(), size = rng.uniform();
    const double cost = action == 0 ? 0.0 : action == 1 ? (size < 0.8 ? 1.0 : 0.0) : 2.0 + size;
    return {.reward = roll < want ? 1.0 : 0.0, .costs = {cost}};
  }
  // One decision and its outcome; returns what it cost.
  double play(Engine& engine, std::span<const Scope> scopes = {}) {
    next();
    const Engine::Decision made =
        engine.decide({.actions = 3, .context = x}, {.scopes = scopes}).value();
    const std::uint64_t id = made.id;
    const Outcome outcome = this->outcome(made.action);
    engine.learn(id, outcome).check();
    return outcome.costs[0];
  }
};

inline Budget steer(std::string name, double amount, Window window, std::string scope = "") {
  return {.name = std::move(name),
          .cost = "coupons",
          .amount = amount,
          .window = std::move(window),
          .scope = std::move(scope)};
}

inline EngineOptions paced_by(std::vector<Budget> budgets) {
  EngineOptions options;
  options.seed = 5;
  options.budgets = std::move(budgets);
  return options;
}

inline Engine made(std::vector<Budget> budgets, const char* spec = "ccb") {
  return Engine::make(spec, Shop::shape(), paced_by(std::move(budgets))).value();
}

}  // namespace rein
