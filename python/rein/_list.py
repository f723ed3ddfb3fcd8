"""rein.list: the names that specs can use, as `rein list` prints them."""

from __future__ import annotations

import builtins
from html import escape
from typing import NamedTuple

from . import _rein
from ._errors import Error

_KINDS = ("policies", "oracles", "pricers", "gains", "explorers", "worlds")


class Option(NamedTuple):
    """One option of a spec, such as `tuning=auto`."""

    key: str
    default: str | None  #: as a spec writes it; None: none, or derived from the problem
    choices: tuple[str, ...]  #: the words that it takes; empty: any value
    line: str  #: what it does, in one line


class Entry(NamedTuple):
    """One thing that a spec can name."""

    kind: str  #: policies, oracles, pricers, gains, explorers or worlds
    name: str
    line: str  #: what it is, in one line
    options: tuple[Option, ...]  #: sorted by key


class Catalog(builtins.list[Entry]):
    """A list of `Entry` that prints as a table; with all options where it holds a single name."""

    def __repr__(self) -> str:
        lines = []
        for entry in self:
            lines.append(f"{entry.kind:<10} {entry.name:<18} {entry.line}")
            if self._one_name():
                lines += _option_lines(entry.options)
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{e.kind}</td><td><code>{e.name}</code></td><td>{escape(e.line)}</td></tr>"
                       for e in self)
        table = f"<table><tr><th>kind<th>name<th>what it is</tr>{rows}</table>"
        return table + ("".join(_option_html(e.options) for e in self) if self._one_name() else "")

    def _one_name(self) -> bool:
        return len({entry.name for entry in self}) == 1


def _entry(kind: str, entry: _rein.Entry) -> Entry:
    options = tuple(Option(o.key, o.default, tuple(o.choices), o.line) for o in entry.options)
    return Entry(kind, entry.name, entry.line, options)


def _option_lines(options: tuple[Option, ...]) -> builtins.list[str]:
    """One row per option; its choices, where it has some, on the line below."""
    if not options:
        return ["  no options"]
    keys = max(6, *(len(o.key) for o in options))
    defaults = max(7, *(len(o.default or "-") for o in options))
    lines = [f"  {'option':<{keys}}  {'default':<{defaults}}  meaning"]
    for o in options:
        lines.append(f"  {o.key:<{keys}}  {o.default or '-':<{defaults}}  {o.line}")
        if o.choices:
            lines.append(f"  {'':<{keys}}  {'':<{defaults}}  choices: {', '.join(o.choices)}")
    return lines


def _option_html(options: tuple[Option, ...]) -> str:
    rows = "".join(f"<tr><td><code>{o.key}</code></td><td><code>{escape(o.default or '-')}</code></td>"
                   f"<td>{', '.join(f'<code>{choice}</code>' for choice in o.choices)}</td>"
                   f"<td>{escape(o.line)}</td></tr>" for o in options)
    return f"<table><tr><th>option<th>default<th>choices<th>meaning</tr>{rows}</table>" if rows else ""


def list(what: str | None = None) -> Catalog:  # the command line's word
    """All that specs can name, or one kind (`rein.list("worlds")`), or one name (`rein.list("ccb")`).

    One name prints with its options: defaults, choices and meaning.
    """
    every = Catalog(_entry(kind, e) for kind in _KINDS for e in getattr(_rein, kind)())
    found = Catalog(e for e in every if what is None or what in (e.kind, e.name))
    if not found:
        raise Error(f'list: nothing is called "{what}"; accepted: a name that rein.list() shows, or '
                    + ", ".join(_KINDS))
    return found
