"""Verification of the theorem, as tables, plots and text."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _paper, _rein
from ._errors import Error, needed
from ._show import aligned, axes_of, half, html, shown, write

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_NONE: dict[str, Any] = {"mean": None, "low": None, "high": None}  # a figure that does not exist


class Verification:
    """Measurements against the theorem.

    passed   no exponent and no mean exceeds what the theorem states
    rows     one dict per quantity, policy and world (docs/json.md)
    summary  the object of docs/json.md
    """

    def __init__(self, summary: dict[str, Any], text: str, passed: bool) -> None:
        self.summary = summary
        self._text = text
        self.passed = passed
        self.rows: list[dict[str, Any]] = summary["verify"]["rows"]

    def to_json(self) -> str:
        """The object of `rein verify --json`."""
        return self._text

    def to_pandas(self) -> pandas.DataFrame:
        """One row per quantity and number of rounds."""
        same = ("part", "setting", "world", "policy", "quantity", "theorem", "pass")
        rows = []
        for row in self.rows:
            for i, horizon in enumerate(row["horizons"]):
                exponent = {f"exponent_{end}": value for end, value in (row["exponent"] or _NONE).items()}
                rows.append({key: row[key] for key in same} | exponent | {"horizon": horizon}
                            | (row["measured"][i] or _NONE) | {"bound": row["bounds"][i] if row["bounds"] else None})
        table: pandas.DataFrame = needed("a table", "pandas").DataFrame(rows)
        return table

    def plot_regret(self, ax: Axes | None = None) -> Axes:
        """Plots regret over the number of rounds with 95 % intervals; dotted: the bound."""
        return self._plot("regret", ax)

    def plot_spend(self, ax: Axes | None = None) -> Axes:
        """Plots the cumulative constraint violation in the same way."""
        return self._plot("ccv", ax)

    def _plot(self, quantity: str, ax: Axes | None) -> Axes:
        rows = [row for row in self.rows if row["quantity"] == quantity]
        if not rows:
            accepted = sorted({row["quantity"] for row in self.rows})
            raise Error(f"plot: {quantity} was not measured; accepted: {accepted}")
        axes = axes_of(ax)
        for row in rows:
            means = [figure["mean"] if figure else float("nan") for figure in row["measured"]]
            halves = [half(figure or _NONE) or 0.0 for figure in row["measured"]]
            line = axes.errorbar(row["horizons"], means, yerr=halves,
                                 marker="o", capsize=3, label=f"({row['part']}) {row['policy']} on {row['world']}")[0]
            if row["bounds"]:
                axes.plot(row["horizons"], row["bounds"], linestyle=":", color=line.get_color())
        axes.set_xscale("log", base=2)
        axes.set_yscale("symlog")  # some are below 0
        axes.set(xlabel="horizon", ylabel=quantity)
        axes.legend(fontsize="xx-small")
        return axes

    def plot(self, path: str | os.PathLike[str] | None = None, *, columns: int = 1, part: str | None = None) -> Figure:
        """A figure for a paper: growth in T on logarithmic axes, with intervals and the theorem's slope.

        path     where to save it: .pdf, .svg or .png; None: not saved
        columns  1 or 2: the width of one column or of two
        part     a letter: only this part of the theorem

        One panel for regret and one for the violation. Quantities that are not positive are left out.
        """
        rows = [row for row in self.rows if part in (None, row["part"])]
        found = [name for name in ("regret", "ccv") if any(row["quantity"] == name for row in rows)]
        if not found:
            raise Error(f"plot: part {part!r} was not measured; accepted: {sorted({row['part'] for row in self.rows})}")
        figure, panels = _paper.figure(len(found), columns)
        for name, axes in zip(found, panels):
            _paper.draw_growth(axes, [row for row in rows if row["quantity"] == name], name)
        return _paper.finish(figure, path)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report page: one HTML file that opens anywhere."""
        write(path, _rein.report_page(self._text))

    def _lines(self) -> list[list[str]]:
        head = ["part", "quantity", "policy", "world", "exponent", "theorem", "verdict"]
        return [head] + [
            [row["part"], row["quantity"], row["policy"], row["world"], shown(row["exponent"]),
             "-" if row["theorem"] is None else f"{row['theorem']:.2f}", "pass" if row["pass"] else "FAIL"]
            for row in self.rows]

    def __repr__(self) -> str:
        return aligned(self._lines())

    def _repr_html_(self) -> str:
        return html(self._lines())
