"""Decisions in one table and their outcomes in another, as one log."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._arrow import ARROW, arrow_table, queried
from ._errors import Error
from ._given import short


def _columns(what: str, table: Any) -> dict[str, Any]:
    table = queried(table)
    if isinstance(table, (str, os.PathLike)):
        path = os.fspath(table)
        if not path.endswith(ARROW):
            raise Error(f"join_outcomes: {what}: found {short(path)}; accepted: a data frame, a dict of columns, or a "
                        "file of Parquet or Arrow (pandas.read_csv reads a CSV file)")
        table = arrow_table(path)
    if isinstance(table, Mapping):
        return {str(name): np.asarray(values) for name, values in table.items()}
    names = getattr(table, "column_names", None)
    if names is None:
        names = getattr(table, "columns", None)
    if names is None or not hasattr(table, "__getitem__"):
        raise Error(f"join_outcomes: {what}: found {type(table).__name__}; accepted: a data frame, a table of pyarrow, a "
                    "dict of columns, or a file of Parquet or Arrow")
    return {str(name): np.asarray(table[name]) for name in names}


def join_outcomes(decisions: Any, outcomes: Any, *, on: str = "id") -> dict[str, Any]:
    """The columns of `decisions` with those of `outcomes`, row by row, by the id in column `on`.

        log = rein.join_outcomes("decisions.parquet", "outcomes.parquet")
        found = rein.whatif(log, budget={"dollars": (0.1, 0.4)})

    Both may be a data frame, a table of pyarrow, a dict of columns, or a Parquet file or pattern. An outcome
    that never came is NaN. Refused: an id that comes twice in either, an outcome of no decision, and a column
    that both have.
    """
    here, there = _columns("decisions", decisions), _columns("outcomes", outcomes)
    for what, table in (("decisions", here), ("outcomes", there)):
        if on not in table:
            raise Error(f"join_outcomes: {what}: found no column {on!r} among {short(list(table))}; accepted: on=")
        ids = table[on].tolist()
        if len(set(ids)) < len(ids):
            twice = next(each for each in ids if ids.count(each) > 1)
            raise Error(f"join_outcomes: {what}: {on} {twice!r} comes twice; accepted: once")
    both = [name for name in there if name in here and name != on]
    if both:
        raise Error(f"join_outcomes: both have the column {both[0]!r}; accepted: only one of them")
    places = {each: row for row, each in enumerate(here[on].tolist())}
    rows = [places.get(each, -1) for each in there[on].tolist()]
    if -1 in rows:
        raise Error(f"join_outcomes: outcomes: {on} {there[on].tolist()[rows.index(-1)]!r} is of no decision; accepted: "
                    "ids of decisions")
    out = dict(here)
    del out[on]
    for name, values in there.items():
        if name == on:
            continue
        column = np.full(len(here[on]), np.nan, dtype=np.float64)
        try:
            column[rows] = values.astype(np.float64)
        except (TypeError, ValueError):
            raise Error(f"join_outcomes: outcomes: column {name!r} is not numbers; accepted: numbers") from None
        out[name] = column
    return out
