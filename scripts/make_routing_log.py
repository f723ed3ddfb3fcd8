#!/usr/bin/env python3
"""Prints examples/data/routing_log.csv: 3000 prompts, routed by hand-made rules with some chance.

A log of past decisions as docs/whatif.md reads it. Three models answer prompts. The reward is 1 if the answer was
right. The costs are dollars and seconds. Hard prompts need the large model; easy ones do not.
"""

import math
import random

MODELS = ["small", "middle", "large"]
RIGHT = {"small": (0.95, -0.85), "middle": (0.95, -0.40), "large": (0.96, -0.08)}  # chance: constant, slope in hard
DOLLARS = {"small": 0.02, "middle": 0.10, "large": 0.40}  # per thousand tokens
SECONDS = {"small": 0.5, "middle": 1.2, "large": 2.5}


def main():
    rng = random.Random(18)
    print("x_hard,x_tokens,a,p,r,c_dollars,c_seconds")
    for _ in range(3000):
        hard, tokens = round(rng.random(), 2), round(0.3 + 1.4 * rng.random(), 2)
        likes = [math.exp(1.2 * (1 - hard)), 1.5, math.exp(1.2 * hard)]
        chances = [round(like / sum(likes), 3) for like in likes]
        chances[1] = round(1 - chances[0] - chances[2], 3)
        model = rng.choices(range(3), chances)[0]
        name = MODELS[model]
        constant, slope = RIGHT[name]
        right = int(rng.random() < constant + slope * hard)
        dollars = DOLLARS[name] * tokens * (0.9 + 0.2 * rng.random())
        seconds = SECONDS[name] * (0.6 + 0.4 * tokens) * (0.8 + 0.4 * rng.random())
        print(f"{hard:g},{tokens:g},{name},{chances[model]:g},{right},{dollars:.4f},{seconds:.2f}")


if __name__ == "__main__":
    main()
