"""Assigning: one action for each of many rounds at once, so that totals stay within budgets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _rein
from ._actions import Actions
from ._batch import _spread
from ._errors import Error, needed
from ._given import array, number, short, whole
from ._progress import Progress, bar
from ._round import rows_and_ids
from ._schema import Schema
from ._shapes import Floats

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Total:
    """What is earned and spent in all, by the estimates."""

    reward: float
    costs: dict[str, float]


@dataclass(frozen=True, eq=False, repr=False)
class Assignment:
    """One action per row. Print it for a summary; `to_pandas()` has the rows."""

    action: npt.NDArray[Any]  #: the assigned actions: names, or ids
    probability: Floats  #: with which each of them was assigned
    estimates: Floats  #: rows x (reward, cost, ...) of these actions
    action_id: npt.NDArray[np.int32]
    budget: dict[str, float]  #: totals that were asked for
    prices: dict[str, float]  #: reward per unit of each cost at which the budgets are met
    total: Total  #: of the assigned actions
    expected: Total  #: over the draw of `explore`
    ties: int  #: rows with two actions that are equal at these prices
    raised: int  #: the first of them, which got the dearer action
    everybody: dict[Any, Total]  #: the same action for every row
    unused: list[str]  #: columns that the agent does not use

    def __len__(self) -> int:
        return len(self.action)

    def __repr__(self) -> str:
        lines = []
        for label, same in self.everybody.items():
            here = int((self.action == label).sum())
            lines.append(f"{label}: {here} rows; for everybody: reward {same.reward:.6g}" + _spent(same))
        lines.append(f"in all: reward {self.total.reward:.6g}" + _spent(self.total))
        lines += [f"{name}: {self.total.costs[name]:.6g} of {amount:.6g}, at a price of {self.prices[name]:.4g}"
                  for name, amount in self.budget.items()]
        if self.ties:
            lines.append(f"ties: {self.ties} rows; the first {self.raised} of them got the dearer action")
        return "\n".join(lines)

    def to_pandas(self) -> pandas.DataFrame:
        """One row per row: a (the action), p (its probability), estimated_reward and estimated_NAME per cost."""
        names = ["reward", *self.total.costs]
        columns = {"a": self.action, "p": self.probability}
        columns |= {f"estimated_{name}": self.estimates[:, h] for h, name in enumerate(names)}
        table: pandas.DataFrame = needed("a table", "pandas").DataFrame(columns)
        return table


def _spent(total: Total) -> str:
    return "".join(f", {name} {spent:.6g}" for name, spent in total.costs.items())


def _budget(names: Sequence[str], budget: Any) -> dict[str, float]:
    if budget is None:
        return {}
    if not isinstance(budget, Mapping):
        if len(names) != 1:
            raise Error(f"budget: found {short(budget)}; accepted: a dict of totals by cost, and costs are {list(names)}")
        budget = {names[0]: budget}
    for name in budget:
        if name not in names:
            raise Error(f"budget: found {short(name)}; accepted: {list(names)}")
    return {name: number(f"budget {name}", amount) for name, amount in budget.items()}


def assign(engine: _rein.Engine, shape: _rein.Shape, known: Actions, schema: Schema | None, names: Sequence[str],
           contexts: Any, budget: Any, explore: float, seed: int, actions: Any, ids: Any,
           progress: bool | Progress) -> Assignment:
    wanted = _budget(names, budget)
    actions, ids = rows_and_ids(shape, known, actions, ids)
    x = rows = who = None
    columns: list[_rein.ColumnData] = []
    unused: list[str] = []
    if contexts is None:
        raise Error("assign: no rows are given; accepted: a DataFrame, a dict of columns, an array")
    if schema is not None:
        columns, count, unused = schema.read_some(contexts)
    else:
        x = _spread("contexts", array("contexts", contexts), None, "rounds", shape.context)
        count = len(x)
    if actions is not None:
        rows = _spread("actions", array("actions", actions), count, "rounds", "K", shape.features)
    if ids is not None:
        who = _spread("ids", known.ids_of("actions", ids), count, "rounds", "K")
    elif not known.all and rows is None:
        who = _spread("ids", known.offered, count, "rounds", "K")
    offered = who if rows is None else rows
    k = shape.actions if offered is None else offered.shape[1]
    chosen, chance = np.empty(count, np.int32), np.empty(count)
    said = np.empty((count, shape.heads))
    with ExitStack() as stack:
        prices, reward, spent, mean, means, ties, raised, same = engine.assign(
            k, np.zeros((0, 0)) if x is None else x, np.zeros((0, 0, 0)) if rows is None else rows,
            np.zeros((0, 0), np.int32) if who is None else who, count, [wanted.get(name, math.inf) for name in names],
            number("explore", explore), whole("seed", seed, 64, signed=False), chosen, chance, said,
            bar(stack, progress), columns)

    def total(earned: float, costs: Sequence[float]) -> Total:
        return Total(earned, dict(zip(names, costs)))

    return Assignment(known.labels_of(chosen), chance, said, chosen, wanted, dict(zip(names, prices)),
                      total(reward, spent), total(mean, means), ties, raised,
                      {known.labels[id]: total(earned, costs) for id, _, earned, costs in same}, unused)
