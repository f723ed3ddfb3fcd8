"""The conditions of the gauntlet: what is played, the yardstick, and the target.

A condition marked held_out is not for tuning: it tests the same principle as another row with other numbers.
Targets are shares of the full-information learner in percent. `own` marks targets that we set ourselves.
"""

import dataclasses
import os
import random
import typing

import gauntlet_data as data
import quality

WORST, MEAN = 1.02, 1.005  # spend of the worst seed and of the mean, in units of the budget
AT_ZERO = 0.001  # cost per round, in units of the range, where the budget is 0


@dataclasses.dataclass
class Condition:
    name: str
    group: str
    world: typing.Callable  # (place, seed) -> spec of the world that is played
    rates: tuple  # budget per round of each cost, in the units of the world; 0: signed costs, to sum to 0
    target: float | None  # share of the yardstick, in percent
    rounds: int = 0  # 0: every row of the table
    delay: int = 0
    late: str = ""  # a part of the outcome that is late, and by how many rounds: "cost=500"
    held_out: bool = False
    own: bool = False
    null: int | None = None  # an action that costs nothing
    learner: typing.Callable | None = None  # (place, seed) -> [(spec, rounds)] of the yardstick; rewards add up
    unit: float = 1.0  # reward of the world for 1 of the yardstick
    feasible: bool = True
    long_term: bool = False  # long-term regret is shown too
    keys: str = ""  # added to the policy: what the user asks for here
    effective: float = 0.0  # least effective sample size of the log, as a share of the rounds
    published: float = 0.0  # reward per round of the learner as published; the yardstick is at least this


class Place:
    """Where tables are and where generated ones go."""

    def __init__(self, folder, out):
        self.folder, self.out = folder, os.path.join(out, "data")

    def table(self, name):
        return os.path.join(self.folder, name + ".csv.gz")

    def made(self, name, seed, how):
        path = os.path.join(self.out, f"{name}.{seed}.csv" if seed else f"{name}.csv")
        return data.write(path, lambda: how(random.Random(f"{name} {seed}")))


def table(name, order="shuffled", more="", rate=None):
    rate = quality.TABLES[name][0] if rate is None else rate
    budget = f"rate={rate:.10g}," if rate > 0 else ""
    return lambda place, seed: f'table(file="{place.table(name)}",{budget}{more}order={order})'


def rescaled(name, cost=1.0, **factors):
    """A table with columns times factors; the budget follows the costs."""
    rate = quality.TABLES[name][0] * cost
    text = "_".join(f"{k}{v:g}" for k, v in {"cost": cost, **factors}.items() if v != 1)

    def world(place, seed):
        path = place.made(f"{name}_{text}", 0, lambda _: data.rescaled(place.table(name), cost=cost, **factors))
        return f'table(file="{path}",{f"rate={rate:.10g}," if rate > 0 else ""}order=shuffled)'

    return world


def plain(name):
    """The learner on the table as it is: the yardstick of rows that only change units or ranges."""
    return lambda place, seed: [(table(name)(place, seed), 0)]


def generated(name, how, budget, order="file"):
    """A table made anew for every seed. budget is "rate=..." or "budget=..."."""
    return lambda place, seed: f'table(file="{place.made(name, seed, how)}",{budget},order={order})'


def fixed(spec):
    return lambda place, seed: spec


def restart(name, how, rate, rounds, at):
    """The learner on both parts of a table that changes, started again there; each with its share of the budget."""

    def parts(place, seed):
        cut = int(at * rounds)
        found = []
        for part, (first, last) in enumerate([(0, cut), (cut, rounds)]):

            def piece(_, first=first, last=last):
                header, rows = how(random.Random(f"{name} {seed}"))
                return header, rows[first:last]

            path = place.made(f"{name}_part{part}", seed, piece)
            found.append((f'table(file="{path}",rate={rate},order=file)', last - first))
        return found

    return parts


def wide_range(name, reward=None, cost=None):
    more = (f"reward_range=[-{reward:g},{reward:g}]," if reward else "") + (
        f"cost_range=[-{cost:g},{cost:g}]," if cost else ""
    )
    return table(name, more=more)


def two_budgets(name, second):
    rate = quality.TABLES[name][0]

    def world(place, seed):
        path = place.made(f"{name}_second", 0, lambda _: data.second_cost(place.table(name)))
        return f'table(cost=["c","d"],file="{path}",names=["cost","delay"],order=shuffled,rate=[{rate},{second}])'

    return world


def real_tables():
    """The eight tables; targets are today's shares less half a point (gauntlet.py fills them in)."""
    null = {"warfarin": 0, "bank_marketing": 0, "letter": 0}
    rows = [
        Condition(name, "tables", table(name), (rate,), None, null=null.get(name), published=published)
        for name, (rate, published) in quality.TABLES.items()
    ]
    return rows + [
        Condition(
            "bank_file_order", "tables", table("bank_marketing", order="file"), (0.02,), None, null=0, published=0.022
        )
    ]


