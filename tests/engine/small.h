// The starting point of most engine tests: three actions, two context numbers, one cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "../sanitized.h"
#include "rein/engine.h"

namespace rein {

inline Shape small_shape() {
  return {.actions = 3, .context = 2, .costs = {{.name = "dollars", .range = {0.0, 1.0}}}};
}

inline constexpr const char* kSmallPolicy =
    "ccb(budget=100,rounds=1000,lambda_scale=50,tuning=theory)";

inline Engine small_engine(const EngineOptions& options = {}) {
  return Engine::make(kSmallPolicy, small_shape(), options).value();
}

// Context number n, the same every time.
inline std::vector<double> context_of(std::uint64_t n) {
  Rng rng(11, n);
  const double x = rng.uniform();
  return {x, rng.uniform()};
}

// The record of a decision that is not made.
inline void choose(const Engine& engine, const Round& round, DecideRecord& out) {
  Scratch scratch;
  engine.choose(round, scratch, out).check();
}

inline Result<Engine::Decision> decide(Engine& engine, std::uint64_t n = 0) {
  const std::vector<double> x = context_of(n);
  return engine.decide({.actions = 3, .context = x});
}

inline std::uint64_t decided(Engine& engine, std::uint64_t n = 0) {
  return decide(engine, n).value().id;
}

}  // namespace rein
