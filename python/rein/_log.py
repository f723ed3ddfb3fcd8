"""Logs of past decisions, from the files that people have (docs/convert.md)."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _rein
from ._arrow import ARROW, csv_as_table
from ._errors import Error
from ._log_sources import Source, source_of
from ._shapes import Floats


@dataclass(frozen=True)
class Log:
    """Decisions by columns. Made by read_log."""

    names: dict[str, list[Any]]  #: of the context, the actions, the costs and the sparse features
    report: str  #: rows kept and refused, by reason and line
    kept: int
    refused: int
    arrays: dict[str, Any]  #: everything else, as in rein/log.h

    def __len__(self) -> int:
        return self.kept

    @property
    def context(self) -> Floats:
        """Rows x columns."""
        found: Floats = self.arrays["context"]
        return found

    @property
    def reward(self) -> Floats:
        found: Floats = self.arrays["reward"]
        return found

    @property
    def propensity(self) -> Floats:
        """Of the played action; NaN where it is unknown."""
        found: Floats = self.arrays["propensity"]
        return found

    @property
    def costs(self) -> dict[str, Floats]:
        return {name: self.arrays["costs"][:, i] for i, name in enumerate(self.names["costs"])}

    @property
    def first(self) -> npt.NDArray[np.int64]:
        """Where the list of each row begins in lists with one entry per action offered; one more than rows."""
        each = self.arrays["actions"]
        found: npt.NDArray[np.int64] = (self.arrays["begin"] if each < 0 else
                                        np.arange(self.kept + 1, dtype=np.int64) * each)
        return found

    @property
    def action(self) -> npt.NDArray[np.int32]:
        """The id of the played action."""
        played: npt.NDArray[np.int32] = self.arrays["played"]
        offered = self.arrays["offered"]
        if not len(offered):
            return played
        found: npt.NDArray[np.int32] = offered[self.first[:-1] + played]
        return found

    def action_name(self, id: int) -> str | int:
        return self.names["actions"][id] if self.names["actions"] else int(id)

    def columns(self) -> dict[str, Any]:
        """One column per name: x_*, a, p, r, c_*; and w, t, id, actions (those offered) if the log has them."""
        out: dict[str, Any] = {f"x_{name}": self.context[:, i] for i, name in enumerate(self.names["context"])}
        out["a"] = [self.action_name(id) for id in self.action.tolist()]
        out["p"] = self.propensity
        out["r"] = self.reward
        out |= {f"c_{name}": paid for name, paid in self.costs.items()}
        if len(self.arrays["weight"]):
            out["w"] = self.arrays["weight"]
        if len(self.arrays["time"]):
            out["t"] = self.arrays["time"] / 1e9
        if self.arrays["id"]:
            out["id"] = self.arrays["id"]
        if not self._offers_all():
            out["actions"] = self.offered()
        return out

    def _offers_all(self) -> bool:
        """Whether every row offers every action."""
        counts = np.diff(self.first)
        most = max(len(self.names["actions"]), int(counts.max(initial=0)))
        return bool((counts == most).all())

    def offered(self) -> list[list[str | int]]:
        """Names of the actions that each row offers."""
        first, given = self.first, self.arrays["offered"]
        ids = given if len(given) else np.concatenate([np.arange(n) for n in np.diff(first)])
        return [[self.action_name(id) for id in ids[begin:end].tolist()] for begin, end in zip(first[:-1], first[1:])]

    def to_pandas(self) -> Any:
        """A DataFrame of columns()."""
        import pandas

        return pandas.DataFrame(self.columns())

    def to_arrow(self) -> Any:
        """A pyarrow Table of columns()."""
        import pyarrow

        return pyarrow.table({name: pyarrow.array(column, from_pandas=True)  # NaN becomes null
                              for name, column in self.columns().items()})

    def to_obp(self) -> dict[str, Any]:
        """The bandit_feedback dictionary of obp (rein.obp), with the costs under `costs`."""
        actions = max(int(self.action.max()) + 1, len(self.names["actions"]))
        return {"n_rounds": self.kept, "n_actions": actions, "context": self.context, "action": self.action,
                "reward": self.reward, "pscore": self.propensity, "position": None, "costs": self.costs}


def _options(file: Source, actions: Sequence[str], columns: Sequence[str], action: str, propensity: str, reward: str,
             cost: str, vw: str, bits: int, quadratic: Sequence[str], unit: str = "") -> dict[str, Any]:
    """As the C++ side takes them."""
    return {"format": file.format, "actions": list(actions) or file.actions, "columns": list(columns),
            "action": action, "propensity": propensity, "reward": reward, "cost": cost, "vw": vw, "bits": bits,
            "quadratic": list(quadratic), "unit": unit}


def read_log(source: str | os.PathLike[str] | Mapping[str, Any], *, format: str = "auto", actions: Sequence[str] = (),
             columns: Sequence[str] = (), action: str = "a", propensity: str = "p", reward: str = "r",
             cost: str = "c", dense: bool = True, named: bool = False, vw: str = "auto", bits: int = 0,
             quadratic: Sequence[str] = (), unit: str = "", run: Sequence[int] | None = None) -> Log:
    """Reads a log: CSV, JSON lines, dsjson or text of Vowpal Wabbit, .rlog, Parquet, Arrow, coba's result log, or
    obp's bandit_feedback dictionary.

    format     csv, jsonl, dsjson, vw, cb, rlog, coba; default: by the end of the name
    actions    names of all actions; others are refused. Default: those of the log
    columns    CSV, Parquet, Arrow: columns of the context; default: those that begin with x_
    action, propensity, reward, cost  the same: names of these columns
    dense      True: the sparse features of the context become columns, a category one per value
    named      True: features of actions become their names, as rein.whatif needs it
    vw         text of Vowpal Wabbit: "adf", "cb", or "auto"
    bits       sparse features by their slots in Vowpal Wabbit with -b; 0: by name
    quadratic  products of two namespaces, as -q of Vowpal Wabbit: ["UA"]
    unit       CSV, JSON lines: the column of what rows belong to (a user, a session, a day), for evaluate and whatif
    run        coba: which one, (environment, learner, evaluator); needed if there are several

    Rows that cannot be used are refused and counted by line in `.report`.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = source_of(source, format, folder, run)
        options = _options(file, actions, columns, action, propensity, reward, cost, vw, bits, quadratic, unit)
        with file.errors():
            found = _rein.read_log(file.path, options, dense, named)
    report = found.pop("report")
    return Log(found.pop("names"), file.told(report["text"]), report["kept"], report["refused"], found)


