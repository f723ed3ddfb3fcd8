#!/usr/bin/env python3
"""Writes examples/data/desk.csv: 4000 calls of a help desk, from two groups of customers (docs/fairness.md).

Every call can get the standard service or a specialist. r0 and r1 say whether each would have solved it,
specialists0 and specialists1 what it takes of the specialists' time, gap0 and gap1 the solved calls of B
less those of A, each divided by the share of the group. The data are invented.
"""

import random

SOLVED = {("A", 0): 0.60, ("A", 1): 0.80, ("B", 0): 0.70, ("B", 1): 0.95}  # chances, by group and service
SHARE = 0.5  # of each group

draw = random.Random(7)
print("x_one,x_a,r0,r1,specialists0,specialists1,gap0,gap1")
for _ in range(4000):
    group = "A" if draw.random() < SHARE else "B"
    solved = [int(draw.random() < SOLVED[group, service]) for service in (0, 1)]
    sign = 1 / SHARE if group == "B" else -1 / SHARE
    gaps = ",".join(f"{sign * each:g}" for each in solved)
    print(f"1,{int(group == 'A')},{solved[0]},{solved[1]},0,1,{gaps}")
