// FalsifyCase: one run of the hunt for a false bound, made from a row of numbers in [0, 1).
//
// A gene always means the same thing (the setting, the horizon, ...), so that changing one of them
// leaves the rest of the case as it was. Ranges are chosen to favour where bounds are tight: small
// U, rewards against costs, prices that act late.
#pragma once

#include <array>
#include <string>

#include "rein/evaluate.h"
#include "rein/rng.h"
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
  kFirstGene,  // the form of a world that has one: slack, or what the first half is worth
  kSecondGene,
  kOracleGene,
  kUGene,
  kRoundsGene,
  kDelayGene,
  kPriceScaleGene,
  kGainScaleGene,
  kUnitsGene,  // whether there are any
  kRewardUnitGene,
  kCostUnitGene,
  kRoomGene,
  kSubsetGene,
  kSeedGene,
  kGenes
};
using Genes = std::array<double, kGenes>;

Genes random_genes(Rng& rng);
// A few of them changed, by a little or altogether.
Genes mutated(const Genes& genes, Rng& rng);

struct FalsifyCase {
  std::string world;
  std::string policy;
  Setting setting = Setting::kExpectation;
  std::int64_t rounds = 1;
  int delay = 0;
  double margin = 0.0;
  std::uint64_t seed = 1;
  bool own_u = true;      // U is the oracle's own, so its error is promised to stay below
  bool long_term = true;  // some regret over all rounds is promised

  RunOptions options() const;
  std::string command() const;
};
FalsifyCase make_case(const Genes& genes);

}  // namespace rein
