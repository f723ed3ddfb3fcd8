"""The columns of a log, from whatever holds it: a file, a Log, a data frame, a dict of arrays, obp's dictionary.

Names are those of a CSV log: `x_*` context, `a` action, `p` its probability, `r` reward, `c` or `c_NAME` costs, `w`
how much a row counts.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _feedback
from ._errors import Error
from ._given import short
from ._log import Log, read_log
from ._shapes import Floats

_ACCEPTED = ("a path, a rein.Log, a data frame or a dict of columns (x_*, a, p, r, c_NAME), or the bandit_feedback "
             "dictionary of obp")


@dataclass(frozen=True)
class Offline:
    """Rows of a log as arrays that the C++ side takes without a copy."""

    heads: list[str]  #: reward, then the costs by name
    actions: list[str]
    features: list[str]  #: names of the context's columns
    played: npt.NDArray[np.int32]
    propensity: Floats  #: empty: unknown
    outcomes: Floats  #: rows x heads; NaN: missing
    context: Floats  #: rows x features
    offered: npt.NDArray[np.uint8]  #: rows x actions; 0 x 0: every action in every row
    weights: Floats  #: empty: all 1
    report: str = ""  #: what of a file was refused; empty: nothing

    def __len__(self) -> int:
        return len(self.played)

    @property
    def arrays(self) -> tuple[int, Any, Any, Any, Any, Any, Any]:
        """In the order in which the C++ side takes them."""
        return (len(self.actions), self.played, self.propensity, self.outcomes, self.context, self.offered,
                self.weights)


def offline(log: Any, *, actions: Sequence[str] | None = None, format: str = "auto") -> Offline:
    """Reads the log. `actions`: names of all actions, if the log does not show all of them."""
    if isinstance(log, (str, os.PathLike)):
        return _from_log(read_log(log, format=format, actions=tuple(actions or ())))
    if isinstance(log, Offline):
        return log
    if isinstance(log, Log):
        return _from_log(log)
    if isinstance(log, Mapping) and "action" in log and "reward" in log:
        return _from_obp(log, actions)
    if isinstance(log, Mapping):
        return _from_columns(log, [str(name) for name in log], actions)
    names = getattr(log, "column_names", None)  # pyarrow
    if names is None:
        names = getattr(log, "columns", None)  # pandas, polars
    if names is None or not hasattr(log, "__getitem__"):
        raise Error(f"log: found {type(log).__name__}; accepted: {_ACCEPTED}")
    return _from_columns(log, list(names), actions)


def _from_log(log: Log) -> Offline:
    rows, costs = len(log), log.names["costs"]
    if len(log.arrays["features_value"]):
        raise Error("log: its actions have features of their own; accepted: logs whose features are all of the context")
    known = ~np.isnan(log.propensity)
    if known.any() and not known.all():
        first = int(np.flatnonzero(~known)[0])
        raise Error(f"log: {int((~known).sum())} of {rows} rows have no propensity, the first on line "
                    f"{log.arrays['line'][first]}; accepted: all rows have one, or none")
    actions = [str(name) for name in log.names["actions"]]
    counts = np.diff(log.first)
    most = max(int(log.action.max(initial=0)) + 1, int(counts.max(initial=0)), len(actions))
    actions += [str(i) for i in range(len(actions), most)]
    offered = np.zeros((0, 0), np.uint8)
    given = log.arrays["offered"]
    if len(given) or (counts != most).any():
        offered = np.zeros((rows, most), np.uint8)
        who = given if len(given) else np.concatenate([np.arange(n) for n in counts])
        offered[np.repeat(np.arange(rows), counts), who] = 1
        if offered.all():
            offered = np.zeros((0, 0), np.uint8)
    outcomes = np.column_stack([log.reward, log.arrays["costs"]]) if costs else log.reward[:, None]
    return Offline(["reward", *costs], actions, [str(name) for name in log.names["context"]],
                   np.ascontiguousarray(log.action, np.int32),
                   np.ascontiguousarray(log.propensity) if known.any() else np.zeros(0),
                   np.ascontiguousarray(outcomes), np.ascontiguousarray(log.context), offered,
                   np.ascontiguousarray(log.arrays["weight"]), log.report if log.refused else "")


def _from_obp(feedback: Mapping[str, Any], actions: Sequence[str] | None) -> Offline:
    found = _feedback.read(feedback)
    costs = list(found.costs)
    return Offline(["reward", *costs], _names(found.actions, actions),
                   [str(i) for i in range(found.context.shape[1])], found.action.astype(np.int32),
                   np.zeros(0) if found.pscore is None else np.ascontiguousarray(found.pscore),
                   np.ascontiguousarray(np.column_stack([found.reward, *found.costs.values()])),
                   np.ascontiguousarray(found.context), np.zeros((0, 0), np.uint8), np.zeros(0))


def _from_columns(log: Any, names: list[str], actions: Sequence[str] | None) -> Offline:
    missing = [name for name in ("a", "r") if name not in names]
    if missing:
        raise Error(f"log: it has no column {', '.join(missing)}; found {short(names)}; accepted: x_*, a, p, r, c or "
                    "c_NAME, w")
    played, shown = _played(np.asarray(log["a"]), actions)
    costs = [name for name in names if name == "c" or name.startswith("c_")]
    context = [name for name in names if name.startswith("x_")]
    columns = {name: _numbers(log, name, len(played)) for name in ["r", *costs, *context]}
    p = _numbers(log, "p", len(played)) if "p" in names else np.zeros(0)
    if len(p) and np.isnan(p).all():
        p = np.zeros(0)
    for name in context:
        if not np.isfinite(columns[name]).all():
            raise Error(f"log: column {name} has {columns[name][~np.isfinite(columns[name])][0]} in row "
                        f"{int(np.flatnonzero(~np.isfinite(columns[name]))[0])}; accepted: finite numbers")
    wide = [columns[name] for name in context]
    return Offline(["reward", *("cost" if name == "c" else name[2:] for name in costs)], shown,
                   [name[2:] for name in context], played, p,
                   np.ascontiguousarray(np.column_stack([columns["r"], *(columns[name] for name in costs)])),
                   np.ascontiguousarray(np.column_stack(wide)) if wide else np.zeros((len(played), 0)),
                   np.zeros((0, 0), np.uint8), _numbers(log, "w", len(played)) if "w" in names else np.zeros(0))


def _numbers(log: Any, name: str, rows: int) -> Floats:
    try:
        found: Floats = np.ascontiguousarray(np.asarray(log[name]), np.float64)
    except (TypeError, ValueError) as wrong:
        raise Error(f"log: column {name} is not numbers ({wrong}); accepted: numbers, NaN where missing") from None
    if found.shape != (rows,):
        raise Error(f"log: column {name} has shape {found.shape}; accepted: one number for each of {rows} rows")
    return found


def _played(column: npt.NDArray[Any], actions: Sequence[str] | None) -> tuple[npt.NDArray[np.int32], list[str]]:
    """Ids of the played actions and the names of all: whole numbers ascending, or texts as they appear."""
    if column.ndim != 1 or not len(column):
        raise Error(f"log: column a has shape {column.shape}; accepted: one action per row, at least one row")
    if column.dtype.kind == "f" and np.isfinite(column).all() and (column == np.floor(column)).all():
        column = column.astype(np.int64)
    if column.dtype.kind not in "iuOUSb" or any(each is None for each in column.tolist()):
        raise Error(f"log: column a holds {column.dtype} with {short(column[0])}; accepted: whole numbers or names")
    texts = [str(each) for each in column.tolist()]
    names = list(actions) if actions is not None else list(dict.fromkeys(texts))
    if actions is None and all(each.isdigit() for each in names):
        names.sort(key=int)
    ids = {name: i for i, name in enumerate(names)}
    unknown = next((i for i, each in enumerate(texts) if each not in ids), -1)
    if unknown >= 0:
        raise Error(f"log: row {unknown} has action {texts[unknown]!r}; accepted: {short(names)}")
    return np.array([ids[each] for each in texts], np.int32), names


def _names(count: int, actions: Sequence[str] | None) -> list[str]:
    if actions is None:
        return [str(i) for i in range(count)]
    if len(actions) != count:
        raise Error(f"actions: found {len(actions)} names; accepted: {count}, as the log has actions")
    return [str(name) for name in actions]
