// Parts: what a policy is composed of, and how it is made of specs.
#pragma once

#include <memory>

#include "policy/first_stage.h"
#include "rein/explorer.h"
#include "rein/gain.h"
#include "rein/oracle.h"
#include "rein/pricer.h"

namespace rein {

struct Parts {
  std::unique_ptr<Oracle> oracle;  // null: scores are all zero
  std::unique_ptr<Pricer> pricer;
  std::unique_ptr<Gain> gain;
  std::unique_ptr<Explorer> explorer;
  std::unique_ptr<FirstStage> first = nullptr;  // null: none
};

struct PartSpecs {
  Spec pricer;
  Spec gain;
  Spec explorer;
};

// The oracle is made already: it is the one that says U, which is in the terms.
Result<Parts> make_parts(std::unique_ptr<Oracle> oracle, const PartSpecs& specs, const Terms& terms,
                         const Own& own = {});

}  // namespace rein
