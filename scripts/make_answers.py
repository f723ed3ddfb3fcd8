#!/usr/bin/env python3
"""Makes examples/data/answers.csv: 4 000 questions that a router sent to three language models.

    python3 scripts/make_answers.py > examples/data/answers.csv

Invented, not observed: questions, answers and prices come from the formulas below and the seed. Only
random() is used, which gives the same numbers in every version of Python.
"""

import math
import random

ROWS = 4000
SEED = 18
MODELS = ("small", "medium", "large")
PRICES = (0.02, 0.10, 0.50)  # dollars of a question of usual length
GOOD = ((0.55, -0.12, -0.15), (0.68, -0.08, -0.05), (0.80, -0.03, 0.05))  # usual, per length, if code
ROUTER = ((0.55, 0.30, 0.15), (0.15, 0.25, 0.60))  # short questions, long ones


def main():
    rng = random.Random(SEED)
    print("x_length,x_code,a,p,r,c_dollars")
    for _ in range(ROWS):
        length = round(sum(rng.random() for _ in range(12)) - 6.0, 2)  # nearly normal
        code = int(rng.random() < 0.3)
        chances = ROUTER[length > 0]
        u = rng.random()
        model = 0 if u < chances[0] else 1 if u < chances[0] + chances[1] else 2
        usual, per_length, if_code = GOOD[model]
        mean = min(max(usual + per_length * length + if_code * code, 0.05), 0.98)
        reward = int(rng.random() < mean)
        dollars = PRICES[model] * math.exp(0.25 * length) * (0.8 + 0.4 * rng.random())
        print(f"{length:g},{code},{MODELS[model]},{chances[model]:g},{reward},{dollars:.4f}")


if __name__ == "__main__":
    main()
