// Hard budgets in dollars, and how many decisions fit them.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/small.h"

namespace rein {

inline Budget dollars(std::string name, double amount, Window window) {
  return {.name = std::move(name),
          .cost = "dollars",
          .amount = amount,
          .kind = BudgetKind::kHard,
          .window = window};
}

inline EngineOptions with(std::vector<Budget> budgets) {
  EngineOptions options;
  options.budgets = std::move(budgets);
  return options;
}

// The most decisions of largest cost 1 that fit now.
inline int fitting(Engine& engine, std::span<const Scope> scopes = {}) {
  Engine copy = Engine::restore(engine.snapshot()).value();
  const std::vector<double> x = context_of(0);
  int count = 0;
  while (count < 100 && copy.decide({.actions = 3, .context = x}, {.scopes = scopes})) ++count;
  return count;
}

}  // namespace rein
