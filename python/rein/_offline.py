"""The columns of a log, from whatever holds it: a file, a Log, a data frame, a dict of arrays, obp's dictionary.

Names are those of a CSV log: `x_*` context, `a` action, `p` its probability, `r` reward, `c` or `c_NAME` costs, `w`
how much a row counts, `actions` those offered. A context column of texts is a category: one column per value.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _feedback, _rein
from ._arrow import queried
from ._errors import Error
from ._given import short
from ._log import Log, read_log
from ._shapes import Floats

_ACCEPTED = ("a path, a rein.Log, a data frame or a dict of columns (x_*, a, p, r, c_NAME), or the bandit_feedback "
             "dictionary of obp")

_NONE = np.zeros(0, np.int32)


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
    unit: npt.NDArray[np.int32]  #: numbers of what rows belong to; empty: rows are independent
    report: str = ""  #: what of a file was refused; empty: nothing

    def __len__(self) -> int:
        return len(self.played)

    @property
    def arrays(self) -> tuple[int, Any, Any, Any, Any, Any, Any, Any]:
        """In the order in which the C++ side takes them."""
        return (len(self.actions), self.played, self.propensity, self.outcomes, self.context, self.offered,
                self.weights, self.unit)


def about_log(adaptive: bool, refused: str) -> list[str]:
    """Lines for people: whether a learner made the log, and what of it was refused."""
    learned = "learned" if adaptive else "did not learn"
    return [f"log: taken as made by a policy that {learned} (adaptive=)", *refused.splitlines()]


def learner_made(given: bool | str) -> str:
    """Whether a learning policy made the log, in the words of the C++ side: yes, no or auto."""
    if isinstance(given, bool):
        return "yes" if given else "no"
    if given not in ("yes", "no", "auto"):
        raise Error(f'adaptive: found {given!r}; accepted: True, False or "auto"')
    return given


def offline(log: Any, *, actions: Sequence[str] | None = None, format: str = "auto",
            columns: Mapping[str, Any] | None = None, unit: Any = None) -> Offline:
    """Reads the log. `actions`: names of all actions, if the log does not show all of them. `columns`: other names of
    the columns of a frame. `unit`: the column of what rows belong to, or its values."""
    log = queried(log)
    if isinstance(log, (str, os.PathLike)) and isinstance(unit, str):
        return _from_log(read_log(log, format=format, actions=tuple(actions or ()), named=True, unit=unit))
    found = _read(log if columns is None else _renamed(log, columns), actions, format)
    if not any(role == "x" or role.startswith("x_") for role in columns or ()):
        _check_used(log, {*(columns or {}).values()} | ({unit} if isinstance(unit, str) else set()))
    return found if unit is None else replace(found, unit=_units(log, unit, len(found)))


def about_columns(log: Any, rows: Offline, format: str, actions: Sequence[str] | None,
                  columns: Mapping[str, Any] | None) -> str:
    """A warning where rows with the same value of a column that is not used look as if they belong together."""
    if len(rows.unit) or isinstance(log, (Offline, Log)):
        return ""
    if isinstance(log, (str, os.PathLike)):
        path = os.fspath(log)
        if format not in ("auto", "csv") or not path.endswith((".csv", ".csv.gz")):
            return ""
        return _rein.question_about_file(path, format, list(actions or ()), *rows.arrays)
    used = {"a", "p", "r", "c", "w", "x", "t", "actions", "action", "reward"}
    for name in (columns or {}).values():
        used |= {name} if isinstance(name, str) else set(name)
    names = getattr(log, "column_names", None)
    names = list(log) if isinstance(log, Mapping) else list(getattr(log, "columns", ()) if names is None else names)
    unused = []
    for name in names:
        if str(name) in used or str(name).startswith(("x_", "c_")):
            continue
        values = np.asarray(_array(log[name]))
        if values.shape != (len(rows),) or values.dtype.kind not in "OUSiuM":  # texts, whole numbers, days
            continue
        codes = _codes(values)[0].astype(np.int32)
        if (codes >= 0).all():  # a row without a value belongs to nobody
            unused.append((str(name), np.ascontiguousarray(codes)))
    return _rein.question_about_columns(unused, *rows.arrays) if unused else ""


def _check_used(log: Any, taken: set[Any]) -> None:
    """Refuses a frame without any x_* column, whose other columns would be dropped in silence."""
    if isinstance(log, (str, os.PathLike, Offline, Log)) or (isinstance(log, Mapping) and "action" in log):
        return
    names = getattr(log, "column_names", None)
    names = list(log) if isinstance(log, Mapping) else list(getattr(log, "columns", ()) if names is None else names)
    if any(str(name).startswith("x_") for name in names):
        return
    known = {"a", "p", "r", "c", "w", "t", "id", "actions", "probabilities", *taken}
    unknown = [str(name) for name in names if name not in known and not str(name).startswith("c_")]
    if unknown:
        raise Error(f"log: columns {', '.join(unknown)} are no context without x_ before their names; accepted: "
                    f"columns={{\"x\": {unknown[:3]}}} to use them, or {{\"x\": []}} to leave them out")


def _units(log: Any, unit: Any, rows: int) -> npt.NDArray[np.int32]:
    if isinstance(unit, str):
        try:
            unit = log[unit]
        except (KeyError, TypeError, ValueError, IndexError):
            raise Error(f"unit: the log has no column {unit!r}; accepted: a column of the log, or one value per row; "
                        "of a rein.Log: rein.read_log(path, unit=)") from None
    codes, _ = _codes(_array(unit.to_pylist() if hasattr(unit, "to_pylist") else unit))
    if codes.shape != (rows,):
        raise Error(f"unit: found {len(codes)} values; accepted: {rows}, one per row")
    if (codes < 0).any():
        raise Error(f"unit: row {int(np.argmax(codes < 0))} has none; accepted: what the row belongs to")
    return codes.astype(np.int32)


def _read(log: Any, actions: Sequence[str] | None, format: str) -> Offline:
    if isinstance(log, (str, os.PathLike)):
        return _from_log(read_log(log, format=format, actions=tuple(actions or ()), named=True))
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


def _renamed(log: Any, columns: Mapping[str, Any]) -> Any:
    """The columns under the names of a CSV log."""
    names = getattr(log, "column_names", None)
    names = list(log) if isinstance(log, Mapping) else list(getattr(log, "columns", ()) if names is None else names)
    if not names:
        raise Error(f"columns: found {type(log).__name__}; accepted with a data frame or a dict of columns. For a "
                    "file: rein.read_log(path, action=...)")
    wanted: dict[str, str] = {}
    for role, name in columns.items():
        if role not in ("a", "p", "r", "c", "w", "x", "actions") and not role.startswith(("x_", "c_")):
            raise Error(f"columns: found {role!r}; accepted: a, p, r, c, c_NAME, x, x_NAME, w, actions")
        wanted |= {f"x_{each}": each for each in name} if role == "x" else {role: name}
    missing = [name for name in wanted.values() if name not in names]
    if missing:
        raise Error(f"columns: the log has no column {short(missing[0])}; accepted: {short(names)}")
    taken = set(wanted.values())
    kept = {name: log[name] for name in names if name not in taken and name not in wanted}
    return kept | {role: log[name] for role, name in wanted.items()}


def _from_log(log: Log) -> Offline:
    rows, costs = len(log), log.names["costs"]
    if len(log.arrays["features_value"]):
        raise Error("log: its actions have features of their own; accepted: rein.read_log(path, named=True), which "
                    "makes names of them")
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
                   np.ascontiguousarray(log.arrays["weight"]),
                   _codes(_array(log.arrays["unit"]))[0].astype(np.int32), log.report if log.refused else "")


def _from_obp(feedback: Mapping[str, Any], actions: Sequence[str] | None) -> Offline:
    found = _feedback.read(feedback)
    costs = list(found.costs)
    return Offline(["reward", *costs], _names(found.actions, actions),
                   [str(i) for i in range(found.context.shape[1])], found.action.astype(np.int32),
                   np.zeros(0) if found.pscore is None else np.ascontiguousarray(found.pscore),
                   np.ascontiguousarray(np.column_stack([found.reward, *found.costs.values()])),
                   np.ascontiguousarray(found.context), np.zeros((0, 0), np.uint8), np.zeros(0), _NONE)


def _from_columns(log: Any, names: list[str], actions: Sequence[str] | None) -> Offline:
    missing = [name for name in ("a", "r") if name not in names]
    if missing:
        raise Error(f"log: it has no column {', '.join(missing)}; found {short(names)}; accepted: x_*, a, p, r, c or "
                    "c_NAME, w")
    offers = _offers(log["actions"]) if "actions" in names else None
    played, shown = _played(_array(log["a"]), actions, offers)
    costs = [name for name in names if name == "c" or name.startswith("c_")]
    columns = {name: _numbers(log, name, len(played)) for name in ["r", *costs]}
    p = _numbers(log, "p", len(played)) if "p" in names else np.zeros(0)
    if len(p) and np.isnan(p).all():
        p = np.zeros(0)
    features, context = _context(log, [name for name in names if name.startswith("x_")], len(played))
    return Offline(["reward", *("cost" if name == "c" else name[2:] for name in costs)], shown, features, played, p,
                   np.ascontiguousarray(np.column_stack([columns["r"], *(columns[name] for name in costs)])), context,
                   _matrix(offers, shown), _numbers(log, "w", len(played)) if "w" in names else np.zeros(0), _NONE)


def _context(log: Any, names: list[str], rows: int) -> tuple[list[str], Floats]:
    """Names and numbers of the context: columns of numbers, then the values of categories as they appear."""
    features, wide = [], []
    values: list[tuple[int, int, str, Floats]] = []  # first row, column, name, 1 where it is
    for place, name in enumerate(names):
        found = _array(log[name])
        if _is_category(found):
            codes, texts = _codes(found)
            values += [(int(np.argmax(codes == code)), place, f"{name[2:]}={text}", (codes == code).astype(np.float64))
                       for code, text in enumerate(texts)]
            continue
        numbers = _numbers(log, name, rows)
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if len(wrong):
            raise Error(f"log: column {name} has {numbers[wrong[0]]} in row {wrong[0]}; accepted: finite numbers")
        features.append(name[2:])
        wide.append(numbers)
    values.sort(key=lambda each: each[:2])
    features += [name for _, _, name, _ in values]
    wide += [ones for *_, ones in values]
    return features, np.ascontiguousarray(np.column_stack(wide)) if wide else np.zeros((rows, 0))


def _array(column: Any) -> npt.NDArray[Any]:
    """A list keeps its values as they are: NumPy would make a text of a NaN beside texts."""
    return np.array(column, object) if isinstance(column, (list, tuple)) else np.asarray(column)


def _is_category(column: npt.NDArray[Any]) -> bool:
    """Whether its first value is a text that is no number, as in a CSV file."""
    if column.dtype.kind not in "OUS":
        return False
    first = next((each for each in column.tolist() if not _is_missing(each)), None)
    try:
        return isinstance(first, (str, bytes)) and np.isnan(float(first))
    except ValueError:
        return True


def _is_missing(value: Any) -> bool:
    """None, NaN and pandas' NA."""
    return value is None or type(value).__name__ == "NAType" or value != value


