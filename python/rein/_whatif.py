"""rein.whatif: what would another budget have earned? Bit for bit the same numbers as the command line."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np

from . import _rein
from ._arrow import queried
from ._errors import Error
from ._given import number, short, whole
from ._offline import Offline, about_columns, learner_made, offline
from ._parallel import Parallel
from ._progress import Progress, bar, interruptible
from ._shapes import Floats
from ._whatif_parallel import parted
from ._whatif_result import Whatif

Amounts = float | tuple[float, float] | Sequence[float]
_AMOUNTS = "an amount per round, a pair (low, high), or a list of amounts that ascend"


def whatif(
    log: Any,
    *,
    budget: Mapping[str, Amounts],
    at_least: Mapping[str, float] | None = None,
    at_most: Mapping[str, float] | None = None,
    count: int = 20,
    grid: bool = False,
    adaptive: bool | str = "auto",
    predictions: Any = None,
    sensitivity: float | None = None,
    total: float | None = None,
    segments: int | bool = False,
    segments_at: Mapping[str, float] | None = None,
    columns: Mapping[str, Any] | None = None,
    actions: Sequence[str] | None = None,
    format: str = "auto",
    unit: Any = None,
    folds: int = 5,
    threads: int = 0,
    seed: int = 1,
    title: str = "",
    parallel: Parallel = None,
    progress: bool | Progress | None = None,
) -> Whatif:
    """What other budgets would have earned, from a log of past decisions (docs/whatif.md).

    log          a path, a rein.Log, a data frame or a dict of columns (x_*, a, p, r, c or c_NAME), or the
                 bandit_feedback dictionary of obp. With parallel= also a list of these, whose rows follow
                 one another
    budget       cost -> budgets per round: {"dollars": (0.01, 0.5)} for `count` budgets in this range,
                 {"dollars": 0.2} for one, {"dollars": [0.1, 0.2, 0.4]} for these. One curve per cost
    at_least     lower limit on another cost, such as {"quality": 0.9}; at most one limit in all
    at_most      upper limit on another cost
    grid         True, with budgets of two costs: also the reward where both keep a budget
    adaptive     whether a learning policy made the log: True, False or "auto", which misses learners whose
                 propensities change little
    predictions  your own predictions of reward and costs, rows x actions x (1 + costs), made from other
                 rows than these. Default: ridge regressions on the context, cross-fitted
    sensitivity  factor by which the odds of propensities may be wrong; default: 1.5 if they are estimated, else none
    total        rows over which the verdict also says totals, such as those of the next month
    segments     whom the policy of a budget serves, in words: at most so many groups (True: 4), in `.segments`
    segments_at  the budget of that policy, {"dollars": 0.2}; default: the one of `budget`, of a range half the last
                 spend
    columns      other names of columns of a frame or dict: {"a": "model", "r": "solved",
                 "c_dollars": "bill", "x": ["hard", "tokens"]}
    actions      names of all actions, if the log does not show all of them
    format       of a file: csv, jsonl, dsjson, vw, cb, rlog; default: by the end of the name
    unit         the column of what rows belong to (a user, a session, a day), or one value per row: rows of a unit
                 may be alike, and count as one observation. Default: rows are independent
    folds        folds of the regressions
    threads      0: all cores; the numbers do not depend on it
    seed         of the joint band
    title        of the report page
    parallel     use other processes or machines (docs/parallel.md): the number of workers, the name of a
                 joblib backend such as "dask" or "ray", a joblib.Parallel, or True. No process holds all
                 rows of the files. Not for logs without propensities, nor with predictions, columns, sensitivity,
                 segments or unit
    progress     True, False, or a function of (steps done, all steps). None: a tqdm bar, if tqdm is
                 installed and a terminal or notebook shows it
    """
    learned, folds = learner_made(adaptive), whole("folds", folds, 31)
    threads = whole("threads", threads, 31) or os.cpu_count() or 1
    seed = whole("seed", seed, 64, signed=False)
    over = 0.0 if total is None else number("total", total)
    if parallel is not None and parallel is not False:
        if any(each is not None for each in (predictions, columns, sensitivity, unit)) or segments:
            raise Error("parallel: found predictions, columns, sensitivity, segments or unit; accepted: none of them")
        with ExitStack() as stack:
            tell = bar(stack, progress)
            parts = stack.enter_context(parted(log, parallel, actions, format))
            budgets, limits = _asked(parts.heads, budget, count, grid, at_least, at_most)
            plain, text = parts.whatif(budgets, limits, grid, learned, folds, threads, seed, over, title, tell)
            return Whatif(plain, text, parts.found.refused, dict(parts.workers))
    log = queried(log)  # once: about_columns() reads it too
    rows = offline(log, actions=actions, format=format, columns=columns, unit=unit)
    budgets, limits = _asked(rows.heads, budget, count, grid, at_least, at_most)
    own = _predictions(rows, predictions)
    whom = _whom(rows, segments, segments_at, limits)
    asked = about_columns(log, rows, format, actions, columns)
    factor = 0.0 if sensitivity is None else number("sensitivity", sensitivity)
    with ExitStack() as stack:
        tell = bar(stack, progress)
        plain, text = interruptible(tell, lambda told: _rein.whatif(
            len(rows.actions), rows.played, rows.propensity, rows.outcomes, rows.context, rows.offered, rows.weights,
            rows.unit, own, rows.heads, rows.actions, budgets, limits, grid, learned, folds, threads, seed, title,
            factor, asked, over, whom, told))
    return Whatif(plain, text, rows.report)


def _whom(rows: Offline, segments: int | bool, at: Mapping[str, float] | None, limits: Any) -> _rein.Whom:
    most = (4 if segments else 0) if isinstance(segments, bool) else whole("segments", segments, 31)
    if not most and at is not None:
        raise Error("segments_at: found no segments; accepted: segments=4")
    if most and limits:
        raise Error("segments: found a limit; accepted: without at_least and at_most")
    given = _pairs("segments_at", at or {})
    if len(given) > 1:
        raise Error(f"segments_at: found {len(given)} costs; accepted: one")
    head, amount = 0, 0.0
    for name, value in given:
        head, amount = _head(rows.heads, "segments_at", name), number("segments_at", value)
    return _rein.Whom(most, head, amount, rows.features)


def _asked(heads: list[str], budget: Any, count: int, grid: bool, at_least: Any, at_most: Any) -> tuple[Any, Any]:
    """Budgets as (head, amounts), and limits as (head, amount, at least)."""
    budgets = [(_head(heads, "budget", name), _amounts(name, given, whole("count", count, 31)))
               for name, given in _pairs("budget", budget)]
    if grid and len(budgets) != 2:
        raise Error(f"grid: found budgets of {len(budgets)} costs; accepted: of two costs")
    if not budgets:
        raise Error("budget: found none; accepted: {cost: budgets per round}")
    limits = [(_head(heads, what, name), number(f"{what} {name}", amount), what == "at_least")
              for what, given in (("at_least", at_least), ("at_most", at_most))
              for name, amount in _pairs(what, given or {})]
    return budgets, limits


def _pairs(what: str, given: Any) -> list[tuple[str, Any]]:
    if not isinstance(given, Mapping):
        raise Error(f"{what}: found {short(given)}; accepted: a dict of cost -> amount")
    return list(given.items())


def _head(heads: list[str], what: str, name: Any) -> int:
    if name not in heads[1:]:
        raise Error(f"{what}: the log has no cost {name!r}; accepted: {heads[1:] or 'none, it has no costs'}")
    return heads.index(name)


def _amounts(name: str, given: Any, count: int) -> list[float]:
    """The budgets of one cost. A range has the very numbers of the command line."""
    what = f"budget {name}"
    if isinstance(given, tuple):
        if len(given) != 2:
            raise Error(f"{what}: found {short(given)}; accepted: {_AMOUNTS}")
        low, high = number(what, given[0]), number(what, given[1])
        if not low < high or count < 2:
            raise Error(f"{what}: found {low:g} to {high:g} in {count} steps; accepted: low below high, count of at "
                        "least 2")
        return [low + (high - low) * k / (count - 1) for k in range(count)]
    if isinstance(given, (list, np.ndarray)):
        return [number(what, each) for each in given]
    return [number(what, given)]


def _predictions(rows: Offline, given: Any) -> Floats:
    if given is None:
        return np.zeros(0)
    found: Floats = np.ascontiguousarray(given, np.float64)
    wanted = (len(rows), len(rows.actions), len(rows.heads))
    if found.shape != wanted:
        raise Error(f"predictions: found shape {found.shape}; accepted: {wanted}, rows x actions x (reward, costs)")
    return found.reshape(-1)
