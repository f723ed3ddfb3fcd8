#!/usr/bin/env python3
"""Makes examples/data/coupons.csv: 500 shoppers, four coupons, and what each would have done.

    python3 scripts/make_coupons.py > examples/data/coupons.csv

Invented, not observed: the buyers come from the formulas below and the seed, so that every row can say
what the shopper does under every coupon. Only random() is used, which gives the same numbers in every
version of Python.
"""

import random

ROWS = 500
SEED = 2026
FACE = (0.0, 0.05, 0.10, 0.25)  # the discount of each coupon; the first is no coupon
FEATURES = ("visits", "basket", "lapsed", "thrift", "weekend")


def shopper(rng):
    """A shopper, every feature in [-0.4, 0.4] with mean 0, so that no context is longer than 1."""
    features = {name: 0.8 * rng.random() - 0.4 for name in FEATURES}
    features["weekend"] = 0.4 if rng.random() < 2 / 7 else -0.16
    return {name: round(value, 3) for name, value in features.items()}


def chance(x, face):
    """That the shopper buys. A discount moves the thrifty and the lapsed, hardly anyone else."""
    own = 0.35 + 0.5 * x["visits"] - 0.3 * x["lapsed"] + 0.1 * x["weekend"]
    moved = 4.0 * face * (0.35 + 0.9 * x["thrift"] + 0.5 * x["lapsed"])
    return min(0.95, max(0.02, own + max(0.0, moved)))


def row(rng):
    x = shopper(rng)
    mood = rng.random()  # one mood for all coupons: a shopper who buys at 5 % buys at 10 %
    basket = 0.6 + x["basket"]  # in [0.2, 1]
    rewards, costs = [], []
    for face in FACE:
        buys = mood < chance(x, face)
        rewards.append(round(basket, 3) if buys else 0)
        costs.append(round(basket * face / FACE[-1], 3) if buys else 0)
    return [x[name] for name in FEATURES] + rewards + costs


def main():
    rng = random.Random(SEED)
    actions = range(len(FACE))
    print(",".join([f"x_{name}" for name in FEATURES] + [f"r{a}" for a in actions] +
                   [f"c{a}" for a in actions]))
    for _ in range(ROWS):
        print(",".join(f"{value:g}" for value in row(rng)))


if __name__ == "__main__":
    main()
