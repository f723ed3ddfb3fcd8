"""rein.run, rein.compare, rein.verify: the same numbers as the command line, to the bit."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, TypeVar, Union

from . import _own, _rein
from ._result import Comparison, Result, Verification

T = TypeVar("T")
Progress = Callable[[int, int], None]
World = Union[str, _own.World]
Policies = Union[str, Sequence[str]]
Oracles = Mapping[str, Callable[[Any], _own.Oracle]]


def run(
    world: World = "linear",
    policies: Policies = "ccb",
    *,
    rounds: int | None = None,
    seeds: int = 1,
    first_seed: int = 1,
    threads: int = 0,
    delay: int = 0,
    margin: float = 0.0,
    long_term: bool = True,
    references: bool = False,
    curve_points: int = 64,
    oracles: Oracles | None = None,
    progress: Union[bool, Progress, None] = None,
) -> Result:
    """Runs every policy on every seed and measures; `rein run --help` says the same of each option.

    world     a spec, or a rein.World of your own
    policies  specs: a list, or one text with commas between
    rounds    10000 where it is left out; all of a table
    threads   0: all cores; the numbers do not depend on it
    oracles   oracles of your own by name: {"sgd": make}, for specs with oracle=own(name=sgd).
              make(shape) is called for every policy and seed; shape.heads is 1 + costs
    progress  True or False, or a function of (rounds done, rounds in all); None: a bar by tqdm, where
              it is installed and somebody watches
    """
    with ExitStack() as stack:
        spec = _own.lend_all(stack, world, oracles)
        options = _options(spec, rounds, seeds, first_seed, threads, delay, margin, long_term, references,
                           curve_points)
        return Result(_told(stack, progress, options, lambda: _rein.run(spec, _texts(policies), options)))


def compare(
    world: World = "linear",
    policies: Policies = "ccb",
    *,
    grid: Mapping[str, Sequence[float]] | None = None,
    slack: float = 0.01,
    all_pairs: bool = False,
    resume: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    title: str | None = None,
    rounds: int | None = None,
    seeds: int = 1,
    first_seed: int = 1,
    threads: int = 0,
    delay: int = 0,
    margin: float = 0.0,
    long_term: bool = True,
    references: bool = False,
    curve_points: int = 64,
    oracles: Oracles | None = None,
    progress: Union[bool, Progress, None] = None,
) -> Comparison:
    """Policies side by side: as rein.run, with paired differences and tuning (docs/compare.md).

    grid       values to try of a key, {"gamma_scale": [0.5, 1, 2]}, for every policy that takes it and
               does not set it itself; the best becomes a row of its own
    slack      by how much of its budget the best of a grid may pass it
    all_pairs  the difference of every pair, not only to the first policy
    resume     a file that finished plays are kept in: a stopped comparison goes on (fresh=True forgets it)
    """
    with ExitStack() as stack:
        spec = _own.lend_all(stack, world, oracles)
        options = _rein.CompareOptions()
        run_options = _options(spec, rounds, seeds, first_seed, threads, delay, margin, long_term, references,
                               curve_points)
        for key, values in (grid or {}).items():
            options.add_grid(f"{key}={','.join(repr(float(value)) for value in values)}")
        options.slack = slack
        options.all_pairs = all_pairs
        options.resume = "" if resume is None else os.fspath(resume)
        options.fresh = fresh

        def call() -> dict[str, Any]:
            options.run = run_options
            return _rein.compare(spec, _texts(policies), options, title or f"rein compare: {spec}")

        return Comparison(_told(stack, progress, run_options, call))


def verify(profile: str = "quick", parts: str = "abcdef", *, seeds: int = 0, first: int = 0, last: int = 0,
           threads: int = 0, progress: Union[bool, Progress, None] = None) -> Verification:
    """Measures the theorem: growth exponents and bounds of its parts (docs/verify.md).

    profile      "quick" (about a minute) or "full"
    seeds        in place of the profile's, where above 0
    first, last  likewise: horizons are 2^first .. 2^last
    """
    with ExitStack() as stack:
        tell = _bar(stack, progress)
        return Verification(*interruptible(tell, lambda told: _rein.verify(
            profile, parts, threads, seeds, first, last, told)))


def _texts(policies: Policies) -> list[str]:
    return [policies] if isinstance(policies, str) else list(policies)


def _options(spec: str, rounds: int | None, seeds: int, first_seed: int, threads: int, delay: int,
             margin: float, long_term: bool, references: bool, curve_points: int) -> _rein.RunOptions:
    options = _rein.RunOptions()
    if rounds is None:
        rounds = 0 if _rein.has_length(spec) else 10_000
    options.rounds, options.seeds, options.first_seed = rounds, seeds, first_seed
    options.threads, options.delay, options.margin = threads, delay, margin
    options.long_term, options.references, options.curve_points = long_term, references, curve_points
    return options


def _told(stack: ExitStack, progress: Union[bool, Progress, None], options: _rein.RunOptions,
          call: Callable[[], T]) -> T:
    def with_progress(told: Progress) -> T:
        options.set_progress(told)
        return call()

    return interruptible(_bar(stack, progress), with_progress)


def _watched() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stderr.isatty() or hasattr(shell, "kernel")


def _bar(stack: ExitStack, progress: Union[bool, Progress, None]) -> Progress | None:
    if callable(progress):
        return progress
    if progress is False or (progress is None and not _watched()):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    bar = stack.enter_context(tqdm(unit=" rounds", unit_scale=True))

    def tell(done: int, every: int) -> None:
        bar.total = every
        bar.update(max(done - bar.n, 0))

    return tell


def interruptible(progress: Progress | None, call: Callable[[Progress], T]) -> T:
    """call(progress) on a thread of its own, so that Ctrl-C ends it at its next word of progress."""
    stop = threading.Event()
    answer: list[T] = []
    wrong: list[BaseException] = []

    def told(done: int, every: int) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        if progress is not None:
            progress(done, every)

    def work() -> None:
        try:
            answer.append(call(told))
        except BaseException as raised:  # raised again below
            wrong.append(raised)

    worker = threading.Thread(target=work, name="rein")
    worker.start()
    try:
        while worker.is_alive():
            worker.join(0.5)
    except KeyboardInterrupt:
        stop.set()
        worker.join()
        raise
    if wrong:
        raise wrong[0]
    return answer[0]
