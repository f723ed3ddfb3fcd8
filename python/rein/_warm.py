"""Agent.warm_start: logged rounds, as columns or as rows, become arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _rein
from ._actions import Actions
from ._arrow import queried
from ._errors import Error
from ._given import array, short
from ._progress import Progress, bar
from ._schema import Schema
from ._shapes import Floats

_CHUNK = 4096  # rounds between two looks at Ctrl-C
_LOG = "a DataFrame, a dictionary of columns, or a list of dictionaries"


class _Log:
    """A log as columns by name."""

    def __init__(self, given: Any) -> None:
        given = queried(given)
        if isinstance(given, Sequence) and not isinstance(given, (str, bytes)):
            given = _columns(given)
        names = list(given) if isinstance(given, Mapping) else getattr(given, "column_names", None)
        if names is None:
            names = getattr(given, "columns", None)
        if names is None or not hasattr(given, "__getitem__"):
            raise Error(f"warm_start: found {short(given)}; accepted: {_LOG}")
        self._given = given
        self.names = list(names)
        self.used: set[Any] = set()

    def __contains__(self, name: Any) -> bool:
        return name in self.names

    def column(self, name: Any) -> Any:
        if name not in self.names:
            raise Error(f"warm_start: found no column {name!r}; the log has {self.names}")
        self.used.add(name)
        return self._given[name]

    def named(self, name: str) -> Any:
        """The column of this name; else the only one that has it in a namespace, as User^age for age."""
        if name in self.names:
            return name
        inside = [each for each in self.names if isinstance(each, str) and each.endswith(f"^{name}")]
        return inside[0] if len(inside) == 1 else None

    def numbers(self, name: Any) -> Floats:
        """One column; NaN, None and pandas' NA mark what is missing."""
        found = self.column(name)
        if hasattr(found, "isna") and hasattr(found, "to_numpy"):
            found = _from_pandas(name, found)
        return array(f"warm_start: column {name}", found)


