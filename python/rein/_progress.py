"""Long calls: a progress bar in a terminal or notebook, and Ctrl-C."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

T = TypeVar("T")
Progress = Callable[[int, int], None]  # (rounds done, total rounds)


def _watched() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stderr.isatty() or hasattr(shell, "kernel")


def bar(stack: ExitStack, progress: bool | Progress | None) -> Progress | None:
    if callable(progress):
        return progress
    if progress is False or (progress is None and not _watched()):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without ipywidgets a notebook shows a plain bar
            from tqdm.auto import tqdm
    except ImportError as missing:
        if progress is None:
            return None
        raise ImportError("progress=True needs tqdm here: pip install tqdm") from missing
    shown = stack.enter_context(tqdm(unit=" rounds", unit_scale=True))

    def tell(done: int, every: int) -> None:
        shown.total = every
        shown.update(max(done - shown.n, 0))

    return tell


def interruptible(progress: Progress | None, call: Callable[[Progress], T]) -> T:
    """Runs call(progress) on a new thread, so that Ctrl-C stops it at its next progress report."""
    stop, ended = threading.Event(), threading.Event()
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
        finally:
            ended.set()

    worker = threading.Thread(target=work, name="rein")
    worker.start()
    try:
        while not ended.wait(0.5):  # not join(): after Ctrl-C, join() reports a thread as ended that still runs
            pass
    except KeyboardInterrupt:
        stop.set()
        ended.wait()
        raise
    finally:
        if ended.is_set():
            worker.join()
    if wrong:
        raise wrong[0]
    return answer[0]
