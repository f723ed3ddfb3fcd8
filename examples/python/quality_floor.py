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
import matplotlib.pyplot as plt
import numpy as np

import rein

FLOOR, ROUNDS, FIRST, SEEDS = 0.95, 30_000, 101, 8  # seeds that nothing was chosen on
MODELS = ["small", "coder", "writer", "large"]
DOLLARS = np.array([0.002, 0.01, 0.01, 0.1])  # mean cost of an answer


def prompts(rng):
    """The numbers that are known of each prompt, the chance that each model is right, and the judge's number."""
    hard, code, luck = rng.random((3, ROUNDS))
    right = np.column_stack([0.99 - 0.4 * hard, 0.99 - 0.3 * (1 - code), 0.99 - 0.3 * code, 0.995 - 0.01 * hard])
    return np.column_stack([hard, code, np.ones(ROUNDS)]), right, luck


def routed(contexts, right, luck, rng, seed):
    """The loop of a router: the mark and the cost of every answer."""
    agent = rein.Agent("ccb", actions=4, context=3, costs={"dollars": 0.2}, reward=(0, 1), rounds=ROUNDS, seed=seed,
                       minimize="dollars", at_least={"reward": FLOOR})
    marks, dollars = np.zeros((2, ROUNDS))
    for t, (x, chances) in enumerate(zip(contexts, right)):
        d = agent.decide(x)
        marks[t] = luck[t] < chances[d.action]
        dollars[t] = DOLLARS[d.action] * rng.uniform(0.5, 1.5)
        agent.learn(d, reward=marks[t], costs=dollars[t])
    return marks, dollars


def omniscient(right, luck):
    """The cheapest choice with mean mark FLOOR, from the true chances: the price of quality is found by bisection."""
    low, high, rows = 0.0, 100.0, np.arange(ROUNDS)

    def quality(price):
        return (luck < right[rows, np.argmax(price * right - DOLLARS, axis=1)]).mean()

    for _ in range(60):
        price = (low + high) / 2
        low, high = (price, high) if quality(price) < FLOOR else (low, price)
    return quality(high), DOLLARS[np.argmax(high * right - DOLLARS, axis=1)].mean()


def mixed(right):
    """Two models at random, whatever the prompt: the cheapest pair whose mean quality is FLOOR."""
    mean = right.mean(0)
    pairs = [(a, b) for a in range(4) for b in range(4) if mean[a] < FLOOR <= mean[b]]
    shares = {pair: (FLOOR - mean[pair[0]]) / (mean[pair[1]] - mean[pair[0]]) for pair in pairs}
    return FLOOR, min(DOLLARS[a] + share * (DOLLARS[b] - DOLLARS[a]) for (a, b), share in shares.items())


def draw(marks, dollars, best, file):
    """The means of the last 2000 answers, and of the agent that knows everything."""
    figure, (upper, lower) = plt.subplots(2, 1, figsize=(8, 6), sharex=True)
    window = np.ones(2000) / 2000
    for axes, values, limit, label in ((upper, marks, FLOOR, "quality"), (lower, 100 * dollars, 100 * best, "cents")):
        axes.plot(np.arange(1999, ROUNDS), np.convolve(values, window, "valid"), label="agent, last 2000 answers")
        axes.axhline(limit, color="black", linestyle="--", label="floor" if axes is upper else "knows everything")
        axes.set_ylabel(label)
        axes.legend(frameon=False)
    lower.set_xlabel("prompts")
    figure.tight_layout()
    figure.savefig(file, dpi=120)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    words = words.parse_args()
    found = {"agent": [], "knows everything": [], "two models at random": []}
    for seed in range(FIRST, FIRST + SEEDS):
        rng = np.random.default_rng(seed)
        contexts, right, luck = prompts(rng)
        marks, bills = routed(contexts, right, luck, rng, seed)
        found["agent"].append((marks.mean(), bills.mean()))
        found["knows everything"].append(omniscient(right, luck))
        found["two models at random"].append(mixed(right))
    lines = [f"{'who decides':22}{'quality':>9}{'worst':>9}{'cents per answer':>18}{'of the best':>13}"]
    best = np.mean(found["knows everything"], axis=0)[1]
    for name, each in found.items():
        quality, dollars = np.mean(each, axis=0)
        worst = max((q for q, _ in each), key=lambda q: abs(q - FLOOR))
        lines.append(f"{name:22}{quality:9.4f}{worst:9.4f}{100 * dollars:18.3f}{dollars / best:13.3f}")
    print(f"{ROUNDS} prompts, {SEEDS} seeds, floor {FLOOR}\n" + "\n".join(lines))
    words.out.mkdir(parents=True, exist_ok=True)
    draw(marks, bills, best, words.out / "quality_floor.png")


if __name__ == "__main__":
    main()
