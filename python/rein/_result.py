"""Result of a run, as tables, plots and text."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING, Any

from . import _paper, _rein
from ._errors import Error, needed
from ._show import aligned, axes_of, band, half, html, shown, write

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Result:
    """The result of a run. It holds plain values, so it can be pickled.

    costs, budgets     names of the costs; total budgets, if the world has budgets
    policies           specs of the policies
    summary            the object of docs/json.md: means over seeds with 95 % intervals
    totals             one dict per policy and seed, with the columns of --csv; NaN: not measured
    to_json, to_csv    what the command line prints, except its command and measured CPU time
    workers            number of plays per worker, as {"host:pid": plays}; empty without parallel=

    docs/metrics.md defines the figures.
    """

    def __init__(self, plain: dict[str, Any]) -> None:
        self._plain = plain
        self.summary: dict[str, Any] = plain["summary"]
        self.totals: list[dict[str, Any]] = plain["totals"]
        self.costs: list[str] = self.summary["costs"]
        self.budgets: list[float] = self.summary["budgets"]
        self.workers: dict[str, int] = plain.get("workers", {})
        self._rows = list(range(len(plain["curves"])))  # the settings whose curves are shown
        self.policies: list[str] = [spec for spec, _ in plain["curves"]]

    def to_json(self) -> str:
        """What the command line prints with --json."""
        return str(self._plain["json"])

    def to_csv(self) -> str:
        """What the command line prints with --csv."""
        return str(self._plain["csv"])

    def to_pandas(self, *, curves: bool = False) -> pandas.DataFrame:
        """Totals with one row per policy and seed; with curves=True one row per point of the curves."""
        make = needed("a table", "pandas")
        table: pandas.DataFrame
        if not curves:
            table = make.DataFrame(self.totals)
            return table
        frames = []
        first = self.totals[0]["seed"]
        for spec, seeds in self._curves():
            for i, curve in enumerate(seeds):
                columns = {"policy": spec, "seed": first + i, "round": curve["rounds"]}
                columns |= {key: curve[key] for key in ("reward", "regret", "explored")}
                for key in ("ccv", "price"):
                    columns |= {f"{key} {cost}": row for cost, row in zip(self.costs, curve[key])}
                frames.append(make.DataFrame(columns))
        table = make.concat(frames, ignore_index=True)
        return table

    def _curves(self) -> list[tuple[str, list[dict[str, Any]]]]:
        found: list[tuple[str, list[dict[str, Any]]]] = self._plain["curves"]
        if not any(seeds for _, seeds in found):
            raise Error("result: it has no curves; accepted: a run with curve_points of at least 1")
        return [found[row] for row in self._rows]

    # -- plots

    def plot_regret(self, ax: Axes | None = None) -> Axes:
        """Plots cumulative regret over the rounds: mean over seeds with its 95 % interval."""
        axes = axes_of(ax)
        for spec, seeds in self._curves():
            band(axes, spec, seeds[0]["rounds"], [curve["regret"] for curve in seeds])
        axes.set(xlabel="round", ylabel="regret so far", title=self.summary["world"])
        axes.legend()
        return axes

    def plot_spend(self, ax: Axes | None = None, *, cost: str | None = None) -> Axes:
        """Plots the cumulative cost over the rounds, and its budget. `cost` is a name; default: the first."""
        axes = axes_of(ax)
        index = self._cost(cost)
        for spec, seeds in self._curves():
            band(axes, spec, seeds[0]["rounds"], [curve["ccv"][index] for curve in seeds])
        allowed = self.budgets[index] if self.budgets else 0.0
        axes.axhline(allowed, color="black", linestyle=":", label="allowed")
        axes.set(xlabel="round", ylabel=f"{self.costs[index]} so far", title=self.summary["world"])
        axes.legend()
        return axes

    def plot(self, path: str | os.PathLike[str] | None = None, *, columns: int = 1) -> Figure:
        """A figure for a paper: regret, and each cost with its budget, over the rounds, with 95 % intervals.

        path     where to save it: .pdf, .svg or .png; None: not saved
        columns  1 or 2: the width of one column or of two

        Axes are logarithmic where all values are positive. Legends are inside.
        """
        curves = self._curves()
        figure, panels = _paper.figure(1 + len(self.costs), columns)
        _paper.draw_curves(panels[0], curves, "regret", None, "regret", None)
        for i, name in enumerate(self.costs):
            allowed = self.budgets[i] if self.budgets else None
            _paper.draw_curves(panels[1 + i], curves, "ccv", i, f"{name} so far", allowed)
        return _paper.finish(figure, path)

    def plot_pareto(self, ax: Axes | None = None, *, cost: str | None = None) -> Axes:
        """Plots total reward against one total cost: one point per policy, with 95 % intervals."""
        axes = axes_of(ax)
        index = self._cost(cost)
        for policy in self.summary["policies"]:
            x, y = policy["spend"][index], policy["reward"]
            axes.errorbar(x["mean"], y["mean"], xerr=half(x), yerr=half(y), fmt="o", capsize=3,
                          label=policy["spec"])
        if self.budgets:
            axes.axvline(self.budgets[index], color="black", linestyle=":", label="allowed")
        axes.set(xlabel=f"total {self.costs[index]}", ylabel="total reward", title=self.summary["world"])
        axes.legend()
        return axes

    def _cost(self, name: str | None) -> int:
        if not self.costs or (name is not None and name not in self.costs):
            raise Error(f"cost: found {name!r}; accepted: {self.costs}")
        return 0 if name is None else self.costs.index(name)

    # -- text

    def _limited(self, cost: int) -> str:
        """The heading of a cost, as the command line has it: what was spent, and what was allowed."""
        words, allowed = ("spend", self.budgets[cost]) if self.budgets else ("CCV", 0.0)
        return f"{words} {self.costs[cost]} (at most {allowed:.6g})"

    def _table(self) -> list[list[str]]:
        header = ["policy", "reward", "regret", "long-term"]
        header += [self._limited(i) for i in range(len(self.costs))] + ["explored", "oracle error"]
        rows = []
        for p in self.summary["policies"]:
            figures = [p["reward"], p["regret"], p["regret_long_term"], *p["ccv"]]
            explored = f"{100 * p['explored']['mean']:.0f} %"
            rows.append([p["spec"], *map(shown, figures), explored, shown(p["oracle_error"])])
        return [header, *rows]

    def __repr__(self) -> str:
        s = self.summary
        return f"world {s['world']}, {s['rounds']} rounds, {s['seeds']['count']} seeds\n" + aligned(self._table())

    def _repr_html_(self) -> str:
        s = self.summary
        return (f"<p>world <code>{escape(s['world'])}</code>, {s['rounds']} rounds, {s['seeds']['count']} seeds: "
                f"mean ± half of the 95 % interval</p>{html(self._table())}")


class Comparison(Result):
    """The result of a comparison: a Result with rows and paired differences.

    Each policy is a row, and so is the best setting of its grid.

    summary   the object of docs/json.md, with one policy per row; the report page is made from it
    rows      one dict per row: spec, given (the spec you asked for), tried (number of settings),
              best (whether it is the best of a grid)
    pairs     one dict per pair: specs a and b, and figures of a minus b, paired by seed
    restored  number of plays read from the file of resume=
    """

    def __init__(self, plain: dict[str, Any]) -> None:
        super().__init__(plain)
        self._rows = [row[0] for row in plain["rows"]]
        self.restored: int = plain["restored"]
        self.rows: list[dict[str, Any]] = [
            {"spec": self.policies[run], "given": given, "tried": tried, "best": best}
            for run, given, tried, best in plain["rows"]]
        self.pairs: list[dict[str, Any]] = [
            pair | {"a": self.rows[pair["a"]]["spec"], "b": self.rows[pair["b"]]["spec"]}
            for pair in self.summary["pairs"]]

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report page: one HTML file that opens anywhere."""
        write(path, _rein.report_page(self.to_json()))
