// Searches for a false bound: the C++ form of `rein verify --falsify`. docs/verify.md explains it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rein/result.h"

namespace rein {

// The search runs random worlds, policies, horizons, ranges and delays. The cases that come closest
// to a bound are varied a little and run again.
struct FalsifyOptions {
  // The search ends at whichever limit is reached first; 0: no such limit. REQUIRES a limit on time
  // or on runs.
  double seconds = 0.0;
  std::int64_t cases = 0;
  // The same seed tries the same cases in the same order, for any number of threads.
  std::uint64_t seed = 1;
  int threads = 0;  // 0: one per core
  // Only cases of this setting, such as "slater", or of the "certificate"; empty: of all.
  std::string setting;
  // Every bound is divided by this number, at least 1, before the comparison. So one sees what the
  // search would find if the bounds were too small by this factor.
  double tighten = 1.0;
  // Called from time to time with the amount done and the total: in milliseconds, or in cases if
  // `seconds` is not set.
  std::function<void(std::int64_t, std::int64_t)> progress;
};

// One measured quantity of one run, with its bound.
struct Call {
  std::string quantity;  // regret, ccv, ... with "(e)" for a bound of part (e)
  double measured = 0.0;
  double bound = 0.0;
  std::string command;  // command that shows both: rein run ...
  // Number of other seeds tried, and how many of them exceed the bound too. For offenders only.
  int others = 0;
  int others_above = 0;
  double ratio() const { return measured / bound; }
};

struct Falsification {
  std::int64_t runs = 0;        // runs that were judged
  std::int64_t outside = 0;     // runs whose premise failed
  std::int64_t refused = 0;     // cases that the world or the policy refused
  std::string refusal;          // message of the first refusal
  std::int64_t offences = 0;    // quantities above their bound
  std::vector<Call> offenders;  // the first few for each quantity
  std::vector<Call> closest;    // the largest ratio for each quantity, offenders included
};
Result<Falsification> falsify(const FalsifyOptions& options);

}  // namespace rein
