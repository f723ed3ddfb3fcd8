"""What an agent did over time: agent.history, agent.plot() and the page in a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._budget import BudgetState
from ._errors import needed
from ._shapes import Floats
from ._state import State, allowances, limited

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

    from ._agent import Agent


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """Totals at up to 256 decisions, evenly apart, and now. Older points are thinned out."""

    decided: npt.NDArray[np.int64]  #: decisions made
    learned: npt.NDArray[np.int64]  #: rounds learned
    rewarded: npt.NDArray[np.int64]  #: those whose reward came
    now: npt.NDArray[np.int64]  #: the logical clock
    reward: Floats  #: total of the rewards learned
    spent: dict[str, Floats]  #: total of each cost that was reported
    allowed: dict[str, Floats]  #: what the budgets allowed by then; {} without budgets
    price: dict[str, Floats]  #: reward that one unit of each cost had to bring; {} without prices. If a cost is the
    #: objective, "reward" is in its place
    plays: dict[Any, npt.NDArray[np.int64]]  #: how often each action was chosen; {} with more than 64

    def __len__(self) -> int:
        return len(self.decided)

    def __repr__(self) -> str:
        return f"<rein.History: {len(self)} points over {self.decided[-1]} decisions>"

    def to_pandas(self) -> pandas.DataFrame:
        """One row per point."""
        columns: dict[str, Any] = {key: getattr(self, key) for key in ("decided", "learned", "rewarded", "now", "reward")}
        for word in ("spent", "allowed", "price", "plays"):
            columns |= {f"{word} {name}": values for name, values in getattr(self, word).items()}
        table: pandas.DataFrame = needed("a table", "pandas").DataFrame(columns)
        return table

    def shares(self) -> dict[Any, Floats]:
        """Share of each action among the decisions since the point before."""
        made = np.maximum(np.diff(self.decided, prepend=0), 1)
        return {action: np.diff(count, prepend=0) / made for action, count in self.plays.items()}


def read_history(found: Sequence[tuple[Any, ...]], names: Sequence[str], labels: Sequence[Any], head: int) -> History:
    """head: what is the objective, 0 for the reward, i + 1 for cost i."""
    decided, learned, rewarded, now, reward, spent, allowed, price, plays = zip(*found)

    def columns(rows: Sequence[Sequence[float]], keys: Sequence[Any], kind: Any) -> dict[Any, npt.NDArray[Any]]:
        width = len(rows[-1])
        return {key: np.array([row[i] if i < len(row) else 0 for row in rows], kind)
                for i, key in enumerate(keys[:width])}

    return History(np.array(decided), np.array(learned), np.array(rewarded), np.array(now), np.array(reward),
                   columns(spent, names, float), allowances(columns(allowed, names, float), names, head),
                   columns(price, limited(names, head), float),
                   columns(plays, labels, np.int64))


def plot(agent: Agent) -> Figure:
    """Spent against allowed, prices, shares of actions, and the mean reward, one panel each."""
    pyplot = needed("plots", "matplotlib.pyplot")
    h, state = agent.history, agent.state
    panels = [_spent] * len(h.spent) + ([_prices] if h.price else []) + ([_shares] if h.plays else []) + [_reward]
    figure, axes = pyplot.subplots(len(panels), 1, sharex=True, squeeze=False, figsize=(8, 1 + 1.7 * len(panels)),
                                   layout="constrained")
    costs = list(h.spent)
    for i, (draw, ax) in enumerate(zip(panels, axes[:, 0])):
        draw(ax, h, costs[i] if draw is _spent else "")
        ax.grid(alpha=0.3)
        ax.yaxis.set_major_formatter(lambda x, _: _number(x))
    axes[-1, 0].set_xlabel("decisions")
    axes[-1, 0].xaxis.set_major_formatter("{x:,.0f}")
    figure.suptitle(f"{state.status.word}: {state.decided:,} decided, {state.learned:,} learned, {state.open:,} open",
                    fontsize=11)
    drawn: Figure = figure
    return drawn


def _legend(ax: Any, reverse: bool = False) -> None:
    """Beside the panel, so that it hides nothing."""
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, frameon=False, reverse=reverse)


def _mean(h: History, total: npt.NDArray[Any], count: npt.NDArray[Any], least: int) -> Floats:
    """The mean over the last points, as many as hold `least` decisions: then single choices do not flicker."""
    wide = int(np.clip(least * len(h) // max(int(h.decided[-1]), 1), 1, max(1, len(h) // 12)))

    before = np.maximum(np.arange(len(h)) - wide, -1)

    def lately(values: npt.NDArray[Any]) -> Floats:
        known: Floats = np.append(values, 0).astype(float)  # before[i] = -1: nothing had happened
        return known[:-1] - known[before]

    made = lately(count)
    return np.where(made > 0, lately(total) / np.maximum(made, 1.0), np.nan)


def _spent(ax: Any, h: History, cost: str) -> None:
    ax.plot(h.decided, h.spent[cost], label=f"spent {_number(h.spent[cost][-1])}")
    if cost in h.allowed:
        ax.plot(h.decided, h.allowed[cost], "--", color="0.4", label=f"allowed {_number(h.allowed[cost][-1])}")
    ax.set_ylabel(cost)
    _legend(ax)


def _prices(ax: Any, h: History, _: str) -> None:
    for cost, price in h.price.items():
        ax.plot(h.decided, price, label=cost)
    ax.set_ylabel("price")
    top = 1.3 * float(np.nanquantile(np.concatenate(list(h.price.values())), 0.98))
    if top > 0:  # a window that ends may have an extreme price for a moment
        ax.set_ylim(-0.05 * top, top)
    if len(h.price) > 1:
        _legend(ax)


def _shares(ax: Any, h: History, _: str) -> None:
    shares = [np.nan_to_num(_mean(h, count, h.decided, 200)) for count in h.plays.values()]
    ax.stackplot(h.decided, *shares, labels=[str(action) for action in h.plays])
    ax.set_ylim(0, 1)
    ax.set_ylabel("shares")
    if len(h.plays) <= 10:
        _legend(ax, reverse=True)  # in the order of the stack


def _reward(ax: Any, h: History, _: str) -> None:
    ax.plot(h.decided, _mean(h, h.reward, h.rewarded, int(h.decided[-1])), color="tab:green",
            label=f"mean of {_number(float(h.rewarded[-1]))} rewards")
    ax.set_ylabel("reward")
    _legend(ax)


def page(agent: Agent) -> str:
    """A table in HTML, for notebooks, with a small drawing of spent against allowed per cost."""
    state, h = agent.state, agent.history
    rows = [("status", f"{state.status.word}: {state.status.advice}"),
            ("decisions", f"{state.decided:,} made, {state.learned:,} learned, {state.open:,} open"),
            ("reward", _rewards(state))]
    for name, budget in state.budgets.items():
        more = f", {_number(budget.held)} held" if budget.held else ""
        rows.append((name, f"{_number(budget.spent)} spent of {_number(budget.limit)}{more}"
                     + _expected(h, name, budget)))
    rows += _keys(agent)
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
    cells = "".join(f"<tr><th style='text-align:left;padding-right:1em'>{html.escape(key)}</th>"
                    f"<td style='text-align:left'>{html.escape(text)}</td></tr>" for key, text in rows)
    drawn = "".join(_drawing(cost, h) for cost in h.spent if len(h) > 2)
    small = f"<p style='font-size:smaller;opacity:.7'>{html.escape(agent.spec)}; {html.escape(theory)}</p>"
    return f"<div class='rein-agent'><table>{cells}</table>{drawn}{small}</div>"


def _keys(agent: Agent) -> list[tuple[str, str]]:
    """The three keys that spent most of each budget with a scope."""
    rows = []
    for name in agent.keyed_budgets:
        page = agent.keys(name, most=3)
        first = ", ".join(f"{key.name or '#' + key.digest} {_number(key.spent)} of {_number(key.limit)}" for key in page)
        rows.append((name, f"{_number(page.spent)} spent by {page.count:,} keys" + (f": {first}" if first else "")))
    return rows


def _rewards(state: State) -> str:
    mean = state.mean_reward
    return "none yet" if mean is None else (f"{_number(mean)} on average over {state.rewarded:,} rewards, "
                                            f"{_number(state.reward)} in total")


def _expected(h: History, name: str, budget: BudgetState) -> str:
    """What the window will have spent at its end, if decisions cost what they cost lately."""
    if not budget.rounds_left:
        return ""
    found = f"about {budget.rounds_left:,.0f} decisions to come"
    cost = name if name in h.spent else next(iter(h.spent)) if len(h.spent) == 1 else ""
    if not cost or len(h) < 2:
        return f"; {found}"
    since = max(0, len(h) - 33)
    rate = (h.spent[cost][-1] - h.spent[cost][since]) / max(int(h.decided[-1] - h.decided[since]), 1)
    return f", {_number(budget.spent + rate * budget.rounds_left)} expected at the end; {found}"


def _drawing(cost: str, h: History) -> str:
    """Spent, and allowed dashed, in 320 x 80 points."""
    lines = [(h.spent[cost], "")] + ([(h.allowed[cost], " stroke-dasharray='4 3' opacity='.6'")]
                                     if cost in h.allowed else [])
    top = max(float(np.max(np.nan_to_num(np.abs(values)))) for values, _ in lines) or 1.0
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
    return f"{value:,.4g}" if abs(value) < 1e3 else f"{value:,.0f}"
