"""Runs of an agent: a budget for one task, with sub-runs inside it (docs/runs.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ._errors import Error
from ._given import number, short, whole
from ._rein import MISSING, Decision

if TYPE_CHECKING:
    from ._agent_parts import AgentParts


@dataclass(frozen=True)
class RunMoney:
    """The money of one cost in a run. Amounts are in units of the cost; money is counted in whole millionths of it."""

    limit: float | None  #: None: this cost has no cap in the run
    spent: float
    held: float  #: the largest costs of the open decisions
    limit_micros: int | None  #: the same limit in millionths, exact
    spent_micros: int
    held_micros: int

    @property
    def left(self) -> float | None:
        if self.limit_micros is None:
            return None
        return (self.limit_micros - self.spent_micros - self.held_micros) / 1e6


@dataclass(frozen=True)
class RunState:
    """A run, open or closed, for reading."""

    id: int
    parent: int | None  #: the run that it is inside
    open: bool
    expired: bool  #: whether the clock closed it
    opened: int  #: ticks
    ends: int  #: the tick at which it closes by itself
    closed: int | None  #: the tick at which it was closed
    decisions: int  #: made in it and in the runs inside it
    waiting: int  #: those with a bill that has not come
    costs: dict[str, RunMoney]

    def __hash__(self) -> int:
        return hash(tuple(frozenset(x.items()) if isinstance(x, dict) else x
                          for x in (getattr(self, one.name) for one in fields(self))))


def amounts_of(given: Mapping[str, float] | float | None, named: Mapping[str, float],
               costs: list[str]) -> list[float]:
    """The caps in the order of the costs; MISSING where there is none."""
    wanted = dict(named)
    if isinstance(given, Mapping):
        wanted = {**given, **named}
    elif given is not None:
        if len(costs) != 1 or named:
            raise Error(f"run: found the amount {short(given)}; accepted: amounts by cost, as dollars=0.50")
        wanted = {costs[0]: given}
    for name in wanted:
        if name not in costs:
            raise Error(f"run: found an amount of {short(name)}; accepted: {', '.join(costs) or 'none: there are no costs'}")
    return [MISSING if name not in wanted else number(f"run: {name}", wanted[name]) for name in costs]


def read_run(row: tuple[Any, ...], names: list[str]) -> RunState:
    id, parent, is_open, expired, opened, ends, closed, decisions, waiting, money = row
    costs = {name: RunMoney(None if limit < 0 else limit / 1e6, spent / 1e6, held / 1e6, None if limit < 0 else limit,
                            spent, held) for name, (limit, spent, held) in zip(names, money)}
    return RunState(id, parent or None, is_open, expired, opened, ends, None if is_open else closed, decisions, waiting,
                    costs)


class Run:
    """A run that is open. Its decisions count in it, in every run around it, and in the budgets.

        with agent.run(dollars=0.50) as run:
            d = run.decide(x)
            with run.run(dollars=0.10) as part:     # a sub-agent
                part.decide(x)

    At the end of the block it closes. What was not spent was never taken from anybody: a run is a cap.
    """

    __slots__ = ("_agent", "id")

    def __init__(self, agent: AgentParts, id: int) -> None:
        self._agent, self.id = agent, id

    def decide(self, context: Any = None, actions: Any = None, **options: Any) -> Decision:
        """Chooses an action, as `agent.decide` with `run=self`."""
        decided: Decision = self._agent.decide(context, actions, run=self, **options)  # type: ignore[attr-defined]
        return decided

    def run(self, amounts: Mapping[str, float] | float | None = None, *, expire_after: int = 86_400,
            **costs: float) -> Run:
        """Opens a run inside this one. It ends with this one at the latest."""
        return open_run(self._agent, amounts, expire_after, self.id, costs)

    def close(self) -> None:
        """No more decisions. Runs inside it close too; open decisions still count."""
        self._agent._engine.close_run(self.id)

    @property
    def state(self) -> RunState:
        return read_run(self._agent._engine.agent_run(self.id), self._agent._names)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<rein.Run {self.id:016x}>"


def open_run(agent: AgentParts, amounts: Mapping[str, float] | float | None, expire_after: int, parent: int,
             costs: Mapping[str, float]) -> Run:
    caps = amounts_of(amounts, costs, agent._names)
    return Run(agent, agent._engine.open_run(caps, whole("expire_after", expire_after, 63), parent))


def run_id(run: Any) -> int:
    """Of a run or its id; 0 without one."""
    if run is None:
        return 0
    return run.id if isinstance(run, Run) else whole("run: a run, or its id", run, 64, signed=False)
