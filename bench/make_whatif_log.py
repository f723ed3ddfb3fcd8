#!/usr/bin/env python3
"""Prints a log of past decisions for timings of `rein whatif` (docs/whatif.md, "How long it takes").

    bench/make_whatif_log.py ROWS FEATURES > log.csv

Four actions, played by a softmax of the context with a floor of 5 %. Rewards are 0 or 1. The costs are dollars and
seconds. The same arguments give the same bytes.
"""

import math
import random
import sys

ACTIONS = 4
FLOOR = 0.05


def main():
    rows, features = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(20)
    slopes = [[rng.gauss(0, 0.5) for _ in range(features)] for _ in range(ACTIONS)]
    names = [f"x_{j}" for j in range(features)]
    print(",".join([*names, "a", "p", "r", "c_dollars", "c_seconds"]))
    for _ in range(rows):
        context = [round(rng.random(), 3) for _ in range(features)]
        scores = [sum(s * x for s, x in zip(line, context, strict=True)) for line in slopes]
        likes = [math.exp(score) for score in scores]
        chances = [FLOOR + (1 - ACTIONS * FLOOR) * like / sum(likes) for like in likes]
        action = rng.choices(range(ACTIONS), chances)[0]
        right = 1 / (1 + math.exp(-scores[action] - 0.4 * action))
        dollars = (0.05 + 0.1 * action) * (0.5 + context[0])
        seconds = (0.5 + 0.5 * ((action * 3) % ACTIONS)) * (0.5 + context[1 % features])
        print(",".join([*map(str, context), str(action), f"{chances[action]:.6g}", str(int(rng.random() < right)),
                        f"{dollars:.4f}", f"{seconds:.3f}"]))


if __name__ == "__main__":
    main()
