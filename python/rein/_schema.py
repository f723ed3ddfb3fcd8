"""Named columns of numbers, booleans, categories and text as vectors of numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

import numpy as np

from . import _rein
from ._columns import Frame, missing, named_row
from ._errors import Error
from ._files import write_whole
from ._given import short, text
from ._shapes import Floats

Extra = Literal["refuse", "ignore"]
Absent = Literal["refuse", "missing"]
S = TypeVar("S", bound="Schema")

_TEXTUAL = ("category", "text")


class Schema:
    """Turns rows with names into vectors of numbers of one size.

        schema = rein.Schema({"age": "number", "country": "category(32)", "query": "text(64)", "member": "bool"})
        x = schema.take({"age": 31, "country": "DE", "query": "red shoes", "member": True})

    Numbers are standardised by the rows observed so far. `take` observes a row and encodes it, `encode`
    only encodes it, and `observe` only observes it. None, NaN and empty text are missing values.

    A row with an unknown name is refused, unless `extra="ignore"`. A row that lacks a name is refused,
    unless `absent="missing"`. The order of names does not matter.

    Kinds: `number`, `bool`, `category`, `text`. `missing=1` adds a feature for missing values to any of them.

        number(clip=10)          (x - mean) / spread, cut off at 10; number(scale=none): x as it is
        bool                     1 or -1
        category(32)             the first 32 categories get a feature each; others share `buckets=4` hashed ones
        category(of=["a","b"])   these categories get a feature each; others share `buckets=1`
        text(64)                 words, hashed into 64 features; `signed=0`: each word counts +1
    """

    __slots__ = ("_schema", "_size")

    def __init__(self, columns: Mapping[str, str], *, extra: Extra = "refuse", absent: Absent = "refuse") -> None:
        if not isinstance(columns, Mapping):
            raise Error(f'schema: found {short(columns)}; accepted: a dict, as {{"age": "number"}}')
        pairs = [(text("schema: the name of a column", name), text(f"schema: column {name!r}", kind))
                 for name, kind in columns.items()]
        self._adopt(_rein.Schema.make(pairs, _choice("extra", extra, "ignore"), _choice("absent", absent, "missing")))

    def _adopt(self, schema: _rein.Schema) -> None:
        self._schema = schema
        self._size = schema.size

    @classmethod
    def infer(cls: type[S], data: Any, *, kinds: Mapping[str, str] | None = None, extra: Extra = "refuse",
              absent: Absent = "refuse") -> S:
        """A schema that fits these rows: a DataFrame, a table, a dict of columns, or a list of dicts.

        Nothing is observed. `kinds` has the kinds of columns that you know better. Columns that hold
        outcomes should not be among the data.
        """
        frame = Frame(data)
        known = dict(kinds or {})
        if unknown := [name for name in known if name not in frame.names]:
            raise Error(f"schema: kinds names {unknown}; accepted: {frame.names}")
        found = {name: known[name] if name in known else _rein.infer_column(name, frame.column(place))
                 for place, name in enumerate(frame.names)}
        if len(found) < len(frame.names):
            raise Error(f"schema: found columns {frame.names}; accepted: different names")
        return cls(found, extra=extra, absent=absent)

    @property
    def size(self) -> int:
        """How many numbers an encoded row has."""
        return self._size

    @property
    def columns(self) -> dict[str, str]:
        """Names and kinds of the columns."""
        return dict(self._schema.columns)

    def names(self) -> list[str]:
        """What each number of an encoded row is: "age", "country=DE", "query#17", "age missing"."""
        return self._schema.names()

    def encode(self, row: Any) -> Floats:
        """The row as numbers, by the statistics of now. Changes nothing."""
        out = np.empty(self._size)
        self._schema.encode(row if type(row) is dict else named_row(row), out)
        return out

    def observe(self, row: Any) -> None:
        """Adds the row to the statistics: means, spreads, categories."""
        self._schema.observe(row if type(row) is dict else named_row(row))

    def take(self, row: Any) -> Floats:
        """Observes the row, then encodes it: what an agent does when it decides."""
        out = np.empty(self._size)
        self._schema.take(row if type(row) is dict else named_row(row), out)
        return out

    def encode_many(self, rows: Any) -> Floats:
        """Rows x numbers, all by the statistics of now. Changes nothing.

        `rows` is a DataFrame, a table of pyarrow, a dict of columns, a structured array, or a list of dicts.
        """
        columns, count = self.read(rows)
        out = np.empty((count, self._size))
        self._schema.encode_many(columns, out)
        return out

    def observe_many(self, rows: Any) -> None:
        """Adds the rows to the statistics."""
        self._schema.observe_many(self.read(rows)[0])

    def take_many(self, rows: Any) -> Floats:
        """The same as `take` of every row, in order."""
        columns, count = self.read(rows)
        out = np.empty((count, self._size))
        self._schema.take_many(columns, out)
        return out

    def read(self, rows: Any) -> tuple[list[_rein.ColumnData], int]:
        """The columns of rows, in the order of the schema, and how many rows there are."""
        frame = Frame(rows)
        frame.name_as([name for name, _ in self._schema.columns])
        return self._columns_of(frame)

    def read_some(self, rows: Any) -> tuple[list[_rein.ColumnData], int, list[str]]:
        """The same of rows that may have other columns too, whose names are returned."""
        frame = Frame(rows)
        known = [name for name, _ in self._schema.columns]
        frame.name_as(known)
        unused = [name for name in frame.names if name not in known]
        return *self._columns_of(frame.only(known)), unused

    def _columns_of(self, frame: Frame) -> tuple[list[_rein.ColumnData], int]:
        count = frame.length
        if frame.rows is not None:
            return self._schema.columns_of(frame.rows), count
        kinds = [kind for _, kind in self._schema.columns]
        places = self._schema.places(frame.names)
        return [missing(count) if place < 0 else frame.column(place, kind.startswith(_TEXTUAL))
                for place, kind in zip(places, kinds)], count

    def snapshot(self) -> bytes:
        """Columns and statistics as bytes."""
        return self._schema.snapshot()

    @classmethod
    def restore(cls: type[S], snapshot: bytes | bytearray | memoryview) -> S:
        """The schema whose snapshot this is."""
        if not isinstance(snapshot, (bytes, bytearray, memoryview)):
            raise Error(f"restore: found {type(snapshot).__name__}; accepted: the bytes of snapshot()")
        schema = cls.__new__(cls)
        schema._adopt(_rein.Schema.restore(bytes(snapshot)))
        return schema

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the snapshot atomically."""
        write_whole("save", path, self.snapshot())

    @classmethod
    def load(cls: type[S], path: str | os.PathLike[str]) -> S:
        """Reads what save() wrote."""
        with open(path, "rb") as file:
            return cls.restore(file.read())

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), self.snapshot())

    def __eq__(self, other: object) -> bool:
        return self.snapshot() == other.snapshot() if isinstance(other, Schema) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # it changes

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        given = [repr(self.columns)]
        if self._schema.ignore_extra:
            given.append("extra='ignore'")
        if self._schema.absent_missing:
            given.append("absent='missing'")
        return f"rein.Schema({', '.join(given)})"


def _revive(cls: type[S], snapshot: bytes) -> S:
    return cls.restore(snapshot)


def _choice(what: str, given: str, accepted: str) -> bool:
    if given not in ("refuse", accepted):
        raise Error(f'schema: {what} is {short(given)}; accepted: "refuse", "{accepted}"')
    return given == accepted
