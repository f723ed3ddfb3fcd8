// The run loop: any plays of one world, each a job of its own, on several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "evaluate/play.h"

namespace rein {

// Refuses what is outside the limits. REQUIRES settled rounds.
Result<> check_options(const std::vector<Spec>& policies, const RunOptions& options);

// What is known before the first round.
struct Prepared {
  RunResult result;                     // without totals and curves
  std::vector<std::string> yardsticks;  // which one each policy is measured by
  bool adapts = true;
};
// Makes everything once, for the first seed: what does not fit is refused before the first round.
Result<Prepared> prepare(const Spec& world, const std::vector<Spec>& policies,
                         const RunOptions& options);

struct Place {
  std::size_t policy = 0;  // index into Prepared::result.policies
  std::uint64_t seed = 0;
};
// Told of a play that has ended, by its index, from any thread.
using Take = std::function<Result<>(std::size_t index, Finished finished)>;

// Hands the plays out in order. The first refusal, of a play or of `take`, ends it.
Result<> play_all(const Spec& world, const Prepared& prepared, const std::vector<Place>& places,
                  const RunOptions& options, const Take& take);

}  // namespace rein
