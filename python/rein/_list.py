"""rein.list: the names that specs can use, as `rein list` prints them."""

from __future__ import annotations

import builtins
from html import escape
from typing import NamedTuple

from . import _rein
from ._errors import Error

_KINDS = ("policies", "oracles", "pricers", "gains", "explorers", "worlds")


class Entry(NamedTuple):
    """One name that specs can use."""

    kind: str  #: policies, oracles, pricers, gains, explorers or worlds
    name: str
    line: str  #: description in one line
    options: str  #: its options, with defaults


class Catalog(builtins.list[Entry]):
    """A list of `Entry` that prints as a table."""

    def __repr__(self) -> str:
        return "\n".join(f"{e.kind:<10} {e.name:<18} {e.line}" for e in self)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{e.kind}</td><td><code>{e.name}</code></td><td>{escape(e.line)}</td>"
                       f"<td><code>{escape(e.options)}</code></td></tr>" for e in self)
        return f"<table><tr><th>kind<th>name<th>what it is<th>options</tr>{rows}</table>"


def list(what: str | None = None) -> Catalog:  # the name of the command
    """All names that specs can use, one kind (`rein.list("worlds")`), or one name (`rein.list("ccb")`)."""
    every = Catalog(Entry(kind, e.name, e.line, e.options)
                    for kind in _KINDS for e in getattr(_rein, kind)())
    found = Catalog(e for e in every if what is None or what in (e.kind, e.name))
    if not found:
        raise Error(f'list: nothing is called "{what}"; accepted: a name that rein.list() shows, or '
                    + ", ".join(_KINDS))
    return found
