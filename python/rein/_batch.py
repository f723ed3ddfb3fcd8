"""Many decisions in one call, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _rein
from ._errors import Error
from ._shapes import Floats, array


@dataclass(frozen=True)
class Decisions:
    """What was decided: one entry a round."""

    id: npt.NDArray[np.uint64]
    action: npt.NDArray[np.int32]  #: -1 where the hard budget left none
    probability: Floats  #: of that action
    probabilities: Floats  #: rounds x actions
    prices: Floats  #: rounds x costs
    estimates: Floats  #: rounds x (reward, cost, ...) x actions

    def __len__(self) -> int:
        return len(self.id)


def _spread(what: str, given: Any, dimensions: int, rounds: int | None, dtype: Any) -> npt.NDArray[Any]:
    """An array with a first axis of rounds; one without it stands for all rounds."""
    found = array(what, given, dtype)
    if found.ndim == dimensions - 1 and rounds is not None:
        found = np.ascontiguousarray(np.broadcast_to(found, (rounds, *found.shape)))
    if found.ndim != dimensions or (rounds is not None and len(found) != rounds):
        raise Error(f"{what}: found shape {found.shape}; accepted: {dimensions} dimensions, the first "
                    f"of {'any size' if rounds is None else f'{rounds} rounds'}")
    return found


def decide_many(engine: _rein.Engine, shape: _rein.Shape, contexts: Any, actions: Any, ids: Any,
                rounds: int | None) -> Decisions:
    if shape.features == 0 and actions is not None:
        if ids is not None:
            raise Error("decide_many: actions and ids are both given; accepted: one of them, where "
                        "action_features is 0")
        actions, ids = None, actions
    x = None
    if contexts is not None:
        x = _spread("contexts", contexts, 2, None, np.float64)
        rounds = len(x) if rounds is None else rounds
    rows = None if actions is None else _spread("actions", actions, 3, rounds, np.float64)
    if rows is not None:
        rounds = len(rows)
    who = None if ids is None else _spread("ids", ids, 2, rounds, np.int32)
    if who is not None:
        rounds = len(who)
    if rounds is None:
        raise Error("decide_many: nothing says how many rounds; accepted: contexts, actions, ids or rounds")
    offered = who if rows is None else rows
    count = shape.actions if offered is None else offered.shape[1]
    out = Decisions(np.zeros(rounds, np.uint64), np.full(rounds, -1, np.int32), np.zeros(rounds),
                    np.zeros((rounds, count)), np.zeros((rounds, len(shape.costs))),
                    np.zeros((rounds, shape.heads, count)))
    engine.decide_many(count, np.zeros((0, 0)) if x is None else x,
                       np.zeros((0, 0, 0)) if rows is None else rows,
                       np.zeros((0, 0), np.int32) if who is None else who, out.id, out.action,
                       out.probability, out.probabilities, out.prices, out.estimates)
    return out


def learn_many(engine: _rein.Engine, costs: int, decisions: Any, reward: Any, paid: Any) -> int:
    ids = decisions.id if isinstance(decisions, Decisions) else array("ids", decisions, np.uint64)
    rewards = array("reward", reward)
    spent = np.zeros((len(ids), 0)) if paid is None else array("costs", paid)
    if spent.ndim == 1 and costs == 1:
        spent = spent.reshape(-1, 1)
    if ids.ndim != 1 or rewards.shape != ids.shape or spent.shape != (len(ids), costs):
        raise Error(f"learn_many: found ids {ids.shape}, reward {rewards.shape}, costs {spent.shape}; "
                    f"accepted: as many rewards as ids, and {costs} costs for each")
    return engine.learn_many(ids, rewards, spent)