def convert(source: str | os.PathLike[str] | Mapping[str, Any], target: str | os.PathLike[str], *,
            from_: str = "auto", to: str = "auto", actions: Sequence[str] = (), columns: Sequence[str] = (),
            action: str = "a", propensity: str = "p", reward: str = "r", cost: str = "c", vw: str = "auto",
            bits: int = 0, quadratic: Sequence[str] = (), run: Sequence[int] | None = None) -> str:
    """Converts a log to another format, as `rein convert` does; also from and to Parquet and Arrow, from coba's
    result log and from obp's dictionary (read_log has the options).

    Returns what was kept, refused and left out, for people.
    """
    written = os.fspath(target)
    with tempfile.TemporaryDirectory() as folder:
        file = source_of(source, from_, folder, run)
        options = _options(file, actions, columns, action, propensity, reward, cost, vw, bits, quadratic)
        arrow = written.endswith(ARROW)
        made = os.path.join(folder, "written.csv") if arrow else written
        with file.errors():
            came, went = _rein.convert_log(file.path, made, to, options)
        if arrow:
            csv_as_table(made, written)
        return file.told(str(came["text"])) + str(went["text"]).replace(made, written)


def _tell_refused(log: Log) -> None:
    """Agent.warm_start returns a number only, so rows of a file that it leaves out are a warning."""
    if log.refused:
        warnings.warn(f"warm_start: {log.report.rstrip()}", stacklevel=4)


def _outcomes(log: Log, path: str | os.PathLike[str], costs: Sequence[str]) -> dict[str, Any]:
    missing = [name for name in costs if name not in log.costs]
    if missing:
        raise Error(f"warm_start: {os.fspath(path)} has no costs {missing}; it has {sorted(log.costs)}")
    out: dict[str, Any] = {"action": [log.action_name(id) for id in log.action.tolist()], "reward": log.reward}
    out |= {name: log.costs[name] for name in costs}
    if len(log.arrays["offered"]) or log.arrays["actions"] < 0:
        out["offered"] = log.offered()
    return out


def named_columns(path: str | os.PathLike[str], costs: Sequence[str], named: bool) -> dict[str, Any]:
    """A log as columns by name, for an agent with a schema: numbers, and texts of categories. `named`: features of
    actions are their names."""
    log = read_log(path, dense=False, named=named)
    _tell_refused(log)
    out = _outcomes(log, path, costs)
    out |= {name: log.context[:, i] for i, name in enumerate(log.names["context"])}
    begin, index = log.arrays["shared_begin"], log.arrays["shared_index"]
    for row in range(len(log) if len(begin) else 0):
        for j in range(begin[row], begin[row + 1]):
            space, name, value, category = log.names["features"][index[j]]
            column = f"{space}^{name}" if space else name
            cells = out.setdefault(column, [None] * len(log))
            cells[row] = value if category else float(log.arrays["shared_value"][j])
    return out


def warm_columns(path: str | os.PathLike[str], context: int, features: int, costs: Sequence[str],
                 named: bool) -> dict[str, Any]:
    """A log as the columns that Agent.warm_start takes. The context and the features of actions must have as many
    columns as the agent. `named`: features of actions are their names."""
    log = read_log(path, named=named)
    _tell_refused(log)
    if log.context.shape[1] != context:
        raise Error(f"warm_start: {os.fspath(path)} has a context of {log.context.shape[1]} columns; accepted: "
                    f"{context}, as the agent has")
    out = _outcomes(log, path, costs) | {"context": log.context}
    if features:
        out["features"] = _dense_features(log, len(log), features, path)
    return out


def _dense_features(log: Log, rows: int, width: int, path: str | os.PathLike[str]) -> Floats:
    """Rows x most actions x features: sparse features by name as columns, in the order of their names' appearance."""
    first, begin = log.first, log.arrays["features_begin"]
    index = log.arrays["features_index"]
    used, columns = np.unique(index, return_inverse=True)
    if not len(begin) or len(used) != width:
        raise Error(f"warm_start: {os.fspath(path)} has {len(used)} features of actions; accepted: {width}, as the "
                    "agent has")
    counts = np.diff(first)
    out = np.zeros((rows, int(counts.max()), width))
    row = np.repeat(np.arange(rows), counts)
    place = np.arange(len(row)) - np.repeat(first[:-1], counts)
    each = np.repeat(np.arange(len(row)), np.diff(begin))
    out[row[each], place[each], columns.reshape(-1)] = log.arrays["features_value"]
    return out
