"""Columns and rows with names, of dicts, pandas, Arrow and numpy, as what the library reads.

pandas and pyarrow are never imported here: only the methods of what a caller passes are used. No loop
of Python goes over the rows of a data frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _rein
from ._arrow import queried
from ._errors import Error, needed
from ._given import short, text

_ROW = "a dict with the names of the columns, a Series, a named tuple"
_ROWS = "a DataFrame, a table of pyarrow, a dict of columns, a structured array, a list of dicts"
_VALUES = "numbers, booleans, strings or categories"
_EXACT = 2**53  # whole numbers up to here are exact as float64


def named_row(row: Any) -> dict[str, Any]:
    """One row as a dict."""
    if isinstance(row, Mapping):
        return dict(row)
    if hasattr(row, "_asdict"):  # itertuples()
        found: dict[str, Any] = row._asdict()
        return found
    if hasattr(row, "to_dict") and getattr(row, "ndim", 0) == 1:  # a Series
        found = row.to_dict()
        if len(found) != len(row):
            raise Error("schema: a row has two values of one name")
        return found
    if isinstance(row, np.void) and row.dtype.names is not None:
        return {name: row[name] for name in row.dtype.names}
    raise Error(f"schema: found {short(row)}; accepted: {_ROW}; values without names cannot be checked")


class Frame:
    """Many rows: `names` of the columns, `column(i)`, and `length`, the number of rows."""

    def __init__(self, data: Any) -> None:
        data = queried(data)
        self.rows: list[dict[str, Any]] | None = None
        names: Sequence[Any]
        if isinstance(data, Mapping):
            names = list(data)
            self._columns = [data[name] for name in names]
        elif _from("pyarrow", data) and hasattr(data, "schema"):  # a Table or a RecordBatch
            names = list(data.schema.names)
            self._columns = [data.column(i) for i in range(len(names))]
        elif hasattr(data, "columns") and hasattr(data, "iloc"):  # a DataFrame
            names = list(data.columns)
            self._columns = [data.iloc[:, i] for i in range(len(names))]
        elif isinstance(data, np.ndarray) and data.dtype.names is not None:
            names = data.dtype.names
            self._columns = [data[name] for name in names]
        elif isinstance(data, (list, tuple)):
            self.rows = [row if type(row) is dict else named_row(row) for row in data]
            names = list({name: None for row in self.rows for name in row})
            self._columns = []
        else:
            raise Error(f"schema: found {short(data)}; accepted: {_ROWS}")
        self.names = [text("schema: the name of a column", name) for name in names]
        self.length = len(data) if not isinstance(data, Mapping) else _length(self._columns)

    def only(self, known: Sequence[str]) -> Frame:
        """Without the columns that have other names."""
        kept = [i for i, name in enumerate(self.names) if name in known]
        if self.rows is not None:
            self.rows = [{name: value for name, value in row.items() if name in known} for row in self.rows]
        else:
            self._columns = [self._columns[i] for i in kept]
        self.names = [self.names[i] for i in kept]
        return self

    def name_as(self, known: Sequence[str]) -> None:
        """Calls columns as a model does: a log's x_age is the model's age."""
        here = set(self.names)

        def named(name: str) -> str:
            plain = name[2:]
            return plain if name.startswith("x_") and name not in known and plain in known and plain not in here else name

        if self.rows is not None:
            self.rows = [{named(name): value for name, value in row.items()} for row in self.rows]
        self.names = [named(name) for name in self.names]

    def column(self, place: int, as_text: bool = False) -> _rein.ColumnData:
        name = self.names[place]
        if self.rows is not None:
            return _rein.ColumnData.objects(name, [row.get(name) for row in self.rows], as_text)
        return column(name, self._columns[place], as_text)


def _length(columns: Sequence[Any]) -> int:
    return len(columns[0]) if columns and hasattr(columns[0], "__len__") else 0


def column(name: str, values: Any, as_text: bool) -> _rein.ColumnData:
    """The values of a column. `as_text` says that the schema needs text, where large integers stay exact."""
    if _from("pyarrow", values):
        return _of_arrow(name, values, as_text)
    if _from("pandas", values):
        return _of_pandas(name, values, as_text)
    if isinstance(values, np.ndarray):
        return _of_numpy(name, values, as_text)
    if isinstance(values, Sequence) and not isinstance(values, (str, bytes)):
        return _rein.ColumnData.objects(name, values, as_text)
    raise _refusal(name, short(values))


def missing(rows: int) -> _rein.ColumnData:
    return _rein.ColumnData.numbers(np.full(rows, np.nan), False)


def _from(package: str, value: Any) -> bool:
    return any(kind.__module__.partition(".")[0] == package for kind in type(value).__mro__[:-1])


def _refusal(name: str, found: str) -> Error:
    return Error(f'schema: column "{name}": found {found}; accepted: {_VALUES}')


def _of_numpy(name: str, values: npt.NDArray[Any], as_text: bool) -> _rein.ColumnData:
    if values.ndim != 1:
        raise _refusal(name, f"shape {values.shape}")
    if isinstance(values, np.ma.MaskedArray):
        mask, values = np.ma.getmaskarray(values), values.data
        if mask.any():
            values = values.astype(object)
            values[mask] = None
    kind = values.dtype.kind
    if kind in "OU" or (as_text and kind in "iu" and bool(np.any(np.abs(values.astype(np.float64)) >= _EXACT))):
        return _rein.ColumnData.objects(name, values.tolist(), as_text)
    if kind not in "biuf":
        raise _refusal(name, f"dtype {values.dtype}")
    return _rein.ColumnData.numbers(np.ascontiguousarray(values, np.float64), kind == "b")


def _of_pandas(name: str, values: Any, as_text: bool) -> _rein.ColumnData:
    dtype = values.dtype
    if hasattr(values, "cat"):
        words, codes = list(values.cat.categories), values.cat.codes.to_numpy()
        if all(isinstance(word, str) for word in words):
            return _rein.ColumnData.codes(np.ascontiguousarray(codes, np.int32), words)
        each = np.empty(len(words) + 1, object)  # the last is for code -1
        each[:-1] = words
        return _rein.ColumnData.objects(name, each[codes], as_text)
    if isinstance(dtype, np.dtype):
        return _of_numpy(name, values.to_numpy(), as_text)
    if getattr(dtype, "kind", "O") in "biuf":  # Int64, boolean, int64[pyarrow], ...
        if not bool(values.isna().any()):
            return _of_numpy(name, values.to_numpy(dtype=dtype.numpy_dtype), as_text)
        if dtype.kind in "iu" and as_text:
            return _rein.ColumnData.objects(name, values.astype(object).to_numpy(), as_text)
        found = values.to_numpy(dtype=np.float64, na_value=np.nan)
        return _rein.ColumnData.numbers(np.ascontiguousarray(found), dtype.kind == "b")
    if hasattr(values.array, "__arrow_array__") and "pyarrow" in f"{dtype!r} {getattr(dtype, 'storage', '')}":
        return _of_arrow(name, values.array.__arrow_array__(), as_text)
    return _of_numpy(name, values.to_numpy(dtype=object), as_text)


def _of_arrow(name: str, values: Any, as_text: bool) -> _rein.ColumnData:
    arrow = needed("a column of Arrow", "pyarrow")
    kinds = arrow.types
    if isinstance(values, arrow.ChunkedArray):
        if kinds.is_dictionary(values.type):
            values = values.unify_dictionaries()
        values = values.combine_chunks()
        if isinstance(values, arrow.ChunkedArray):  # too much text for one array of 32-bit offsets
            values = arrow.concat_arrays(values.cast(arrow.large_string()).chunks)
    kind = values.type
    if kinds.is_dictionary(kind):
        words = values.dictionary.to_pylist()
        if all(isinstance(word, str) for word in words):
            codes = values.indices.fill_null(-1) if values.null_count else values.indices
            return _rein.ColumnData.codes(np.ascontiguousarray(codes.to_numpy(zero_copy_only=False), np.int32), words)
        return column(name, values.dictionary_decode(), as_text)
    if kinds.is_null(kind):
        return missing(len(values))
    if kinds.is_boolean(kind):
        found = values.cast(arrow.uint8()).to_numpy(zero_copy_only=False)  # NaN for null
        return _rein.ColumnData.numbers(np.ascontiguousarray(found, np.float64), True)
    if kinds.is_integer(kind) and values.null_count and as_text:
        return _rein.ColumnData.objects(name, values.to_pylist(), as_text)
    if kinds.is_integer(kind) or kinds.is_floating(kind):
        return _of_numpy(name, values.to_numpy(zero_copy_only=False), as_text)
    if kinds.is_decimal(kind):
        return _of_numpy(name, values.cast(arrow.float64()).to_numpy(zero_copy_only=False), as_text)
    if str(kind) not in ("string", "large_string", "string_view"):
        raise _refusal(name, f"type {kind}")
    texts = values.cast(arrow.large_string())
    _, offsets, data = texts.buffers()
    here = slice(texts.offset, texts.offset + len(texts) + 1)
    ends = np.zeros(1, np.int64) if offsets is None else np.frombuffer(offsets, np.int64)[here]
    held = np.zeros(0, np.uint8) if data is None or not data.size else np.frombuffer(data, np.uint8)
    valid = texts.is_valid().cast(arrow.uint8()).to_numpy(zero_copy_only=False)
    return _rein.ColumnData.strings(np.ascontiguousarray(ends), held, np.ascontiguousarray(valid))