def scales():
    def ranged(title, name, held_out=False, **ranges):
        return Condition(
            title,
            "scale",
            wide_range(name, **ranges),
            (quality.TABLES[name][0],),
            97,
            learner=plain(name),
            published=quality.TABLES[name][1],
            held_out=held_out,
        )

    def units(title, name, factor, held_out=False):
        return Condition(
            title,
            "scale",
            lambda place, seed: f"scaled(cost={factor:g},of={table(name)(place, seed)},reward={factor:g})",
            (quality.TABLES[name][0] * factor,),
            97,
            learner=plain(name),
            published=quality.TABLES[name][1],
            unit=factor,
            held_out=held_out,
        )

    def money(title, name, factor, held_out=False):
        return Condition(
            title,
            "scale",
            rescaled(name, cost=factor),
            (quality.TABLES[name][0] * factor,),
            97,
            learner=plain(name),
            published=quality.TABLES[name][1],
            held_out=held_out,
        )

    def features(title, name, factor, held_out=False):
        return Condition(
            title,
            "features",
            rescaled(name, context=factor),
            (quality.TABLES[name][0],),
            97,
            own=True,
            learner=plain(name),
            published=quality.TABLES[name][1],
            held_out=held_out,
        )

    return [
        ranged("reward_range_10", "ml_api_rafdb", reward=10),
        ranged("reward_range_100", "warfarin", reward=100),
        ranged("reward_range_1e4", "letter", reward=1e4, held_out=True),
        ranged("reward_range_1e6", "llm_routing", reward=1e6, held_out=True),
        ranged("cost_range_1000", "llm_routing", cost=1000),
        ranged("cost_range_1e5", "ml_api_rafdb", cost=1e5, held_out=True),
        money("dollars", "llm_routing", 1e-3),
        money("dollars_1e-4", "warfarin", 1e-4, held_out=True),
        units("units_1e-3", "letter", 1e-3),
        units("units_1e6", "warfarin", 1e6),
        features("features_100", "llm_routing", 100),
        features("features_0.01", "warfarin", 0.01),
        features("features_1000", "ml_api_rafdb", 1000, held_out=True),
        features("features_0.02", "bank_marketing", 0.02, held_out=True),
    ]


def rare():
    def row(name, low, high, k, rate, held_out=False):
        def how(chance):
            return data.offers(chance, 20000, d=6, k=k, low=low, high=high, costs=(0.3, 1.0))

        return Condition(name, "rare", generated(name, how, f"rate={rate}"), (rate,), 94, null=0, held_out=held_out)

    return [
        row("rare_1", 0.005, 0.02, 5, 0.2),
        row("rare_4", 0.02, 0.06, 5, 0.2),
        row("rare_2", 0.01, 0.03, 8, 0.3, held_out=True),
    ]


def late():
    heavy = "heavy(k=5,d=4)"
    return [
        Condition("late_500", "late", fixed(heavy), (0.05,), 95, rounds=20000, delay=500),
        Condition("late_2000", "late", fixed(heavy), (0.05,), 91, rounds=20000, delay=2000, own=True),
        Condition("late_50_small", "late", table("warfarin"), (0.08,), 96, rounds=3000, delay=50, null=0),
        Condition("late_50_llm", "late", table("llm_routing"), (0.005,), 96, rounds=3000, delay=50, held_out=True),
        Condition(
            "late_200",
            "late",
            fixed("heavy(k=8,d=6,rate=0.03)"),
            (0.03,),
            95,
            rounds=10000,
            delay=200,
            own=True,
            held_out=True,
        ),
    ]


def many_actions():
    def row(name, k, rounds, target, held_out=False, own=False, d=4):
        return Condition(
            name,
            "many actions",
            fixed(f"heavy(d={d},k={k})"),
            (0.05,),
            target,
            rounds=rounds,
            held_out=held_out,
            own=own,
        )

    return [
        row("k_100", 100, 2000, 92),
        row("k_100_long", 100, 10000, 96),
        row("k_1000", 1000, 2000, 80),
        row("k_50", 50, 3000, 93, held_out=True, own=True, d=6),
        row("k_300", 300, 3000, 88, held_out=True, own=True),
    ]


def small_wide():
    def row(name, d, k, held_out=False, told=False):
        rate = 25 / 1200

        def how(chance):
            return data.wide(chance, 1200, d=d, k=k)

        prices = [0] + [round(0.5 + 0.5 * a / (k - 2), 3) for a in range(k - 1)]
        return Condition(
            name + ("_told" if told else ""),
            "small wide",
            generated(name, how, f"rate={rate:.10g}"),
            (rate,),
            60 if told else 70,
            null=0,
            held_out=held_out,
            own=told,
            keys=f"expected_costs={prices}".replace(" ", "") if told else "",
        )

    return [
        row("wide_86", 86, 8),
        row("wide_140", 140, 11),
        row("wide_110", 110, 9, held_out=True),
        row("wide_86", 86, 8, told=True),
        row("wide_140", 140, 11, told=True),
    ]


