// Measuring the theorem: how regret and violation grow with the horizon, part by part, beside what
// the theorem says. What `rein verify` does, for programs; docs/verify.md has the table of rates.
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
  int threads = 0;  // 0: as many as the machine has
  // In place of the profile's, where above 0: horizons are 2^first .. 2^last.
  int seeds = 0;
  int first = 0;
  int last = 0;
  // A file that finished plays are added to as they come, and read from; empty for none.
  std::string resume;
  bool fresh = false;                                        // forget what the file holds
  std::function<void(std::int64_t, std::int64_t)> progress;  // rounds done, rounds in all
};

// One quantity of one policy on one world, over all horizons.
struct VerifyRow {
  std::string part;     // "a" to "f"
  std::string setting;  // "expectation", ...
  std::string world;    // as specs; "sqrt T" stands for a budget that grows with the horizon
  std::string policy;
  // regret, regret_long_term, regret_stationary, ccv, ccv_average, queue_rms, premise
  std::string quantity;
  std::vector<std::int64_t> horizons;
  std::vector<Figure> measured;  // one a horizon, in units
  Figure exponent;               // of measured against T; NaN where a mean is not positive
  std::string rate;              // what the theorem says, as a formula; empty where it says nothing
  double theorem = 0.0;          // its exponent over these horizons, logarithms included; or NaN
  std::vector<double> bounds;    // one a horizon; NaN where there is none
  bool pass = true;
  std::string note;
};

struct Verification {
  std::string profile;
  int seeds = 0;
  std::vector<VerifyRow> rows;
  std::size_t restored = 0;  // plays that came from the file
  bool pass() const;
};

Result<Verification> verify(const VerifyOptions& options);

// The slope of log mean against log T by least squares, samples[horizon][seed], with the 95 %
// t-interval of the delta method: seed s moves the slope by sum_h w_h x_hs / mean_h, w_h the
// weights of the fit, and those are as many independent numbers as there are seeds, since one seed
// is the same world at every horizon. kResolution is added to both sides, for what lower-order
// terms do to a slope at these horizons. NaN where a mean is not positive. REQUIRES two horizons or
// more, as many seeds at each.
inline constexpr double kResolution = 0.01;
Figure growth_exponent(const std::vector<std::int64_t>& horizons,
                       const std::vector<std::vector<double>>& samples);

// Fills in measured, exponent, pass and note, from the rest and the samples. A row fails where the
// low end of the exponent is above the theorem's, or a mean above its bound.
void judge(const std::vector<std::vector<double>>& samples, VerifyRow& row);

// A hunt for a false bound: runs of random worlds, policies, horizons, ranges and delays, those
// that came closest to a bound changed a little and run again. What `rein verify --falsify` does.
struct FalsifyOptions {
  // Ends the hunt, whichever comes first; 0 for no such end. REQUIRES one of them.
  double seconds = 0.0;
  std::int64_t cases = 0;
  // The same seed tries the same cases in the same order, whatever the threads.
  std::uint64_t seed = 1;
  int threads = 0;  // 0: as many as the machine has
  // Every bound is divided by this before it is held against what was measured: what the hunt would
  // find if bounds were so much too small. At least 1.
  double tighten = 1.0;
  // Called now and then with what is done and what there is in all: milliseconds, or cases where no
  // seconds are given.
  std::function<void(std::int64_t, std::int64_t)> progress;
};

// One figure of one run, beside the bound that is printed for it.
struct Call {
  std::string quantity;  // regret, ccv, ... with "(e)" where the bound is part (e)'s
  double measured = 0.0;
  double bound = 0.0;
  std::string command;  // shows both: rein run ...
  // Of as many other seeds, how many pass the bound too. Only of offenders.
  int others = 0;
  int others_above = 0;
  double ratio() const { return measured / bound; }
};

struct Falsification {
  std::int64_t runs = 0;      // that were judged
  std::int64_t outside = 0;   // whose premise failed: an infeasible round, an error above a given u
  std::int64_t refused = 0;   // cases that no world or policy took
  std::string refusal;        // the first of them
  std::int64_t offences = 0;  // figures above their bound
  std::vector<Call> offenders;  // the first few of every quantity
  std::vector<Call> closest;    // the largest ratio of every quantity, offenders included
};
Result<Falsification> falsify(const FalsifyOptions& options);

}  // namespace rein
