// The options of worlds, for their table.
#pragma once

#include "base/catalog.h"

namespace rein::options {

// Shared: size of the problem.
constexpr Option kActions = {"k", "4", "number of actions"};
constexpr Option kCosts = {"m", "1", "number of costs"};
constexpr Option kContext = {"d", "4", "length of the context"};
constexpr Option kFeatures = {"d", "8", "number of features of each action"};
constexpr Option kInside = {"of", "linear", "world inside, any world spec"};

// Shared: what costs are allowed and how they relate to rewards.
constexpr Option kBudget = {
    "budget", "", "total allowed for each cost, one number or a list; default: no budget"};
constexpr Option kBudgetOrRate = {
    "budget", "", "total allowed for each cost, one number or a list, in place of rate"};
constexpr Option kRate = {
    "rate", "", "budget per round for each cost, one number or a list, in place of budget"};
constexpr Option kRange = {"costs", "signed",
                           "range of the costs: signed is [-1, 1], positive is [0, 1]",
                           "signed|positive"};
constexpr Option kMargin = {"margin", "0.1",
                            "how far below 0 the costs of the safe action are, for costs=signed"};
constexpr Option kSafe = {
    "safe", "", "largest cost of the safe action, for costs=positive; default: 0.05 or rate / 2"};
constexpr Option kTension = {"tension", "0.6",
                             "how strongly actions that earn more also cost more"};

// Shared: noise.
constexpr Option kNoise = {"noise", "rademacher",
                           "noise of the outcomes; rademacher: only the ends of the range occur",
                           "rademacher|gaussian|low|none"};
constexpr Option kSd = {"sd", "0.25", "standard deviation of the noise, for noise=gaussian"};

// Shared: curves.
constexpr Option kKind = {"kind", "smooth", "shape of the means: smooth curves, or steps",
                          "smooth|steps"};

constexpr Option kLinear[] = {
    {"block", "500", "rounds between two changes of the law, for order=switching"},
    kBudget,
    {"candidates", "8", "contexts that the adversary chooses from, for order=adaptive"},
    kRange,
    kFeatures,
    with_default(kActions, "8"),
    kCosts,
    kMargin,
    kNoise,
    {"order", "iid", "how contexts come: by chance, in blocks, in turn, drifting, by an adversary",
     "iid|switching|cyclic|drift|adaptive"},
    {"period", "50", "number of contexts in the cycle, for order=cyclic"},
    kRate,
    kSafe,
    kSd,
    {"target", "uncertainty", "what the adversary aims at, for order=adaptive",
     "uncertainty|queue"},
    kTension,
    {"turns", "1", "full circles that the law makes during the run, for order=drift"},
};
constexpr Option kFinite[] = {
    kBudget,
    {"contexts", "5", "number of contexts"},
    kRange,
    kActions,
    kCosts,
    kMargin,
    {"n", "16", "number of functions in the list"},
    kNoise,
    {"order", "iid", "how contexts come: at random, or one after the other", "iid|cyclic"},
    kRate,
    kSafe,
    kSd,
    kTension,
};
constexpr Option kHeavy[] = {
    kBudgetOrRate,
    kContext,
    with_default(kActions, "5"),
    kCosts,
    with_default(kNoise, "low"),
    with_default(kRate, "0.05"),
    {"ratio", "500", "cost of the most expensive action divided by that of the cheapest"},
    kSd,
};
constexpr Option kNonlinear[] = {
    kBudget,
    kRange,
    with_default(kContext, "3"),
    kActions,
    kKind,
    kCosts,
    kMargin,
    with_default(kNoise, "gaussian"),
    kRate,
    kSafe,
    kSd,
    with_default(kTension, "0.5"),
};
constexpr Option kMisspecified[] = {
    kBudget,
    kRange,
    kContext,
    kActions,
    kKind,
    kCosts,
    kMargin,
    with_default(kNoise, "gaussian"),
    kRate,
    kSafe,
    kSd,
    {"spread", "1", "below 1: numbers of the context that vary this much around a constant"},
    {"strength", "1", "strength of the nonlinear part, from 0 (linear means) to 1"},
    with_default(kTension, "0.5"),
};
constexpr Option kFixedContext[] = {
    kBudgetOrRate,
    with_default(kFeatures, "10"),
    {"k", "3", "number of actions besides the null action"},
    with_default(kCosts, "4"),
    with_default(kNoise, "gaussian"),
    with_default(kRate, "0.25"),
    with_default(kSd, "0.2"),
};
constexpr Option kEqualCosts = {"m", "1", "number of costs, all of them equal"};
constexpr Option kTwoArm[] = {kEqualCosts};
constexpr Option kSpendOrSave[] = {
    kBudgetOrRate,
    {"future", "random", "reward of the second half; random: drawn from the seed",
     "random|high|low"},
    {"high", "1", "mean reward of spending when the future is high"},
    {"low", "0", "mean reward of spending when the future is low"},
    kEqualCosts,
    {"medium", "0.5", "mean reward of spending in the first half"},
    with_default(kNoise, "none"),
    with_default(kRate, "0.5"),
    kSd,
};
constexpr Option kSlackThenTrap[] = {
    kEqualCosts,
    with_default(kNoise, "none"),
    kSd,
    {"slack", "0.25", "share of the rounds before the trap"},
};
constexpr Option kScaled[] = {
    {"cost", "1", "factor for the costs, their ranges and their budgets"},
    kInside,
    {"reward", "1", "factor for the rewards and their range"},
    {"room", "1", "factor for the low ends of the ranges of signed costs"},
};
constexpr Option kSubset[] = {
    {"always", "-1", "id of an action that is offered in every round; -1: none"},
    kInside,
    {"share", "0.6", "probability that an action is offered"},
};
constexpr Option kTable[] = {
    kBudget,
    {"context", "x_", "columns of the context: names, or a prefix"},
    {"cost", "c", "columns of the cost: a prefix, or names; a list for several costs"},
    {"cost_range", "[-1,1]", "range of the costs, or unknown; or a list with one per cost"},
    {"file", "", "path of the CSV file, plain or gzip; required"},
    {"names", "", "names of the costs; default: cost, or the prefixes of the columns"},
    {"order", "shuffled", "order of the rows: shuffled by the seed, or as in the file",
     "shuffled|file"},
    kRate,
    {"repeat", "0", "1: start again after the last row", "0|1"},
    {"reward", "r", "columns of the reward: a prefix, or one name per action"},
    {"reward_range", "[-1,1]", "range of the reward, or unknown"},
    {"schema", "", "kinds of context columns, as columns(country=category); default: numbers"},
};

constexpr Option kLog[] = {
    kBudget,
    {"file", "", "path of the log: CSV, JSON lines, dsjson, Vowpal Wabbit text, .rlog; required"},
    {"folds", "5", "parts of the log; each is predicted from the others"},
    {"format", "auto", "csv, jsonl, dsjson, vw, cb or rlog; auto: by the end of the name"},
    {"least", "50", "effective sample size that every action needs"},
    {"noise", "log", "outcomes around the estimates: as they spread in the log, or none",
     "log|none"},
    {"order", "shuffled", "order of the rows: shuffled by the seed, or as in the file",
     "shuffled|file"},
    {"propensities", "log", "probabilities of the log, or estimated from it", "log|estimate"},
    kRate,
    {"repeat", "0", "1: start again after the last row", "0|1"},
    {"scale", "standard", "contexts: standardised, and none longer than 1; or as in the log",
     "standard|none"},
};

}  // namespace rein::options
