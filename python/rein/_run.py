"""rein.run, rein.compare, rein.verify: bit for bit the same numbers as the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import ExitStack
from typing import Any

from . import _own, _parallel, _rein
from ._budget import Budget, add_budgets
from ._errors import Error
from ._given import number, short, text, whole
from ._parallel import Parallel
from ._progress import Progress, bar, interruptible
from ._result import Comparison, Result
from ._verification import Verification

World = str | _own.World
Policies = str | Sequence[str | Callable[[Any], _own.Policy]] | Callable[[Any], _own.Policy]
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
    budgets: Budget | Sequence[Budget] | None = None,
    missing: Mapping[str, float] | None = None,
    late: Mapping[str, int] | None = None,
    keys: Mapping[str, int] | None = None,
    ticks: int = 1,
    expire: int | None = None,
    margin: float = 0.0,
    long_term: bool = True,
    references: bool = False,
    certify: bool = False,
    curve_points: int = 64,
    oracles: Oracles | None = None,
    potential: _own.Potential | None = None,
    parallel: Parallel = None,
    progress: bool | Progress | None = None,
) -> Result:
    """Runs every policy on every seed and measures it. `rein run --help` describes each option.

    world        a spec, or your own rein.World
    policies     specs: a list, or one string separated by commas; in a list also classes of your own
                 policies (docs/own.md)
    rounds       default: 10000, or all rows of a table
    seeds        number of seeds, from first_seed on
    threads      0: all cores; the numbers do not depend on it
    delay        rounds by which every outcome is late
    budgets      rein.Budget, one or more: budgets with windows (docs/budgets.md). With them, and with
                 the next three options, plays go through the engine that an agent uses
    missing      share of rounds in which a part of the outcome never comes: {"reward": 0.4}
    late         rounds by which a part of the outcome is late: {"reward": 500}; others: delay
    keys         how many keys a scope of the budgets has, {"user": 100}: each decision is for one of
                 them, drawn at random
    ticks        ticks of the clock per round; in calendar windows a tick is a second
    expire       rounds after which an open decision expires; None: once its last part is due
    margin       distance from the constraints, 0 to 1, for setting=slater
    long_term    also measure regret where the budget holds over all rounds, not in each;
                 takes memory for every round
    references   also measure what could be earned with more knowledge than a policy has
    certify      also bound the regret from the run itself (docs/theory/certificate.md)
    curve_points points per curve; 0: no curves
    oracles      your own oracles by name: {"sgd": make}, for specs with oracle=own(name=sgd).
                 make(shape) is called for each policy and seed; shape.heads is 1 + costs
    potential    your own potential, for specs with pricer=own; all policies and seeds share it
    parallel     use other processes or machines (docs/parallel.md): the number of workers, the name
                 of a joblib backend ("loky", "ray", "dask"), a joblib.Parallel, or True for the
                 joblib.parallel_config. Each worker has `threads` threads; 0 then means 1
    progress     True, False, or a function of (rounds done, total rounds). None: a tqdm bar, if tqdm
                 is installed and a terminal or notebook shows it
    """
    policies, mine = _own.own_policies(policies)
    spec, own = _own.own_of_run(world, oracles, potential, mine)
    with ExitStack() as stack:
        options = _rein.CompareOptions()
        options.run = _options(spec, own, rounds, seeds, first_seed, threads, delay, margin, long_term, references,
                               curve_points)
        options.run.certify = bool(certify)
        _live(options.run, budgets, missing, late, keys, ticks, expire)
        return Result(_swept(spec, policies, options, (world, oracles, potential, mine), parallel, bar(stack, progress),
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
    budgets: Budget | Sequence[Budget] | None = None,
    missing: Mapping[str, float] | None = None,
    late: Mapping[str, int] | None = None,
    keys: Mapping[str, int] | None = None,
    ticks: int = 1,
    expire: int | None = None,
    margin: float = 0.0,
    long_term: bool = True,
    references: bool = False,
    curve_points: int = 64,
    oracles: Oracles | None = None,
    potential: _own.Potential | None = None,
    parallel: Parallel = None,
    progress: bool | Progress | None = None,
) -> Comparison:
    """Compares policies: rein.run with paired differences and tuning (docs/compare.md).

    grid       values to try for a key, {"gamma_scale": [0.5, 1, 2]}, for every policy that takes the
               key and does not set it; the best setting becomes a row
    slack      share of its budget by which the best of a grid may exceed it
    all_pairs  differences of all pairs, not only to the first policy
    resume     a file that keeps finished plays. A stopped comparison continues from it, here or on
               other machines (parallel=)
    fresh      True: ignore what the file of resume= holds
    title      title of the report page

    The other options are those of rein.run.
    """
    policies, mine = _own.own_policies(policies)
    spec, own = _own.own_of_run(world, oracles, potential, mine)
    with ExitStack() as stack:
        options = _rein.CompareOptions()
        options.run = _options(spec, own, rounds, seeds, first_seed, threads, delay, margin, long_term, references,
                               curve_points)
        _live(options.run, budgets, missing, late, keys, ticks, expire)
        for line in _grids(grid):
            options.add_grid(line)
        options.slack = number("slack", slack)
        options.all_pairs = bool(all_pairs)
        options.resume = b"" if resume is None else os.fsencode(resume)
        options.fresh = bool(fresh)
        title = text("title", title or f"rein compare: {spec}")
        return Comparison(_swept(spec, policies, options, (world, oracles, potential, mine), parallel, bar(stack, progress),
                                 lambda sweep: sweep.compare(title)))


def verify(profile: str = "quick", parts: str = "abcdefg", *, policies: str | Sequence[str] = (), seeds: int = 0, first: int = 0, last: int = 0,
           threads: int = 0, resume: str | os.PathLike[str] | None = None, fresh: bool = False,
           progress: bool | Progress | None = None) -> Verification:
    """Measures growth exponents and bounds of each part of the theorem (docs/verify.md).

    profile      "quick" (about a minute) or "full"
    parts        letters of the parts to measure
    policies     also measured on the same worlds, such as ["ccb", "loe2d", "squarecb"]; "ccb" stands for the
                 policies of the theorem. Of the others nothing is promised
    seeds        number of seeds; 0: as the profile says
    first, last  numbers of rounds are 2^first .. 2^last; 0: as the profile says
    resume       a file that keeps finished plays. A stopped verification continues from it
    fresh        True: ignore what the file of resume= holds
    """
    with ExitStack() as stack:
        beside = [policies] if isinstance(policies, str) else [text("policies", each) for each in policies]
        words = text("profile", profile), text("parts", parts), beside
        numbers = (whole("threads", threads, 31), whole("seeds", seeds, 31), whole("first", first, 31),
                   whole("last", last, 31))
        kept = "" if resume is None else os.fsdecode(resume), bool(fresh)
        return Verification(*interruptible(bar(stack, progress),
                                           lambda told: _rein.verify(*words, *numbers, *kept, told)))


def falsify(seconds: float = 0.0, *, cases: int = 0, seed: int = 1, threads: int = 0, tighten: float = 1.0,
            progress: bool | Progress | None = None) -> dict[str, Any]:
    """Searches for a run that exceeds the bound printed for it (docs/verify.md).

    seconds, cases  the search ends at whichever limit comes first
    tighten         bounds are divided by this number, to test the search itself

    Returns a dict. `runs` counts the runs judged, `outside` those that the theorem does not cover.
    `refused` and `offences` are counts too. `offenders` and `closest` are lists; each entry has the
    quantity, the measured value, the bound, and the command that reproduces it.
    """
    with ExitStack() as stack:
        numbers = (number("seconds", seconds), whole("cases", cases, 63), whole("seed", seed, 64, signed=False),
                   whole("threads", threads, 31), number("tighten", tighten))
        return interruptible(bar(stack, progress), lambda told: _rein.falsify(*numbers, told))


def _swept(spec: str, policies: Policies, options: _rein.CompareOptions, pieces: tuple[Any, ...],
           parallel: Parallel, tell: Progress | None,
           finish: Callable[[_rein.Sweep], dict[str, Any]]) -> dict[str, Any]:
    """Plays everything, here or on workers, and returns finish(sweep)."""
    texts = _specs(policies)
    if parallel is None or parallel is False:
        def play(told: Progress) -> dict[str, Any]:
            options.run.set_progress(told)
            return finish(_rein.Sweep.open(spec, texts, options))

        return interruptible(tell, play)
    sweep = _rein.Sweep.open(spec, texts, options)
    packed = _parallel.packed(*pieces)
    workers = _parallel.play_elsewhere(sweep, spec, options.run, packed, parallel, tell)
    return finish(sweep) | {"workers": workers}


def _options(spec: str, own: _rein.Own, rounds: int | None, seeds: int, first_seed: int, threads: int, delay: int,
             margin: float, long_term: bool, references: bool, curve_points: int) -> _rein.RunOptions:
    options = _rein.RunOptions()
    options.own = own
    if rounds is None:
        rounds = 0 if _rein.has_length(spec, own) else 10_000
    options.rounds, options.seeds = whole("rounds", rounds, 63), whole("seeds", seeds, 31)
    options.first_seed = whole("first_seed", first_seed, 64, signed=False)
    options.threads, options.delay = whole("threads", threads, 31), whole("delay", delay, 31)
    options.margin, options.curve_points = number("margin", margin), whole("curve_points", curve_points, 31)
    options.long_term, options.references = bool(long_term), bool(references)
    return options


def _live(options: _rein.RunOptions, budgets: Budget | Sequence[Budget] | None, missing: Mapping[str, float] | None,
          late: Mapping[str, int] | None, keys: Mapping[str, int] | None, ticks: int, expire: int | None) -> None:
    """Budgets with windows, and outcomes in parts."""
    if budgets is not None:
        add_budgets(options, budgets)
    options.missing = [(name, number("missing", share)) for name, share in _named("missing", missing)]
    options.late = [(name, whole("late", late_by, 63)) for name, late_by in _named("late", late)]
    options.keys = [(name, whole("keys", count, 63)) for name, count in _named("keys", keys)]
    options.ticks = whole("ticks", ticks, 63)
    options.expire = 0 if expire is None else whole("expire", expire, 63)


def _named(what: str, given: Mapping[str, Any] | None) -> list[tuple[str, Any]]:
    if given is not None and not isinstance(given, Mapping):
        raise Error(f'{what}: found {short(given)}; accepted: numbers by name, as {{"reward": 1}}')
    return [(text(what, name), value) for name, value in (given or {}).items()]


def _specs(policies: Policies) -> list[str]:
    if isinstance(policies, str):
        policies = [policies]
    if isinstance(policies, (bytes, Set)) or not isinstance(policies, Iterable):
        raise Error(f"policies: found {short(policies)}; accepted: specs, as a list or one string separated by commas")
    return [text("policies", spec) for spec in policies]


def _grids(grid: Mapping[str, Sequence[float]] | None) -> list[str]:
    """Grids in the notation of the command line."""
    if grid is not None and not isinstance(grid, Mapping):
        raise Error(f'grid: found {short(grid)}; accepted: values by key, {{"gamma_scale": [0.5, 1, 2]}}')
    lines = []
    for key, values in (grid or {}).items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise Error(f"grid: found {short(values)} for {key!r}; accepted: a list of numbers")
        lines.append(f"{text('grid', key)}={','.join(repr(number(f'grid {key}', value)) for value in values)}")
    return lines
