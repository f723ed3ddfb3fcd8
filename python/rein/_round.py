"""The arguments of Agent.decide as the arrays of one round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _rein
from ._actions import Actions
from ._errors import Error
from ._given import array

_NO_CONTEXT = np.zeros(0)
_NO_ROWS = np.zeros((0, 0))
_NO_IDS = np.zeros(0, np.int32)


def read_context(shape: _rein.Shape, context: Any) -> npt.NDArray[Any]:
    if isinstance(context, Mapping):
        raise Error(f"context: found a dict; accepted: {shape.context} numbers, or names that the agent was made "
                    'with, as context={"age": "number"}')
    x = _NO_CONTEXT if context is None else array("context", context)
    if x.ndim != 1:
        raise Error(f"context: found shape {x.shape}; accepted: {shape.context} numbers "
                    "(decide_many takes rows of them)")
    return x


def read_round(shape: _rein.Shape, known: Actions, context: Any, actions: Any, ids: Any,
               named: bool = False) -> tuple[int, Any, Any, Any]:
    """Number of actions, the context (none if it is a row with names), one row per action, and the action ids."""
    rows, who = _read_actions(shape, known, actions, ids)
    count = len(rows) or len(who) or shape.actions
    return count, _NO_CONTEXT if named else read_context(shape, context), rows, who


def rows_and_ids(shape: _rein.Shape, known: Actions, actions: Any, ids: Any) -> tuple[Any, Any]:
    """Without action features, `actions` says who is offered; with them, rows are required."""
    if shape.features:
        if isinstance(actions, Mapping) and ids is None:
            return list(actions.values()), list(actions)
        if actions is None:
            raise Error(f"decide: no actions are given; accepted: one row of {shape.features} numbers per action")
        return actions, ids
    if actions is not None and ids is not None:
        raise Error("decide: actions and ids are both given; accepted: only one of them when action_features is 0")
    if actions is None and ids is None and not known.all:
        return None, [known.labels[i] for i in known.offered]
    return None, ids if actions is None else actions


def _read_actions(shape: _rein.Shape, known: Actions, actions: Any,
                  ids: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    actions, ids = rows_and_ids(shape, known, actions, ids)
    who = _NO_IDS if ids is None else known.ids_of("actions", ids)
    rows = _NO_ROWS if actions is None else array("actions", actions)
    if (ids is not None and not who.size) or (actions is not None and not rows.size):
        raise Error("decide: no action is offered; accepted: at least one")
    if actions is None and who.ndim != 1:
        raise Error(f"actions: found shape {who.shape}; accepted: a list of the actions offered")
    if who.ndim != 1 or rows.ndim != 2 or (len(rows) and len(who) not in (0, len(rows))):
        raise Error(f"actions: found shape {rows.shape}, ids {who.shape}; accepted: rows of {shape.features} numbers, "
                    "and one id per row")
    return rows, who
