"""A log that no process holds: files or frames whose rows follow one another, read in parts."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from . import _rein
from ._arrow import ARROW, arrow_rows, arrow_size, table_as_csv
from ._errors import Error
from ._offline import Offline, offline

Arrays = tuple[Any, ...]  # played, propensity, outcomes, context, offered, weights
ARROW_ROWS = 1 << 18  # of a Parquet or Arrow file, looked at together


@dataclass(frozen=True)
class Source:
    """A file, or rows in memory."""

    path: str
    format: str
    rows: int
    given: Offline | None = None

    @property
    def quick(self) -> bool:
        """Whether rows are found without reading those before."""
        name = self.path.lower()
        return self.given is not None or name.endswith((".rlog", *ARROW)) or self.format == "rlog"


@dataclass(frozen=True)
class Piece:
    """Some rows of a source, as they are sent to a worker. `arrays`: of rows in memory."""

    path: str
    format: str
    first: int
    last: int
    arrays: Arrays | None = None


@dataclass(frozen=True)
class Contents:
    """What a source holds. `actions` as they appear; empty: they are numbers, `most` of them."""

    rows: int
    context: list[str]
    costs: list[str]
    actions: list[str]
    most: int
    first: Any  # the context of row 0
    refused: str = ""  # rows that could not be used, by reason


def sources_of(log: Any, actions: Sequence[str] | None, format: str) -> list[Source]:
    given = list(log) if isinstance(log, (list, tuple)) else [log]
    if not given:
        raise Error("log: found an empty list; accepted: at least one file or frame")
    out = []
    for each in given:
        if isinstance(each, (str, os.PathLike)):
            name = os.fspath(each)
            out.append(Source(name, format, arrow_size(name) if name.endswith(ARROW) else -1))
        else:
            found = offline(each, actions=actions)
            out.append(Source("", "", len(found), found))
    return out


def looks(source: Source) -> list[Piece]:
    """The pieces of a source whose contents are looked at, each by any worker."""
    if source.given is not None:
        return []
    if source.rows < 0:
        return [Piece(source.path, source.format, 0, 0)]
    return [Piece(source.path, "csv", first, min(first + ARROW_ROWS, source.rows))
            for first in range(0, source.rows, ARROW_ROWS)]


def contents(piece: Piece) -> Contents:
    """Runs in a worker. Keeps no rows."""
    with _file(piece) as (path, format):
        found = _rein.log_contents(path, format)
        text = found["report"].replace(path, piece.path)
    if found["refused"] and piece.path.endswith(ARROW):
        raise Error(f"log {piece.path}: rows from {piece.first} on cannot be used: {text.strip()}; accepted with "
                    "parallel=: files without such rows. rein.convert to .rlog leaves them out")
    return Contents(found["rows"], found["context"], found["costs"], found["actions"], found["most"], found["first"],
                    text if found["refused"] else "")


def contents_of(given: Offline) -> Contents:
    return Contents(len(given), given.features, given.heads[1:], given.actions, len(given.actions), given.context[0],
                    given.report)


def joined(found: Sequence[Contents]) -> Contents:
    """Of sources that follow one another."""
    start = found[0]
    for each in found[1:]:
        if each.context != start.context or each.costs != start.costs:
            raise Error(f"log: its parts have other columns: context {each.context} and costs {each.costs}, before "
                        f"{start.context} and {start.costs}; accepted: the same in all")
        if bool(each.actions) != bool(start.actions):
            raise Error("log: only some of its parts name the actions; accepted: all or none")
    names = list(dict.fromkeys(name for each in found for name in each.actions))
    if all(re.fullmatch(r"-?[0-9]{1,18}", name) for name in names):  # as read_log does
        names.sort(key=int)
    most = max(max(each.most for each in found), len(names))
    names += [str(i) for i in range(len(names), most)]
    return replace(start, rows=sum(each.rows for each in found), actions=names, most=most,
                   refused="".join(each.refused for each in found))


def pieces(sources: Sequence[Source], actions: list[str], first: int, last: int) -> list[Piece]:
    """Rows `first` to `last` - 1 of all sources."""
    out, begin = [], 0
    for source in sources:
        low, high = max(first - begin, 0), min(last - begin, source.rows)
        if low < high:
            arrays = None if source.given is None else _numbered(source.given, actions, low, high)
            out.append(Piece(source.path, source.format, low, high, arrays))
        begin += source.rows
    return out


def read(some: Sequence[Piece], actions: list[str]) -> Arrays:
    """Runs in a worker."""
    found = [_read(piece, actions) for piece in some]
    if len(found) == 1:
        return found[0]
    rows = [len(each[0]) for each in found]
    played, propensity, outcomes, context, offered, weights = (list(column) for column in zip(*found, strict=True))
    if any(len(each) for each in offered):
        offered = [each if len(each) else np.ones((n, len(actions)), np.uint8)
                   for each, n in zip(offered, rows, strict=True)]
    if any(len(each) for each in weights):
        weights = [each if len(each) else np.ones(n) for each, n in zip(weights, rows, strict=True)]
    if 0 in map(len, propensity) and any(len(each) for each in propensity):
        raise Error("log: only some of its parts have propensities; accepted: all rows have one")
    return tuple(np.concatenate(each) for each in (played, propensity, outcomes, context, offered, weights))


def cut(arrays: Arrays, first: int, last: int) -> Arrays:
    return tuple(each[first:last] for each in arrays)  # an empty column stays empty


def _read(piece: Piece, actions: list[str]) -> Arrays:
    if piece.arrays is not None:
        return piece.arrays
    with _file(piece) as (path, format):
        moved = piece.first if path != piece.path else 0
        return _rein.log_part(path, format, piece.first - moved, piece.last - moved, actions)


@contextmanager
def _file(piece: Piece) -> Iterator[tuple[str, str]]:
    """A file that C++ reads. Of a Parquet or Arrow file it has the rows of the piece alone."""
    if not piece.path.endswith(ARROW):
        yield piece.path, piece.format
        return
    with tempfile.TemporaryDirectory() as folder:
        yield table_as_csv(arrow_rows(piece.path, piece.first, piece.last), folder), "csv"


def _numbered(given: Offline, actions: list[str], first: int, last: int) -> Arrays:
    """Rows of a frame, with the ids that actions have in all of them."""
    _, played, propensity, outcomes, context, offered, weights, _ = given.arrays
    ids = np.array([actions.index(name) for name in given.actions], np.int32)
    arrays = cut((ids[played], propensity, outcomes, context, offered, weights), first, last)
    if not len(offered):  # every action of all frames, as in one frame that has all rows
        return arrays
    wide = np.zeros((last - first, len(actions)), np.uint8)
    wide[:, ids] = arrays[4]
    return (*arrays[:4], wide, arrays[5])


def named(found: Contents, actions: list[str]) -> Contents:
    """With all actions that the caller names, in this order."""
    unknown = [name for name in found.actions if name not in actions]
    if unknown:
        raise Error(f"log: it has action {unknown[0]!r}; accepted: {actions}")
    return replace(found, actions=actions, most=len(actions))
