// Run: every policy on every seed of one world, checked before its first round.
//
// The world is made once to prepare a run, for the first seed. Whatever else needs to know a fact
// of the world asks the run. Each play then makes a world of its own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "evaluate/play.h"
#include "rein/world.h"

namespace rein {

class PlayFile;

// Receives the result of a play with its index, from any thread.
using TakeResult = std::function<Result<>(std::size_t index, PlayResult result)>;

struct Run {
  // Fills in the number of rounds. Refuses options outside their limits, and what does not fit
  // together.
  static Result<Run> prepare(const Spec& world, const std::vector<Spec>& policies,
                             const RunOptions& given);
  // A run of the same world with a part of the policies, in this order.
  Run only(const std::vector<std::size_t>& policies) const;

  Result<std::unique_ptr<World>> make_world(std::uint64_t seed) const;
  // Starts the plays in order. The first refusal, of a play or of `take`, stops the loop.
  Result<> play_all(const std::vector<Play>& plays, const TakeResult& take) const;
  // Plays everything. With a file, plays that the file holds are not played again, and each new
  // result is added to the file. Every number except cpu_seconds is the same with and without a
  // file.
  Result<RunResult> finish(PlayFile* kept = nullptr) const;

  RunOptions options;
  RunResult empty;                            // the result, without totals and curves
  std::vector<double> units;                  // the largest absolute value of each cost
  bool adapts = true;                         // whether the world adapts
  std::vector<std::string> benchmarks;        // key of the benchmark of each policy
  std::vector<std::optional<Terms>> theorem;  // what the theorem says of each policy
};

// Refuses policies of which two are the same.
Result<> check_different(const std::vector<Spec>& policies);

// The number of threads to use for the option `asked`; 0 stands for one thread per core.
int threads_of(int asked);

}  // namespace rein
