"""The cheapest way to answer prompts while the mean quality stays at 0.95.

    python examples/python/quality_floor.py [--out FOLDER]

Four models answer prompts. A judge marks each answer right (1) or wrong (0). A small model is good enough for easy
prompts, one model is good at code and one at prose, and a large model is good at everything and dear. How hard a
prompt is, and how much of it is code, is known. The agent is told only the floor: it learns what each model costs and
how good it is while it routes.

It is compared with the agent that knows everything: it knows the chance of a right answer and the cost of every model
for every prompt, and picks the cheapest models whose mean mark is 0.95. Both have the same judge: a prompt has one
random number, and an answer is right if that is below its chance. So luck is the same for both.
"""

import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")
import numpy as np
import pandas as pd

import rein

FLOOR, ROUNDS, FIRST, SEEDS = 0.95, 30_000, 101, 8  # seeds that nothing was chosen on
DOLLARS = {"small": 0.002, "coder": 0.01, "writer": 0.01, "large": 0.1}  # mean cost of an answer
PRICES = np.array(list(DOLLARS.values()))


def prompts(rng):
    """What is known of each prompt, the chance that each model is right, and the judge's number."""
    hard, code, luck = rng.random((3, ROUNDS))
    right = pd.DataFrame({"small": 0.99 - 0.4 * hard, "coder": 0.99 - 0.3 * (1 - code), "writer": 0.99 - 0.3 * code,
                          "large": 0.995 - 0.01 * hard})
    return pd.DataFrame({"hard": hard, "code": code}), right, luck


def routed(known, right, luck, rng, seed):
    """The loop of a router."""
    agent = rein.Agent("ccb", actions=list(DOLLARS), context={"hard": "number", "code": "number"}, reward=(0, 1),
                       costs={"dollars": 0.2}, rounds=ROUNDS, seed=seed,
                       goal=rein.Goal(minimize="dollars", at_least={"reward": FLOOR}))
    for t, prompt in enumerate(known.to_dict("records")):
        d = agent.decide(prompt)
        agent.learn(d, reward=float(luck[t] < right.at[t, d.action]), costs=DOLLARS[d.action] * rng.uniform(0.5, 1.5))
    return agent


def omniscient(right, luck):
    """The cheapest choice with mean mark FLOOR, from the true chances: the price of quality is found by bisection."""
    low, high, rows = 0.0, 100.0, np.arange(ROUNDS)

    def quality(price):
        return (luck < right[rows, np.argmax(price * right - PRICES, axis=1)]).mean()

    for _ in range(60):
        price = (low + high) / 2
        low, high = (price, high) if quality(price) < FLOOR else (low, price)
    return quality(high), PRICES[np.argmax(high * right - PRICES, axis=1)].mean()


def mixed(right):
    """Two models at random, whatever the prompt: the cheapest pair whose mean quality is FLOOR."""
    mean = right.mean(0)
    pairs = [(a, b) for a in range(4) for b in range(4) if mean[a] < FLOOR <= mean[b]]
    shares = {pair: (FLOOR - mean[pair[0]]) / (mean[pair[1]] - mean[pair[0]]) for pair in pairs}
    return FLOOR, min(PRICES[a] + share * (PRICES[b] - PRICES[a]) for (a, b), share in shares.items())


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    words = words.parse_args()
    found = {"agent": [], "knows everything": [], "two models at random": []}
    for seed in range(FIRST, FIRST + SEEDS):
        rng = np.random.default_rng(seed)
        known, right, luck = prompts(rng)
        agent = routed(known, right, luck, rng, seed)
        found["agent"].append((agent.state.reward / ROUNDS, agent.spent["dollars"] / ROUNDS))
        found["knows everything"].append(omniscient(right.to_numpy(), luck))
        found["two models at random"].append(mixed(right.to_numpy()))
    print(f"{ROUNDS} prompts, {SEEDS} seeds, floor {FLOOR}")
    print(f"{'who decides':22}{'quality':>9}{'worst':>9}{'cents per answer':>18}{'of the best':>13}")
    best = np.mean(found["knows everything"], axis=0)[1]
    for name, each in found.items():
        quality, dollars = np.mean(each, axis=0)
        worst = max((q for q, _ in each), key=lambda q: abs(q - FLOOR))
        print(f"{name:22}{quality:9.4f}{worst:9.4f}{100 * dollars:18.3f}{dollars / best:13.3f}")
    words.out.mkdir(parents=True, exist_ok=True)
    agent.plot().savefig(words.out / "quality_floor.png", dpi=80)


if __name__ == "__main__":
    main()
