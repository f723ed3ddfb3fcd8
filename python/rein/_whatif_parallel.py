"""parallel= of whatif: the sums of a log's shards, made in other processes or on other machines.

A shard is a fixed number of rows. A worker reads some shards and returns a short list of sums for each. The caller
adds the lists in the order of the shards. So no number depends on how many workers there are, nor on which one summed
what, and rein.whatif in one process gives the same bits.
"""

from __future__ import annotations

import os
import socket
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Any

from . import _log_parts, _rein
from ._errors import Error
from ._parallel import _CHUNKS_A_WAVE, _CHUNKS_A_WORKER, Parallel, _arriving, _workers
from ._progress import Progress

Budgets = list[tuple[int, list[float]]]  # head, amounts
Limits = list[tuple[int, float, bool]]  # head, amount, at least
_PASSES = 4
_MOST_SHARDS = 8  # of a chunk, where rows are found without reading those before
_MOST_READ = 64  # of a chunk, where they are not


@dataclass(frozen=True)
class Chunk:
    """What a worker receives: shards `first` to `last` - 1, where their rows are, and the task."""

    version: str
    first: int
    last: int
    pieces: list[_log_parts.Piece]
    actions: list[str]
    task: bytes


@dataclass
class Parted:
    """A log in parts, with the workers that read them."""

    pool: Any
    count: int  # of workers
    sources: list[_log_parts.Source]
    found: _log_parts.Contents
    workers: Counter[str]  # shards summed, over all passes

    @property
    def heads(self) -> list[str]:
        return ["reward", *self.found.costs]

    def whatif(self, budgets: Budgets, limits: Limits, grid: bool, adaptive: str, folds: int, threads: int, seed: int,
               total: float, title: str, tell: Progress | None) -> tuple[dict[str, Any], str]:
        passes = _rein.WhatifPasses(self.found.rows, self.found.first, self.heads, self.found.actions, budgets, limits,
                                    grid, adaptive, folds, threads, seed, total)
        steps, done = _PASSES * passes.shards, 0
        while not passes.done:
            for numbers in self._pass(passes.task(), passes.shards):
                passes.add(numbers)
                done += 1
                if tell is not None:
                    tell(min(done, steps), steps)
        return passes.report(title)

    def _pass(self, task: bytes, shards: int) -> Iterator[Any]:
        """The sums of every shard, in order."""
        calls: list[Any] = [(sum_chunk, (self._chunk(*ends, task),), {}) for ends in self._split(shards)]
        waiting: dict[int, list[Any]] = {}
        following = 0
        with closing(_arriving(self.pool, calls, _CHUNKS_A_WAVE * self.count)) as arriving:
            for who, (first, sums) in arriving:
                self.workers[who] += len(sums)
                waiting[first] = sums
                while following in waiting:
                    ready = waiting.pop(following)
                    following += len(ready)
                    yield from ready

    def _chunk(self, first: int, last: int, task: bytes) -> Chunk:
        begin, end = first * _rein.WHATIF_SHARD_ROWS, min(last * _rein.WHATIF_SHARD_ROWS, self.found.rows)
        some = _log_parts.pieces(self.sources, self.found.actions, begin, end)
        return Chunk(_rein.__version__, first, last, some, self.found.actions, task)

    def _split(self, shards: int) -> Iterator[tuple[int, int]]:
        """Chunks of shards. One that begins in a text file ends with it, so that the file is read once."""
        even = min(max(-(-shards // (_CHUNKS_A_WORKER * self.count)), 1), _MOST_SHARDS)
        ends, begin = [], 0
        for source in self.sources:
            begin += source.rows
            ends.append((begin, even if source.quick else _MOST_READ))
        first = 0
        while first < shards:
            row = first * _rein.WHATIF_SHARD_ROWS
            end, most = next((end, most) for end, most in ends if row < end)
            last = min(first + most, -(-end // _rein.WHATIF_SHARD_ROWS))
            yield first, last
            first = last


@contextmanager
def parted(log: Any, parallel: Parallel, actions: Sequence[str] | None, format: str) -> Iterator[Parted]:
    """Looks at the log and keeps the workers."""
    sources = _log_parts.sources_of(log, actions, format)
    with _workers(parallel) as (pool, count):
        looks = [(i, piece) for i, source in enumerate(sources) for piece in _log_parts.looks(source)]
        calls: list[Any] = [(_look, (place, piece), {}) for place, (_, piece) in enumerate(looks)]
        with closing(_arriving(pool, calls, _CHUNKS_A_WAVE * count)) as arriving:
            seen: dict[int, _log_parts.Contents] = dict(arriving)
        found = []
        for i, source in enumerate(sources):
            if source.given is not None:
                found.append(_log_parts.contents_of(source.given))
                continue
            of_source = [seen[place] for place, (owner, _) in enumerate(looks) if owner == i]
            sources[i] = replace(source, rows=sum(each.rows for each in of_source))
            found += of_source
        if not sum(each.rows for each in found):
            raise Error("log: no row can be used; accepted: at least one")
        every = _log_parts.joined([each for each in found if each.rows])
        if actions is not None:
            every = _log_parts.named(every, list(actions))
        yield Parted(pool, count, [each for each in sources if each.rows], every, Counter())


def _look(place: int, piece: _log_parts.Piece) -> tuple[Any, Any]:
    return place, _log_parts.contents(piece)


def sum_chunk(chunk: Chunk) -> tuple[str, Any]:
    """Runs in a worker. Returns the worker's name, and the first shard with the sums of all."""
    if chunk.version != _rein.__version__:
        raise Error(f"parallel: a worker on {socket.gethostname()} has rein {_rein.__version__}, the caller "
                    f"{chunk.version}; accepted: the same on all machines")
    rows = _log_parts.read(chunk.pieces, chunk.actions)
    size, out = _rein.WHATIF_SHARD_ROWS, []
    for shard in range(chunk.first, chunk.last):
        begin = (shard - chunk.first) * size
        some = _log_parts.cut(rows, begin, begin + size)
        out.append(_rein.whatif_sums(chunk.task, shard, len(chunk.actions), *some))
    return f"{socket.gethostname()}:{os.getpid()}", (chunk.first, out)
