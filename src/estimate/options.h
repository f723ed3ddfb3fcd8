// The options of oracles, for their table.
#pragma once

#include "base/catalog.h"

namespace rein::options {

// Shared: how context and action features become the vector phi that is learned from.
constexpr Option kBias = {
    "bias", "", "1: append a constant 1 to the features; default: 0 for features=joint, else 1",
    "0|1"};
constexpr Option kFeatures = {
    "features", "", "how context and action features combine; default: by what the problem has",
    "joint|per_action|product"};
constexpr Option kNorm = {
    "norm", "1", "largest norm of context and features together; only the bound U uses it"};
constexpr Option kReg = {"reg", "1", "ridge penalty; larger pulls parameters towards 0"};
constexpr Option kSeed = {"seed", "1", "seed of the oracle's random numbers"};

constexpr Option kMemory = {
    "memory", "0", "outcomes after which one weighs 1 / e; 0: for ever; auto: until a change"};
constexpr Option kLinearFeatures = {kFeatures.key, "", kFeatures.line,
                                    "both|joint|per_action|product"};
constexpr Option kLevel = {
    "level", "1", "features=both: 1: actions share their level too; 0: slopes only", "0|1"};
constexpr Option kVaw[] = {
    kBias,
    kLinearFeatures,
    {"forward", "1", "share of w in the divisor 1 + w of an estimate; 0: as ridge"},
    kLevel,
    kMemory,
    kNorm,
    kReg,
};
constexpr Option kRidge[] = {kBias, kLinearFeatures, kLevel, kMemory, kNorm, kReg};
constexpr Option kOns[] = {
    kBias,
    kFeatures,
    kNorm,
    {"reg", "8", "size of the matrix at the start; larger learns more slowly"},
};
constexpr Option kAdagrad[] = {
    kBias,
    kFeatures,
    kNorm,
    {"radius", "1", "every parameter stays between -radius and radius"},
    {"rate", "", "step size; default: 0.1 radius"},
};
constexpr Option kKernel[] = {
    kBias,
    kFeatures,
    {"kind", "fourier", "curves: random Fourier features, or a dictionary of past points",
     "fourier|dictionary"},
    {"linear", "1", "1: linear functions can be learned too", "0|1"},
    kNorm,
    {"novelty", "0.1", "how new a point must be to join the dictionary, for kind=dictionary"},
    with_default(kReg, "0.1"),
    kSeed,
    {"size", "128", "number of Fourier features, or most points in the dictionary"},
    {"width", "0.5", "distance over which a mean stays about the same; auto: measured"},
};
constexpr Option kForest[] = {
    {"base", "", "oracle that the trees correct; default: vaw, or adagrad above 256 features"},
    kBias,
    {"depth", "16", "largest depth of a tree"},
    {"eta", "4", "learning rate of the weights over prunings; the proof covers values up to 1"},
    {"evidence", "12", "gain in squared loss that a split must show, relative to the variance"},
    kFeatures,
    {"nodes", "255", "largest number of nodes in a tree"},
    kNorm,
    kSeed,
    {"tests", "12", "number of candidate splits that a leaf watches"},
    {"trees", "16", "number of trees; time and memory grow with it"},
    {"wait", "24", "least number of points in a leaf before it can split"},
};
constexpr Option kMlp[] = {
    {"activation", "relu", "activation function of the hidden units", "relu|tanh"},
    kBias,
    kFeatures,
    {"hidden", "[32,32]", "units of each hidden layer, one number or a list"},
    {"norm", "1", "accepted and not used: the network learns the scale of its inputs"},
    {"rate", "0.2", "step size at the start"},
    kSeed,
};
constexpr Option kOptimistic[] = {
    {"alpha", "", "weight of the uncertainty; default: min(1, 3 / sqrt(d)), d the features"},
    {"of", "vaw", "oracle that makes the estimates; it must have widths"},
};
constexpr Option kPair[] = {
    {"cost", "vaw", "oracle for the costs"},
    {"reward", "vaw", "oracle for the reward"},
};
constexpr Option kAuto[] = {
    {"challengers", "sparse", "sparse: those that are behind learn one outcome in four; every: they learn all"},
    {"forward", "1", "forward= of the linear oracle, vaw, which plays first"},
    {"memory", "auto", "memory= of that oracle: 0 keeps all, a number of outcomes, or auto"},
    {"of", "[both,kernel(size=32,width=auto)]",
     "the others: up to 16 oracles; both: vaw(features=both)"},
};
constexpr Option kStack[] = {
    {"eta", "proved", "how fast weights move: as proved, or auto: sooner where noise is low",
     "proved|auto"},
    {"memory", "0", "outcomes after which a loss weighs 1 / e; 0: none is forgotten"},
    {"of", "[vaw,kernel]", "members: one oracle, or a list of up to 16"},
};

}  // namespace rein::options
