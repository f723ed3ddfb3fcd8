"""An e-mail campaign: whom to write to, if only half of the money is there.

    python examples/python/email_campaign.py [--out FOLDER]

A shop sent a mail about men's goods, one about women's goods or none to 64 000 customers, by lot. It knows who came to
the shop in the next two weeks and what they spent. A mail costs money: 0.40 dollars with the men's catalogue, 0.25 with
the women's. What would other budgets have earned?

The customers are invented, in the shape of the public e-mail data of Hillstrom (2008): the same columns, actions and
outcomes. The truth is known here, so the last columns say what a shop that knows all chances would have earned.
"""

import argparse
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import rein

CUSTOMERS, SEED = 64_000, 2008
MAILS = ["none", "mens", "womens"]
DOLLARS = np.array([0.0, 0.40, 0.25])
BUDGETS = {"dollars": (0.05, 0.35)}  # per customer


def customers(rng):
    """What the shop knows of each customer."""
    kind = rng.choice(3, CUSTOMERS, p=[0.45, 0.45, 0.10])  # bought men's goods, women's, both
    return pd.DataFrame({
        "recency": rng.integers(1, 13, CUSTOMERS),  # months since the last purchase
        "history": np.round(np.exp(rng.normal(5.0, 0.9, CUSTOMERS)), 2),  # dollars in the last year
        "mens": (kind != 1).astype(int), "womens": (kind != 0).astype(int),
        "zip": rng.choice(["Rural", "Suburban", "Urban"], CUSTOMERS, p=[0.15, 0.45, 0.40]),
        "newbie": rng.integers(0, 2, CUSTOMERS),
        "channel": rng.choice(["Multichannel", "Phone", "Web"], CUSTOMERS, p=[0.12, 0.44, 0.44]),
    })


def chances(who):
    """The chance of a visit of each customer under each mail."""
    loyal = 0.14 - 0.006 * who.recency + 0.015 * np.log(who.history / 150)
    own = np.clip(loyal + 0.03 * (who.channel == "Multichannel") - 0.02 * who.newbie, 0.02, 0.5)
    moved = 0.05 + 0.004 * (12 - who.recency) - 0.03 * who.newbie + 0.02 * (who.channel == "Web")
    mens = np.clip(moved * (0.4 + 0.9 * who.mens), 0, 0.3)
    womens = np.clip(moved * (0.1 + 1.1 * who.womens), 0, 0.3)
    return np.column_stack([own, own + mens, own + womens])


def campaign(who, chance, rng):
    """The log: who got which mail, by lot, and what came of it."""
    mail = rng.integers(0, 3, CUSTOMERS)
    visit = rng.random(CUSTOMERS) < chance[np.arange(CUSTOMERS), mail]
    spend = visit * (rng.random(CUSTOMERS) < 0.08) * np.round(np.exp(rng.normal(4.4, 0.6, CUSTOMERS)), 2)
    known = pd.get_dummies(who.assign(history=np.log(who.history)), columns=["zip", "channel"], dtype=float)
    known["newbie_recency"] = known.newbie * known.recency
    log = known.add_prefix("x_")
    return log.assign(a=np.array(MAILS)[mail], p=1 / 3, visit=visit.astype(float), spend=spend, c_dollars=DOLLARS[mail])


def best(chance, budget):
    """Visits per customer of a shop that knows all chances: at each price the best mail, at the price that fits."""
    def spent(price):
        mail = np.argmax(chance - price * DOLLARS, axis=1)
        return DOLLARS[mail].mean(), chance[np.arange(len(chance)), mail].mean()

    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if spent(middle)[0] <= budget else (middle, high)
    return spent(high)[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SEED)
    who = customers(rng)
    chance = chances(who)
    log = campaign(who, chance, rng)
    visits = rein.whatif(log.drop(columns="spend"), columns={"r": "visit"}, budget=BUDGETS, count=7,
                         title="An e-mail campaign: visits against dollars")
    print(f"{len(log)} customers; visits per 1000 customers, with the joint 95 % band")
    print(f"{'dollars each':14}{'visits':>8}{'low':>8}{'high':>8}{'fixed mix':>11}{'known chances':>15}")
    for point, mix in zip(visits.curves[0]["points"], visits.curves[0]["fixed_mix"]):
        value = point["values"]["reward"]
        numbers = [1000 * value[end] for end in ("value", "band_low", "band_high")]
        print(f"{point['budget']:.2f} dollars  " + "".join(f"{each:8.1f}" for each in numbers)
              + f"{1000 * mix['values']['reward']['value']:11.1f}{1000 * best(chance, point['budget']):15.1f}")
    print("\nVisits:")
    print("\n".join(visits.verdict))
    spend = rein.whatif(log.drop(columns="visit"), columns={"r": "spend"}, budget=BUDGETS, count=7)
    print("\nDollars spent in the shop, which few customers decide:")
    print("\n".join(spend.verdict + [f"warning: {line}" for line in spend.warnings]))
    visits.report(words.out / "email_campaign.html")
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    visits.plot(axes[0])
    spend.plot(axes[1])
    axes[0].set(ylabel="visits per customer")
    axes[1].set(ylabel="dollars spent per customer")
    figure.savefig(words.out / "email_campaign.png", dpi=80)


if __name__ == "__main__":
    main()
