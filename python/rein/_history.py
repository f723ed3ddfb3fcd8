"""What an agent did over time: agent.history, agent.plot() and the page in a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._errors import needed
from ._shapes import Floats

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

    from ._agent import Agent


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """Totals at up to 256 decisions, evenly apart, and now. Older points are thinned out."""

    decided: npt.NDArray[np.int64]  #: decisions made
    learned: npt.NDArray[np.int64]  #: rounds learned
    now: npt.NDArray[np.int64]  #: the logical clock
    reward: Floats  #: total of the rewards learned
    spent: dict[str, Floats]  #: total of each cost that was reported
    allowed: dict[str, Floats]  #: what the budgets allowed by then; {} without budgets
    price: dict[str, Floats]  #: reward that one unit of each cost had to bring; {} without prices
    plays: dict[Any, npt.NDArray[np.int64]]  #: how often each action was chosen; {} with more than 64

    def __len__(self) -> int:
        return len(self.decided)

    def __repr__(self) -> str:
        return f"<rein.History: {len(self)} points over {self.decided[-1]} decisions>"

    def to_pandas(self) -> pandas.DataFrame:
        """One row per point."""
        columns: dict[str, Any] = {key: getattr(self, key) for key in ("decided", "learned", "now", "reward")}
        for word in ("spent", "allowed", "price", "plays"):
            columns |= {f"{word} {name}": values for name, values in getattr(self, word).items()}
        return needed("a table", "pandas").DataFrame(columns)

    def shares(self) -> dict[Any, Floats]:
        """Share of each action among the decisions since the point before."""
        made = np.maximum(np.diff(self.decided, prepend=0), 1)
        return {action: np.diff(count, prepend=0) / made for action, count in self.plays.items()}


def read_history(found: Sequence[tuple[Any, ...]], names: Sequence[str], labels: Sequence[Any]) -> History:
    decided, learned, now, reward, spent, allowed, price, plays = zip(*found)

    def columns(rows: Sequence[Sequence[float]], keys: Sequence[Any], kind: Any) -> dict[Any, npt.NDArray[Any]]:
        width = len(rows[-1])
        return {key: np.array([row[i] if i < len(row) else np.nan for row in rows], kind)
                for i, key in enumerate(keys[:width])}

    return History(np.array(decided), np.array(learned), np.array(now), np.array(reward),
                   columns(spent, names, float), columns(allowed, names, float), columns(price, names, float),
                   columns(plays, labels, np.int64))


def plot(agent: Agent) -> Figure:
    """Spent against allowed, prices, shares of actions, and the reward, one panel each."""
    pyplot = needed("plots", "matplotlib.pyplot")
    h = agent.history
    panels = [_spent] * len(h.spent) + ([_prices] if h.price else []) + ([_shares] if h.plays else []) + [_reward]
    figure, axes = pyplot.subplots(len(panels), 1, sharex=True, squeeze=False, figsize=(8, 1 + 1.9 * len(panels)),
                                   layout="constrained")
    costs = list(h.spent)
    for i, (draw, ax) in enumerate(zip(panels, axes[:, 0])):
        draw(ax, h, costs[i] if draw is _spent else "")
        ax.grid(alpha=0.3)
    axes[-1, 0].set_xlabel("decisions")
    figure.suptitle(f"{agent.status.word}: {agent.state.learned} learned, {agent.state.open} open", fontsize=11)
    return figure  # type: ignore[no-any-return]


def _spent(ax: Any, h: History, cost: str) -> None:
    ax.plot(h.decided, h.spent[cost], label="spent")
    if cost in h.allowed:
        ax.plot(h.decided, h.allowed[cost], "--", color="0.4", label="allowed")
    ax.set_ylabel(cost)
    ax.legend(loc="upper left", fontsize=8)


def _prices(ax: Any, h: History, _: str) -> None:
    for cost, price in h.price.items():
        ax.plot(h.decided, price, label=cost)
    ax.set_ylabel("price")
    if len(h.price) > 1:
        ax.legend(loc="upper left", fontsize=8)


def _shares(ax: Any, h: History, _: str) -> None:
    """Stacked, smoothed over a twelfth of the points, so that single choices do not flicker."""
    wide = max(1, len(h) // 12)
    weights = np.diff(h.decided, prepend=0).astype(float)
    box = np.ones(wide)
    total = np.maximum(np.convolve(weights, box)[:len(h)], 1.0)
    smooth = [np.convolve(share * weights, box)[:len(h)] / total for share in h.shares().values()]
    ax.stackplot(h.decided, *smooth, labels=[str(action) for action in h.plays])
    ax.set_ylim(0, 1)
    ax.set_ylabel("shares")
    if len(h.plays) <= 10:
        ax.legend(loc="upper left", fontsize=8, ncols=min(len(h.plays), 5))


def _reward(ax: Any, h: History, _: str) -> None:
    ax.plot(h.learned, h.reward, color="tab:green")
    ax.set_ylabel("reward")


def page(agent: Agent) -> str:
    """A table in HTML, for notebooks, with a small drawing of spent against allowed per cost."""
    state, h = agent.state, agent.history
    rows = [("status", f"{state.status.word}: {state.status.advice}"),
            ("decisions", f"{state.decided:,} made, {state.learned:,} learned, {state.open:,} open"),
            ("reward", _number(state.reward))]
    for name, budget in state.budgets.items():
        more = f", {_number(budget.held / 1e6)} held" if budget.held else ""
        left = f", about {budget.rounds_left:,.0f} decisions to come" if budget.rounds_left else ""
        rows.append((name, f"{_number(budget.spent / 1e6)} spent of {_number(budget.limit / 1e6)}{more}{left}"))
    for cost, spent in state.spent.items():
        if cost in state.allowed:
            rows.append((cost, f"{_number(spent)} spent, {_number(state.allowed[cost])} allowed so far"))
        elif cost not in state.budgets:
            rows.append((cost, f"{_number(spent)} spent"))
    if h.plays:
        shares = {action: count[-1] / max(h.decided[-1], 1) for action, count in h.plays.items()}
        rows.append(("shares", ", ".join(f"{action} {100 * share:.0f} %" for action, share in shares.items())))
    if state.alarm is not None and state.alarm.ringing:
        rows.append(("alarm", f"{state.alarm.why}: {state.alarm.what}, since round {state.alarm.round}"))
    theory = ", ".join([f"queue {cost} {_number(queue)}" for cost, queue in state.queues.items()]
                       + [f"price {cost} {_number(price[-1])}" for cost, price in h.price.items()])
    cells = "".join(f"<tr><th style='text-align:left'>{html.escape(key)}</th>"
                    f"<td style='text-align:left'>{html.escape(text)}</td></tr>" for key, text in rows)
    drawn = "".join(_drawing(cost, h) for cost in h.spent if len(h) > 2)
    small = f"<p style='font-size:smaller;opacity:.7'>{html.escape(agent.spec)}; {html.escape(theory)}</p>"
    return f"<div class='rein-agent'><table>{cells}</table>{drawn}{small}</div>"


def _drawing(cost: str, h: History) -> str:
    """Spent, and allowed dashed, in 320 x 80 points."""
    lines = [(h.spent[cost], "")] + ([(h.allowed[cost], " stroke-dasharray='4 3' opacity='.6'")]
                                     if cost in h.allowed else [])
    top = max(float(np.nanmax(np.abs(values))) for values, _ in lines) or 1.0
    last = max(int(h.decided[-1]), 1)
    paths = ""
    for values, style in lines:
        points = " ".join(f"{4 + 312 * t / last:.1f},{76 - 72 * v / top:.1f}"
                          for t, v in zip(h.decided.tolist(), values.tolist()) if np.isfinite(v))
        paths += f"<polyline points='{points}' fill='none' stroke='currentColor' stroke-width='1.5'{style}/>"
    label = html.escape(f"{cost}: spent (line) and allowed (dashed) over {last:,} decisions, up to {_number(top)}")
    return (f"<figure style='margin:.5em 0'><svg width='320' height='80' role='img' aria-label='{label}'>{paths}</svg>"
            f"<figcaption style='font-size:smaller'>{label}</figcaption></figure>")


def _number(value: float) -> str:
    return f"{value:,.4g}" if abs(value) < 1e5 else f"{value:,.0f}"