def _from_pandas(name: Any, column: Any) -> Any:
    if column.dtype == object:
        return [None if missing else value for value, missing in zip(column, column.isna())]
    try:
        return column.to_numpy(np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise Error(f"warm_start: column {name}: found {column.dtype}; accepted: numbers") from None


def _columns(rows: Sequence[Any]) -> dict[str, list[Any]]:
    """Columns of rows that are dictionaries with the same keys; a reward or cost may be left out."""
    if not all(isinstance(row, Mapping) for row in rows):
        raise Error(f"warm_start: found {short(rows)}; accepted: {_LOG}")
    names = {name: None for row in rows for name in row}
    return {name: [row.get(name) for row in rows] for name in names}


def _contexts(log: _Log, shape: _rein.Shape, rounds: int, given: Any, other: Iterable[Any]) -> Floats:
    """Rounds x context: an array, one column of rows, or one column per number."""
    if not shape.context and given is None:
        return np.zeros((rounds, 0))
    if isinstance(given, str) or (given is None and "context" in log):
        column = log.column("context" if given is None else given)
        flat = getattr(column, "ndim", 1) == 1
        found = array("warm_start: context", [list(row) for row in column] if flat else column)
    elif given is None or (isinstance(given, (list, tuple)) and all(isinstance(name, str) for name in given)):
        left = [name for name in log.names if name not in log.used and name not in other] if given is None else given
        if len(left) != shape.context:
            raise Error(f"warm_start: found {len(left)} columns for the context, {short(list(left))}; accepted: "
                        f"{shape.context}, or context= with their names")
        found = np.stack([log.numbers(name) for name in left], axis=1) if rounds else np.zeros((0, shape.context))
    else:
        found = array("warm_start: context", given)
    if found.shape != (rounds, shape.context):
        raise Error(f"warm_start: found contexts of shape {found.shape}; accepted: ({rounds}, {shape.context})")
    return np.ascontiguousarray(found)


def _offered(known: Actions, given: Any, rounds: int) -> npt.NDArray[np.int32]:
    """Rounds x K ids. Shorter rows end with -1."""
    rows = [known.ids_of("warm_start: offered", row) for row in given]
    if len(rows) != rounds or any(row.ndim != 1 or not row.size or row.min() < 0 for row in rows):
        raise Error(f"warm_start: offered: found {short(given)}; accepted: the actions of each round")
    found = np.full((rounds, max(map(len, rows), default=1)), -1, np.int32)
    for place, row in zip(found, rows):
        place[:len(row)] = row
    return found


def _features(given: Any, rounds: int, count: int, size: int) -> Floats:
    found = array("warm_start: features", given)
    if found.shape == (count, size):
        found = np.broadcast_to(found, (rounds, count, size))
    if found.shape != (rounds, count, size):
        raise Error(f"warm_start: found features of shape {found.shape}; accepted: ({rounds}, {count}, {size}), or "
                    f"({count}, {size}) for all rounds")
    return np.ascontiguousarray(found)


def _missing(found: Floats) -> Floats:
    return np.where(np.isnan(found), _rein.MISSING, found)


def _played(known: Actions, log: _Log, action: Any) -> npt.NDArray[np.int32]:
    """The ids of the actions that were played."""
    found: npt.NDArray[np.int32] = known.ids_of(f"warm_start: column {action}", log.column(action))
    if found.ndim != 1:
        raise Error(f"warm_start: column {action}: found shape {found.shape}; accepted: one action per round")
    return found


def read_log(shape: _rein.Shape, known: Actions, schema: Schema | None, names: Sequence[str], given: Any, context: Any,
             action: Any, reward: Any, costs: Mapping[str, Any] | None, offered: Any,
             features: Any) -> tuple[list[_rein.ColumnData], tuple[Any, ...]]:
    """The columns that the schema observes, if there is one; and K, contexts, features, ids, actions, rewards and
    costs, as the library takes them."""
    log = _Log(given)
    played = _played(known, log, action)
    rounds = len(played)
    if costs is not None and any(name not in names for name in costs):
        raise Error(f"warm_start: costs: found {sorted(map(str, costs))}; accepted: {sorted(names)}")
    columns = {name: (costs or {}).get(name, name) for name in names}
    outcomes: list[Floats] = []
    for name, column in {"reward": reward, **columns}.items():
        came = column in log or (costs is not None and name in costs)
        outcomes.append(_missing(log.numbers(column)) if came else np.full(rounds, _rein.MISSING))
        if outcomes[-1].shape != (rounds,):
            raise Error(f"warm_start: column {column}: found shape {outcomes[-1].shape}; accepted: ({rounds},)")
    if not log.used & {reward, *columns.values()}:
        raise Error(f"warm_start: found no outcome in {log.names}; accepted: columns {[reward, *columns.values()]}")
    if offered is None and "offered" in log:
        offered = "offered"
    ids = None if offered is None else _offered(
        known, log.column(offered) if isinstance(offered, str) else offered, rounds)
    count = shape.actions if ids is None else ids.shape[1]
    rows = np.zeros((0, 0, 0))
    if shape.features:
        if features is None and "features" not in log:
            raise Error(f"warm_start: no features are given; accepted: features=, rounds x {count} x {shape.features}")
        rows = _features(log.column("features") if features is None else features, rounds, count, shape.features)
    columns_seen: list[_rein.ColumnData] = []
    if schema is None:
        x = _contexts(log, shape, rounds, context, ("features", "offered"))
    else:
        columns_seen, x = _named(log, schema, context)
    paid = np.stack(outcomes[1:], axis=1) if names else np.zeros((rounds, 0))
    return columns_seen, (count, x, rows, np.zeros((0, 0), np.int32) if ids is None else ids, played, outcomes[0],
                          np.ascontiguousarray(paid))


def _named(log: _Log, schema: Schema, context: Any) -> tuple[list[_rein.ColumnData], Floats]:
    """The columns of a schema, and the contexts: encoded when all rows of the log were observed."""
    if context is not None:
        raise Error("warm_start: context: the agent has names for its columns; accepted: a log with these names")
    rows = {name: log.column(each) for name in schema.columns if (each := log.named(name)) is not None}
    missing = [name for name in schema.columns if name not in rows]
    if missing and not schema._schema.absent_missing:
        raise Error(f"warm_start: found no column {short(missing)}; the log has {short(log.names)}")
    schema.observe_many(rows)
    return schema.read(rows)[0], schema.encode_many(rows)


def warm_start(engine: _rein.Engine, seen: list[_rein.ColumnData], arrays: tuple[Any, ...],
               progress: bool | Progress | None) -> int:
    """Learns the rounds in chunks. Ctrl-C stops between two: those before it are learned."""
    count, x, rows, ids, played, rewards, costs = arrays
    _rein.check_logged(engine, count, x, rows, ids, played, rewards, costs)
    if seen:
        engine.observe(seen)
    rounds, learned = len(played), 0
    with ExitStack() as stack:
        tell = bar(stack, progress) if rounds > _CHUNK or callable(progress) else None
        try:
            for first in range(0, rounds, _CHUNK):
                learned += _rein.warm_start(engine, count, x, rows, ids, played, rewards, costs, first, _CHUNK)
                if tell is not None:
                    tell(min(first + _CHUNK, rounds), rounds)
        except KeyboardInterrupt as stopped:
            stopped.add_note(f"warm_start: {learned} rounds were learned")
            raise
    return learned