def _codes(column: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], list[str]]:
    """The number of each row's value, -1 where there is none, and the values as they appear."""
    known: dict[Any, int] = {}
    codes = [-1 if _is_missing(each) or each == "" else known.setdefault(each, len(known)) for each in column.tolist()]
    return np.array(codes, np.int64), [str(each) for each in known]


def _offers(column: Any) -> list[list[str]]:
    """The names of the actions that each row offers: lists, or JSON as in a CSV file."""
    seen: dict[str, list[str]] = {}
    out = []
    for row, each in enumerate(column.to_pylist() if hasattr(column, "to_pylist") else list(column)):
        if isinstance(each, str):
            if each not in seen:
                try:
                    seen[each] = [str(name) for name in json.loads(each)]
                except (ValueError, TypeError):
                    raise Error(f"log: column actions has {short(each)} in row {row}; accepted: a list of the actions "
                                "offered, or its JSON") from None
            out.append(seen[each])
        elif isinstance(each, (list, tuple, np.ndarray)):
            out.append([str(name) for name in each])
        else:
            raise Error(f"log: column actions has {short(each)} in row {row}; accepted: a list of the actions offered")
    return out


def _matrix(offers: list[list[str]] | None, names: list[str]) -> npt.NDArray[np.uint8]:
    """Rows x actions, 1 where an action was offered; 0 x 0 if all were everywhere."""
    if offers is None or all(len(each) == len(names) for each in offers):
        return np.zeros((0, 0), np.uint8)
    ids = {name: i for i, name in enumerate(names)}
    out = np.zeros((len(offers), len(names)), np.uint8)
    for row, each in enumerate(offers):
        out[row, [ids[name] for name in each]] = 1
    return out


