// What most tests of the engine start from: three actions, two numbers of context, one cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rein/engine.h"

namespace rein {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline Shape small_shape() {
  return {.actions = 3, .context = 2, .costs = {{.name = "dollars", .range = {0.0, 1.0}}}};
}

inline constexpr const char* kSmallPolicy =
    "ccb(budget=100,rounds=1000,lambda_scale=50,tuning=theory)";

inline Engine small_engine(const EngineOptions& options = {}) {
  return Engine::make(kSmallPolicy, small_shape(), options).value();
}

// The n-th context, the same every time.
inline std::vector<double> context_of(std::uint64_t n) {
  Rng rng(11, n);
  const double x = rng.uniform();
  return {x, rng.uniform()};
}

inline Result<Ticket> decide(Engine& engine, std::uint64_t n = 0) {
  const std::vector<double> x = context_of(n);
  return engine.decide({.actions = 3, .context = x});
}

inline std::uint64_t decided(Engine& engine, std::uint64_t n = 0) {
  return decide(engine, n).value().id;
}

}  // namespace rein
