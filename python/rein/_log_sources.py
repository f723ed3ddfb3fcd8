"""What is no file of the library's own formats becomes one: Parquet, Arrow, coba's result log, obp's dictionary."""

from __future__ import annotations

import gzip
import json
import math
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ._arrow import ARROW, arrow_table, table_as_csv
from ._errors import Error
from ._given import short

_RECORDED = ("action", "probability", "reward")
_RECORD = 'record=["context", "actions", "action", "probability", "reward"]'


@dataclass
class Source:
    """A file that the library reads."""

    path: str
    format: str
    shown: str  #: what messages call it
    actions: list[str] = field(default_factory=list)  #: all actions, if the source says which there are

    def told(self, text: str) -> str:
        return text.replace(self.path, self.shown)

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Messages name what the caller gave, not a file that was made of it."""
        try:
            yield
        except Error as wrong:
            if self.path == self.shown:
                raise
            raise Error(self.told(str(wrong))) from None


def source_of(given: Any, format: str, folder: str, run: Sequence[int] | None = None) -> Source:
    """The file itself, or one that is made in the folder."""
    if isinstance(given, Mapping):
        return _from_obp(given, folder)
    name = os.fspath(given)
    if not isinstance(name, str):
        raise Error(f"log: found {short(given)}; accepted: a path, or the bandit_feedback dictionary of obp")
    if name.endswith(ARROW):
        return Source(table_as_csv(arrow_table(name), folder), "csv", name)
    if format == "coba" or (format == "auto" and name.endswith((".log", ".log.gz"))):
        return _from_coba(name, folder, run)
    return Source(name, format, name)


def _column(given: Mapping[str, Any], name: str, rows: int) -> Any:
    if name not in given:
        raise Error(f"log: the dictionary has no {name!r}; it has {sorted(map(str, given))}")
    found = np.asarray(given[name], np.float64)
    if found.shape != (rows,):
        raise Error(f"log: {name}: found shape {found.shape}; accepted: ({rows},)")
    return found


def _from_obp(given: Mapping[str, Any], folder: str) -> Source:
    for name in ("n_rounds", "n_actions", "context"):
        if name not in given:
            raise Error(f"log: the dictionary has no {name!r}; accepted: obp's bandit_feedback")
    rows, actions = int(given["n_rounds"]), int(given["n_actions"])
    position = given.get("position")
    if position is not None and np.any(np.asarray(position) != 0):
        raise Error("log: position: found a list of several items per round; accepted: None, one action per round")
    context = np.asarray(given["context"], np.float64)
    if context.ndim != 2 or len(context) != rows:
        raise Error(f"log: context: found shape {context.shape}; accepted: ({rows}, columns)")
    columns = {"a": _column(given, "action", rows).astype(np.int64), "r": _column(given, "reward", rows)}
    if given.get("pscore") is not None:
        columns["p"] = _column(given, "pscore", rows)
    costs = given.get("costs") or {}
    columns |= {f"c_{name}": _column(costs, name, rows) for name in costs}
    columns |= {f"x_{i}": context[:, i] for i in range(context.shape[1])}
    path = os.path.join(folder, "feedback.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(columns) + "\n")
        for row in zip(*(column.tolist() for column in columns.values())):
            file.write(",".join("" if isinstance(x, float) and math.isnan(x) else repr(x) for x in row) + "\n")
    return Source(path, "csv", "bandit_feedback", [str(i) for i in range(actions)])


def _coba_lines(path: str) -> Iterator[tuple[int, list[Any]]]:
    try:
        with (gzip.open(path, "rt", encoding="utf-8") if ".gz" in path else open(path, encoding="utf-8")) as file:
            for number, line in enumerate(file, 1):
                if not line.strip():
                    continue
                found = json.loads(line)
                if not isinstance(found, list) or not found:
                    raise Error(f"log {path}: line {number}: found {short(found)}; accepted: a list of coba")
                yield number, found
    except (OSError, EOFError, UnicodeDecodeError, json.JSONDecodeError, zlib.error) as wrong:
        if isinstance(wrong, FileNotFoundError):
            raise
        raise Error(f"log {path}: {wrong}; accepted: a result log of coba, JSON lines") from None


def _coba_run(path: str, run: Sequence[int] | None) -> tuple[int, dict[str, Any]]:
    """The line and the columns of one run: an environment, a learner and an evaluator."""
    runs = {tuple(line[1]): (number, line[2]) for number, line in _coba_lines(path) if line[0] == "I"}
    if not runs:
        raise Error(f"log {path}: found no interactions; accepted: a result log of coba")
    if run is None and len(runs) > 1:
        raise Error(f"log {path}: it has {len(runs)} runs, {short(sorted(runs))}; accepted: one of them as run=")
    key = next(iter(runs)) if run is None else tuple(run)
    if key not in runs:
        raise Error(f"log {path}: run: found {key}; it has {short(sorted(runs))}")
    number, found = runs[key]
    columns = found.get("_packed", {})
    missing = [name for name in _RECORDED if name not in columns]
    if missing:
        raise Error(f"log {path}: line {number}: its columns are {sorted(columns)}, without {missing}; accepted: a run "
                    f"that recorded them, by cb.SequentialCB({_RECORD})")
    return number, columns


def _named(value: Any, at: str) -> dict[str, Any]:
    """Features of coba, dense or by name, as our sparse features."""
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return {str(name): x for name, x in value.items()}
    if isinstance(value, (list, tuple)):
        return {str(i): x for i, x in enumerate(value)}
    return {at: value}


def _from_coba(path: str, folder: str, run: Sequence[int] | None) -> Source:
    line, columns = _coba_run(path, run)
    counts = {name: len(column) for name, column in columns.items() if isinstance(column, list)}
    rows = counts.get("action", 0)
    if any(counts.get(name) != rows for name in (*_RECORDED, "context", "actions") if name in columns):
        raise Error(f"log {path}: line {line}: its columns have different lengths, {counts}")
    out = os.path.join(folder, "coba.jsonl")
    with open(out, "w", encoding="utf-8") as file:
        for i in range(rows):
            row: dict[str, Any] = {"action": _text(columns["action"][i]), "probability": columns["probability"][i],
                                   "reward": columns["reward"][i]}
            if "actions" in columns and columns["actions"][i] is not None:
                row["actions"] = [_text(action) for action in columns["actions"][i]]
            shared = _named(columns["context"][i], "context") if "context" in columns else {}
            file.write(json.dumps(row | ({"shared": shared} if shared else {})) + "\n")
    return Source(out, "jsonl", path)


def _text(action: Any) -> str:
    """An action of coba: text and numbers as they are; one-hot and other features as JSON."""
    return action if isinstance(action, str) else json.dumps(action)
