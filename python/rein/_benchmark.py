"""rein.benchmark: the public benchmark, with policies of one's own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from . import _own, _rein
from ._errors import Error, needed
from ._files import write_whole
from ._given import short, text, whole
from ._progress import Progress, bar, interruptible

if TYPE_CHECKING:
    import pandas

SEALED = 481_516  # drawn with each release; rein benchmark --help prints it


class Benchmark:
    """The scores of a benchmark. `summary` is the object that `rein benchmark --json` prints."""

    def __init__(self, summary: dict[str, Any], json: str) -> None:
        self.summary = summary
        self._json = json

    def __repr__(self) -> str:
        lines = [f"{each['policy']}: {each['score']['mean']:.1f}" for each in self.summary["policies"]]
        return "\n".join([*lines, f"result {self.summary['result_hash']}"])

    def score(self, policy: str) -> float:
        """The score of a policy, by its spec, or by the name of its class."""
        for each in self.summary["policies"]:
            if each["policy"] in (policy, f'own(name="{policy}")'):
                return float(each["score"]["mean"])
        raise Error(f"benchmark: found no policy {short(policy)}; it has "
                    f"{[each['policy'] for each in self.summary['policies']]}")

    def to_pandas(self) -> pandas.DataFrame:
        """One row per policy and problem: score, spend (in budgets), reward (in percent of the best), refused."""
        rows = [{"policy": each["policy"], **{key: cell[key] for key in ("problem", "score", "spend", "reward", "refused")}}
                for each in self.summary["policies"] for cell in each["problems"]]
        table: pandas.DataFrame = needed("a table", "pandas").DataFrame(rows)
        return table

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the result, with its hashes, as JSON."""
        write_whole("save", path, (self._json + "\n").encode())


def benchmark(policies: Sequence[Any] | str | None = None, *, profile: str = "full", sealed: int = SEALED,
              tables: str | os.PathLike[str] | None = None, threads: int = 0,
              resume: str | os.PathLike[str] | None = None,
              progress: bool | Progress | None = None) -> Benchmark:
    """Scores policies on a fixed list of problems under budgets (docs/benchmark.md).

    policies  specs, and classes of your own policies (docs/own.md); None: twelve of ours
    profile   "full", or "small" for a first look
    sealed    the number that a third of the seeds follow from
    tables    a folder of real tables (scripts/benchmark_tables.py), which are problems too
    threads   0: all cores; the numbers do not depend on it
    resume    a file that keeps finished plays. A stopped benchmark continues from it
    """
    specs, mine = _own.own_policies([] if policies is None else policies)
    own = _own.own_of_run("linear", None, None, mine)[1]
    texts = [specs] if isinstance(specs, str) else [text("policies", spec) for spec in specs]
    kept = "" if resume is None else os.fsdecode(resume)
    with ExitStack() as stack:
        return Benchmark(*interruptible(bar(stack, progress), lambda told: _rein.benchmark(
            text("profile", profile), texts, whole("sealed", sealed, 53, signed=False),
            "" if tables is None else os.fsdecode(tables), whole("threads", threads, 31),
            kept, own, told)))
