"""Coupons for 30 days, with 400 dollars per day, and a control group of 10 % that gets none.

    python examples/python/coupons_by_day.py [--out FOLDER]

A shop offers each visitor a coupon of 5, 10 or 25 percent of a 20 dollar basket, or nothing. Within six hours it
learns whether the visitor bought; a coupon costs money when it is used. Two agents play the same visitors:

    hard    no day may ever cost more than 400 dollars
    steer   each day should cost 400 dollars: the price of a dollar is set so

One visitor in ten is held out at random and gets no coupon, whatever the agent would like. So the two groups differ
by the coupons alone, and their difference is what the coupons sold. A chi-square test checks that the holdout does
not depend on who the visitor is. The visitors are made (made.py).
"""

import argparse
import collections
import datetime
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import made
import rein

FIRST, DAYS, AMOUNT, BASKET, HOLDOUT, WAIT = datetime.date(2025, 3, 1), 30, 400.0, 20.0, 0.1, 1800
FACE = np.array([0.0, 0.05, 0.10, 0.25])


def play(kind, seed):
    """The loop of the shop. Of every visit: its day, its stratum, whether held out, the action, bought, paid."""
    rng = np.random.default_rng(seed)
    at = made.arrivals(rng, FIRST, DAYS, 3000)
    contexts, chance = made.shoppers(rng, len(at))
    most = {"largest_costs": (BASKET * FACE).tolist(), "safe_action": 0} if kind == "hard" else {}
    agent = rein.Agent("ccb", actions=4, context=3, costs={"dollars": 5.0}, reward=(0, 1), seed=seed,
                       holdout=HOLDOUT, control=0, **most,
                       budgets=rein.Budget("day", "dollars", AMOUNT, kind=kind, per="day", zone=made.ZONE))
    begins = [made.midnight(FIRST + datetime.timedelta(n)) for n in range(DAYS)]
    day = np.searchsorted(begins, at, side="right") - 1
    held, action, bought = np.zeros((3, len(at)), int)
    waiting = collections.deque()
    for t, now in enumerate(at.tolist()):
        agent.tick(now)
        while waiting and waiting[0][0] <= now:
            _, key, reward, dollars = waiting.popleft()
            agent.learn(key, reward=reward, costs=dollars)
        d = agent.decide(contexts[t])
        held[t], action[t], bought[t] = d.holdout, d.action, rng.random() < chance[t, d.action]
        waiting.append((now + WAIT, d.id, float(bought[t]), BASKET * FACE[d.action] * bought[t]))
    strata = 2 * np.digitize(contexts[:, 0], [0.2, 0.35, 0.5]) + contexts[:, 2].astype(int)
    return day, strata, held, action, bought, BASKET * FACE[action] * bought


def chi_square(strata, held):
    """How far the holdout is from the same share of every stratum, and how often a random one is farther."""
    rng, sizes = np.random.default_rng(0), np.bincount(strata)
    expected = np.outer(sizes, [1 - held.mean(), held.mean()])

    def statistic(members):
        inside = np.bincount(strata, members)
        return ((np.column_stack([sizes - inside, inside]) - expected) ** 2 / expected).sum()

    found = statistic(held)
    return found, np.mean([statistic(rng.permutation(held)) >= found for _ in range(400)])


def lift(held, bought):
    """More purchases per 100 visitors outside of the holdout than in it, with its standard error."""
    groups = [100 * bought[held == group] for group in (0, 1)]
    return groups[0].mean() - groups[1].mean(), np.sqrt(sum(group.var() / len(group) for group in groups))


def draw(spent, file):
    figure, axes = plt.subplots(figsize=(8, 3), layout="constrained")
    for name, days in spent.items():
        axes.plot(np.arange(1, DAYS + 1), days, "o-", markersize=3, label=name)
    axes.axhline(AMOUNT, color="black", linestyle=":", label="allowed")
    axes.set(xlabel="day", ylabel="dollars", ylim=(0.8 * AMOUNT, 1.05 * AMOUNT))
    axes.legend(fontsize=8)
    figure.savefig(file, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    spent, lines = {}, []
    print(f"{DAYS} days, {AMOUNT:g} dollars per day, holdout {HOLDOUT:g}")
    print(f"{'budget':10}{'mean':>9}{'least':>9}{'most':>9}{'held out':>10}{'lift':>7}{'error':>7}")
    for kind in ("hard", "steer"):
        day, strata, held, action, bought, paid = play(kind, words.seed)
        spent[kind] = days = np.bincount(day, paid, DAYS)
        print(f"{kind:10}{days.mean():9.2f}{days.min():9.2f}{days.max():9.2f}{held.mean():10.4f}"
              + "".join(f"{x:7.2f}" for x in lift(held, bought)))
        lines.append("{}: holdout and strata: chi-square {:.1f}, p = {:.3f}; no coupon and strata: chi-square {:.0f}, "
                     "p = {:.3f}".format(kind, *chi_square(strata, held), *chi_square(strata, (action == 0) * 1)))
    print("\n" + "\n".join(lines))
    draw(spent, words.out / "coupons_by_day.png")


if __name__ == "__main__":
    main()
