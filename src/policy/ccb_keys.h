// CcbKeys: every key of ccb, as given, with what follows from them alone.
#pragma once

#include <string>

#include "base/spec_reader.h"
#include "policy/baseline.h"
#include "policy/plan.h"
#include "policy/shares.h"
#include "tuning/prior.h"

namespace rein {

struct CcbKeys {
  // Reads them. What is wrong is in the reader.
  CcbKeys(SpecReader& read, const Shape& shape);
  // The same, checked against each other and against the shape.
  static Result<CcbKeys> checked(const Spec& spec, const Shape& shape);

  PlanKeys plan;
  bool adaptive;
  bool horizon;
  bool anytime;  // tuning=theory without a horizon
  std::string setting;
  Prior::Options prior;
  bool shared;
  bool alarm;
  bool certify;
  bool has_pricer;
  Spec pricer;
  Spec gain;
  Spec explorer;
  double floor;
  Shares shares;
  Baseline baseline;
  double v_scale, lambda_scale, gamma_scale, optimism, tries;
  bool scales_settle;  // again after the first rounds, or the first round sets them for good
  bool owns_noise;     // every action, of its costs
  bool rehearses_own;  // explorer, or inverse gap weighting in its place
  bool waits_apart;    // of every head, or that of the first part for all

 private:
  // A rate is no total where nobody knows the number of rounds.
  const char* usual_setting(const Shape& shape) const;
  // The oracle that is played where none is given.
  void choose_oracle(SpecReader& read, const Shape& shape);
};

}  // namespace rein
