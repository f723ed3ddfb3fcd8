"""Writes results as coba's result log: JSON lines that coba.Result.from_file reads."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._errors import Error
from ._files import write_whole
from ._given import instance
from ._result import Result
from ._shapes import Floats

_VERSION = 4  # of coba's format
_TAKEN = {"environment_id", "learner_id", "evaluator_id", "index", "reward", "regret"}


def write(result: Result, path: str | os.PathLike[str], *, means: bool = False) -> None:
    """Writes a result or comparison as coba's result log. A path with .gz is compressed.

    Each seed becomes an environment, each policy a learner. Each round has `reward`, `regret` and
    one column per cost. This needs curves with one point per round:
    `rein.run(..., curve_points=rounds)`.

    means=True accepts curves with fewer points. Each round then gets the mean over the rounds since
    the point before. The evaluator's row has the longest such stretch as `stretch`. coba plots
    progressive means, which are exact at each point.
    """
    lines = list(_lines(result, means))
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()
    name = os.fspath(path)
    # coba takes a name with .gz anywhere in it for a compressed file
    write_whole("write", path, gzip.compress(text) if ".gz" in str(name) else text)


def _lines(result: Result, means: bool) -> Iterator[list[Any]]:
    curves = instance("write", result, Result)._curves()
    summary = result.summary
    first = result.totals[0]["seed"]
    seeds = len(curves[0][1])
    stretch = max(_stretch(curve) for _, plays in curves for curve in plays)
    if stretch > 1 and not means:
        raise Error(f"write: the curves have a point every {stretch} rounds, but coba needs every round; "
                    f"accepted: a run with curve_points={summary['rounds']}, or means=True for the means")
    yield ["version", _VERSION]
    yield ["experiment", {"n_learners": len(curves), "n_environments": seeds, "description": "rein", "seed": first}]
    for i in range(seeds):
        yield ["E", i, {"env_type": "rein", "world": summary["world"], "seed": first + i}]
    for i, (spec, _) in enumerate(curves):
        yield ["L", i, {"family": "rein", "spec": spec}]
    yield ["V", 0, {"eval_type": "rein"} | ({"stretch": stretch} if stretch > 1 else {})]
    for learner, (_, plays) in enumerate(curves):
        for environment, curve in enumerate(plays):
            yield ["I", [environment, learner, 0], {"_packed": _columns(curve, result.costs)}]


def _stretch(curve: dict[str, Any]) -> int:
    return int(np.diff(curve["rounds"], prepend=0).max())


def _columns(curve: dict[str, Any], costs: list[str]) -> dict[str, list[float]]:
    sums = {"reward": curve["reward"], "regret": curve["regret"]}
    for name, paid in zip(costs, curve["ccv"]):
        sums[f"cost {name}" if name in _TAKEN else name] = paid
    counts = np.diff(curve["rounds"], prepend=0)
    return {name: _each(np.asarray(sum_, np.float64), counts).tolist() for name, sum_ in sums.items()}


def _each(sums: Floats, counts: Any) -> Floats:
    """What each round added to a sum that is known at some rounds only."""
    found: Floats = np.repeat(np.diff(sums, prepend=0.0) / counts, counts)
    return found
