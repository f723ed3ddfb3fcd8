"""What other budgets would have earned, as tables, plots and text."""

from __future__ import annotations

import os
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _rein
from ._errors import Error, needed
from ._offline import about_log
from ._show import aligned, axes_of, html, write

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class Whatif:
    """Curves of reward against budgets, with bands. Made by rein.whatif; it holds plain values and pickles.

    curves    one dict per budgeted cost, as `rein whatif --json` prints it (docs/whatif.md has the keys)
    points    the points of all curves, each with its `cost`
    grid      rewards over two budgets, if they were asked for; else None
    segments  whom the policy of a budget serves, if that was asked for: one dict per group, as `rein whatif --json`
              prints it under `segments`; else empty. `.whom` has all of that object
    verdict   sentences
    warnings  what to know before using the numbers
    heads     reward, then the costs by name
    refused   rows of the file that could not be used, by reason; empty: none
    workers   with parallel=: "host:pid" -> shards that it summed, over all passes
    """

    def __init__(self, plain: dict[str, Any], text: str, refused: str = "",
                 workers: dict[str, int] | None = None) -> None:
        self._text = text
        self.refused = refused
        self.workers: dict[str, int] = workers or {}
        self.curves: list[dict[str, Any]] = [plain] if plain["kind"] == "whatif" else plain["curves"]
        self.grid: dict[str, Any] | None = plain.get("grid")
        self.whom: dict[str, Any] | None = plain.get("segments")
        self.segments: list[dict[str, Any]] = self.whom["segments"] if self.whom else []
        self.heads: list[str] = self.curves[0]["heads"]
        self.actions: list[str] = self.curves[0]["actions"]
        self.points: list[dict[str, Any]] = [
            {"cost": curve["cost"], **point} for curve in self.curves for point in curve["points"]]
        self.verdict: list[str] = [line for curve in self.curves for line in curve["verdict"]]
        self.warnings: list[str] = list(dict.fromkeys(line for curve in self.curves for line in curve["warnings"]))

    def to_json(self) -> str:
        """What the command line prints with --json, except its command."""
        return self._text

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report page: one HTML file that opens anywhere."""
        write(path, _rein.report_page(self._text))

    def to_pandas(self, *, grid: bool = False, segments: bool = False) -> pandas.DataFrame:
        """One row per curve and budget; with grid=True the rewards over both budgets, with segments=True the groups."""
        make = needed("a table", "pandas")
        table: pandas.DataFrame
        if segments:
            table = make.DataFrame([self._group(each) for each in self.segments])
            return table
        if grid:
            found = self._grid()
            table = make.DataFrame(_rewards(found, self.heads[0]),
                                   index=make.Index(found["limits"], name=found["other"]),
                                   columns=make.Index(found["budgets"], name=found["cost"]))
            return table
        table = make.DataFrame([self._row(curve, k) for curve in self.curves for k in range(len(curve["points"]))])
        return table

    def _row(self, curve: dict[str, Any], k: int) -> dict[str, Any]:
        point, fixed = curve["points"][k], curve["fixed_mix"][k]
        row: dict[str, Any] = {"cost": curve["cost"], "budget": point["budget"], "possible": point["possible"],
                               "binding": point.get("binding"), "price": point.get("price", np.nan)}
        for head in self.heads:
            value = point["values"][head] if point["possible"] else {}
            row[head] = _number(value.get("value"))
            row |= {f"{head}_{end}": _number(value.get(end)) for end in ("low", "high", "band_low", "band_high")}
            if curve["lambda"] > 0:
                band = point.get("sensitivity", {}).get(head, {})
                row |= {f"{head}_sensitivity_{end}": _number(band.get(end)) for end in ("low", "high")}
        row["fixed_mix"] = fixed["values"][self.heads[0]]["value"] if fixed["possible"] else np.nan
        row["effective_size"] = point.get("effective_size", np.nan)
        row["expected_size"] = point.get("expected_size", np.nan)
        shares = point.get("shares", {})
        return row | {f"share_{action}": _number(shares.get(action)) for action in self.actions}

    def _group(self, each: dict[str, Any]) -> dict[str, Any]:
        """A group as a row: what it gets, what that earns and spends, and the reward beside the cheapest action's."""
        row: dict[str, Any] = {"who": each["words"], "rows": each["rows"], "share": each["share"], "gets": each["action"]}
        gain = each["gain"][self.heads[0]]
        row |= {f"gain{end}": _number(gain[key]) for end, key in (("", "value"), ("_low", "low"), ("_high", "high"))}
        for head, value in each["values"].items():
            row |= {head: _number(value["value"]), f"{head}_low": _number(value["low"]),
                    f"{head}_high": _number(value["high"])}
        return row | {f"share_{action}": share for action, share in each["actions"].items()}

    # -- plots

    def plot(self, ax: Axes | None = None, *, cost: str | None = None) -> Axes:
        """Plots reward against the budget: joint 95 % band, best fixed mix, and the log. `cost`: of which curve.

        Dotted lines: the ends of the sensitivity bands, if there are any.
        """
        axes, curve = axes_of(ax), self._curve(cost)
        reward, points = self.heads[0], [p for p in curve["points"] if p["possible"]]
        x = [p["budget"] for p in points]
        line = axes.plot(x, [p["values"][reward]["value"] for p in points], marker="o", markersize=3,
                         label="priced policies")[0]
        low, high = ([_number(p["values"][reward][end]) for p in points] for end in ("band_low", "band_high"))
        axes.fill_between(x, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        if curve["lambda"] > 0:
            _plot_sensitivity(axes, curve, points, line.get_color())
        mixes = [p for p in curve["fixed_mix"] if p["possible"]]
        axes.plot([p["budget"] for p in mixes], [p["values"][reward]["value"] for p in mixes], linestyle="--",
                  label="best fixed mix")
        logged = curve["logged"]["values"]
        axes.errorbar(logged[curve["cost"]]["value"], logged[reward]["value"], xerr=_half(logged[curve["cost"]]),
                      yerr=_half(logged[reward]), fmt="D", color="black", capsize=3, label="the log")
        axes.set(xlabel=f"{curve['cost']} per round", ylabel=f"{reward} per round")
        axes.legend()
        return axes

    def plot_grid(self, ax: Axes | None = None) -> Axes:
        """Plots the reward over both budgets, with contours. Empty cells cannot be met."""
        axes, found = axes_of(ax), self._grid()
        values = np.ma.masked_invalid(_rewards(found, self.heads[0]))
        drawn = axes.pcolormesh(found["budgets"], found["limits"], values, shading="nearest")
        axes.figure.colorbar(drawn, ax=axes, label=f"{self.heads[0]} per round")
        if min(values.shape) > 1 and values.count() > 3 and values.max() > values.min():
            lines = axes.contour(found["budgets"], found["limits"], values, colors="black", linewidths=0.8)
            axes.clabel(lines, fontsize=7)
        axes.set(xlabel=f"{found['cost']} per round", ylabel=f"{found['other']} per round")
        return axes

    def _curve(self, cost: str | None) -> dict[str, Any]:
        costs = [curve["cost"] for curve in self.curves]
        if cost is not None and cost not in costs:
            raise Error(f"cost: found {cost!r}; accepted: {costs}")
        return self.curves[0 if cost is None else costs.index(cost)]

    def _grid(self) -> dict[str, Any]:
        if self.grid is None:
            raise Error("grid: there is none; accepted: rein.whatif(..., grid=True) with budgets of two costs")
        return self.grid

    # -- text

    def _table(self, curve: dict[str, Any]) -> list[list[str]]:
        reward, *costs = self.heads
        rows = [[f"budget {curve['cost']}", "reward [joint band]", "price", *costs, "fixed mix", "effective size"]]
        for point, mix in zip(curve["points"], curve["fixed_mix"]):
            row = [f"{point['budget']:.4g}"]
            if not point["possible"]:
                rows.append([*row, "cannot be met", *[""] * (len(costs) + 3)])
                continue
            values = point["values"]
            rows.append([*row, _band(values[reward]), f"{point['price']:.4g}",
                         *(f"{values[cost]['value']:.4g}" for cost in costs),
                         f"{mix['values'][reward]['value']:.4g}" if mix["possible"] else "",
                         f"{point['effective_size']:.0f}"])
        return rows

    def _groups(self) -> list[list[str]]:
        if self.whom is None:
            return []
        reward, cost = self.heads[0], self.whom["cost"]
        rows = [["who", "share", "gets", f"{reward} more than {self.whom['cheapest']}", cost]]
        for each in [*self.segments, self.whom["all"]]:
            most = sorted(each["actions"].items(), key=lambda pair: -pair[1])[:3]
            gets = ", ".join(f"{action} {100 * share:.0f} %" for action, share in most if share >= 0.005)
            rows.append([each["words"], f"{100 * each['share']:.1f} %", gets, _alone(each["gain"][reward]),
                         _alone(each["values"][cost])])
        return rows

    def __repr__(self) -> str:
        tables = [aligned(self._table(curve)) for curve in self.curves]
        about = about_log(self.curves[0]["adaptive"], self.refused)
        groups = [aligned(self._groups())] if self.whom else []
        lines = [*self.warnings, *(self.whom["warnings"] if self.whom else [])]
        return "\n".join([*tables, *self.verdict, *groups, *about, *(f"warning: {line}" for line in lines)])

    def _repr_html_(self) -> str:
        def lines(texts: list[str], before: str = "") -> str:
            return "".join(f"<p>{before}{escape(text)}</p>" for text in texts)

        return (lines(self.verdict) + lines(about_log(self.curves[0]["adaptive"], self.refused))
                + lines(self.warnings, "<b>warning:</b> ")
                + "".join(html(self._table(curve)) for curve in self.curves)
                + (html(self._groups()) + lines(self.whom["warnings"], "<b>warning:</b> ") if self.whom else ""))


def _number(value: float | None) -> float:
    return np.nan if value is None else value


def _half(value: dict[str, Any]) -> float | None:
    return None if value["low"] is None else (value["high"] - value["low"]) / 2


def _band(value: dict[str, Any]) -> str:
    ends = "no band" if value["band_low"] is None else f"{value['band_low']:.4g}, {value['band_high']:.4g}"
    return f"{value['value']:.4g} [{ends}]"


def _alone(value: dict[str, Any]) -> str:
    """With the interval that holds alone."""
    ends = "" if value["low"] is None else f" [{value['low']:.4g}, {value['high']:.4g}]"
    return f"{_number(value['value']):.4g}{ends}"


def _plot_sensitivity(axes: Axes, curve: dict[str, Any], points: list[dict[str, Any]], colour: Any) -> None:
    label: str | None = f"odds wrong by up to {curve['lambda']:.4g}"
    for end in ("low", "high"):
        bands = [p.get("sensitivity", {}).get(curve["heads"][0], {}) for p in points]
        axes.plot([p["budget"] for p in points], [_number(band.get(end)) for band in bands], color=colour, linewidth=1,
                  linestyle=":", label=label)
        label = None


def _rewards(grid: dict[str, Any], reward: str) -> Any:
    """Limits x budgets; NaN: cannot be met."""
    return np.array([[point["values"][reward]["value"] if point["possible"] else np.nan for point in row["points"]]
                     for row in grid["rows"]], dtype=float)
