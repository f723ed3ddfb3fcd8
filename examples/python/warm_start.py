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
import pandas as pd

import rein

LOGGED, LIVE, SEEDS = 50_000, 1000, 10
BUDGET = 0.25  # dollars per ticket
KNOWN = ["length", "age", "orders", "anger", "value", "again"]  # of each ticket, numbers
PRICE = {"canned": 0.01, "bot": 0.08, "junior": 0.25, "senior": 0.5, "specialist": 0.9}


def tickets(seed):
    """What is known of each ticket, and what each way of answering would bring: solved or not, and dollars."""
    rng = np.random.default_rng(seed)
    x = rng.random((LOGGED + LIVE, len(KNOWN)))
    worth = 0.3 * rng.standard_normal((len(KNOWN), 5))
    means = np.clip(0.35 + 0.08 * np.arange(5) + (x - 0.5) @ worth, 0.02, 0.98)
    solved = (rng.random(means.shape) < means).astype(float)
    paid = np.array(list(PRICE.values())) * (0.5 + x[:, :1]) * (0.8 + 0.4 * rng.random(means.shape))
    return pd.DataFrame(x, columns=KNOWN), (solved, np.minimum(paid, 1.5)), rng


def rule(x, rng):
    """What the rule of thumb does: by length and anger, and one in five at random."""
    by_hand = np.minimum((x.length + x.anger) * 2.5, 4.99).astype(int)
    return np.array(list(PRICE))[np.where(rng.random(len(x)) < 0.2, rng.integers(0, 5, len(x)), by_hand)]


def outcome(x, brings, action):
    """The log of these actions."""
    reward, dollars = (each[x.index, [list(PRICE).index(a) for a in action]] for each in brings)
    return x.assign(action=action, reward=reward, dollars=dollars)


def new_agent(seed, rounds=LIVE):
    return rein.Agent(f"ccb(rate={BUDGET},rounds={rounds})", actions=list(PRICE), costs={"dollars": 1.5}, reward=(0, 1),
                      context=dict.fromkeys(KNOWN, "number"), seed=seed)


def play(agent, x, brings):
    """The log of what the agent does."""
    chosen = []
    for row, solved, paid in zip(x.to_dict("records"), *(each[x.index] for each in brings)):
        d = agent.decide(row)
        chosen.append(d.action)
        agent.learn(d, reward=solved[d.place], costs=paid[d.place])
    return outcome(x, brings, chosen)


def season(seed):
    """The live rounds of the three agents and of the rule, and the seconds that the warm start took."""
    x, brings, rng = tickets(seed)
    past, live = x[:LOGGED], x[LOGGED:]
    log = outcome(past, brings, rule(past, rng))
    cold, warm, played = new_agent(seed), new_agent(seed), new_agent(seed, LOGGED + LIVE)
    began = time.process_time()
    assert warm.warm_start(log) == LOGGED
    took = time.process_time() - began
    assert warm.state.rounds == 0 and not warm.spent["dollars"]
    play(played, past, brings)
    found = {name: play(agent, live, brings) for name, agent in (("cold", cold), ("warm", warm), ("played", played))}
    return {**found, "rule of thumb": outcome(live, brings, rule(live, rng))}, took


def draw(first, path):
    allowed = pd.Series(BUDGET, index=first["warm"].index)
    both = [pd.DataFrame({name: found[what] for name, found in first.items()}) for what in ("reward", "dollars")]
    figure, axes = plt.subplots(1, 2, figsize=(8, 3), layout="constrained")
    both[0].cumsum().reset_index(drop=True).plot(ax=axes[0], title="tickets solved", xlabel="live tickets")
    both[1].assign(allowed=allowed).cumsum().reset_index(drop=True).plot(
        ax=axes[1], title="dollars spent", xlabel="live tickets", legend=False, style={"allowed": "k:"})
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    seasons, took = zip(*map(season, range(SEEDS)))
    print(f"{LIVE} live tickets after {LOGGED} in the log, {SEEDS} seeds, {BUDGET * LIVE:g} dollars allowed")
    print(f"{'':18}{'solved':>10}{'dollars':>10}{'most':>10}{'share':>10}{'least':>10}")
    total = {name: pd.DataFrame([found[name][["reward", "dollars"]].sum() for found in seasons]) for name in seasons[0]}
    for name, (earned, dollars) in ((name, (each.reward, each.dollars)) for name, each in total.items()):
        share = earned / total["played"].reward
        print(f"{name:18}{earned.mean():10.1f}{dollars.mean():10.1f}{dollars.max():10.1f}{share.mean():10.3f}"
              f"{share.min():10.3f}")
    print(f"\nshare: of what the agent earns that played all {LOGGED} tickets itself, mean and least over the seeds.")
    print(f"A warm start from {LOGGED} rows took {np.median(took):.2f} seconds of CPU time.")
    draw(seasons[0], words.out / "warm_start.png")


if __name__ == "__main__":
    main()
