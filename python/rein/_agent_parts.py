"""What the parts of an agent share: its engine, and what is known of its actions and costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy.typing as npt

from . import _rein
from ._actions import Actions
from ._given import whole
from ._rein import Decision
from ._schema import Schema

EXPLAINED = 100  # decisions that explain() still knows after their outcome, unless the agent says otherwise
Row: TypeAlias = npt.ArrayLike | Mapping[str, Any]  # numbers in order, or values by name


class AgentParts:
    __slots__ = ("_engine", "_oracle", "_potential", "_names", "_shape", "_plain", "_known", "_schema", "__weakref__")

    _engine: _rein.Engine
    _oracle: Any
    _potential: Any
    _names: list[str]  # of the costs
    _shape: _rein.Shape
    _plain: bool  # every round offers all actions, and they have no features
    _known: Actions
    _schema: Schema | None

    def _adopt(self, engine: _rein.Engine, oracle: Any, potential: Any) -> None:
        self._engine = engine
        engine.keep_explained(EXPLAINED)
        self._oracle = oracle
        self._potential = potential
        self._schema = self._schema_now()
        self._see_actions()

    def _see_actions(self) -> None:
        """Reads what changes when actions come and go."""
        self._shape = self._engine.shape()
        self._names = [name for name, _, _ in self._shape.costs]
        self._known = Actions(self._engine)
        self._plain = self._shape.features == 0 and self._known.all

    def _schema_now(self) -> Schema | None:
        """A copy of the schema with the statistics of now."""
        found = self._engine.schema()
        return None if found is None else Schema.restore(found)


def id_of(decision: Any) -> int:
    return decision.id if isinstance(decision, Decision) else whole("learn: a decision, or its id", decision, 64,
                                                                    signed=False)
