"""Where the constants of the default policy are measured (bench/ablation.py): rows of the gauntlet with fewer rounds,
on seeds that nothing was chosen on, and plain problems of the hunt."""

import dataclasses
import random
import typing

import gauntlet_conditions as known
import gauntlet_data as data
import gauntlet_traps
import hunt
import quality

FIRST_SEED = 301  # the gauntlet plays 1 to 10, and what was tried for it 101 to 230
FIRST_PROBLEM = 9001  # the hunt began at 1, 1120, 2000 and 5000


@dataclasses.dataclass
class Condition:
    name: str
    group: str
    plays: typing.Callable  # (place, number) -> (world, the budget per round or None)
    rounds: int = 0
    seeds: int = 3
    words: tuple = ()  # options of rein run
    keys: str = ""  # added to the policy


def table(name, rounds, group="tables", factor=1.0, seeds=2):
    """So many rows of a real table by chance, its numbers of context times the factor."""
    rate = quality.TABLES[name][0]

    def play(place, number):
        def rows():
            header, all_rows = data.rescaled(place.table(name), context=factor)
            return header, random.Random(number).sample(all_rows, rounds)

        path = place.made(f"ablation_{name}_{factor:g}_{rounds}", number, lambda _: rows())
        return f'table(file="{path}",{f"rate={rate}," if rate else ""}order=file)', rate or None

    return Condition(name + ("" if factor == 1.0 else f"_x{factor:g}"), group, play, 0, seeds)


def made(name, group, rounds, rate, how, words=(), keys="", seeds=2):
    make = known.generated("ablation_" + name, how, f"rate={rate:.10g}")
    return Condition(name, group, lambda p, n: (make(p, n), rate), rounds, seeds, words, keys)


def world(name, group, rounds, rate, spec, words=(), seeds=2):
    return Condition(name, group, lambda p, n: (spec, rate), rounds, seeds, words)


def plain(rounds):
    """Problems of the hunt: the number of a problem takes the place of a seed."""

    def play(place, number):
        problem = hunt.Problem(FIRST_PROBLEM + number - FIRST_SEED, rounds)
        path = place.made(f"hunt_{problem.number}", 0, lambda _: problem.table())
        costs = f"rate={problem.rate:.9g},cost_range=[0,1]" if problem.priced else "cost=[]"
        return f'table({costs},file="{path}",order=file,reward_range=[0,1])', problem.rate

    return Condition("hunt", "plain", play, 0, 10)


def trap(name, rounds, outcomes, outlier=None):
    def how(chance):
        return gauntlet_traps._rows(chance, rounds, outcomes, outlier)

    return made(name, "traps", rounds, 0.3, how)


def conditions():
    heavy = "heavy(k=5,d=4)"
    prices = str([0] + [round(0.5 + 0.5 * a / 6, 3) for a in range(7)]).replace(" ", "")
    rows = [
        table("letter", 2000),
        table("pendigits", 2500),
        table("credit_default", 3000),
        table("warfarin", 3000),
        table("llm_routing", 2500),
        table("bank_marketing", 4000),
        table("ml_api_rafdb", 1500, group="scale", factor=1000),
        trap_years(),
        made("rare", "rare", 5000, 0.25, lambda c: data.offers(c, 5000, d=6, k=5, low=0.01, high=0.04, costs=(0.3, 1.0))),
        made("wide", "scarce", 1000, 25 / 1000, lambda c: data.wide(c, 1000, d=80, k=8)),
        made("wide_told", "scarce", 1000, 25 / 1000, lambda c: data.wide(c, 1000, d=80, k=8), keys=f"expected_costs={prices}"),
        made("money_2_percent", "scarce", 5000, 0.015, lambda c: data.offers(c, 5000, d=3, k=5, noise=0.1)),
        made("money_20_plays", "scarce", 3000, 0.005, lambda c: data.offers(c, 3000, d=3, k=5, noise=0.1)),
        world("k_60", "many", 800, 0.05, "heavy(d=4,k=60)"),
        world("k_20_features", "many", 1000, 0.15, "linear(costs=positive,d=5,k=20,rate=0.15)"),
        made("change_reward", "change", 5000, 0.3, lambda c: data.change(c, 5000)),
        made("change_cost", "change", 5000, 0.3, lambda c: data.change(c, 5000, what="cost")),
        world("blocks", "change", 6000, None, "linear(d=6,k=6,order=switching)"),
        made("curves", "curves", 5000, 0.3, lambda c: data.curves(c, 5000)),
        world("late_all", "late", 4000, 0.05, heavy, ("--delay", "400")),
        world("late_bills", "late", 4000, 0.05, heavy, ("--late", "cost=400")),
        world("short_200", "short", 200, 0.05, heavy, seeds=6),
        world("windows", "windows", 4000, None, "linear(costs=positive,d=4,k=5)",
              ("--budget", 'day(cost=cost,amount=150,per="500 rounds")')),
        trap("safe_0.05", 5000, gauntlet_traps._safe(0.05)),
        trap("safe_0.2", 5000, gauntlet_traps._safe(0.2)),
        trap("exact", 3000, gauntlet_traps._exact),
        trap("outlier", 4000, gauntlet_traps._follows, 0),
        plain(2500),
    ]
    assert len({row.name for row in rows}) == len(rows)
    return rows


def trap_years():
    """Two numbers of context far from 0: a year, and a temperature in Kelvin."""

    def how(chance):
        header, rows = data.change(random.Random(chance.random()), 2000, at=1.0)
        return header, [[1990 + 10 * row[0], 300 + 8 * row[1], *row[2:]] for row in rows]

    return made("years", "scale", 2000, 0.3, how)
