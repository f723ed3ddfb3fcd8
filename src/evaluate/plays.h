// The run loop: any set of plays of one world, one job per play, on several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "evaluate/play.h"

namespace rein {

// Refuses options outside the limits. REQUIRES settled rounds.
Result<> check_options(const std::vector<Spec>& policies, const RunOptions& options);

// What is known before the first round.
struct Prepared {
  RunResult result;                     // without totals and curves
  std::vector<std::string> yardsticks;  // key of the yardstick that measures each policy
  bool adapts = true;
};
// Makes everything once, for the first seed, so that misfits are refused before the first round.
Result<Prepared> prepare(const Spec& world, const std::vector<Spec>& policies,
                         const RunOptions& options);

struct Place {
  std::size_t policy = 0;  // index into Prepared::result.policies
  std::uint64_t seed = 0;
};
// Receives a finished play with its index, from any thread.
using Take = std::function<Result<>(std::size_t index, Finished finished)>;

// Starts the plays in order. The first refusal, of a play or of `take`, stops the loop.
Result<> play_all(const Spec& world, const Prepared& prepared, const std::vector<Place>& places,
                  const RunOptions& options, const Take& take);

}  // namespace rein
