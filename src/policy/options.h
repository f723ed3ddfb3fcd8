// The options of policies, for their table.
#pragma once

#include "base/catalog.h"
#include "explore/options.h"
#include "price/options.h"

namespace rein::options {

// Shared: the problem.
constexpr Option kRounds = {"rounds", "", "number of rounds T; default: that of the problem"};
constexpr Option kBudget = {
    "budget", "", "total allowed for each cost, one number or a list; default: the problem's"};
constexpr Option kRate = {
    "rate", "", "budget per round for each cost, one number or a list, in place of budget"};
constexpr Option kNull = {
    "null", "", "id of an action that costs nothing, played once the budget could be exceeded"};

// Shared: the oracles.
constexpr Option kOracle = {"oracle", "vaw", "oracle that estimates the reward and the costs"};
constexpr Option kRewardOnly = {"oracle", "vaw", "oracle that estimates the reward"};
constexpr Option kWidths = {"oracle", "ridge",
                            "oracle for the estimates and confidence bounds: ridge or vaw"};
constexpr Option kRewardOracle = {"reward_oracle", "",
                                  "oracle for the reward; default: the value of oracle"};
constexpr Option kCostOracle = {"cost_oracle", "",
                                "oracle for the costs; default: the value of oracle"};
constexpr Option kU = {"u", "",
                       "bound U on the oracle's squared error; default: the oracle's own bound"};
constexpr Option kReportedU = {
    "u", "", "bound U on the oracle's squared error; reported, but not used to decide"};

// Shared: constants that multiply those of the papers.
constexpr Option kBoundDelta = {"delta", "0.05",
                                "probability with which a confidence bound may fail"};
constexpr Option kGammaScale = {"gamma_scale", "1", "multiplies gamma; above 1 explores less"};
constexpr Option kRadiusScale = {
    "radius_scale", "1", "multiplies the confidence radius; 0 takes the estimates as they are"};
constexpr Option kVScale = {"v_scale", "1", "multiplies V; below 1 prices react sooner"};

constexpr Option kCcb[] = {
    {"alarm", "", "1: watch whether the oracle fits the data; default: 1 with tuning=auto", "0|1"},
    {"at_least", "", "lower limits on means, [NAME,NUMBER,...]; names: reward and the costs"},
    {"at_most", "", "upper limits on means, [NAME,NUMBER,...]"},
    {"baseline", "",
     "what the reward may not fall far below: an action id, [probabilities], or round"},
    {"baseline_delta", "0.05", "probability with which that may fail"},
    {"baseline_loss", "0.1", "share of the baseline's reward that may be lost"},
    {"baseline_share", "0.1", "least probability of the baseline"},
    kBudget,
    {"certify", "0", "1: bound the regret so far from the run itself", "0|1"},
    {"challengers", "sparse",
     "auto: classes that are behind learn one outcome in four; every: all of them", "every|sparse"},
    {"control", "", "id of the action that the control group gets; with holdout"},
    kCostOracle,
    {"expected_costs", "", "what each action is expected to cost, one number per action and cost"},
    {"expected_weight", "5", "weight of an expected cost, in plays"},
    {"explorer", "igw", "explorer that turns scores into probabilities"},
    {"floor", "0", "least probability of an action that fits the budget, times K; from 0 to 1"},
    {"gain", "", "gain that sets gamma; default: by tuning"},
    kGammaScale,
    {"holdout", "0", "share of the rounds that are a random control group; needs control"},
    {"horizon", "1", "0: plans as if the number of rounds were unknown; theory: also without rounds",
     "0|1"},
    {"lambda_scale", "1", "multiplies lambda; above 1 exponential prices react sooner"},
    {"least", "", "least probability of each action in every round, a list or one for all"},
    {"maximize", "", "what is made as large as possible: a cost; default: reward"},
    {"memory", "", "memory= of the oracle, where none is named: 0 keeps all, N outcomes, or auto"},
    {"minimize", "", "in place of maximize: what is made as small as possible"},
    {"most", "", "most probability of each action in every round, a list or one for all"},
    {"new_features", "mean", "auto: what features that are new cost: the mean so far, or nothing",
     "free|mean"},
    {"noises", "own", "auto: the noise of costs after a debt: of each action, or of all", "own|pooled"},
    {"optimism", "1", "multiplies what tuning=auto adds for actions that are little known"},
    {"oracle", "", "oracle that estimates the reward and the costs; default: by tuning"},
    {"pricer", "", "pricer that turns spending into prices; default: by tuning and setting"},
    {"prior", "", "pooled: auto takes actions hardly played to be like others; default: by oracle",
     "none|pooled"},
    {"rate", "", "budget per round, in place of budget; tuning=auto also takes both"},
    {"rehearsed", "own", "auto: what the price is rehearsed with: its own explorer, or always igw",
     "igw|own"},
    kRewardOracle,
    kRounds,
    {"scales", "median", "auto: what scales a context: its first eight rounds, or only the first",
     "first|median"},
    {"setting", "", "what is known of the costs; default: knapsack with a budget, else expectation",
     "expectation|slater|almost_sure|knapsack|linear_constraints|pacing"},
    {"shared", "1", "0: auto estimates every action alone, however few its plays", "0|1"},
    {"tries", "", "least plays of each action: tries * sqrt(n) / K in n rounds; auto: 5"},
    {"tuning", "auto", "auto: adapts to what it sees; theory: the theorem, with its bounds",
     "auto|theory"},
    {"u", "", "bound U on the oracle's squared error; default: by tuning"},
    kVScale,
    {"waits", "each", "auto: how late money is: as its slowest head, or as the first part",
     "first|each"},
};
constexpr Option kSquarecb[] = {
    kDelta,
    {"explorer", "square", "explorer that turns scores into probabilities"},
    {"gain", "", "gain that sets gamma; default: SquareCB's formula, or root_t without rounds"},
    kGammaScale,
    kRewardOnly,
    kRounds,
    kU,
};
constexpr Option kGreedy[] = {
    kRewardOnly,
    kRounds,
    kReportedU,
};
constexpr Option kEpsilon[] = {
    kEpsilonShare,
    kRewardOnly,
    kRounds,
    kReportedU,
};
constexpr Option kLoe2d[] = {
    kBalanced, kBudget,       kCostOracle, kGammaScale, kOracle,
    kRate,     kRewardOracle, kRounds,     kU,          kVScale,
};
constexpr Option kLagrange[] = {
    kBudget,
    kCostOracle,
    kDelta,
    {"dual", "hedge", "how prices are learned; fixed_share suits contexts that switch",
     "hedge|fixed_share"},
    {"eta", "budget", "how large prices may become: one of these rules, or a number",
     "budget|margin|stop"},
    {"eta_scale", "1", "multiplies eta; above 1 allows higher prices"},
    kGammaScale,
    {"margin", "", "margin by which some policy keeps every budget, for eta=margin"},
    kNull,
    kOracle,
    kRate,
    kRewardOracle,
    kRounds,
    kShare,
    kU,
};
constexpr Option kSquarecbwk[] = {
    kBudget,
    kCostOracle,
    {"explore", "", "rounds of the first stage, for stages=2; default: sqrt(K T U), at most T / 4"},
    kGammaScale,
    kNull,
    kOracle,
    kRate,
    kRewardOracle,
    kRounds,
    {"stages", "1", "2: a first stage explores and estimates Z", "1|2"},
    kU,
    {"z", "", "largest sum of the prices Z; default: T / B, or estimated with stages=2"},
    {"z_scale", "1", "multiplies Z; above 1 allows higher prices and explores more"},
};
constexpr Option kStop[] = {
    {"at", "", "limits, one number or one per cost; default: budgets of the policy inside"},
    {"null", "", "id of an action that costs nothing, played after the stop; required"},
    {"of", "", "policy that decides until the stop; required"},
};
constexpr Option kSafeAction = {"action", "", "id of the safe action; every round must offer it"};
constexpr Option kSafeCost = {"cost", "", "mean cost of the safe action, one number per cost"};
constexpr Option kStageLimit = {
    "limit", "", "most that a round may cost on average, one number per cost; default: B / T, or 0"};
constexpr Option kPriced[] = {
    {"next", "", "prices that are used with probability share, one per cost; default: prices"},
    {"prices", "", "reward per unit of each cost, one number per cost; default: 0"},
    {"share", "0", "probability of the prices next, from 0 to 1"},
    {"weights", "",
     "estimates: 1 + context numbers per reward and cost of each action; default: 0"},
};
constexpr Option kSafe[] = {
    kSafeAction,
    kSafeCost,
    kBoundDelta,
    kStageLimit,
    {"of", "ccb", "policy that decides"},
    {"oracle", "none", "ridge or vaw: bounds of its class; none: bounds from the ranges alone"},
    kRadiusScale,
};
constexpr Option kOplb[] = {
    kSafeAction, kBudget, kSafeCost, kBoundDelta, kStageLimit, kWidths,
    kRadiusScale, kRate,  kRounds,   kReportedU,
};
constexpr Option kLincbwk[] = {
    kBudget,
    kBoundDelta,
    {"explore", "", "rounds of the stage that estimates Z; default: d sqrt(T), at most T / 2"},
    kNull,
    kWidths,
    kRadiusScale,
    kRate,
    kRounds,
    kReportedU,
    {"z", "", "largest sum of the prices Z = OPT / B; default: estimated in a first stage"},
};
constexpr Option kAupd[] = {
    kBudget, kBoundDelta, kNull, kWidths, kRadiusScale, kRate, kRounds, kReportedU, kVScale,
};
constexpr Option kPacer[] = {
    {"alpha", "0.5", "weight of the confidence bonus; larger explores more"},
    kBudget,
    kLargestPrice,
    {"ema", "0.05", "weight of the newest cost in the moving average"},
    {"lam_scale", "1", "multiplies the price where it enters a score"},
    kPriceStep,
    kWidths,
    kRate,
    kRounds,
    kReportedU,
};
constexpr Option kBanditq[] = {
    kBudget,
    {"eta_scale", "1", "multiplies the step size of Exp3"},
    {"oracle", "", "accepted, but not used to decide"},
    kRate,
    kRounds,
    {"targets", "", "least reward per round of each action, one number or a list; default: none"},
    {"u", "", "accepted, but not used to decide"},
    kVScale,
};
constexpr Option kOptimistic3[] = {
    {"alpha", "2", "weight of staying near the last distribution; larger moves more slowly"},
    kBudget,
    {"chances", "", "probability of each context, for contexts that are unit vectors"},
    {"classes", "64", "number of contexts to remember; 0: only the heuristic"},
    kBoundDelta,
    {"law", "observed", "weights of remembered contexts: how often they came, or all equal",
     "observed|uniform"},
    kWidths,
    kRadiusScale,
    kRate,
    kRounds,
    kReportedU,
};
constexpr Option kPgd[] = {
    kAdaptive, kBudget, kBoundDelta, kMarginScale,    kWidths,    kRadiusScale,
    kRate,     kRounds, kStepScale,  kThresholdScale, kReportedU,
};
constexpr Option kWeaklyAdaptive[] = {
    kBudget,
    kCostOracle,
    kDelta,
    {"eta_scale", "1", "multiplies the step size of the prices; above 1 they react sooner"},
    kGammaScale,
    kOracle,
    kRate,
    kRewardOracle,
    kRounds,
    kU,
};

}  // namespace rein::options
