"""What callers may give for sizes, costs, outcomes and arrays, turned into what the library takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, Union

import numpy as np
import numpy.typing as npt

from . import _rein
from ._errors import Error

Floats: TypeAlias = npt.NDArray[np.float64]
Range: TypeAlias = tuple[float, float]
CostNames: TypeAlias = Union[str, Sequence[str], Mapping[str, Union[Range, float]]]
PerCost: TypeAlias = Union[float, Sequence[float], Mapping[str, float], Floats]


def array(what: str, value: Any, dtype: Any = np.float64) -> npt.NDArray[Any]:
    """`value` as a contiguous array; the same one where it is that already."""
    try:
        return np.ascontiguousarray(value, dtype)
    except (TypeError, ValueError) as wrong:
        raise Error(f"{what}: {wrong}; accepted: numbers (an array, a list, a DataFrame row)") from wrong


def cost_ranges(costs: CostNames | None) -> list[tuple[str, float, float]]:
    """["dollars"] or {"dollars": (0, 5), "seconds": 30}: names, and the values they may take."""
    if costs is None:
        return []
    if isinstance(costs, str):
        costs = [costs]
    if not isinstance(costs, Mapping):
        return [(str(name), -1.0, 1.0) for name in costs]
    found = []
    for name, given in costs.items():
        low, high = (0.0, given) if isinstance(given, (int, float)) else given
        found.append((str(name), float(low), float(high)))
    return found


def make_shape(actions: int, context: int, features: int, reward: Range, costs: CostNames | None,
               rounds: int, budget: PerCost | None) -> _rein.Shape:
    ranges = cost_ranges(costs)
    names = [name for name, _, _ in ranges]
    if len(set(names)) < len(names):
        raise Error(f"costs: found {names}; accepted: names that differ")
    budgets = [] if budget is None else per_cost("budget", budget, names)
    return _rein.Shape.make(int(actions), int(context), int(features),
                            (float(reward[0]), float(reward[1])), ranges, int(rounds), budgets)


def per_cost(what: str, given: PerCost | None, names: Sequence[str],
             otherwise: float | None = None) -> list[float]:
    """One number a cost, in order, from a number, a sequence, or numbers by name."""
    if given is None:
        given = []
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in names]
        missing = [name for name in names if name not in given and otherwise is None]
        if unknown or missing:
            raise Error(f"{what}: found {sorted(map(str, given))}; accepted: {sorted(names)}")
        return [float(given.get(name, otherwise or 0.0)) for name in names]
    if isinstance(given, Iterable):
        numbers = [float(x) for x in given]
    else:
        numbers = [float(given)]
    if len(numbers) != len(names):
        raise Error(f"{what}: found {len(numbers)} numbers; accepted: one a cost, {list(names)}")
    return numbers
