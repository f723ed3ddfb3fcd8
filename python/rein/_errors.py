"""Exceptions of rein. Each message says what was found and what is accepted."""

from __future__ import annotations

import importlib
from typing import Any


class Error(ValueError):
    """A spec, a round, an outcome or a file was refused. Nothing has changed.

    Errors of the service have more: its code, the HTTP status, and when to try again.
    """

    code: str = ""
    status: int = 0
    #: the part of what was given that the error is about, such as "context"; None: no single part
    field: str | None = None
    retry_after: float | None = None  # seconds

    def __str__(self) -> str:  # KeyError would show the text in quotes
        return str(self.args[0]) if self.args else ""


class UnknownDecision(Error, KeyError):
    """No decision has this id."""


class ExpiredDecision(Error, KeyError):
    """The decision expired: its reward is no longer accepted."""


class OutcomeConflict(Error):
    """The decision already has a different outcome."""


class TooManyOpen(Error):
    """`most_open` decisions are open, and a hard budget holds money for each. Or a key of a scope is new,
    and each of the `most_keys` others has open decisions or money in an open window.

    Learn their costs, cancel those that cost nothing, let them expire (`expire_after` of rein.EngineOptions,
    and tick()), or allow more.
    """


class BudgetSpent(Error):
    """The hard budget allows no action. Set `safe_action` of rein.HardLimits to play one in this case."""


class Paused(Error):
    """The model, or the key that the decision is for, is paused. Somebody has to resume it."""


class CorruptState(Error):
    """The saved bytes are cut off, changed, or not from rein."""


class UnknownPolicy(Error):
    """The saved bytes are intact, but this version cannot make the policy in them as it was (docs/compatibility.md)."""


class Unreachable(Error, ConnectionError):
    """The service gave no answer in time. Whether it applied the call is not known; send it again."""


class RangeWarning(UserWarning):
    """A cost was above its declared range. It is booked in full, and clipped for learning. Shown once."""


class Bug(RuntimeError):
    """A bug in rein. Please report it."""


def needed(what: str, module: str) -> Any:
    """Imports an optional module."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        package = module.split(".")[0]
        raise ImportError(f"{what} needs {package} here: pip install {package}") from missing
