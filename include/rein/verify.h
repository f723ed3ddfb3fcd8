// Measures the theorem: how regret and violation grow with the horizon, for each part of the
// theorem, beside the rates that it states. The C++ form of `rein verify`; docs/verify.md has the
// table of rates.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rein/figure.h"
#include "rein/result.h"

namespace rein {

struct VerifyOptions {
  // "quick": six horizons from 2^11 or 2^14, 16 seeds. "full": up to 2^20 rounds, 50 seeds.
  std::string profile = "quick";
  std::string parts = "abcdefg";
  // Policies whose growth is measured on the same worlds, such as {"ccb", "loe2d", "squarecb"}. `ccb` stands for
  // the policies of the theorem; others get rows of which nothing is promised. Empty: those of the theorem alone.
  std::vector<std::string> policies;
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
  std::string part;     // "a" to "f"; "g" is the theorem of docs/theory/slater.md
  std::string setting;  // "expectation", ...
  std::string world;    // as specs; "sqrt T" is a budget that grows with the horizon
  std::string world_last;  // the same at the last horizon: a spec that can be typed
  std::string policy;
  // regret, regret_long_term, regret_stationary, ccv, ccv_max, ccv_average, ccv_share, queue_rms,
  // premise or oracle_error. With several costs, the cost with the largest value.
  std::string quantity;
  std::vector<std::int64_t> horizons;
  std::vector<Figure> measured;  // one per horizon, in units
  Figure exponent;               // growth exponent of measured in T; NaN if a mean is not positive
  std::string rate;              // the theorem's rate as a formula; empty if it has none
  double theorem = 0.0;  // the theorem's exponent over these horizons, with logarithms; or NaN
  std::vector<double> bounds;  // one per horizon; NaN if there is none
  bool pass = true;
  // Whether the theorem is about this policy. Otherwise `theorem` is the exponent of the theorem's own policy, to
  // compare with; there is no bound, and the row cannot fail.
  bool promised = true;
  std::string note;
};

struct Verification {
  std::string profile;
  int seeds = 0;
  std::vector<VerifyRow> rows;
  std::vector<std::string> left_out;  // policies that a world does not fit, and why
  std::size_t restored = 0;  // number of plays read from the file
  bool pass() const;
};

Result<Verification> verify(const VerifyOptions& options);

}  // namespace rein
