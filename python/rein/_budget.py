"""Budgets: how much of a cost may be spent, in which window of time, and by whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from . import _rein
from ._errors import Error
from ._given import number, short, text, whole

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
    amount: float  #: per window, in the units of the cost
    hard: bool = False  #: True: never exceeded; short for kind="hard"
    per: str = "run"  #: "run", "day", "week", "month", "500 rounds", "3600 ticks", "last 3600 ticks"
    zone: str = "UTC"  #: time zone of days, weeks and months
    carry: bool = False  #: what a window leaves is added to the next one; debts too
    scope: str = ""  #: a dimension such as "tenant": every key of it has this budget
    rounds: int = 0  #: decisions that a window is expected to bring; 0: as many as earlier windows
    kind: str = ""  #: "steer" (the default) or "hard"


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
    over_holds: int  #: bills above their hold; only they can lift spent + held over a hard limit
    pace: float  #: what it allows per decision now; 0 if prices ignore it
    rounds_left: float  #: decisions that the window is expected to bring still
    past: bool  #: the run is longer than `rounds`; it goes on at the rate it had
    limit_micros: int  #: the same limit in millionths, exact
    spent_micros: int
    held_micros: int

    @property
    def left(self) -> float:
        return (self.limit_micros - self.spent_micros - self.held_micros) / 1e6


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
        options.add_budget(text("budgets: name", one.name), text(what, one.cost), number(what, one.amount),
                           bool(one.hard) or one.kind == "hard", kind, length,
                           text(f"{what}: zone", one.zone), bool(one.carry),
                           text(f"{what}: scope", one.scope), whole(f"{what}: rounds", one.rounds, 53))


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
    return [(text("scopes", dimension), key if isinstance(key, str) else str(whole(f"scopes {dimension}", key, 63)))
            for dimension, key in given.items()]


def named(rows: Iterable[tuple[Any, ...]]) -> dict[str, BudgetState]:
    """What the engine tells of budgets, by name."""
    found = {}
    for name, limit, spent, held, window, first, last, over_holds, pace, rounds_left, past in rows:
        found[name] = BudgetState(name, limit / 1e6, spent / 1e6, held / 1e6, window, first, last, over_holds, pace,
                                  rounds_left, past, limit, spent, held)
    return found
