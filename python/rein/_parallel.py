"""parallel=: a run or a comparison in other processes or on other machines, by joblib.

A play is one policy on one seed. The caller opens a sweep and splits its plays into chunks. A worker
plays a chunk and returns one line of text per play. The caller adds the lines as they arrive. Lines
hold every number to the bit, and a play depends only on its policy and seed. So no number depends on
which worker played what.
"""

from __future__ import annotations

import operator
import os
import pickle
import socket
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import Any

from . import _own, _rein
from ._errors import Error, needed
from ._progress import Progress, interruptible

#: Number of workers, a backend, a joblib.Parallel, or True: the joblib.parallel_config. None, False: off.
Parallel = bool | int | str | Callable[[Iterable[Any]], Iterable[Any]] | None
Plays = Sequence[tuple[str, int]]  # policy, seed

_CHUNKS_A_WORKER = 8  # small chunks, so that no worker waits long for the last one
_CHUNKS_A_WAVE = 4  # per worker, for pools that return results only in waves


@dataclass(frozen=True)
class Chunk:
    """What a worker receives. All fields are plain values."""

    version: str
    sweep: str  # a unique name
    world: str
    own: bytes  # the caller's own world, oracles and potential, pickled
    plays: list[tuple[str, int]]
    options: dict[str, Any]  # of RunOptions


def play_elsewhere(sweep: _rein.Sweep, world: str, run: _rein.RunOptions, own: bytes, parallel: Parallel,
                   tell: Progress | None) -> dict[str, int]:
    """Plays what the sweep lacks and adds it. Returns the number of plays per worker."""
    plays = sweep.plays()
    if not plays:
        return {}
    options = {key: getattr(run, key) for key in (
        "delay", "margin", "long_term", "certify", "curve_points", "budgets", "missing", "late", "keys", "ticks", "expire")}
    options |= {"rounds": sweep.rounds(), "threads": run.threads or 1}
    made: Counter[str] = Counter()
    # In this order: a forked process, and threads of this one, use the pieces as they are.
    with _used(uuid.uuid4().hex, lambda: run.own) as here, _workers(parallel) as (pool, count):
        def chunk(some: list[tuple[str, int]]) -> Any:
            return play_chunk, (Chunk(_rein.__version__, here.sweep, world, own, some, options),), {}

        calls = [chunk(some) for some in split(plays, count)]
        try:
            with closing(_arriving(pool, calls, _CHUNKS_A_WAVE * count)) as arriving:
                for who, lines in arriving:
                    for line in lines:
                        sweep.add(line)
                    made[who] += len(lines)
                    if tell is not None:
                        tell(made.total() * sweep.rounds(), len(plays) * sweep.rounds())
        finally:
            here.end()
    return dict(made)


def play_chunk(chunk: Chunk) -> tuple[str, list[str]]:
    """Runs in a worker. Returns the worker's name and one line per play."""
    if chunk.version != _rein.__version__:
        raise Error(f"parallel: a worker on {socket.gethostname()} has rein {_rein.__version__}, the caller "
                    f"{chunk.version}; accepted: the same on all machines")
    options = _rein.RunOptions()
    for key, value in chunk.options.items():
        setattr(options, key, value)
    with _used(chunk.sweep, lambda: unpacked(chunk.own)) as here:
        options.own = here.own

        def stop(_done: int, _every: int) -> None:
            if here.stopped:
                raise KeyboardInterrupt

        def play(told: Progress) -> list[str]:
            options.set_progress(told)
            return _rein.play_lines(chunk.world, chunk.plays, options)

        return f"{socket.gethostname()}:{os.getpid()}", interruptible(stop, play)


