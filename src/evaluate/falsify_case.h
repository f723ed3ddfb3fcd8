// FalsifyCase: one run of the search for a false bound, made from a row of numbers in [0, 1).
//
// A gene always has the same meaning (the setting, the horizon, ...), so changing one gene leaves
// the rest of the case unchanged. The ranges favour cases with tight bounds: small U, rewards that
// conflict with costs, prices that act late.
#pragma once

#include <array>
#include <string>

#include "rein/rng.h"
#include "rein/run.h"
#include "rein/spec.h"

namespace rein {

enum Gene {
  kSettingGene,
  kWorldGene,
  kActionsGene,
  kFeaturesGene,
  kCostsGene,
  kSignGene,
  kNoiseGene,
  kOrderGene,
  kTensionGene,
  kMarginGene,
  kRateGene,
  kFirstGene,  // slack, or the value of the first half, in worlds that have such a number
  kSecondGene,
  kOracleGene,
  kUGene,
  kRoundsGene,
  kDelayGene,
  kPriceScaleGene,
  kGainScaleGene,
  kUnitsGene,  // whether ranges other than [-1, 1] are used
  kRewardUnitGene,
  kCostUnitGene,
  kRoomGene,
  kSubsetGene,
  kSeedGene,
  kHorizonGene,  // whether the policy knows the number of rounds
  kGenes
};
using Genes = std::array<double, kGenes>;

// A value of kSettingGene that stands for this setting.
double gene_of(Setting setting);
Genes random_genes(Rng& rng);
// A copy with a few genes changed, slightly or completely.
Genes mutated(const Genes& genes, Rng& rng);

struct FalsifyCase {
  std::string world;
  std::string policy;
  Setting setting = Setting::kExpectation;
  std::int64_t rounds = 1;
  int delay = 0;
  double margin = 0.0;
  std::uint64_t seed = 1;
  bool own_u = true;      // U is the oracle's own, so its error is guaranteed to stay below
  bool long_term = true;  // some regret over all rounds is guaranteed
  bool certify = false;   // the certificate is judged, not the theorem

  RunOptions options() const;
  std::string command() const;
};
FalsifyCase make_case(const Genes& genes);
// A case for the certificate of docs/theory/certificate.md: any policy, means that are linear, also
// in features that hardly vary.
FalsifyCase make_certificate_case(const Genes& genes);

}  // namespace rein
