"""rein.run, rein.compare, rein.verify: the same numbers as the command line, to the bit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import ExitStack
from typing import Any

from . import _own, _parallel, _rein
from ._errors import Error
from ._given import number, short, text, whole
from ._parallel import Parallel
from ._progress import Progress, bar, interruptible
from ._result import Comparison, Result
from ._verification import Verification

World = str | _own.World
Policies = str | Sequence[str]
Oracles = _own.Oracles


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
    potential: _own.Potential | None = None,
    parallel: Parallel = None,
    progress: bool | Progress | None = None,
) -> Result:
    """Runs every policy on every seed and measures; `rein run --help` says the same of each option.

    world     a spec, or a rein.World of your own
    policies  specs: a list, or one text with commas between
    rounds    10000 where it is left out; all of a table
    threads   0: all cores; the numbers do not depend on it
    oracles   oracles of your own by name: {"sgd": make}, for specs with oracle=own(name=sgd).
              make(shape) is called for every policy and seed; shape.heads is 1 + costs
    potential a potential of your own, for specs with pricer=own; all policies and seeds share it
    parallel  on other processes or machines (docs/parallel.md): how many, the name of a joblib backend ("loky",
              "ray", "dask"), a joblib.Parallel, or True for what joblib.parallel_config says. Each then has `threads`
              threads, 1 where that is 0
    progress  True or False, or a function of (rounds done, rounds in all); None: a bar by tqdm, where
              it is installed and somebody watches
    """
    with ExitStack() as stack:
        spec = _own.lend_all(stack, world, oracles)
        options = _rein.CompareOptions()
        options.run = _options(spec, rounds, seeds, first_seed, threads, delay, margin, long_term, references,
                               curve_points)
        options.run.set_potential(_own.lent_potential(potential))
        return Result(_swept(spec, policies, options, world, oracles, potential, parallel, bar(stack, progress),
                             lambda sweep: sweep.run()))


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
    potential: _own.Potential | None = None,
    parallel: Parallel = None,
    progress: bool | Progress | None = None,
) -> Comparison:
    """Policies side by side: as rein.run, with paired differences and tuning (docs/compare.md).

    grid       values to try of a key, {"gamma_scale": [0.5, 1, 2]}, for every policy that takes it and
               does not set it itself; the best becomes a row of its own
    slack      by how much of its budget the best of a grid may pass it
    all_pairs  the difference of every pair, not only to the first policy
    resume     a file that finished plays are kept in: a stopped comparison goes on (fresh=True forgets it), here or
               on other machines (parallel=)
    """
    with ExitStack() as stack:
        spec = _own.lend_all(stack, world, oracles)
        options = _rein.CompareOptions()
        options.run = _options(spec, rounds, seeds, first_seed, threads, delay, margin, long_term, references,
                               curve_points)
        options.run.set_potential(_own.lent_potential(potential))
        for line in _grids(grid):
            options.add_grid(line)
        options.slack = number("slack", slack)
        options.all_pairs = bool(all_pairs)
        options.resume = b"" if resume is None else os.fsencode(resume)
        options.fresh = bool(fresh)
        title = text("title", title or f"rein compare: {spec}")
        return Comparison(_swept(spec, policies, options, world, oracles, potential, parallel, bar(stack, progress),
                                 lambda sweep: sweep.compare(title)))


def verify(profile: str = "quick", parts: str = "abcdef", *, seeds: int = 0, first: int = 0, last: int = 0,
           threads: int = 0, resume: str | os.PathLike[str] | None = None, fresh: bool = False,
           progress: bool | Progress | None = None) -> Verification:
    """Measures the theorem: growth exponents and bounds of its parts (docs/verify.md).

    profile      "quick" (about a minute) or "full"
    seeds        in place of the profile's, where above 0
    first, last  likewise: horizons are 2^first .. 2^last
    resume       a file that finished plays are kept in: a stopped verification goes on (fresh=True forgets it)
    """
    with ExitStack() as stack:
        words = text("profile", profile), text("parts", parts)
        numbers = (whole("threads", threads, 31), whole("seeds", seeds, 31), whole("first", first, 31),
                   whole("last", last, 31))
        kept = "" if resume is None else os.fsdecode(resume), bool(fresh)
        return Verification(*interruptible(bar(stack, progress),
                                           lambda told: _rein.verify(*words, *numbers, *kept, told)))


def falsify(seconds: float = 0.0, *, cases: int = 0, seed: int = 1, threads: int = 0, tighten: float = 1.0,
            progress: bool | Progress | None = None) -> dict[str, Any]:
    """Hunts for a run above a bound that is printed for it (docs/verify.md).

    seconds, cases  end the hunt, whichever comes first
    tighten         bounds are divided by this first: what the hunt would find

    Gives `runs` judged, `outside` the theorem, `refused`, `offences`, and two lists: `offenders` and `closest`, each
    with its quantity, measured, bound, and the command that shows it.
    """
    with ExitStack() as stack:
        numbers = (number("seconds", seconds), whole("cases", cases, 63), whole("seed", seed, 64, signed=False),
                   whole("threads", threads, 31), number("tighten", tighten))
        return interruptible(bar(stack, progress), lambda told: _rein.falsify(*numbers, told))


def _swept(spec: str, policies: Policies, options: _rein.CompareOptions, world: World, oracles: Oracles | None,
           potential: Any, parallel: Parallel, tell: Progress | None,
           finish: Callable[[_rein.Sweep], dict[str, Any]]) -> dict[str, Any]:
    """Plays everything, here or elsewhere, and gives what `finish` makes of it."""
    texts = _specs(policies)
    if parallel is None or parallel is False:
        def play(told: Progress) -> dict[str, Any]:
            options.run.set_progress(told)
            return finish(_rein.Sweep.open(spec, texts, options))

        return interruptible(tell, play)
    sweep = _rein.Sweep.open(spec, texts, options)
    own = _parallel.packed(world, oracles, potential)
    workers = _parallel.play_elsewhere(sweep, spec, options.run, own, potential, parallel, tell)
    return finish(sweep) | {"workers": workers}


def _options(spec: str, rounds: int | None, seeds: int, first_seed: int, threads: int, delay: int,
             margin: float, long_term: bool, references: bool, curve_points: int) -> _rein.RunOptions:
    options = _rein.RunOptions()
    if rounds is None:
        rounds = 0 if _rein.has_length(spec) else 10_000
    options.rounds, options.seeds = whole("rounds", rounds, 63), whole("seeds", seeds, 31)
    options.first_seed = whole("first_seed", first_seed, 64, signed=False)
    options.threads, options.delay = whole("threads", threads, 31), whole("delay", delay, 31)
    options.margin, options.curve_points = number("margin", margin), whole("curve_points", curve_points, 31)
    options.long_term, options.references = bool(long_term), bool(references)
    return options


def _specs(policies: Policies) -> list[str]:
    if isinstance(policies, str):
        policies = [policies]
    if isinstance(policies, (bytes, Set)) or not isinstance(policies, Iterable):
        raise Error(f"policies: found {short(policies)}; accepted: specs, as a list or one text with commas between")
    return [text("policies", spec) for spec in policies]


def _grids(grid: Mapping[str, Sequence[float]] | None) -> list[str]:
    """As the command line has them."""
    if grid is not None and not isinstance(grid, Mapping):
        raise Error(f'grid: found {short(grid)}; accepted: values by key, {{"gamma_scale": [0.5, 1, 2]}}')
    lines = []
    for key, values in (grid or {}).items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise Error(f"grid: found {short(values)} for {key!r}; accepted: a list of numbers")
        lines.append(f"{text('grid', key)}={','.join(repr(number(f'grid {key}', value)) for value in values)}")
    return lines
