"""Formats figures as text, tables and plots."""

from __future__ import annotations

import os
from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _rein
from ._errors import needed
from ._files import write_whole
from ._shapes import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def write(path: str | os.PathLike[str], text: str) -> None:
    write_whole("report", path, text.encode("utf-8"))


def aligned(rows: list[list[str]]) -> str:
    width = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, width)).rstrip() for row in rows)


def html(rows: list[list[str]]) -> str:
    def line(tag: str, row: list[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in row) + "</tr>"

    return "<table>" + line("th", rows[0]) + "".join(line("td", row) for row in rows[1:]) + "</table>"


def shown(figure: dict[str, Any] | None) -> str:
    if figure is None or figure["mean"] is None:
        return "-"
    spread = half(figure)
    return f"{figure['mean']:.5g}" + ("" if spread is None else f" ± {spread:.3g}")


def half(figure: dict[str, Any]) -> float | None:
    return None if figure["low"] is None else (figure["high"] - figure["low"]) / 2


def axes_of(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    made: Axes = needed("a plot", "matplotlib.pyplot").subplots()[1]
    return made


def band(axes: Axes, label: str, x: Any, curves: Iterable[Floats]) -> None:
    points = np.array([_rein.figure(list(column)) for column in np.array(list(curves)).T])
    line = axes.plot(x, points[:, 0], label=label)[0]
    if np.isfinite(points).all():
        axes.fill_between(x, points[:, 1], points[:, 2], color=line.get_color(), alpha=0.2, linewidth=0)
