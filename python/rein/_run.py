"""rein.run: policies on a world, the same noise for all; the same numbers as the command line."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any, TypeVar, Union

from . import _own, _rein
from ._result import Result

T = TypeVar("T")
Progress = Callable[[int, int], None]


def run(
    world: Union[str, _own.World] = "linear",
    policies: Union[str, Sequence[str]] = "ccb",
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
    oracles: Mapping[str, Callable[[Any], _own.Oracle]] | None = None,
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
        if rounds is None:
            rounds = 0 if _rein.has_length(spec) else 10_000
        words = [policies] if isinstance(policies, str) else list(policies)
        tell = _bar(stack, progress)
        return Result(interruptible(tell, lambda told: _rein.run(
            spec, words, rounds=rounds, seeds=seeds, first_seed=first_seed, threads=threads,
            curve_points=curve_points, margin=margin, long_term=long_term, references=references,
            delay=delay, progress=told)))


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
        except BaseException as raised:  # noqa: B036: raised again below
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
