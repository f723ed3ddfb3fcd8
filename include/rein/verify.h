// Measures the theorem: how regret and violation grow with the horizon, for each part of the
// theorem, beside the rates that it states. The C++ form of `rein verify`; docs/verify.md has the
// table of rates.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rein/evaluate.h"

namespace rein {

struct VerifyOptions {
  // "quick": six horizons from 2^11 or 2^14, 16 seeds. "full": up to 2^20 rounds, 50 seeds.
  std::string profile = "quick";
  std::string parts = "abcdef";
  int threads = 0;  // 0: one per core
  // Values above 0 replace those of the profile. Horizons are 2^first, ..., 2^last.
  int seeds = 0;
  int first = 0;
  int last = 0;
  // File of finished plays: read at the start, extended after each play. Empty: no file.
  std::string resume;
  bool fresh = false;                                        // discard what the file holds
  std::function<void(std::int64_t, std::int64_t)> progress;  // rounds done, rounds in all
};

// One quantity of one policy on one world, over all horizons.
struct VerifyRow {
  std::string part;     // "a" to "f"
  std::string setting;  // "expectation", ...
  std::string world;    // as specs; "sqrt T" is a budget that grows with the horizon
  std::string policy;
  // regret, regret_long_term, regret_stationary, ccv, ccv_average, ccv_share, queue_rms, premise or
  // oracle_error.
  std::string quantity;
  std::vector<std::int64_t> horizons;
  std::vector<Figure> measured;  // one per horizon, in units
  Figure exponent;               // growth exponent of measured in T; NaN if a mean is not positive
  std::string rate;              // the theorem's rate as a formula; empty if it has none
  double theorem = 0.0;  // the theorem's exponent over these horizons, with logarithms; or NaN
  std::vector<double> bounds;  // one per horizon; NaN if there is none
  bool pass = true;
  std::string note;
};

struct Verification {
  std::string profile;
  int seeds = 0;
  std::vector<VerifyRow> rows;
  std::size_t restored = 0;  // number of plays read from the file
  bool pass() const;
};

Result<Verification> verify(const VerifyOptions& options);

// The least-squares slope of log mean against log T, from samples[horizon][seed], with a 95 %
// t-interval.
//
// The interval uses the delta method. Seed s moves the slope by sum_h w_h x_hs / mean_h, where w_h
// are the weights of the fit. One seed is the same world at every horizon, so there is one
// independent number per seed. kResolution is added on both sides, for the effect of lower-order
// terms at these horizons. NaN if a mean is not positive. REQUIRES at least two horizons, and the
// same number of seeds at each.
inline constexpr double kResolution = 0.01;
Figure growth_exponent(const std::vector<std::int64_t>& horizons,
                       const std::vector<std::vector<double>>& samples);

// Computes measured, exponent, pass and note from the other fields and the samples. A row fails if
// the low end of its exponent is above the theorem's, or if a mean is above its bound.
void judge(const std::vector<std::vector<double>>& samples, VerifyRow& row);

// A search for a false bound, the C++ form of `rein verify --falsify`. It runs random worlds,
// policies, horizons, ranges and delays. The cases that come closest to a bound are varied a little
// and run again.
struct FalsifyOptions {
  // The search ends at whichever limit is reached first; 0: no such limit. REQUIRES one of the two.
  double seconds = 0.0;
  std::int64_t cases = 0;
  // The same seed tries the same cases in the same order, for any number of threads.
  std::uint64_t seed = 1;
  int threads = 0;  // 0: one per core
  // Every bound is divided by this number, at least 1, before the comparison. It shows what the
  // search would find if the bounds were too small by this factor.
  double tighten = 1.0;
  // Called from time to time with the amount done and the total: in milliseconds, or in cases if
  // `seconds` is not set.
  std::function<void(std::int64_t, std::int64_t)> progress;
};

// One measured quantity of one run, with its bound.
struct Call {
  std::string quantity;  // regret, ccv, ... with "(e)" if the bound is that of part (e)
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
