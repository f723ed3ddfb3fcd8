"""rein.evaluate: what policies would have earned and spent on a log of another policy (docs/evaluate.md)."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _rein
from ._arrow import queried
from ._errors import Error
from ._given import array, number, short, whole
from ._offline import Offline, about_columns, about_log, learner_made, offline
from ._progress import Progress, bar, interruptible
from ._shapes import Floats
from ._show import html, write

_NAN = float("nan")


def _number(value: Any) -> float:
    return _NAN if value is None else float(value)


@dataclass(frozen=True)
class PolicyEstimate:
    """One policy. Dictionaries are by the name of the head: reward, then the costs."""

    policy: str
    kind: str  #: logged, fixed, given, frozen or learning
    estimator: str  #: the recommended one: efficient_dr, stabilized_dr, or mean for `logged`
    value: dict[str, float]
    low: dict[str, float]  #: ends of the 95 % intervals; NaN where none is promised
    high: dict[str, float]
    effective_size: float
    difference: dict[str, dict[str, float]]  #: minus the first policy: value, error, low, high; empty for the first
    warnings: list[str]
    details: dict[str, Any]  #: all that `rein evaluate --json` says about the policy


@dataclass(frozen=True)
class PolicyValues:
    """Answer of rein.evaluate."""

    policies: list[PolicyEstimate]
    warnings: list[str]  #: about the log; those about one policy are with it
    details: dict[str, Any]  #: the object of `rein evaluate --json`
    refused: str = ""  #: rows of the file that could not be used, by reason; empty: none

    def __getitem__(self, policy: str | int) -> PolicyEstimate:
        if isinstance(policy, int):
            return self.policies[policy]
        for each in self.policies:
            if each.policy == policy:
                return each
        raise KeyError(policy)

    def __len__(self) -> int:
        return len(self.policies)

    def rows(self) -> list[dict[str, Any]]:
        """One per policy, estimator and head: value, error, low, high."""
        out = []
        for policy in self.details["policies"]:
            estimates = list(policy["estimates"])
            if "replay" in policy:
                estimates.append(policy["replay"]["rejection"])
            for estimate in estimates:
                for head, each in estimate["heads"].items():
                    out.append({"policy": policy["policy"], "estimator": estimate["estimator"], "head": head,
                                **{key: _number(each[key]) for key in ("value", "error", "low", "high")},
                                "recommended": estimate["estimator"] == policy["recommended"]})
        return out

    def to_pandas(self) -> Any:
        """A DataFrame of rows()."""
        import pandas

        return pandas.DataFrame(self.rows())

    def report(self, path: str | os.PathLike[str], *, title: str = "What would these policies have earned?") -> None:
        """Writes the report page: one HTML file that opens anywhere."""
        found = {**self.details, "rein": _rein.__version__, "title": title, "command": ""}
        write(path, _rein.report_page(json.dumps(found)))

    def _repr_html_(self) -> str:
        """Two tables: the values of the policies, and their differences to the first one."""
        def cell(each: Mapping[str, float]) -> str:
            ends = "" if np.isnan(each["low"]) else f" [{each['low']:.4g}, {each['high']:.4g}]"
            return f"{each['value']:.4g}{ends}"

        heads = list(self.details["heads"])
        values = [["policy", "estimator", *heads, "effective size"]]
        less = [["minus the first", *heads]]
        for each in self.policies:
            ends = {head: {"value": each.value[head], "low": each.low[head], "high": each.high[head]} for head in heads}
            values.append([each.policy, each.estimator, *(cell(ends[head]) for head in heads),
                           f"{each.effective_size:.0f}"])
            if each.difference:
                less.append([each.policy, *(cell(each.difference[head]) for head in heads)])
        notes = [line for line in str(self).splitlines() if line.startswith(("log:", "warning:"))]
        tables = html(values) + (html(less) if len(less) > 1 else "")
        return tables + "".join(f"<p>{escape(line)}</p>" for line in notes)

    def __str__(self) -> str:
        lines = []
        for each in self.policies:
            heads = ", ".join(f"{head} {value:.4g}" + ("" if np.isnan(each.low[head]) else
                                                        f" [{each.low[head]:.4g}, {each.high[head]:.4g}]")
                              for head, value in each.value.items())
            lines.append(f"{each.policy} ({each.estimator}): {heads}; effective size {each.effective_size:.0f}")
        lines += about_log(self.details["adaptive"], self.refused)
        lines += [f"warning: {line}" for line in self.warnings]
        lines += [f"warning: {each.policy}: {line}" for each in self.policies for line in each.warnings]
        return "\n".join(lines)


def evaluate(
    log: Any,
    policy: Any,
    *,
    budget: Mapping[str, float] | None = None,
    frozen: bool = False,
    train: float = 0.5,
    at_most: Mapping[str, float] | None = None,
    at_least: Mapping[str, float] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    sequence: bool = False,
    sensitivity: float | None = None,
    rounds: int | None = None,
    quantile: float = 0.0,
    predicted: npt.ArrayLike | None = None,
    switch_at: float | None = None,
    shrink: float | None = None,
    adaptive: bool | str = "auto",
    folds: int = 5,
    threads: int | None = None,
    seed: int = 1,
    columns: Mapping[str, Any] | None = None,
    actions: Sequence[str] | None = None,
    format: str = "auto",
    unit: Any = None,
    progress: bool | Progress | None = None,
) -> PolicyValues:
    """Values of policies on the log of another policy: the reward and every cost, per round.

        found = rein.evaluate("log.csv", ["logged", "action(1)", "squarecb"])
        print(found)
        found["squarecb"].value["reward"], found.to_pandas()

    log       a path, a rein.Log, a data frame or a dict with columns x_*, a, p, r, c_NAME, or obp's dictionary
    policy    one or several: `logged`, `uniform`, `action(NAME)`, `mix(NAME=SHARE,...)`, a SPEC, which learns while
              it is replayed, or probabilities (rows x actions); a dict names them
    budget    per round, by cost, for policies that keep budgets
    frozen    True: a SPEC learns the first `train` share of the rows, and all policies are evaluated on the rest
    at_most, at_least  limits by cost; `details` then has the joint region of the reward under them
    ranges    (low, high) by head, in which outcomes surely lie
    sequence  True: intervals that hold at all times, for heads with ranges. A log of a policy that learned has them
              without this
    sensitivity  factor by which the odds of propensities may be wrong; default: 1.5 if they are estimated, else none
    rounds    horizon that a learning policy is told; default: about as many as it can live
    quantile  of propensities, below which replay is not exact; 0: always exact
    predicted your own predictions, rows x actions x heads; default: cross-fitted ridge regressions
    switch_at, shrink  parameters of switch_dr and dros; default: chosen
    adaptive  whether a learning policy made the log: True, False or "auto", which misses learners whose propensities
              change little
    columns, actions, format  how the log is read, as in rein.whatif
    unit      the column of what rows belong to (a user, a session, a day), or one value per row: rows of a unit may
              be alike, and count as one observation. Default: rows are independent
    """
    log = queried(log)  # once: about_columns() reads it too
    rows = offline(log, actions=actions, format=format, columns=columns, unit=unit)
    texts, given = _policies(policy, rows)
    heads = rows.heads
    options = {
        "policies": texts, "given": given, "heads": heads, "actions": rows.actions,
        "budgets": [] if budget is None else _by_head("budget", budget, heads[1:]),
        "ranges": [] if ranges is None else _ranges(ranges, heads),
        "limits": [(heads.index(name), number("at_most", amount), False)
                   for name, amount in _known("at_most", at_most, heads[1:])] +
                  [(heads.index(name), number("at_least", amount), True)
                   for name, amount in _known("at_least", at_least, heads[1:])],
        "frozen": bool(frozen), "train": number("train", train), "sequence": bool(sequence),
        "sensitivity": 0.0 if sensitivity is None else number("sensitivity", sensitivity),
        "rounds": 0 if rounds is None else whole("rounds", rounds, 53),
        "quantile": number("quantile", quantile),
        "predicted": np.zeros((0, 0)) if predicted is None else _predicted(predicted, rows),
        "switch_at": -1.0 if switch_at is None else number("switch_at", switch_at),
        "shrink": -1.0 if shrink is None else number("shrink", shrink),
        "adaptive": learner_made(adaptive), "folds": whole("folds", folds, 31),
        "threads": whole("threads", threads if threads is not None else os.cpu_count() or 1, 31),
        "seed": whole("seed", seed, 64, signed=False),
    }
    with ExitStack() as stack:
        found = json.loads(interruptible(bar(stack, progress),
                                         lambda told: _rein.evaluate(*rows.arrays, options, told)))
    asked = about_columns(log, rows, format, actions, columns)
    if asked:
        found["warnings"].append(asked)
    return PolicyValues([_estimate(each) for each in found["policies"]], found["warnings"], found, rows.report)


def _estimate(line: dict[str, Any]) -> PolicyEstimate:
    best = next(each for each in line["estimates"] if each["estimator"] == line["recommended"])["heads"]
    ends = {key: {head: _number(each[key]) for head, each in best.items()} for key in ("value", "low", "high")}
    difference = {head: {key: _number(value) for key, value in each.items()}
                  for head, each in line.get("difference", {}).get("heads", {}).items()}
    return PolicyEstimate(line["policy"], line["kind"], line["recommended"], ends["value"], ends["low"], ends["high"],
                          _number(line["overlap"]["effective_size"]), difference, line["warnings"], line)


def _policies(policy: Any, rows: Offline) -> tuple[list[str], list[tuple[str, Floats]]]:
    """Texts, and named probabilities. Texts come first in the answer."""
    if isinstance(policy, str):
        return [policy], []
    if isinstance(policy, Mapping):
        return [], [(str(name), _target(str(name), each, rows)) for name, each in policy.items()]
    if isinstance(policy, (list, tuple)) and all(isinstance(each, (str, Mapping)) for each in policy):
        texts: list[str] = [each for each in policy if isinstance(each, str)]
        maps = [each for each in policy if isinstance(each, Mapping)]
        return texts, [pair for each in maps for pair in _policies(each, rows)[1]]
    return [], [("given", _target("given", policy, rows))]


def _target(name: str, given: Any, rows: Offline) -> Floats:
    found = array(f"policy {name}", given)
    if found.ndim == 3 and found.shape[2] == 1:  # obp's action_dist
        found = found[:, :, 0]
    if found.shape != (len(rows), len(rows.actions)):
        raise Error(f"policy {name}: found shape {found.shape}; accepted: {len(rows)} rows x {len(rows.actions)} "
                    "actions, or a text")
    return np.ascontiguousarray(found)


def _predicted(given: Any, rows: Offline) -> Floats:
    found = array("predicted", given)
    accepted = (len(rows), len(rows.actions), len(rows.heads))
    if found.shape != accepted and not (accepted[2] == 1 and found.shape == accepted[:2]):
        raise Error(f"predicted: found shape {found.shape}; accepted: {accepted}, rows x actions x heads")
    return np.ascontiguousarray(found.reshape(len(rows), -1))


def _known(what: str, given: Mapping[str, Any] | None, names: list[str]) -> list[tuple[str, Any]]:
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise Error(f"{what}: found {short(given)}; accepted: a dict by name, of {names}")
    for name in given:
        if name not in names:
            raise Error(f"{what}: the log has no {name!r}; accepted: {', '.join(names) or 'none, it has no costs'}")
    return list(given.items())


def _by_head(what: str, given: Mapping[str, Any], names: list[str]) -> list[float]:
    known = dict(_known(what, given, names))
    return [number(what, known[name]) if name in known else _NAN for name in names]


def _ranges(given: Mapping[str, Any], names: list[str]) -> list[tuple[float, float]]:
    known = dict(_known("ranges", given, names))
    out = []
    for name in names:
        ends = known.get(name, (_NAN, _NAN))
        if not isinstance(ends, (tuple, list)) or len(ends) != 2:
            raise Error(f"ranges: found {short(ends)} for {name}; accepted: (low, high)")
        out.append((number("ranges", ends[0]), number("ranges", ends[1])))
    return out
