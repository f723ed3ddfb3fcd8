#!/usr/bin/env python3
"""Makes examples/data/decisions.csv: a log of 900 mails, and what the one that was sent gave.

    python3 scripts/make_decisions.py > examples/data/decisions.csv

Invented, not observed: the shoppers come from the formulas below and the seed. A rule chose the mail,
with the probability in column p, so that the mails that were not sent can be estimated. Only random()
is used, which gives the same numbers in every version of Python.
"""

import random

ROWS = 900
SEED = 2027
MAILS = ("none", "short", "catalog")
DOLLARS = (0.0, 0.05, 0.4)


def chance(mail, recency, visits):
    """That the shopper buys."""
    base = 0.08 + 0.1 * visits
    return base + (0.0, 0.1 + 0.1 * visits, 0.15 + 0.35 * (1 - recency))[mail]


def probabilities(recency):
    """The rule: catalogs go mostly to those who were away for long."""
    catalog = 0.2 + 0.3 * recency
    return (0.9 - catalog) / 2 + 0.05, (0.9 - catalog) / 2 + 0.05, catalog


def main():
    rng = random.Random(SEED)
    print("x_recency,x_visits,x_region,a,p,r,c_dollars")
    for _ in range(ROWS):
        recency, visits = round(rng.random(), 3), round(rng.random(), 3)
        region = ("north", "south", "west")[int(3 * rng.random())]
        odds = [round(p, 4) for p in probabilities(recency)]
        draw, mail = rng.random(), 0
        while mail < 2 and draw >= odds[mail]:
            draw -= odds[mail]
            mail += 1
        bought = int(rng.random() < chance(mail, recency, visits))
        paid = round(DOLLARS[mail] * (0.75 + 0.5 * rng.random()), 4)
        print(f"{recency},{visits},{region},{MAILS[mail]},{odds[mail]},{bought},{paid}")


if __name__ == "__main__":
    main()
