"""Converts sizes, costs and outcomes given by callers into what the library takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _rein
from ._errors import Error
from ._given import array, number, pair, short, text, whole

Floats: TypeAlias = npt.NDArray[np.float64]
Range: TypeAlias = tuple[float | None, float | None]
Ends: TypeAlias = tuple[float, float]
CostNames: TypeAlias = str | Sequence[str] | Mapping[str, Range | float | None]
PerCost: TypeAlias = float | Sequence[float] | Mapping[str, float] | Floats

_NAMES = 'names, as in ["dollars"], or names with ranges, as in {"dollars": (0, 5)}'
_UNKNOWN: Ends = (-_rein.UNKNOWN_END, _rein.UNKNOWN_END)


def cost_ranges(costs: CostNames | None, otherwise: Ends = _UNKNOWN) -> list[tuple[str, float, float]]:
    """Names and ranges, from ["dollars"] or {"dollars": (0, 5), "seconds": 30, "tokens": None}.

    Names without a range get `otherwise`: it is not known, unless told so.
    """
    if costs is None:
        return []
    if isinstance(costs, str):
        costs = [costs]
    if isinstance(costs, (bytes, Set)) or not isinstance(costs, Iterable):
        raise Error(f"costs: found {short(costs)}; accepted: {_NAMES}")
    if isinstance(costs, Mapping):
        found = [(text("costs", name), *_range(f"costs {name}", given, otherwise)) for name, given in costs.items()]
    else:
        found = [(text("costs", name), *otherwise) for name in costs]
    names = [name for name, _, _ in found]
    if len(set(names)) < len(names):
        raise Error(f"costs: found {names}; accepted: different names")
    return found


def _range(what: str, given: Any, otherwise: Ends) -> Ends:
    """(low, high), where None is an end that is not known; one number is short for (0, number)."""
    if given is None:
        return otherwise
    if not _several(given):
        return 0.0, number(what, given)
    low, high = pair(what, given, "(low, high)")
    return (_UNKNOWN[0] if low is None else number(what, low), _UNKNOWN[1] if high is None else number(what, high))


def make_shape(actions: int, context: int, features: int, reward: Range | None, costs: CostNames | None,
               rounds: int, budget: PerCost | None, otherwise: Ends = _UNKNOWN) -> _rein.Shape:
    """`features` is the parameter action_features of Agent. Ranges that are not given are `otherwise`."""
    ranges = cost_ranges(costs, otherwise)
    budgets = [] if budget is None else per_cost("budget", budget, [name for name, _, _ in ranges])
    if reward is not None:
        pair("reward", reward, "(low, high)")
    return _rein.Shape.make(whole("actions", actions, 31), whole("context", context, 31),
                            whole("action_features", features, 31), _range("reward", reward, otherwise),
                            ranges, whole("rounds", rounds, 63), budgets)


def per_cost(what: str, given: PerCost | None, names: Sequence[str],
             otherwise: float | None = None) -> list[float]:
    """One number per cost, in order, from a number, a sequence, or a mapping by name."""
    if given is None:
        given = []
    named = _by_name(given)
    if named is not None:
        _check_names(what, named, names, otherwise is not None)
        return [number(f"{what} {name}", named.get(name, otherwise)) for name in names]
    if isinstance(given, (str, bytes, Set)):
        raise Error(f"{what}: found {short(given)}; accepted: one number per cost, {list(names)}, in order or by name")
    each: Any = given if _several(given) else [given]
    numbers = [number(what, x) for x in each]
    if len(numbers) != len(names):
        raise Error(f"{what}: found {len(numbers)} numbers; accepted: one per cost, {list(names)}")
    return numbers


def some_costs(what: str, given: Any, names: Sequence[str]) -> list[float | None]:
    """One number per cost, or None for a cost that has not come. A mapping may leave costs out."""
    if given is None:
        return [None] * len(names)
    named = _by_name(given)
    if named is not None:
        _check_names(what, named, names, True)
        return [None if named.get(name) is None else number(f"{what} {name}", named[name]) for name in names]
    if isinstance(given, (list, tuple)) and len(given) == len(names):
        return [None if x is None else number(what, x) for x in given]
    return list(per_cost(what, given, names))


def cost_rows(what: str, given: Any, names: Sequence[str], missing: float | None = None) -> Floats:
    """Rows with one number per cost, from an array, a mapping of columns or a DataFrame.

    Columns may be left out if there is a number for what is missing.
    """
    columns = given if isinstance(given, Mapping) else getattr(given, "columns", ())
    if isinstance(given, Mapping) or any(isinstance(name, str) for name in columns):
        _check_names(what, columns, names, missing is not None)
        came = {name: array(f"{what} {name}", given[name]) for name in names if name in columns}
        if not came and names:
            raise Error(f"{what}: found no column; accepted: {sorted(names)}")
        each = [came[name] if name in came else np.full(next(iter(came.values())).shape, missing) for name in names]
        if any(column.ndim != 1 or len(column) != len(each[0]) for column in each):
            raise Error(f"{what}: found columns of shapes {[column.shape for column in each]}; accepted: equal lengths")
        return np.stack(each, axis=1) if each else np.zeros((0, 0))
    found = array(what, given)
    return found.reshape(-1, 1) if found.ndim == 1 and len(names) == 1 else found


def _by_name(given: Any) -> Mapping[Any, Any] | None:
    """A mapping, or a pandas Series with names; both are read by name, not by position."""
    if isinstance(given, Mapping):
        return given
    found = given.to_dict() if hasattr(given, "to_dict") and hasattr(given, "index") else {}
    return found if any(isinstance(name, str) for name in found) else None


def _check_names(what: str, given: Iterable[Any], names: Sequence[str], some: bool) -> None:
    found = list(given)
    if any(name not in names for name in found) or (not some and len(found) < len(names)):
        raise Error(f"{what}: found {sorted(map(str, found))}; accepted: {sorted(names)}")


def _several(given: Any) -> bool:
    return isinstance(given, Iterable) and getattr(given, "ndim", 1) != 0
