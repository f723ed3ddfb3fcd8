"""What is wanted of a policy besides its spec: a goal, shares, a control group, a baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _rein
from ._actions import Labels
from ._errors import Error
from ._given import array, number, short, text, whole

PerAction: TypeAlias = float | Sequence[float] | Mapping[Any, float] | npt.NDArray[Any]


def wanted(spec: str, shape: _rein.Shape, known: Labels, *, least: Any = None, most: Any = None, holdout: Any = 0.0,
           control: Any = None, minimize: Any = None, maximize: Any = None, at_least: Any = None,
           at_most: Any = None, forget: Any = None, baseline: Any = None) -> str:
    """The spec with what was wanted as its options."""
    more = []
    if forget is not None:
        more.append(("oracle", _memory(forget)))
    for key, given in (("minimize", minimize), ("maximize", maximize)):
        if given is not None:
            more.append((key, _quoted(text(key, given))))
    for key, given in (("at_least", at_least), ("at_most", at_most)):
        if given is not None:
            more.append((key, _limits(key, given)))
    for key, given, otherwise in (("least", least, 0.0), ("most", most, 1.0)):
        if given is not None:
            more.append((key, _list(_per_action(key, given, shape.actions, known, otherwise))))
    if (share := number("holdout", holdout)) != 0.0:
        more.append(("holdout", repr(share)))
    if control is not None:
        more.append(("control", str(whole("control", control, 31))))
    if baseline is not None:
        more.append(("baseline", _baseline(baseline, shape.actions, known)))
    return _rein.spec_with(spec, more) if more else spec


def check_budget(engine: _rein.Engine) -> None:
    """Refuses a budget for a policy that ignores costs."""
    if engine.state()["setting"] is None and not engine.spec().startswith("stop("):
        raise Error(f"budget: {engine.spec()} ignores costs, and a budget would have no effect; accepted: ccb, or "
                    "another policy that prices costs, or hard_budget=")


def _baseline(given: Any, actions: int, known: Labels) -> str:
    if isinstance(given, Mapping) or np.ndim(given) > 0:
        return _list(_per_action("baseline", given, actions, known, 0.0))
    return str(known.id_of("baseline", given))


def _memory(forget: Any) -> str:
    """The oracle that forgets as wanted."""
    if isinstance(forget, bool):
        return "vaw(memory=auto)" if forget else "vaw(memory=0)"
    outcomes = 0.0 if isinstance(forget, (str, bytes)) else number("forget", forget)
    if not outcomes > 1:
        raise Error(f"forget: found {short(forget)}; accepted: True, False, or how many outcomes to remember")
    return f"vaw(memory={outcomes!r})"


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
