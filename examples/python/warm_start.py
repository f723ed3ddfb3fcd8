"""A warm start: an agent that learned from the log of somebody else, beside one that played the log itself.

    python examples/python/warm_start.py [--out FOLDER]

Tickets come to a support desk. Each goes to one of five ways of answering, from a canned text to a specialist. A rule
of thumb has decided 50 000 tickets: easy ones get something cheap, hard ones something dear, and one ticket in five is
sent at random. Its log is all that is left. The agent is to earn the most for 0.25 dollars per ticket.

Three agents meet the same next 1000 tickets:

    cold     knows nothing
    warm     was taught the log with agent.warm_start(log)
    played   has decided the same 50 000 tickets itself

All numbers are made up here, with the seeds 0 to 9.
"""

import argparse
import pathlib
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rein

LOGGED, LIVE, SEEDS = 50_000, 1000, 10
BUDGET = 0.25  # dollars per ticket
NAMES = ["length", "age", "orders", "anger", "value", "again"]
PRICE = np.array([0.01, 0.08, 0.25, 0.5, 0.9])


def tickets(seed):
    """Contexts, and the reward and the cost that each ticket would bring under each action."""
    rng = np.random.default_rng(seed)
    rounds = LOGGED + LIVE
    x = rng.random((rounds, len(NAMES)))
    worth = 0.3 * rng.standard_normal((len(NAMES), 5))
    means = np.clip(0.35 + 0.08 * np.arange(5) + (x - 0.5) @ worth, 0.02, 0.98)
    solved = (rng.random((rounds, 5)) < means).astype(float)
    paid = PRICE * (0.5 + x[:, :1]) * (0.8 + 0.4 * rng.random((rounds, 5)))
    return x, solved, np.minimum(paid, 1.5), rng


def rule(x, rng):
    """What the rule of thumb does: by length and anger, and one in five at random."""
    by_hand = np.minimum((x[:, 0] + x[:, 3]) * 2.5, 4.99).astype(np.int32)
    return np.where(rng.random(len(x)) < 0.2, rng.integers(0, 5, len(x)), by_hand).astype(np.int32)


def new_agent(seed, rounds=LIVE):
    return rein.Agent(f"ccb(rate={BUDGET},rounds={rounds})", actions=5, context=len(NAMES), costs={"dollars": 1.5}, reward=(0, 1),
                      seed=seed)


def play(agent, x, solved, paid):
    """Reward and cost of every round."""
    found = np.empty((2, len(x)))
    for t, row in enumerate(x):
        d = agent.decide(row)
        found[:, t] = solved[t, d.action], paid[t, d.action]
        agent.learn(d.id, reward=solved[t, d.action], costs=[paid[t, d.action]])
    return found


def season(seed):
    """The live rounds of the three agents, and the seconds that the warm start took."""
    x, solved, paid, rng = tickets(seed)
    past, live = slice(0, LOGGED), slice(LOGGED, None)
    chosen = rule(x[past], rng)
    t = np.arange(LOGGED)
    log = {"action": chosen, "reward": solved[t, chosen], "dollars": paid[t, chosen],
           **{name: x[past, j] for j, name in enumerate(NAMES)}}
    cold, warm, played = new_agent(seed), new_agent(seed), new_agent(seed, LOGGED + LIVE)
    began = time.process_time()
    assert warm.warm_start(log) == LOGGED
    took = time.process_time() - began
    assert warm.state.rounds == 0 and not warm.spent["dollars"]
    play(played, x[past], solved[past], paid[past])
    found = {name: play(agent, x[live], solved[live], paid[live])
             for name, agent in (("cold", cold), ("warm", warm), ("played", played))}
    by_rule = rule(x[live], rng)
    at = np.arange(LOGGED, LOGGED + LIVE)
    found["rule of thumb"] = np.array([solved[at, by_rule], paid[at, by_rule]])
    return found, took


def draw(first, path):
    figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    for axis, row, title in zip(axes, (0, 1), ("tickets solved", "dollars spent")):
        for name, found in first.items():
            axis.plot(np.cumsum(found[row]), label=name)
        axis.set(title=title, xlabel="live tickets")
    axes[1].plot([0, LIVE], [0, BUDGET * LIVE], color="black", linestyle=":", label="allowed so far")
    axes[1].legend(fontsize=7)
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    seasons, took = zip(*map(season, range(SEEDS)))
    print(f"{LIVE} live tickets after {LOGGED} in the log, {SEEDS} seeds, {BUDGET * LIVE:g} dollars allowed")
    print(f"{'':18}{'solved':>10}{'dollars':>10}{'most':>10}{'share':>10}{'least':>10}")
    solved = {name: np.array([found[name][0].sum() for found in seasons]) for name in seasons[0]}
    for name, earned in solved.items():
        dollars = np.array([found[name][1].sum() for found in seasons])
        share = earned / solved["played"]
        print(f"{name:18}{earned.mean():10.1f}{dollars.mean():10.1f}{dollars.max():10.1f}{share.mean():10.3f}"
              f"{share.min():10.3f}")
    print(f"\nshare: of what the agent earns that played all {LOGGED} tickets itself, mean and least over the seeds.")
    print(f"A warm start from {LOGGED} rows took {np.median(took):.2f} seconds of CPU time.")
    draw(seasons[0], words.out / "warm_start.png")


if __name__ == "__main__":
    main()
