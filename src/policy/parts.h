// Parts: what a policy is composed of, and how it is made of specs.
#pragma once

#include <memory>
#include <vector>

#include "explore/explorer.h"
#include "explore/gain.h"
#include "policy/baseline.h"
#include "policy/confidence.h"
#include "policy/extra.h"
#include "policy/floor.h"
#include "rein/oracle.h"
#include "rein/pricer.h"

namespace rein {

struct Parts {
  std::unique_ptr<Oracle> oracle;  // null: scores are all zero
  std::unique_ptr<Pricer> pricer;
  std::unique_ptr<Gain> gain;
  std::unique_ptr<Explorer> explorer;
  Confidence confidence = {};  // bounds that scores are made of; none by default
  std::vector<std::unique_ptr<Extra>> extras = {};
  Floor floor = {};        // under the explorer's probabilities; none by default
  Baseline baseline = {};  // that the policy may not fall far below; none by default
};

struct PartSpecs {
  Spec pricer;
  Spec gain;
  Spec explorer;
};

// The oracle is made before the parts, because U in the terms is the oracle's.
Result<Parts> make_parts(std::unique_ptr<Oracle> oracle, const PartSpecs& specs, const Terms& terms,
                         const Own& own = {});

}  // namespace rein
