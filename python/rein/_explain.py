"""Explanation: what the estimates of an agent are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _rein
from ._actions import Actions
from ._errors import Error, needed
from ._given import short, whole
from ._round import read_round
from ._schema import Schema

if TYPE_CHECKING:
    import pandas

_SHOWN = 10  # terms per table


@dataclass(frozen=True)
class Term:
    """One number of the round and what it adds to an estimate."""

    name: str
    weight: float
    value: float

    @property
    def part(self) -> float:
        """weight x value"""
        return self.weight * self.value


@dataclass(frozen=True)
class EstimateParts:
    """An estimate is linear + rest + prior + calibration, and linear is the sum of the terms."""

    estimate: float
    width: float  #: uncertainty, 0 to 1
    linear: float
    rest: float  #: what the oracle adds: it shrinks what is little known, and clips to the range
    prior: float  #: for actions that were hardly played; or expected costs
    calibration: float  #: how wrong this cost was lately
    terms: tuple[Term, ...] | None  #: largest part first; None: this oracle has no weights


@dataclass(frozen=True)
class ActionParts:
    """One action: its estimates now, and how it was decided on."""

    action: Any  #: as callers name it
    chosen: bool
    probability: float
    score: float  #: estimated reward - sum of price x cost + bonus
    bonus: float  #: for what is not known about the action
    prices: dict[str, float]  #: reward per unit of each cost
    estimates: dict[str, EstimateParts]  #: "reward" and every cost, by name

    def __repr__(self) -> str:
        chosen = ", chosen" if self.chosen else ""
        lines = [f"action {self.action}{chosen}: probability {self.probability:.4g}, score {self.score:.4g} "
                 f"(bonus {self.bonus:.4g})"]
        for name, found in self.estimates.items():
            price = f", price {self.prices[name]:.4g}" if name in self.prices else ""
            lines.append(f"  {name}: estimate {found.estimate:.4g}, width {found.width:.3g}{price}")
            lines += [f"    {row}" for row in _table(found)]
        return "\n".join(lines)


def _table(found: EstimateParts) -> Iterator[str]:
    size = max([len(term.name) for term in (found.terms or ())[:_SHOWN]] + [10])
    if found.terms is None:
        yield f"{'oracle (it has no weights)':<42} {found.rest:>12.4g}"
    else:
        yield f"{'':<{size}} {'weight':>12} {'value':>12} {'weight x value':>15}"
        for term in found.terms[:_SHOWN]:
            yield f"{term.name:<{size}} {term.weight:>12.4g} {term.value:>12.4g} {term.part:>15.4g}"
        if len(found.terms) > _SHOWN:
            more = sum(term.part for term in found.terms[_SHOWN:])
            yield f"{len(found.terms) - _SHOWN} more".ljust(size + 27) + f"{more:>15.4g}"
        yield "shrinking, clipping".ljust(size + 27) + f"{found.rest:>15.4g}"
    for name, part in (("prior", found.prior), ("calibration", found.calibration)):
        if part:
            wide, digits = (42, 13) if found.terms is None else (size + 27, 15)
            yield name.ljust(wide) + f"{part:>{digits}.4g}"


class Explanation(Sequence[ActionParts]):
    """What estimates are made of, one entry per action. Print it, or take `to_pandas()`."""

    def __init__(self, actions: Sequence[ActionParts]) -> None:
        self.actions = tuple(actions)

    def __len__(self) -> int:
        return len(self.actions)

    def __getitem__(self, place: Any) -> Any:
        return self.actions[place]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.actions))

    def to_pandas(self) -> pandas.DataFrame:
        """One row per action, estimate and part: the terms, then rest, prior and calibration."""
        rows: list[tuple[Any, ...]] = []
        for one in self.actions:
            for what, found in one.estimates.items():
                rows += [(one.action, what, term.name, term.weight, term.value, term.part)
                         for term in found.terms or ()]
                rows += [(one.action, what, name, None, None, getattr(found, name))
                         for name in ("rest", "prior", "calibration")]
        columns = ["action", "estimate", "name", "weight", "value", "part"]
        table: pandas.DataFrame = needed("a table", "pandas").DataFrame(rows, columns=columns)
        return table


def feature_names(context: int, features: int, given: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Names of the numbers of the context, and of the action features after them."""
    if given is None:
        return [f"x{j}" for j in range(context)], [f"a{j}" for j in range(features)]
    names = list(given)
    if isinstance(given, str) or len(names) not in (context, context + features):
        raise Error(f"explain: names: found {short(given)}; accepted: {context} names of the context"
                    + (f", and {features} of the action features" if features else ""))
    return names[:context], names[context:] or [f"a{j}" for j in range(features)]


def explain(engine: _rein.Engine, shape: _rein.Shape, known: Actions, schema: Schema | None, costs: Sequence[str],
            decision: Any, actions: Any, ids: Any, which: str | Sequence[Any] | None,
            names: Sequence[str] | None, scopes: list[tuple[str, str]]) -> Explanation:
    heads = ["reward", *costs]
    objective = engine.state()["objective"]
    priced = ["reward" if i + 1 == objective else name for i, name in enumerate(costs)]
    if names is None and schema is not None:
        names = [*schema.names(), *(f"a{i}" for i in range(shape.features))]
    named = feature_names(shape.context, shape.features, names)
    if isinstance(which, str) and which != "all":
        raise Error(f'explain: which: found {which!r}; accepted: "all", or a list of actions')
    every = isinstance(which, str)
    wanted = [] if which is None or every else known.ids_of("explain: which", which).tolist()
    if isinstance(decision, (_rein.Decision, int)):
        id = decision.id if isinstance(decision, _rein.Decision) else whole("explain: id", decision, 64, signed=False)
        found = _rein.explain(engine, id, wanted, every)
    else:
        context = decision if schema is None else schema.take(decision)  # of a copy: the agent observes nothing
        found = _rein.explain_round(engine, *read_round(shape, known, context, actions, ids), wanted, every, scopes)
    return read_explanation(found, heads, priced, named, known)


def read_explanation(found: list[tuple[Any, ...]], heads: Sequence[str], priced: Sequence[str],
                     named: tuple[list[str], list[str]], known: Actions) -> Explanation:
    def name_of(context: int, feature: int) -> str:
        parts = [named[0][context]] if context >= 0 else []
        parts += [named[1][feature]] if feature >= 0 else []
        return " * ".join(parts) or "constant"

    actions = []
    for action, chosen, probability, score, bonus, prices, each in found:
        estimates = {}
        for head, (estimate, width, linear_model, linear, rest, prior, calibration, terms) in zip(heads, each):
            read = tuple(Term(name_of(x, a), weight, value) for x, a, weight, value in terms)
            estimates[head] = EstimateParts(estimate, width, linear, rest, prior, calibration,
                                            read if linear_model else None)
        actions.append(ActionParts(known.labels[action], chosen, probability, score, bonus, dict(zip(priced, prices)),
                                   estimates))
    return Explanation(actions)