def scarce():
    def row(name, rounds, k, plays, target, own=False, held_out=False):
        cost = 0.75  # the mean over the actions that are not null

        def how(chance):
            return data.offers(chance, rounds, d=3, k=k, noise=0.1)

        return Condition(
            name,
            "scarce",
            generated(name, how, f"budget={plays * cost:g}"),
            (plays * cost / rounds,),
            target,
            null=0,
            own=own,
            held_out=held_out,
        )

    return [
        row("money_1_percent", 20000, 5, 200, 90),
        row("money_20_plays", 4000, 5, 20, 75, own=True),
        row("money_3_percent", 6000, 7, 180, 90, own=True, held_out=True),
        row("money_60_plays", 6000, 4, 60, 85, own=True, held_out=True),
    ]


def changing():
    def row(name, rounds, rate, at=0.5, what="reward", held_out=False, own=False):
        def how(chance):
            return data.change(chance, rounds, at=at, what=what)

        return Condition(
            name,
            "change",
            generated(name, how, f"rate={rate}"),
            (rate,),
            97,
            learner=restart(name, how, rate, rounds, at),
            held_out=held_out,
            own=own,
        )

    def blocks(name, spec, rate, rounds, held_out=False):
        return Condition(name, "blocks", fixed(spec), (rate,), None, rounds=rounds, long_term=True, held_out=held_out)

    return [
        row("change_8000", 8000, 0.3),
        row("change_40000", 40000, 0.3),
        row("change_cost", 8000, 0.3, what="cost", own=True),
        row("change_early", 12000, 0.25, at=0.3, own=True, held_out=True),
        blocks("blocks_500", "linear(d=8,k=8,order=switching)", 0, 20000),
        blocks(
            "blocks_500_budget", "linear(costs=positive,d=8,k=8,order=switching,rate=0.3)", 0.3, 20000, held_out=True
        ),
    ]


def curved():
    """Means that no linear function fits; the yardstick is linear, so shares over 100 are expected."""

    def row(name, rounds, at=1.0, held_out=False):
        def how(chance):
            return data.curves(chance, rounds, at=at)

        rate = 0.3
        return Condition(
            name, "curves", generated(name, how, f"rate={rate}"), (rate,), 100, own=True, held_out=held_out
        )

    return [
        row("curves_8000", 8000),
        row("curves_change_8000", 8000, at=0.5),
        row("curves_change_40000", 40000, at=0.5, held_out=True),
    ]


def short():
    return [
        Condition("short_200", "short", table("ml_api_rafdb"), (0.3,), 95, rounds=200, own=True),
        Condition("short_500", "short", table("ml_api_rafdb"), (0.3,), 96, rounds=500, own=True),
        Condition(
            "short_300_heavy", "short", fixed("heavy(k=5,d=4)"), (0.05,), 95, rounds=300, own=True, held_out=True
        ),
    ]


def logs():
    """Logs for off-policy evaluation: the user asks for a floor under probabilities."""

    def row(title, name, floor, target, effective, held_out=False):
        rate, published = quality.TABLES[name]
        return Condition(
            title,
            "logs",
            table(name),
            (rate,),
            target,
            own=True,
            published=published,
            keys=f"floor={floor}",
            effective=effective,
            held_out=held_out,
        )

    return [
        row("log_floor", "ml_api_rafdb", 0.05, 97, 0.05),
        row("log_floor_llm", "llm_routing", 0.02, 98, 0.02, held_out=True),
    ]


def others():
    return [
        Condition(
            "offered_60",
            "own",
            lambda place, seed: f"subset(always=0,of={table('llm_routing')(place, seed)},share=0.6)",
            (0.005,),
            97,
            own=True,
        ),
        Condition("two_budgets", "own", two_budgets("ml_api_rafdb", 0.25), (0.3, 0.25), 97, own=True, held_out=True),
        Condition(
            "adaptive", "own", fixed("linear(d=8,k=8,order=adaptive)"), (0,), None, rounds=10000, long_term=True
        ),
    ]


def conditions():
    from gauntlet_traps import traps  # its rows are made of what is here

    rows = [
        *real_tables(),
        *scales(),
        *rare(),
        *late(),
        *many_actions(),
        *small_wide(),
        *scarce(),
        *changing(),
        *curved(),
        *short(),
        *logs(),
        *others(),
        *traps(),
    ]
    assert len({r.name for r in rows}) == len(rows)
    return {r.name: r for r in rows}
