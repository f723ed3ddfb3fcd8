"""What is wanted of a policy besides its spec: a goal, shares, a control group, a baseline."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _rein
from ._actions import Labels
from ._errors import Error
from ._given import array, number, short, text
from ._options import Goal, Shares


def wanted(spec: str, shape: _rein.Shape, known: Labels, goal: Goal, shares: Shares, *, forget: Any = None,
           baseline: Any = None) -> str:
    """The spec with what was wanted as its options."""
    added = []
    if forget is not None:
        added += _forgetting(spec, forget)
    for key, name in (("minimize", goal.minimize), ("maximize", goal.maximize)):
        if name is not None:
            added.append((key, _quoted(text(key, name))))
    for key, limits in (("at_least", goal.at_least), ("at_most", goal.at_most)):
        if limits is not None:
            added.append((key, _limits(key, limits)))
    for key, chances, otherwise in (("least", shares.least, 0.0), ("most", shares.most, 1.0)):
        if chances is not None:
            added.append((key, _list(_per_action(key, chances, shape.actions, known, otherwise))))
    if (share := number("holdout", shares.holdout)) != 0.0:
        added.append(("holdout", repr(share)))
    if shares.control is not None:
        added.append(("control", str(known.id_of("control", shares.control))))
    if baseline is not None:
        added.append(("baseline", _baseline(baseline, shape.actions, known)))
    return _rein.spec_with(spec, added) if added else spec


def check_budget(engine: _rein.Engine) -> None:
    """Refuses a budget for a policy that ignores costs."""
    limits = ("stop(", "safe(", "oplb(")  # they take the budget as a limit, whatever decides inside
    if engine.state()["setting"] is None and not engine.spec().startswith(limits):
        raise Error(f"budget: {engine.spec()} ignores costs, and a budget would have no effect; accepted: ccb, or "
                    "another policy that prices costs, or hard=rein.HardLimits(total=...)")


def _baseline(given: Any, actions: int, known: Labels) -> str:
    if isinstance(given, Mapping) or np.ndim(given) > 0:
        return _list(_per_action("baseline", given, actions, known, 0.0))
    return str(known.id_of("baseline", given))


def _forgetting(spec: str, forget: Any) -> list[tuple[str, str]]:
    """The option by which the policy forgets as wanted. Policies other than ccb have it in their oracle."""
    if isinstance(forget, bool):
        memory = "auto" if forget else "0"
    else:
        outcomes = 0.0 if isinstance(forget, (str, bytes)) else number("forget", forget)
        if not outcomes > 1:
            raise Error(f"forget: found {short(forget)}; accepted: True, False, or how many outcomes to remember")
        memory = repr(outcomes)
    return [("memory", memory)] if re.match(r"\s*ccb\b", spec) else [("oracle", f"vaw(memory={memory})")]


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _limits(what: str, given: Any) -> str:
    if not isinstance(given, Mapping) or not given:
        raise Error(f'{what}: found {short(given)}; accepted: limits by name, as {{"reward": 0.95}}')
    return "[" + ",".join(f"{_quoted(text(what, key))},{number(what, mean)!r}" for key, mean in given.items()) + "]"


def _list(numbers: Sequence[float]) -> str:
    return "[" + ",".join(map(repr, numbers)) + "]"


def _per_action(what: str, given: Any, actions: int, known: Labels, otherwise: float) -> list[float]:
    if isinstance(given, Mapping):
        found = [otherwise] * actions
        for key, share in given.items():
            found[known.id_of(what, key)] = number(what, share)
        return found
    if not isinstance(given, (str, bytes)) and not isinstance(given, Iterable):
        return [number(what, given)] * actions
    numbers = array(what, given)
    if numbers.shape != (actions,):
        raise Error(f"{what}: found shape {numbers.shape}; accepted: one number per action, {actions} in all")
    return [float(x) for x in numbers]
