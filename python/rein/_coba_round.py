"""Rounds of coba as rounds of an agent. The first round fixes the sizes."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _encode
from ._errors import Error
from ._shapes import Floats

_ACTIONS = "accepted: a list of actions to choose from; continuous actions are not supported"


@dataclass
class Encoder:
    """Turns (context, actions) into the arguments of Agent.decide. The first round fixes the sizes.

    kind      "one-hot": the position of the 1 is the id; "names": ids in the order of first
              appearance; "rows": numbers describe the actions
    actions   the largest number of ids
    """

    kind: str
    actions: int
    features: int
    action_features: int
    hashed: int
    ids: dict[Hashable, int] = field(default_factory=dict)

    @classmethod
    def of(cls, context: Any, actions: Any, most: int | None, rows: bool | None, hashed: int) -> Encoder:
        check(context, actions)
        features = len(_encode.numbers("context", context, 0 if context is None else hashed))
        kind, width, count = "names", 0, len(actions)
        if rows or (rows is None and _described(actions)):
            kind, width = "rows", len(_encode.numbers("action", actions[0], hashed))
        elif _encode.all_one_hot(actions):
            kind, count = "one-hot", len(actions[0])
        return cls(kind, most or count, features, width, hashed)

    def context(self, context: Any) -> Floats:
        found = _encode.numbers("context", context, self.hashed if self.features else 0)
        if len(found) != self.features:
            raise Error(f"context: found {len(found)} numbers; accepted: {self.features}, as in the first round")
        return found

    def offer(self, actions: Sequence[Any]) -> npt.NDArray[Any]:
        """Ids or rows. A refusal changes nothing, except that new names keep their ids."""
        if len(actions) > self.actions:
            self._too_many(len(actions))
        if self.kind == "rows":
            rows = [_encode.numbers("action", action, self.hashed) for action in actions]
            if any(len(row) != self.action_features for row in rows):
                raise Error(f"actions: found rows of {sorted({len(row) for row in rows})} numbers; accepted: of "
                            f"{self.action_features}, as in the first round")
            return np.array(rows)
        return np.array([self._id(action) for action in actions], np.int32)

    def _id(self, action: Any) -> int:
        if self.kind == "one-hot":
            place = _encode.one_hot(action)
            if place is None or place >= self.actions:
                raise Error(f"action: found {action!r}; accepted: one 1 among {self.actions} numbers, as in the first "
                            "round; rows=True if the numbers describe actions")
            return place
        name = _encode.label(action)
        if name not in self.ids and len(self.ids) >= self.actions:
            self._too_many(len(self.ids) + 1)
        return self.ids.setdefault(name, len(self.ids))

    def _too_many(self, found: int) -> None:
        raise Error(f"actions: found {found}; accepted: {self.actions}, as many as the first round had. "
                    f"Give the largest number: Learner(..., actions={found})")


def check(context: Any, actions: Any) -> None:
    """Runs before anything else, so that a refusal changes nothing."""
    if hasattr(context, "is_batch") or hasattr(actions, "is_batch"):
        raise Error("predict: found a batch; accepted: one round. coba sends single rounds after this error")
    if actions is None or not len(actions):
        raise Error(f"actions: found {actions!r}; {_ACTIONS}")


def place_of(actions: Sequence[Any], action: Any) -> int:
    """Position of an action in a list of actions."""
    wanted = _encode.label(action)
    for place, other in enumerate(actions):
        if _encode.label(other) == wanted:
            return place
    raise Error(f"action: found {action!r}, which is not among the actions; accepted: one of them")


def _described(actions: Sequence[Any]) -> bool:
    """Sequences and mappings describe actions, unless each is a unit vector."""
    return (all(hasattr(action, "__len__") and not isinstance(action, str) for action in actions)
            and not _encode.all_one_hot(actions))
