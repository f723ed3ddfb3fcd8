"""Many decisions in one call, as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _rein
from ._actions import Actions
from ._errors import Error, needed
from ._given import array, integers, whole
from ._progress import Progress, bar
from ._round import rows_and_ids
from ._schema import Schema
from ._shapes import Floats, cost_rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, eq=False, repr=False)
class Decisions:
    """The decisions of a batch, one entry per round."""

    id: npt.NDArray[np.uint64]
    action: npt.NDArray[Any]  #: the chosen actions: names, or ids; None or -1 if the hard budget allowed none
    probability: Floats  #: probability of the chosen action
    probabilities: Floats  #: rounds x actions
    prices: Floats  #: rounds x costs
    estimates: Floats  #: rounds x (reward, cost, ...) x actions
    action_id: npt.NDArray[np.int32]  #: id of the chosen action, counted from 0
    place: npt.NDArray[np.int32]  #: index of the chosen action among those offered
    holdout: npt.NDArray[np.int8]  #: 1 in the control group, 0 outside of it, -1 if the round has none

    def __len__(self) -> int:
        return len(self.id)

    def __repr__(self) -> str:
        return f"<rein.Decisions: {len(self)} of {self.probabilities.shape[1]} actions>"

    def to_pandas(self) -> pandas.DataFrame:
        """One row per round: id, action, probability."""
        columns = ("id", "action", "probability")
        table: pandas.DataFrame = needed("a table", "pandas").DataFrame({key: getattr(self, key) for key in columns})
        return table


def _spread(what: str, found: npt.NDArray[Any], rounds: int | None, *axes: str | int) -> npt.NDArray[Any]:
    """Adds a first axis of rounds if it is missing. An axis given as text may have any size."""
    if found.ndim == len(axes) - 1 and rounds is not None:
        found = np.ascontiguousarray(np.broadcast_to(found, (rounds, *found.shape)))
    fits = found.ndim == len(axes) and all(
        isinstance(axis, str) or axis == size for axis, size in zip(axes, found.shape))
    if not fits or (rounds is not None and len(found) != rounds):
        raise Error(f"{what}: found shape {found.shape}; accepted: {' x '.join(map(str, axes))}"
                    + ("" if rounds is None else f", for {rounds} rounds"))
    return found


def decide_many(engine: _rein.Engine, shape: _rein.Shape, known: Actions, schema: Schema | None, contexts: Any,
                actions: Any, ids: Any, rounds: int | None, progress: bool | Progress) -> Decisions:
    actions, ids = rows_and_ids(shape, known, actions, ids)
    if rounds is not None:
        rounds = whole("rounds", rounds, 24, signed=False)  # more decisions cannot be open
    x = rows = who = None
    columns: list[_rein.ColumnData] = []
    if schema is not None:
        if contexts is None:
            raise Error("decide_many: no contexts are given; accepted: a DataFrame, a dict of columns, a list of dicts")
        columns, count = schema.read(contexts)
        if rounds not in (None, count):
            raise Error(f"contexts: found {count} rows; accepted: one for each of {rounds} rounds")
        rounds = count
    elif contexts is not None:
        x = array("contexts", contexts)
        x = _spread("contexts", x.reshape(0, shape.context) if x.shape == (0,) else x, None, "rounds", shape.context)
        rounds = len(x) if rounds is None else rounds
    if actions is not None:
        rows = _spread("actions", array("actions", actions), rounds, "rounds", "K", shape.features)
        rounds = len(rows)
    if ids is not None:
        who = _spread("ids", known.ids_of("actions", ids), rounds, "rounds", "K")
        rounds = len(who)
    if rounds is None:
        raise Error("decide_many: the number of rounds is not given; accepted: contexts, actions, ids or rounds")
    offered = who if rows is None else rows
    count = shape.actions if offered is None else offered.shape[1]
    chosen, place = np.empty(rounds, np.int32), np.empty(rounds, np.int32)
    made, prob, probs = np.zeros(rounds, np.uint64), np.empty(rounds), np.empty((rounds, count))
    prices, said = np.empty((rounds, len(shape.costs))), np.empty((rounds, shape.heads, count))
    holdout = np.empty(rounds, np.int8)
    given = (np.zeros((0, 0)) if x is None else x, np.zeros((0, 0, 0)) if rows is None else rows,
             np.zeros((0, 0), np.int32) if who is None else who)
    try:  # up to the end: Ctrl-C may come at any time
        with ExitStack() as stack:
            told = bar(stack, progress)
            engine.decide_many(count, *given, made, chosen, prob, probs, prices, said, holdout, place, told,
                               columns)
            if told is not None:
                told(rounds, rounds)
        return Decisions(made, known.labels_of(chosen), prob, probs, prices, said, chosen, place, holdout)
    except BaseException:
        for unknown in made[made != 0].tolist():  # to the caller, who does not get them
            engine.cancel(unknown)
        raise


def learn_many(engine: _rein.Engine, names: Sequence[str], decisions: Any, reward: Any, paid: Any,
               progress: bool | Progress) -> int:
    if isinstance(decisions, Decisions):
        ids = decisions.id
    elif isinstance(decisions, (list, tuple)):
        ids = integers("ids", [d.id if isinstance(d, _rein.Decision) else d for d in decisions], np.uint64)
    else:
        ids = integers("ids", decisions, np.uint64)
    if reward is None and paid is None:
        raise Error("learn_many: found neither reward nor costs; accepted: one of them, or both")
    rewards = np.full(ids.shape, _rein.MISSING) if reward is None else array("reward", reward)
    if paid is None:
        spent = np.full((ids.size, len(names)), _rein.MISSING)
    else:
        spent = cost_rows("costs", paid, names, _rein.MISSING)
    if ids.ndim != 1 or rewards.shape != ids.shape or spent.shape != (ids.size, len(names)):
        raise Error(f"learn_many: found ids {ids.shape}, reward {rewards.shape}, costs {spent.shape}; "
                    f"accepted: one reward per id, and {len(names)} costs per id")
    if isinstance(decisions, Decisions) and not ids.all():  # rounds that the hard budget left without an action
        made = ids != 0
        ids, rewards, spent = ids[made], rewards[made], spent[made]
    with ExitStack() as stack:
        told = bar(stack, progress)
        learned = engine.learn_many(ids, rewards, spent, told)
        if told is not None:
            told(len(ids), len(ids))
    return learned
