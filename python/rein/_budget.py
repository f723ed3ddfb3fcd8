"""Budgets: how much of a cost may be spent, in which window of time, and by whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _rein
from ._errors import Error, needed
from ._given import number, short, text, whole

if TYPE_CHECKING:
    import pandas

_KINDS = ["run", "rounds", "ticks", "last", "day", "week", "month"]  # in the order of rein/budget.h
_PER = '"run", "day", "week", "month", "500 rounds", "3600 ticks" or "last 3600 ticks"'


@dataclass(frozen=True)
class Budget:
    """How much of one cost may be spent (docs/budgets.md).

        rein.Budget("month", "dollars", 100, per="month", zone="Europe/Berlin")
        rein.Budget("each tenant", "dollars", 10, hard=True, per="day", scope="tenant")

    A budget steers: prices are set so that its window spends it. With hard=True (or kind="hard") it
    is never exceeded.
    """

    name: str
    cost: str  #: the name of a cost of the agent
    amount: float | Mapping[Any, float]  #: per window, in the units of the cost; with a scope also per key, as
    #: {"acme": 25, "*": 5}: "*" is all other keys
    hard: bool = False  #: True: never exceeded; short for kind="hard"
    per: str = "run"  #: "run", "day", "week", "month", "500 rounds", "3600 ticks", "last 3600 ticks"
    zone: str = "UTC"  #: time zone of days, weeks and months
    carry: bool = False  #: what a window leaves is added to the next one; debts too
    scope: str = ""  #: a dimension such as "tenant": every key of it has this budget
    rounds: int = 0  #: decisions that a window is expected to bring; 0: as many as earlier windows
    kind: str = ""  #: "steer" (the default) or "hard"
    keep: int = 0  #: windows that are remembered, the open one included; 0: 8, or 2 per key
    named: bool = False  #: whether names of keys are kept, so that agent.keys() can show them
    hold: str = "largest"  #: what a hard budget holds for an open decision: its largest cost, or the quantile of the
    #: bill that was learned, as "quantile(0.999)" (docs/holds.md)


@dataclass(frozen=True)
class BudgetState:
    """A budget in its open window. Amounts are in units of the cost; money is counted in whole millionths of it."""

    name: str
    limit: float
    spent: float
    held: float  #: the largest costs of the open decisions
    window: int  #: number of the open window, from 0
    first: int  #: its first round or tick
    last: int  #: its last round or tick
    over_holds: int  #: bills above their largest cost; only they can lift spent + held over a hard limit
    passed_holds: int  #: of a budget with hold="quantile(q)": bills above the quantile that was held
    reserve: float  #: of such a budget: what it keeps free besides, for a bill above its hold
    pace: float  #: what it allows per decision now; 0 if prices ignore it
    rounds_left: float  #: decisions that the window is expected to bring still
    past: bool  #: the run is longer than `rounds`; it goes on at the rate it had
    limit_micros: int  #: the same limit in millionths, exact
    spent_micros: int
    held_micros: int

    @property
    def left(self) -> float:
        return (self.limit_micros - self.spent_micros - self.held_micros) / 1e6


@dataclass(frozen=True)
class KeyState:
    """The money of one key of a budget with a scope, in one window."""

    name: str | None  #: None if only its digest is kept (Budget.named)
    digest: str  #: 16 hex digits
    own_amount: bool  #: whether it has an amount of its own
    limit: float
    spent: float
    held: float
    limit_micros: int  #: the same limit in millionths, exact
    spent_micros: int
    held_micros: int

    @property
    def left(self) -> float:
        return (self.limit_micros - self.spent_micros - self.held_micros) / 1e6


class KeyPage:
    """Keys of a budget, those that spent most first; `count`, `spent` and `held` are of all keys that were asked for."""

    def __init__(self, found: tuple[list[tuple[Any, ...]], int, int, int]) -> None:
        rows, self.count, spent, held = found
        self.spent, self.held = spent / 1e6, held / 1e6
        self.keys = tuple(KeyState(name, f"{digest:016x}", own, limit / 1e6, spent / 1e6, held / 1e6, limit, spent, held)
                          for name, digest, own, limit, spent, held in rows)

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[KeyState]:
        return iter(self.keys)

    def __getitem__(self, place: int) -> KeyState:
        return self.keys[place]

    def __repr__(self) -> str:
        return f"<rein.KeyPage: {len(self)} of {self.count} keys, {self.spent:.10g} spent, {self.held:.10g} held>"

    def to_pandas(self) -> pandas.DataFrame:
        """One row per key."""
        columns = ("name", "digest", "own_amount", "limit", "spent", "held", "left")
        table: pandas.DataFrame = needed("a table", "pandas").DataFrame(
            [[getattr(key, name) for name in columns] for key in self.keys], columns=columns)
        return table


@dataclass(frozen=True)
class WindowState:
    """One window of a budget, open or closed."""

    window: int  #: its number, from 0
    first: int | None  #: its first round or tick; None: not known any more
    last: int | None  #: its last round or tick
    open: bool
    limit: float
    spent: float
    held: float


def window_states(rows: Iterable[tuple[Any, ...]]) -> list[WindowState]:
    return [WindowState(number, None if first < 0 else first, None if first < 0 else last, is_open, limit / 1e6,
                        spent / 1e6, held / 1e6) for number, first, last, is_open, limit, spent, held in rows]


def add_budgets(options: _rein.EngineOptions | _rein.RunOptions, given: Any) -> None:
    if isinstance(given, Budget):
        given = [given]
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        raise Error(f"budgets: found {short(given)}; accepted: a list of rein.Budget")
    for one in given:
        if not isinstance(one, Budget):
            raise Error(f"budgets: found {short(one)}; accepted: rein.Budget(name, cost, amount, ...)")
        what = f"budget {one.name}"
        kind, length = _window(what, one.per)
        if one.kind not in ("", "steer", "hard") or (one.kind == "steer" and one.hard):
            raise Error(f'{what}: found kind={short(one.kind)} and hard={one.hard}; '
                        'accepted: "steer", "hard", or hard=')
        amount, amounts = _amounts(what, one.amount)
        options.add_budget(text("budgets: name", one.name), text(what, one.cost), amount,
                           bool(one.hard) or one.kind == "hard", kind, length,
                           text(f"{what}: zone", one.zone), bool(one.carry),
                           text(f"{what}: scope", one.scope), whole(f"{what}: rounds", one.rounds, 53),
                           amounts, whole(f"{what}: keep", one.keep, 31), bool(one.named), text(f"{what}: hold", one.hold))


def _amounts(what: str, given: Any) -> tuple[float, list[tuple[str, float]]]:
    """The amount of all keys that are not named, and of each that is."""
    if not isinstance(given, Mapping):
        return number(what, given), []
    if "*" not in given:
        raise Error(f'{what}: found amounts {short(dict(given))}; accepted: "*" too, the amount of all keys that are '
                    'not named (0: nothing)')
    named = [(key_of(what, key), number(f"{what}: {key}", amount)) for key, amount in given.items() if key != "*"]
    return number(what, given["*"]), named


def key_of(what: str, key: Any) -> str:
    return key if isinstance(key, str) else str(whole(what, key, 63))


def _window(what: str, per: Any) -> tuple[int, int]:
    """The kind of window and its length."""
    found = re.fullmatch(r"(last )?(\d+) (rounds|ticks)", text(f"{what}: per", per))
    if found and not (found[1] and found[3] == "rounds"):
        return _KINDS.index("last" if found[1] else found[3]), whole(what, int(found[2]), 53)
    if per in ("run", "day", "week", "month"):
        return _KINDS.index(per), 0
    raise Error(f"{what}: found per={short(per)}; accepted: {_PER}")


def scopes_of(given: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """{"tenant": "acme"} as pairs. Keys may be numbers: 7 and "7" are the same key."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise Error(f'scopes: found {short(given)}; accepted: a dict such as {{"tenant": "acme"}}')
    return [(text("scopes", dimension), key_of(f"scopes {dimension}", key)) for dimension, key in given.items()]


def named(rows: Iterable[tuple[Any, ...]]) -> dict[str, BudgetState]:
    """What the engine tells of budgets, by name."""
    found = {}
    for name, limit, spent, held, window, first, last, over_holds, passed, reserve, pace, rounds_left, past in rows:
        found[name] = BudgetState(name, limit / 1e6, spent / 1e6, held / 1e6, window, first, last, over_holds, passed,
                                  reserve / 1e6, pace, rounds_left, past, limit, spent, held)
    return found
