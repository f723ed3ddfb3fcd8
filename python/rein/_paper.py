"""Figures for a paper: the width of one column or two, legends inside, PDF or SVG by the name of the file."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

from ._errors import Error, needed
from ._show import band

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_WIDTHS = {1: 3.35, 2: 6.9}  # inches: one column and two of the usual two-column styles
_HEIGHT = 2.4  # of one panel
_NAMED = 7  # lines in a legend; more would cover the panel
_STYLE = {"font.size": 8, "axes.titlesize": 8, "legend.fontsize": 6.5, "lines.linewidth": 1.2, "svg.fonttype": "none",
          "pdf.fonttype": 42}  # letters stay letters, as publishers ask


def figure(panels: int, columns: int) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels: below each other in one column, side by side in two."""
    if columns not in _WIDTHS:
        raise Error(f"columns: found {columns!r}; accepted: 1 or 2, the columns of a page")
    plt = needed("a plot", "matplotlib.pyplot")
    across = 1 if columns == 1 or panels == 1 else 2
    down = math.ceil(panels / across)
    with plt.rc_context(_STYLE):
        made, axes = plt.subplots(down, across, figsize=(_WIDTHS[columns], _HEIGHT * down), squeeze=False,
                                  layout="constrained")
    flat = list(axes.flat)
    for empty in flat[panels:]:
        empty.set_visible(False)
    return made, flat[:panels]


def finish(made: Figure, path: str | os.PathLike[str] | None) -> Figure:
    """Saves the figure, if a path is given, in the format of its name."""
    if path is not None:
        name = os.fspath(path)
        if not name.endswith((".pdf", ".svg", ".png")):
            raise Error(f"plot: found the path {name!r}; accepted: a name that ends in .pdf, .svg or .png")
        with needed("a plot", "matplotlib").rc_context(_STYLE):
            made.savefig(path, dpi=300)
    return made


def _legend(axes: Axes) -> None:
    """Inside, and no larger than the panel: the first lines are named."""
    handles, labels = axes.get_legend_handles_labels()
    legend = axes.legend(handles[:_NAMED], labels[:_NAMED], loc="best", frameon=False, fontsize=6, handlelength=1.6,
                         labelspacing=0.25)
    legend.set_in_layout(False)


def short_policy(spec: str) -> str:
    """A policy without its options, for a legend."""
    return spec.partition("(")[0] if len(spec) > 28 else spec


def draw_growth(axes: Axes, rows: list[dict[str, Any]], quantity: str) -> None:
    """Measured growth in T on two logarithmic axes, with intervals, and a line of the theorem's slope."""
    shown = 0
    for row in rows:
        points = [(t, each) for t, each in zip(row["horizons"], row["measured"]) if each and each["mean"] > 0]
        if len(points) < 2:
            continue  # not positive: there is no growth to show
        x, y = [t for t, _ in points], [each["mean"] for _, each in points]
        # A low end at 0 or below has no place on a logarithmic axis: the bar ends at a quarter of the mean.
        below = [each["mean"] - max(each["low"] or each["mean"], each["mean"] / 4) for _, each in points]
        above = [(each["high"] or each["mean"]) - each["mean"] for _, each in points]
        exponent = row["exponent"]["mean"] if row["exponent"] else float("nan")
        world = row["world"].partition("(")[0]
        line = axes.errorbar(x, y, yerr=[below, above], marker="o", markersize=2.5, capsize=1.5, linewidth=1,
                             label=f"{short_policy(row['policy'])}, {world}: $T^{{{exponent:.2f}}}$")[0]
        shown += 1
        if row["theorem"] is not None:
            slope = [y[-1] * (t / x[-1]) ** row["theorem"] for t in x]
            axes.plot(x, slope, linestyle="--", linewidth=0.8, color=line.get_color(),
                      label="slope of the theorem" if shown == 1 else "_")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set(xlabel="rounds $T$", ylabel=quantity)
    if shown:
        _legend(axes)
    else:
        axes.text(0.5, 0.5, "not positive", ha="center", transform=axes.transAxes)


def draw_curves(axes: Axes, curves: list[tuple[str, list[dict[str, Any]]]], key: str, index: int | None, label: str,
                allowed: float | None) -> None:
    """A total over the rounds with its interval; on two logarithmic axes where it is positive."""
    lowest = math.inf
    for spec, seeds in curves:
        values = [curve[key] if index is None else curve[key][index] for curve in seeds]
        band(axes, short_policy(spec), seeds[0]["rounds"], values)
        lowest = min(lowest, *(min(each) for each in values))
    if allowed:
        axes.axhline(allowed, color="black", linestyle=":", linewidth=0.8, label="budget")
    if lowest > 0:
        axes.set_xscale("log")
        axes.set_yscale("log")
    axes.set(xlabel="round", ylabel=label)
    _legend(axes)