def _numbers(log: Any, name: str, rows: int) -> Floats:
    try:
        found: Floats = np.ascontiguousarray(np.asarray(log[name]), np.float64)
    except (TypeError, ValueError) as wrong:
        raise Error(f"log: column {name} is not numbers ({wrong}); accepted: numbers, NaN where missing") from None
    if found.shape != (rows,):
        raise Error(f"log: column {name} has shape {found.shape}; accepted: one number for each of {rows} rows")
    return found


def _played(column: npt.NDArray[Any], actions: Sequence[str] | None,
            offers: list[list[str]] | None) -> tuple[npt.NDArray[np.int32], list[str]]:
    """Ids of the played actions and the names of all: whole numbers ascending, or texts as they appear."""
    if column.ndim != 1 or not len(column):
        raise Error(f"log: column a has shape {column.shape}; accepted: one action per row, at least one row")
    if column.dtype.kind == "f" and np.isfinite(column).all() and (column == np.floor(column)).all():
        column = column.astype(np.int64)
    missing = -1
    if column.dtype.kind in "Of":
        missing = next((row for row, each in enumerate(column.tolist()) if _is_missing(each)), -1)
    if missing >= 0:
        raise Error(f"log: row {missing} has no action; accepted: its name or number")
    if column.dtype.kind not in "iuOUSb":
        raise Error(f"log: column a holds {column.dtype} with {short(column[0])}; accepted: whole numbers or names")
    texts = [str(each) for each in column.tolist()]
    names = list(dict.fromkeys(texts if offers is None else [name for each in offers for name in each] + texts))
    if actions is not None:
        names = list(actions)
    elif all(each.isdigit() for each in names):
        names.sort(key=int)
    ids = {name: i for i, name in enumerate(names)}
    for row, each in enumerate(texts):
        if each not in ids:
            raise Error(f"log: row {row} has action {each!r}; accepted: {short(names)}")
        if offers is not None and each not in offers[row]:
            raise Error(f"log: row {row} has action {each!r}; accepted: one of those offered, {short(offers[row])}")
    for row, offer in enumerate(offers or ()):
        unknown = next((name for name in offer if name not in ids), None)
        if unknown is not None:
            raise Error(f"log: row {row} offers action {unknown!r}; accepted: {short(names)}")
    return np.array([ids[each] for each in texts], np.int32), names


def _names(count: int, actions: Sequence[str] | None) -> list[str]:
    if actions is None:
        return [str(i) for i in range(count)]
    if len(actions) != count:
        raise Error(f"actions: found {len(actions)} names; accepted: {count}, as the log has actions")
    return [str(name) for name in actions]
