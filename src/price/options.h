// The options of pricers, for their table.
#pragma once

#include "rein/catalog.h"

namespace rein::options {

// Shared with each other, or with policies.
constexpr Option kAdaptive = {
    "adaptive", "1", "1: the step doubles while costs run away; 0: one step size for all rounds",
    "0|1"};
constexpr Option kDelta = {"delta", "0.05", "probability with which the guarantee may fail"};
constexpr Option kLargestPrice = {"cap", "5", "largest price, before it is scaled"};
constexpr Option kMarginScale = {"margin_scale", "1", "multiplies the safety margin; 0 for none"};
constexpr Option kPriceStep = {"lr", "0.05", "step size of the price"};
constexpr Option kReach = {"reach", "", "largest sum of the prices; default: T / B"};
constexpr Option kShare = {
    "share", "", "weight that fixed_share spreads over all costs per round; default: 1 / T"};
constexpr Option kStep = {
    "step", "", "learning rate of the weights; default: sqrt(ln(m + 1) / T) / (1 + B / T)"};
constexpr Option kStepScale = {"step_scale", "1",
                               "multiplies every step; above 1 prices react sooner"};
constexpr Option kThresholdScale = {"threshold_scale", "1",
                                    "multiplies the threshold; below 1 the step doubles sooner"};

constexpr Option kQuadratic[] = {
    {"queue", "positive", "whether the queue keeps savings, forgets them, or prices them below 0",
     "positive|reflect|literal"},
    {"v", "", "V, which divides the queue; default: that of the theorem"},
};
constexpr Option kExponential[] = {
    {"cap", "", "largest value of exp(lambda Q); default: that of the theorem"},
    {"lambda", "", "growth rate, one number or one per cost; default: that of the theorem"},
};
constexpr Option kPredicted[] = {
    {"limited", "1", "0: prices may become so large that only they count", "0|1"},
    {"payback", "3", "debts are repaid within this many times sqrt(t) rounds"},
    {"reserve", "0", "of the usual size of a debt, kept unspent with a horizon"},
    {"signed", "", "1: costs may be negative; default: 0 for knapsack and almost_sure, else 1",
     "0|1"},
};
constexpr Option kHedge[] = {
    kReach,
    kStep,
};
constexpr Option kFixedShare[] = {
    kReach,
    kShare,
    kStep,
};
constexpr Option kQueue[] = {
    {"v", "", "V, which divides the queue; default: v_scale b sqrt(T), b the budget per round"},
};
constexpr Option kEma[] = {
    kLargestPrice,
    kPriceStep,
    {"scale", "1", "multiplies the price where it enters a score"},
    {"weight", "0.05", "weight of the newest cost in the moving average"},
};
constexpr Option kGradient[] = {
    kAdaptive, kDelta, kMarginScale, kStepScale, kThresholdScale,
};
constexpr Option kOwnPrice[] = {
    {"name", "own", "name that the potential itself reports; another name is refused"},
};

}  // namespace rein::options
