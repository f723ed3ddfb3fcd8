// The options of explorers and gains, for their tables.
#pragma once

#include "rein/catalog.h"

namespace rein::options {

constexpr Option kBalanced = {"balanced", "0",
                              "1: gamma uses sqrt(K T / U) instead of K sqrt(T / U)", "0|1"};
constexpr Option kEpsilonShare = {"epsilon", "0.1", "probability of a uniform choice"};

// Explorers.
constexpr Option kSquare[] = {
    {"mu", "", "larger explores less; default and least: the number of actions K"},
};
constexpr Option kEpsilonExplorer[] = {
    kEpsilonShare,
};

// Gains.
constexpr Option kConstant[] = {
    {"gamma", "1", "gamma in every round; larger explores less"},
};
constexpr Option kRootT[] = {
    {"factor", "10", "multiplies t^power; larger explores less"},
    {"power", "0.5", "power of t, the number of rounds so far"},
    {"relief", "0", "how far a price over 1 lowers gamma: 0 not at all, 1 in proportion"},
};
constexpr Option kNoise[] = {
    {"factor", "30", "multiplies sqrt(t); larger explores less"},
};
constexpr Option kLoe2dGain[] = {
    kBalanced,
};

}  // namespace rein::options
