"""Made data for the worked examples: who comes when, and what each choice would bring. No downloads.

The same seed gives the same data. Arrivals are uneven, as they are in life: busy at noon, quiet at night, and on
weekends a third of a weekday.
"""

import datetime
import zoneinfo

import numpy as np
import pandas as pd

YEAR, ZONE = 2025, "America/New_York"
DOLLARS = {"small": 0.004, "middle": 0.025, "large": 0.100, "new": 0.050}  # of each model, per thousand tokens
FACE = {"none": 0.0, "5 %": 0.05, "10 %": 0.10, "25 %": 0.25}  # of each coupon
_HOURS = (1 + np.cos(2 * np.pi * (np.arange(24) + 0.5 - 13) / 24)) ** 2 + 0.05  # most at one o'clock


def midnight(day):
    """The UTC second at which a day begins, in ZONE."""
    start = datetime.datetime.combine(day, datetime.time(), zoneinfo.ZoneInfo(ZONE))
    return int(start.timestamp())


def arrivals(rng, first, days, per_weekday):
    """UTC seconds, in order, and the day of each, from 1."""
    seconds = []
    for n in range(days):
        day = first + datetime.timedelta(n)
        begin, end = midnight(day), midnight(day + datetime.timedelta(1))
        count = rng.poisson(per_weekday * (1 / 3 if day.weekday() >= 5 else 1))
        hours = rng.choice(24, count, p=_HOURS / _HOURS.sum()) + rng.random(count)
        seconds.append(np.sort(np.minimum(begin + (3600 * hours).astype(int), end - 1)))
    return np.concatenate(seconds), np.repeat(np.arange(1, days + 1), list(map(len, seconds)))


def year(seed, doubled):
    """The prompts of YEAR, and the mean quality and the mean bill of each model for each prompt. From month `doubled`
    on, the large model has twice its price."""
    rng = np.random.default_rng(seed)
    at, day = arrivals(rng, datetime.date(YEAR, 1, 1), 365, 800)
    month = pd.to_datetime(day, unit="D", origin=f"{YEAR - 1}-12-31").month.to_numpy()
    hard, code = rng.random(len(at)), rng.random(len(at)) < 0.4
    length = np.minimum(rng.lognormal(-0.3, 0.75, len(at)), 6.0)  # in thousands of tokens, about 1 on average
    prompts = pd.DataFrame({"hard": hard, "topic": np.where(code, "code", "prose"), "length": length, "at": at,
                            "month": month})
    quality = pd.DataFrame({"small": 0.90 - 0.45 * hard, "middle": 0.92 - 0.20 * hard - 0.06 * code,
                            "large": 0.95 - 0.05 * hard, "new": 0.93 - 0.12 * hard + 0.03 * code})
    bills = pd.DataFrame({model: length * price * np.where((month >= doubled) & (model == "large"), 2, 1)
                          for model, price in DOLLARS.items()})
    return prompts, quality, bills


def shoppers(seed, first, days, per_weekday):
    """The visitors of some days, and the chance that each buys with each coupon."""
    rng = np.random.default_rng(seed)
    at, day = arrivals(rng, first, days, per_weekday)
    moved, new = rng.beta(1.5, 3.0, len(at)), rng.random(len(at)) < 0.3
    chance = pd.DataFrame({coupon: 0.06 + 0.05 * new + moved * np.sqrt(face) * 0.8 for coupon, face in FACE.items()})
    return pd.DataFrame({"moved": moved, "who": np.where(new, "new", "known"), "at": at, "day": day}), chance
