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
import made
import numpy as np
import pandas as pd

import rein

FIRST, DAYS, AMOUNT, BASKET, HOLDOUT, WAIT = datetime.date(2025, 3, 1), 30, 400.0, 20.0, 0.1, 1800
DOLLARS = {coupon: BASKET * face for coupon, face in made.FACE.items()}  # what each coupon costs if it is used


def play(kind, seed):
    """The loop of the shop: the visitors, with the coupon of each, whether held out, whether bought, and dollars."""
    rng = np.random.default_rng([seed, 1])
    visits, chance = made.shoppers(seed, FIRST, DAYS, 3000)
    hard = rein.HardLimits(largest_costs=DOLLARS, safe_action="none") if kind == "hard" else None
    agent = rein.Agent("ccb", actions=list(DOLLARS), costs={"dollars": 5.0}, reward=(0, 1), seed=seed,
                       context=rein.Schema({"moved": "number", "who": "category(2)"}, extra="ignore"),
                       shares=rein.Shares(holdout=HOLDOUT, control="none"), hard=hard,
                       budgets=rein.Budget("day", "dollars", AMOUNT, kind=kind, per="day", zone=made.ZONE))
    waiting, found = collections.deque(), []
    for visit in visits.itertuples():
        agent.tick(visit.at)
        while waiting and waiting[0][0] <= visit.at:
            _, key, reward, dollars = waiting.popleft()
            agent.learn(key, reward=reward, costs=dollars)
        d = agent.decide(visit)
        bought = float(rng.random() < chance.at[visit.Index, d.action])
        found.append((d.action, d.holdout, bought, DOLLARS[d.action] * bought))
        waiting.append((visit.at + WAIT, d.id, *found[-1][2:]))
    return visits.join(pd.DataFrame(found, columns=["coupon", "held", "bought", "dollars"]))


def chi_square(strata, members):
    """How far the members are from the same share of every stratum, and how often a random group is farther."""
    rng, sizes = np.random.default_rng(0), np.bincount(strata)
    expected = np.outer(sizes, [1 - members.mean(), members.mean()])

    def statistic(members):
        inside = np.bincount(strata, members)
        return ((np.column_stack([sizes - inside, inside]) - expected) ** 2 / expected).sum()

    found = statistic(members)
    return found, np.mean([statistic(rng.permutation(members)) >= found for _ in range(400)])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    spent, lines = pd.DataFrame(index=pd.RangeIndex(1, DAYS + 1, name="day")), []
    print(f"{DAYS} days, {AMOUNT:g} dollars per day, holdout {HOLDOUT:g}")
    print(f"{'budget':10}{'mean':>9}{'least':>9}{'most':>9}{'held out':>10}{'lift':>7}{'error':>7}")
    for kind in ("hard", "steer"):
        visits = play(kind, words.seed)
        spent[kind] = days = visits.groupby("day").dollars.sum()
        groups = (100 * visits.bought).groupby(visits.held)  # lift: purchases per 100 visitors that coupons add
        lift, error = groups.mean()[False] - groups.mean()[True], np.sqrt((groups.var() / groups.size()).sum())
        print(f"{kind:10}{days.mean():9.2f}{days.min():9.2f}{days.max():9.2f}{visits.held.mean():10.4f}{lift:7.2f}{error:7.2f}")
        strata = visits.groupby([np.digitize(visits.moved, [0.2, 0.35, 0.5]), "who"]).ngroup()
        lines.append("{}: holdout and strata: chi-square {:.1f}, p = {:.3f}; "
              "no coupon and strata: chi-square {:.0f}, p = {:.3f}".format(
            kind, *chi_square(strata, visits.held), *chi_square(strata, visits.coupon == "none")))
    print("\n" + "\n".join(lines))
    axes = spent.assign(allowed=AMOUNT).plot(style=["o-", "o-", "k:"], markersize=3, figsize=(8, 3), ylabel="dollars",
                                             ylim=(0.8 * AMOUNT, 1.05 * AMOUNT))
    axes.figure.savefig(words.out / "coupons_by_day.png", dpi=80, bbox_inches="tight")


if __name__ == "__main__":
    main()
