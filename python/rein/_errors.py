"""What rein raises. Every message says what was found and what is accepted; nothing has changed."""

from __future__ import annotations

import importlib
from typing import Any


class Error(ValueError):
    """Something was refused: a spec, a round, an outcome, a file. Nothing has changed."""

    def __str__(self) -> str:  # not KeyError's, which shows a quoted text
        return str(self.args[0]) if self.args else ""


class UnknownDecision(Error, KeyError):
    """No decision ever had this id."""


class ExpiredDecision(Error, KeyError):
    """The decision expired, or has been over for so long that it is forgotten (`remember=`)."""


class OutcomeConflict(Error):
    """The decision already has another outcome."""


class TooManyOpen(Error):
    """As many decisions are open as may be (`most_open=`): learn some, or let them expire."""


class BudgetSpent(Error):
    """The hard budget leaves no action; a `safe_action=` would be played."""


class CorruptState(Error):
    """Saved bytes that were cut, changed, or made by something else."""


class Bug(RuntimeError):
    """rein broke a promise of its own. Please report it."""


def needed(what: str, module: str) -> Any:
    """A module that not everybody has."""
    try:
        return importlib.import_module(module)
    except ImportError as missing:
        package = module.split(".")[0]
        raise ImportError(f"{what} needs {package} here: pip install {package}") from missing
