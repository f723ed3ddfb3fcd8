"""Coupons under two budgets, neither of which may ever be passed.

    python examples/python/coupons.py [--out FOLDER]

A shop may mail each visitor a coupon of 5, 10 or 25 percent, or nothing. A coupon costs money when it is used, which
shows only a hundred visitors later; and people are tired of mail, so there is a second budget, of mails. Finance has
signed for both: they are walls. The agent holds the most that each open coupon can cost, so that if all of them come
back the money suffices.

The 500 shoppers are invented (scripts/make_coupons.py); examples/data/coupons.csv says what each would buy under
every coupon. They come eight times, each time in another order.
"""

import argparse
import collections
import csv
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rein

TABLE = pathlib.Path(__file__).parents[1] / "data" / "coupons.csv"
VISITS, LATE, SEASONS = 8, 100, 5
MONEY, MAILS = 40.0, 800.0
FACE = [0.0, 0.05, 0.10, 0.25]
AIM = 0.97  # the policy steers for a little less than the walls hold
SPECS = {"ccb": f"ccb(budget=[{AIM * MONEY},{AIM * MAILS}])", "squarecb": "squarecb", "greedy": "greedy",
         "uniform": "uniform"}


def shoppers(season):
    """Of every visit: who comes, and, under each coupon, what is bought and what the coupon costs."""
    with TABLE.open() as file:
        rows = list(csv.DictReader(file))
    who, sales, paid = (np.array([[float(row[key]) for key in row if key[0] == kind] for row in rows])
                        for kind in "xrc")
    rng = np.random.default_rng(season)
    order = np.concatenate([rng.permutation(len(rows)) for _ in range(VISITS)])
    return who[order], sales[order], 0.25 * paid[order]  # the table has costs in units of the largest


def play(spec, season):
    """One season behind the walls: the agent's state at the end; sales, money and mails so far, in every round."""
    who, sales, paid = shoppers(season)
    agent = rein.Agent(spec, actions=4, context=5, costs={"money": 0.25, "mails": 1.0}, reward=(0, 1),
                       rounds=len(who), seed=season, hard=rein.HardLimits(
                           total={"money": MONEY, "mails": MAILS}, safe_action=0,
                           largest_costs=[[face, float(face > 0)] for face in FACE]))  # nobody's basket is over 1
    waiting, chosen = collections.deque(), []
    for t, x in enumerate(who):
        d = agent.decide(x)
        chosen.append(d.action)
        waiting.append((d.id, sales[t, d.action], [paid[t, d.action], float(d.action > 0)]))
        if len(waiting) > LATE:
            learn(agent, waiting)
        for wall in agent.state.budgets.values():
            assert wall.spent + wall.held <= wall.limit  # in whole millionths, after every decision
    while waiting:
        learn(agent, waiting)
    return agent.state, totals(np.array(chosen), sales, paid)


def learn(agent, waiting):
    key, reward, costs = waiting.popleft()
    agent.learn(key, reward=reward, costs=costs)


def totals(chosen, sales, paid):
    """Sales over those without coupons, money and mails, summed up to every round."""
    t = np.arange(len(chosen))
    return np.cumsum([sales[t, chosen] - sales[:, 0], paid[t, chosen], chosen > 0], axis=1)


def by_hand(season):
    """25 % for a share of visitors that costs just the budget on average: told what the coupons will cost."""
    _, sales, paid = shoppers(season)
    lucky = np.random.default_rng([season, 1]).random(len(sales)) < MONEY / paid[:, 3].sum()
    return totals(np.where(lucky, 3, 0), sales, paid)


def draw(first, path):
    figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
    titles = ("sales over no coupons", "money spent", "mails sent")
    for axis, row, wall, title in zip(axes, range(3), (None, MONEY, MAILS), titles):
        for name, so_far in first.items():
            axis.plot(np.arange(0, so_far.shape[1], 10), so_far[row, ::10], label=name)
        if wall:
            axis.axhline(wall, color="black", linestyle=":", label="wall")
        axis.set(title=title, xlabel="visits")
    axes[1].legend(fontsize=7)
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    found, states = {"by hand, no wall": [by_hand(season) for season in range(SEASONS)]}, {}
    for name, spec in SPECS.items():
        played = [play(spec, season) for season in range(SEASONS)]
        states[name], found[name] = [state for state, _ in played], [so_far for _, so_far in played]
    print(f"{found['ccb'][0].shape[1]} visits a season, {SEASONS} seasons, walls at {MONEY:g} of money and "
          f"{MAILS:g} mails")
    print(f"{'':18}{'extra sales':>12}{'money':>8}{'most':>8}{'mails':>7}{'most':>6}")
    for name, seasons in found.items():
        extra, money, mails = np.array(seasons)[:, :, -1].T
        print(f"{name:18}{extra.mean():12.1f}{money.mean():8.2f}{money.max():8.3f}{mails.mean():7.0f}"
              f"{mails.max():6.0f}")
    most = max(wall.spent - wall.limit for kept in states.values() for state in kept for wall in state.budgets.values())
    print(f"\nNo wall was passed in any of {SEASONS * len(SPECS)} seasons with {LATE} coupons out; the nearest end was "
          f"{-most} millionths below.")
    print("With prices on both budgets the coupons go to those whom they move, for the whole season.")
    draw({name: seasons[0] for name, seasons in found.items()}, words.out / "coupons.png")


if __name__ == "__main__":
    main()
