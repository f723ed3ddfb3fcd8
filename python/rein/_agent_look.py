"""What an agent shows: its state, its history, and what its estimates are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy.typing as npt

from ._actions import Action
from ._agent_parts import AgentParts
from ._budget import scopes_of
from ._explain import Explanation, explain
from ._given import number, whole
from ._history import History, read_history
from ._schema import Schema
from ._state import BarredAction, Bounds, OpenDecision, State, Status, read_open, read_state


class AgentLooks(AgentParts):
    __slots__ = ()

    def explain(self, decision: Any = None, actions: Any = None, *, ids: npt.ArrayLike | None = None,
                which: str | Sequence[Action] | None = None, names: Sequence[str] | None = None,
                scopes: Mapping[str, Any] | None = None) -> Explanation:
        """What the estimates of an action are made of: weight x value, largest first.

        decision  a decision or its id: an open one, or one of the last 100 that got their outcome by `learn`
                  (EngineOptions.explained). Or the context of a round, with actions, ids and scopes as in
                  decide: then it explains what `look` returns
        which     the actions to explain, or "all"; default: the chosen one
        names     names of the numbers of the context, then of the action features; default: those of
                  the schema, else x0, x1, ..., a0, a1, ...

        Weights and estimates are those of now; probability, score and prices those of the decision.
        Oracles that are not linear have no weights.
        """
        return explain(self._engine, self._shape, self._known, self._schema_now(), self._names, decision, actions,
                       ids, which, names, scopes_of(scopes))

    def open(self, most: int = 2**24) -> list[OpenDecision]:
        """The open decisions, oldest first, with what has come of their outcomes."""
        return read_open(self._engine.open(whole("most", most, 63)), self._names)

    def barred(self) -> list[BarredAction]:
        """The actions that the last `decide` could not play, of a refused one (rein.BudgetSpent) too."""
        return [BarredAction(*found) for found in self._engine.barred()]

    @property
    def seed(self) -> int:
        """Seed of all random numbers. The same seed, spec and rounds give the same bits."""
        return self._engine.seed()

    @property
    def spec(self) -> str:
        """The policy, with its keys sorted."""
        return self._engine.spec()

    @property
    def costs(self) -> list[str]:
        """Names of the costs, in order."""
        return list(self._names)

    @property
    def schema(self) -> Schema | None:
        """How rows with names become numbers, with the statistics of now; a copy. None: contexts are numbers."""
        return self._schema_now()

    @property
    def oracle(self) -> Any:
        """Your own oracle, or None."""
        return self._oracle

    @property
    def potential(self) -> Any:
        """Your own potential, or None."""
        return self._potential

    @property
    def state(self) -> State:
        """A snapshot of all counters, queues and budgets, for reading."""
        return read_state(self._engine.state(), self._names)

    @property
    def history(self) -> History:
        """What happened so far, in at most 257 points; snapshots keep it."""
        return read_history(self._engine.history(), self._names, self._known.labels,
                            self._engine.state()["objective"])

    @property
    def spent(self) -> dict[str, float]:
        """Total of the costs that were reported, by cost name; late bills included."""
        return self.state.spent

    @property
    def queues(self) -> dict[str, float]:
        """The queues that prices are computed from, by cost name; units: see `State.queues`."""
        return self.state.queues

    @property
    def learned_largest_costs(self) -> dict[str, list[float | None]]:
        """What each action can cost, learned from its costs, by cost name and action id (docs/budgets.md).

        The 0.95 quantile of its last 32 costs. None: nothing was seen. {} if largest costs are declared.
        """
        found = self._engine.learned_largest_costs()
        columns = [found[i::len(self._names)] for i in range(len(self._names))] if found else []
        return dict(zip(self._names, columns))

    @property
    def alarm(self) -> bool:
        """Whether the alarm reports that the oracle's model is wrong; `state.alarm` says why."""
        found = self.state.alarm
        return found is not None and found.ringing

    @property
    def status(self) -> Status:
        """How the run goes: a word, and a sentence of advice (docs/status.md)."""
        return self.state.status

    @property
    def effective_size(self) -> float:
        """Effective sample size of the decisions learned so far (docs/status.md)."""
        return self.state.effective_size

    def bounds(self, margin: float = 0.0) -> Bounds:
        """Bounds of the theorem (tuning=theory). `margin` is the Slater margin, if known (docs/theory/slater.md)."""
        regret, ccv, by_margin, ccv_max = self._engine.bounds(number("margin", margin))
        names = self.state.queues
        return Bounds(regret, dict(zip(names, ccv)), by_margin, dict(zip(names, ccv_max)))

    def state_hash(self) -> int:
        """64-bit hash of all state that affects later decisions, except an own oracle without save and load."""
        return self._engine.state_hash()