def split(plays: Plays, workers: int) -> Iterator[list[tuple[str, int]]]:
    """Chunks of one seed each, since plays of a seed share a benchmark. Few seeds: several per seed."""
    seeds: dict[int, list[tuple[str, int]]] = {}
    for policy, seed in plays:
        seeds.setdefault(seed, []).append((policy, seed))
    for together in seeds.values():
        parts = -(-_CHUNKS_A_WORKER * workers // len(seeds))
        size = -(-len(together) // parts)
        yield from (together[i:i + size] for i in range(0, len(together), size))


# -- the workers


@contextmanager
def _workers(parallel: Parallel) -> Iterator[tuple[Any, int]]:
    """A joblib.Parallel and its number of workers, as far as it is known."""
    joblib = needed("parallel=", "joblib")
    if callable(parallel):  # it belongs to the caller: not entered, so that it can be used again
        yield parallel, joblib.effective_n_jobs(getattr(parallel, "n_jobs", -1))
        return
    with ExitStack() as stack:
        try:
            if isinstance(parallel, str):
                if parallel == "ray":
                    needed("parallel=", "ray.util.joblib").register_ray()
                stack.enter_context(joblib.parallel_config(backend=parallel))
            jobs = joblib.parallel.get_active_backend()[1]
            if parallel is not None and not isinstance(parallel, (bool, str)):
                jobs = operator.index(parallel)
            pool = stack.enter_context(_pool(joblib.Parallel, -1 if jobs is None else jobs))
            count = joblib.effective_n_jobs(pool.n_jobs)
        except (TypeError, ValueError) as wrong:
            raise Error(f"parallel: found {parallel!r}: {wrong}; accepted: a number of workers, a backend of joblib, "
                        "a joblib.Parallel, or True to use joblib.parallel_config") from wrong
        yield pool, count


def _pool(make: Any, jobs: int) -> Any:
    try:
        return make(n_jobs=jobs, return_as="generator_unordered")
    except ValueError:  # Ray and multiprocessing return results only when all are ready
        return make(n_jobs=jobs)


def _arriving(pool: Any, calls: list[Any], wave: int) -> Generator[Any, None, None]:
    """Results of the calls, as soon as the pool has them."""
    if getattr(pool, "return_as", "list") != "list":
        yield from pool(calls)
        return
    for i in range(0, len(calls), wave):
        yield from pool(calls[i:i + wave])


# -- the caller's own world, oracles, potential and policies


def packed(world: Any, oracles: _own.Oracles | None, potential: Any = None,
           policies: _own.Policies | None = None) -> bytes:
    """The caller's own pieces, pickled for workers; empty if there are none."""
    if not isinstance(world, _own.World) and not oracles and potential is None and not policies:
        return b""
    cloudpickle = needed("parallel=", "cloudpickle")
    try:
        return bytes(cloudpickle.dumps((world, dict(oracles or {}), potential, dict(policies or {}))))
    except Exception as wrong:  # pickling may raise anything
        raise Error(f"parallel: your own world, oracle, potential or policy cannot be sent to workers: {wrong}; accepted: "
                    "objects that can be pickled; open files, locks and connections inside their functions") from wrong


def unpacked(own: bytes) -> _rein.Own:
    return _own.own_of_run(*pickle.loads(own))[1] if own else _rein.Own()


@dataclass
class _Here:
    """A sweep in this process, shared by its threads."""

    sweep: str
    own: _rein.Own
    users: int = 0
    stopped: bool = False

    def end(self) -> None:
        """Stops the plays of other threads in this process, and waits for them."""
        with _changing:
            self.stopped = True
            _changing.wait_for(lambda: self.users == 1)


_sweeps: dict[str, _Here] = {}
_changing = threading.Condition()


@contextmanager
def _used(sweep: str, own: Callable[[], _rein.Own]) -> Iterator[_Here]:
    """The caller's own pieces in this process, made once for all threads that need them."""
    with _changing:
        here = _sweeps.get(sweep)
        if here is None:
            here = _sweeps[sweep] = _Here(sweep, own())
        here.users += 1
    try:
        yield here
    finally:
        with _changing:
            here.users -= 1
            _changing.notify_all()
            if here.users == 0:
                del _sweeps[sweep]
