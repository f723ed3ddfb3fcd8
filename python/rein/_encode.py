"""Contexts and actions of other libraries (None, a value, a sequence, a mapping) as numbers."""

from __future__ import annotations

import zlib
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ._errors import Error
from ._given import array, short
from ._shapes import Floats

_NUMBERS = "one number or a sequence of numbers; for mappings and words set hashed= to the length of the hashed vector"


def numbers(what: str, value: Any, hashed: int = 0) -> Floats:
    """A vector of numbers. If `hashed` is above 0, the value is hashed into that many numbers."""
    if hashed:
        return _hash(what, value, hashed)
    if value is None:
        return np.zeros(0)
    if isinstance(value, (str, Mapping)) or _nested(value):
        raise Error(f"{what}: found {short(value)}; accepted: {_NUMBERS}")
    try:
        found = np.atleast_1d(array(what, value))
    except Error:
        raise Error(f"{what}: found {short(value)}; accepted: {_NUMBERS}") from None
    if found.ndim != 1:
        raise Error(f"{what}: found shape {found.shape}; accepted: {_NUMBERS}")
    return found


def _nested(value: Any) -> bool:
    return isinstance(value, Sequence) and any(isinstance(item, (str, Mapping)) for item in value)


def _hash(what: str, value: Any, size: int) -> Floats:
    """The hashing trick with signs, so that collisions cancel out on average.

    It uses CRC-32 because Python's own hash differs between processes.
    """
    found = np.zeros(size)
    for name, number in _named(what, value, ""):
        code = zlib.crc32(name.encode())
        found[(code >> 1) % size] += number if code & 1 else -number
    return found


def _named(what: str, value: Any, name: str) -> Iterator[tuple[str, float]]:
    """(name, number) of every feature. A word is the feature "name=word" with value 1."""
    if value is None:
        return
    if isinstance(value, str):
        yield f"{name}={value}", 1.0
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _named(what, item, f"{name}.{key}")
    elif isinstance(value, (Sequence, np.ndarray)):
        for place, item in enumerate(value):
            yield from _named(what, item, f"{name}.{place}")
    else:
        try:
            yield name, float(value)
        except (TypeError, ValueError):
            raise Error(f"{what}: found {short(value)}; accepted: {_NUMBERS}") from None


def label(action: Any) -> Hashable:
    """An action as a key: equal actions have equal keys."""
    if isinstance(action, Mapping):
        return frozenset((key, label(item)) for key, item in action.items())
    if isinstance(action, (list, tuple, np.ndarray)):
        return tuple(label(item) for item in action)
    return action if isinstance(action, Hashable) else repr(action)


def one_hot(action: Any) -> int | None:
    """Position of the 1 in a one-hot sequence; None for anything else."""
    if isinstance(action, (str, Mapping)) or not hasattr(action, "__len__") or len(action) < 2:
        return None
    try:
        found = array("action", action)
    except Error:
        return None
    if found.ndim != 1 or np.count_nonzero(found) != 1 or found.max() != 1.0:
        return None
    return int(found.argmax())


def all_one_hot(actions: Sequence[Any]) -> bool:
    """Whether the actions are different unit vectors of one length. Such vectors are names."""
    places = [one_hot(action) for action in actions]
    return None not in places and len(set(places)) == len(places) and len({len(action) for action in actions}) == 1
