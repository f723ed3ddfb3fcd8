// Certified: a bound on the regret of a run so far, from the run itself. docs/theory/certificate.md
// has the statement and its proof.
#pragma once

#include <cstdint>
#include <string_view>

namespace rein {

// The chance that a certificate is ever false, at any round, if its assumptions hold.
inline constexpr double kCertificateDelta = 0.05;

// Why there is no certificate.
enum class NoCertificate {
  kNone,        // there is one
  kNotAsked,    // nobody asked for one
  kRange,       // the range of the reward or of a cost is not declared
  kSize,        // too many features or actions
  kPaces,       // budgets are kept elsewhere: what a choice may cost changes from round to round
  kParts,       // an outcome came in parts
  kActions,     // actions were added or replaced
  kAlarm,       // the outcomes do not fit means that are linear in the features
  kLate,        // some outcomes of the run have not come
  kInfeasible,  // in some round no choice satisfies the constraint
  kLive,        // the run had live budgets, or outcomes in parts
};
// One line for people, such as "an outcome came in parts". Empty for kNone.
std::string_view why(NoCertificate reason);

struct Certified {
  NoCertificate none = NoCertificate::kNone;
  std::int64_t rounds = 0;  // the rounds it is about: those whose outcome was learned
  // At most so much reward was lost in these rounds, in the units of the shape; NaN without a
  // certificate. Against the best choice in every round that keeps every cost within its budget per
  // round (0 without one), in the mean.
  double regret = 0.0;
  // Against the best choices that do so over all these rounds.
  double regret_long_term = 0.0;
};

}  // namespace rein
