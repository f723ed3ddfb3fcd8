"""Made data for the worked examples: who comes when, and what each choice would bring. No downloads.

The same seed gives the same data. Arrivals are uneven, as they are in life: busy at noon, quiet at night, and on
weekends a third of a weekday.
"""

import datetime
import zoneinfo

import numpy as np

YEAR, ZONE = 2025, "America/New_York"
DOLLARS = np.array([0.004, 0.025, 0.100, 0.050])  # of four models, per thousand tokens
_HOURS = (1 + np.cos(2 * np.pi * (np.arange(24) + 0.5 - 13) / 24)) ** 2 + 0.05  # most at one o'clock


def midnight(day):
    """The UTC second at which a day begins, in ZONE."""
    start = datetime.datetime.combine(day, datetime.time(), zoneinfo.ZoneInfo(ZONE))
    return int(start.timestamp())


def arrivals(rng, first, days, per_weekday):
    """UTC seconds, in order."""
    seconds = []
    for n in range(days):
        day = first + datetime.timedelta(n)
        begin, end = midnight(day), midnight(day + datetime.timedelta(1))
        count = rng.poisson(per_weekday * (1 / 3 if day.weekday() >= 5 else 1))
        hours = rng.choice(24, count, p=_HOURS / _HOURS.sum()) + rng.random(count)
        seconds.append(np.sort(np.minimum(begin + (3600 * hours).astype(int), end - 1)))
    return np.concatenate(seconds)


def prompts(rng, count):
    """What is known of each prompt (how hard, whether it is code, how long, 1), and the mean quality of each model."""
    hard, code = rng.random(count), rng.random(count) < 0.4
    length = np.minimum(rng.lognormal(-0.3, 0.75, count), 6.0)  # in thousands of tokens, about 1 on average
    quality = np.column_stack([0.90 - 0.45 * hard, 0.92 - 0.20 * hard - 0.06 * code,
                               0.95 - 0.05 * hard, 0.93 - 0.12 * hard + 0.03 * code])
    return np.column_stack([hard, code, length / 2, np.ones(count)]), quality


def year(seed, doubled):
    """Of every prompt of YEAR: when it comes, its month, its numbers, and the mean quality and bill of each model. From
    month `doubled` on, the third model has twice its price."""
    rng = np.random.default_rng(seed)
    at = arrivals(rng, datetime.date(YEAR, 1, 1), 365, 800)
    month = np.searchsorted([midnight(datetime.date(YEAR, m, 1)) for m in range(1, 13)], at, side="right")
    contexts, quality = prompts(rng, len(at))
    price = np.where((month >= doubled)[:, None] & (np.arange(4) == 2), 2, 1) * DOLLARS
    return at, month, contexts, quality, 2 * contexts[:, 2:3] * price


def shoppers(rng, count):
    """What is known of each visitor (how easily moved, 1, whether new), and the chance to buy under each coupon."""
    moved, new = rng.beta(1.5, 3.0, count), rng.random(count) < 0.3
    face = np.array([0.0, 0.05, 0.10, 0.25])
    chance = 0.06 + 0.05 * new[:, None] + moved[:, None] * np.sqrt(face) * 0.8
    return np.column_stack([moved, np.ones(count), new]), chance
