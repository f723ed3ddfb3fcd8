"""Tables of Parquet and Arrow files, whole or by rows."""

from __future__ import annotations

import glob
import os
from typing import Any

from ._errors import Error, needed

ARROW = (".parquet", ".arrow", ".feather")  #: how their names end


def queried(given: Any) -> Any:
    """The table that a query gives, such as a DuckDB relation or its connection after execute(); all else as it is."""
    if type(given).__module__.partition(".")[0] not in ("duckdb", "_duckdb"):
        return given
    names = ("to_arrow_table", "fetch_arrow_table", "arrow")  # by the version of duckdb
    fetch = next((getattr(given, name) for name in names if hasattr(given, name)), None)
    if fetch is None:
        return given
    try:
        table = fetch()
    except ImportError as missing:
        raise Error("log: rows of DuckDB need pyarrow; accepted: pip install pyarrow") from missing
    return table.read_all() if hasattr(table, "read_all") else table


def arrow_table(path: str) -> Any:
    try:
        import pyarrow
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError as missing:
        raise Error(f"log {path}: reading it needs pyarrow; accepted: pip install pyarrow, or another format") \
            from missing
    try:
        if path.endswith(".parquet") and glob.has_magic(path) and not os.path.exists(path):
            return _all_of(path)
        return pyarrow.parquet.read_table(path) if path.endswith(".parquet") else pyarrow.feather.read_table(path)
    except (OSError, pyarrow.ArrowInvalid) as wrong:
        raise Error(f"log {path}: {wrong}") from None


def _all_of(pattern: str) -> Any:
    """The rows of all files that the pattern fits, in the order of their names."""
    import pyarrow
    import pyarrow.parquet

    paths = sorted(glob.glob(pattern, recursive=True))
    if not paths:
        raise Error(f"log {pattern}: found no file that it fits; accepted: a pattern such as logs/*.parquet")
    tables = [pyarrow.parquet.read_table(path) for path in paths]
    for path, table in zip(paths, tables):
        if set(table.column_names) != set(tables[0].column_names):
            raise Error(f"log {pattern}: {paths[0]} has the columns {tables[0].column_names}, and {path} "
                        f"{table.column_names}; accepted: the same in all files")
    return pyarrow.concat_tables([table.select(tables[0].column_names) for table in tables],
                                 promote_options="permissive")


def arrow_size(path: str) -> int:
    """Rows of a Parquet or Arrow file, without reading them."""
    if not path.endswith(".parquet"):
        return len(arrow_table(path))
    parquet = needed(f"log {path}", "pyarrow.parquet")
    try:
        return int(parquet.read_metadata(path).num_rows)
    except (OSError, ValueError) as wrong:  # ArrowInvalid is a ValueError
        raise Error(f"log {path}: {wrong}") from None


def arrow_rows(path: str, first: int, last: int) -> Any:
    """A table of rows `first` to `last` - 1. Of a Parquet file only the row groups that hold them are read."""
    if not path.endswith(".parquet"):
        return arrow_table(path).slice(first, last - first)
    parquet = needed(f"log {path}", "pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            begin, groups, skipped = 0, [], 0
            for i in range(file.num_row_groups):
                rows = file.metadata.row_group(i).num_rows
                if begin < last and begin + rows > first:
                    groups.append(i)
                elif begin + rows <= first:
                    skipped += rows
                begin += rows
            return file.read_row_groups(groups).slice(first - skipped, last - first)
    except (OSError, ValueError) as wrong:
        raise Error(f"log {path}: {wrong}") from None


def table_as_csv(table: Any, folder: str) -> str:
    """The table of a Parquet or Arrow file as CSV, which has the same columns."""
    import pyarrow
    import pyarrow.compute
    import pyarrow.csv

    for i, field in enumerate(table.schema):
        if pyarrow.types.is_floating(field.type):  # NaN is what never came
            column = table.column(i)
            missing = pyarrow.compute.call_function("is_nan", [column])
            found = pyarrow.compute.call_function("if_else", [missing, pyarrow.scalar(None, field.type), column])
            table = table.set_column(i, field.name, found)
    name = os.path.join(folder, "table.csv")
    pyarrow.csv.write_csv(table, name)
    return name


def csv_as_table(path: str, written: str) -> None:
    """The same columns as a Parquet or Arrow file. Names of actions are numbers only if all are whole numbers."""
    needed(f"log {written}", "pyarrow")
    import pyarrow
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet

    texts = {name: pyarrow.string() for name in ("a", "id", "actions", "probabilities")}
    table = pyarrow.csv.read_csv(path, convert_options=pyarrow.csv.ConvertOptions(column_types=texts))
    place, names = table.column_names.index("a"), table.column("a")
    try:
        numbers = names.cast(pyarrow.int64())
    except pyarrow.ArrowInvalid:
        numbers = None
    if numbers is not None and numbers.cast(pyarrow.string()).equals(names):
        table = table.set_column(place, "a", numbers)
    if written.endswith(".parquet"):
        pyarrow.parquet.write_table(table, written)
    else:
        pyarrow.feather.write_feather(table, written, compression="uncompressed")
