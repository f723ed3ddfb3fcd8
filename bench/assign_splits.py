#!/usr/bin/env python3
"""Whether an assignment meets its budget and is worth what the what-if curve promised.

    bench/assign_splits.py [--rein build/rein] [--splits 20] [--customers 12000]

Each split: a log of an e-mail campaign by lot is cut in two halves. One half makes a curve and a kept policy,
the other is next month's customers, who are assigned under half of the money of the campaign. All chances are
known, so the value of the assignment is its true mean. It should lie in the curve's joint band at that
budget, which is also wide enough for the customers of the other half to differ.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "examples" / "python"))
import email_campaign as shop


def split(rein, seed, customers, folder):
    rng = np.random.default_rng(seed)
    shop.CUSTOMERS = customers
    who = shop.customers(rng)
    chance = shop.chances(who)
    mail = rng.integers(0, 3, customers)
    visit = (rng.random(customers) < chance[np.arange(customers), mail]).astype(int)
    plain = who.assign(history=np.log(who.history)).add_prefix("x_")
    log = plain.assign(a=np.array(shop.MAILS)[mail], p=1 / 3, r=visit, c_dollars=shop.DOLLARS[mail])
    half = customers // 2
    log[:half].to_csv(folder / "past.csv", index=False)
    plain[half:].to_csv(folder / "customers.csv", index=False)
    budget = 0.5 * shop.DOLLARS.mean()

    def run(*words):
        return json.loads(subprocess.run([rein, *words, "--json"], check=True, capture_output=True, text=True).stdout)

    curve = run("whatif", folder / "past.csv", "--budget", f"dollars={budget}", "--save-policy", folder / "half.rein",
                "--force")
    plan = run("assign", folder / "half.rein", folder / "customers.csv", "--budget", f"dollars={budget * half}", "--out",
               folder / "plan.csv")
    chosen = np.loadtxt(folder / "plan.csv", dtype=str, delimiter=",", skiprows=1, usecols=len(plain.columns))
    place = np.array([shop.MAILS.index(name) for name in chosen])
    value = chance[half:][np.arange(half), place].mean()
    band = curve["points"][0]["values"]["reward"]
    return plan["total"]["dollars"] / (budget * half), value, band["band_low"], band["band_high"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rein", default=str(Path(__file__).parents[1] / "build" / "rein"))
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--customers", type=int, default=12_000)
    words = parser.parse_args()
    inside = met = 0
    for seed in range(1, words.splits + 1):
        with tempfile.TemporaryDirectory() as folder:
            share, value, low, high = split(words.rein, seed, words.customers, Path(folder))
        inside += low <= value <= high
        met += 0.995 <= share <= 1.0
        print(f"split {seed}: {100 * share:.2f} % of the budget, value {value:.4f}, band [{low:.4f}, {high:.4f}]")
    print(f"{met} of {words.splits} within 0.5 % of the budget, {inside} of {words.splits} values in the band")


if __name__ == "__main__":
    main()
