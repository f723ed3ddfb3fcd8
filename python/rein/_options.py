"""What an agent is told besides its problem: a goal, shares, hard limits, and options of its engine."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias, TypedDict

import numpy.typing as npt

from ._actions import Action
from ._errors import Error
from ._given import short
from ._shapes import PerCost

PerAction: TypeAlias = float | Sequence[float] | Mapping[Any, float] | npt.NDArray[Any]
CostsByAction: TypeAlias = Sequence[PerCost] | Mapping[Any, PerCost] | npt.NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What is made as large or as small as possible, and limits on the means of the rest (docs/quality_floor.md).

        rein.Goal(minimize="dollars", at_least={"quality": 0.95})
    """

    maximize: str | None = None  #: "reward" if nothing is said
    minimize: str | None = None
    at_least: Mapping[str, float] | None = None  #: lower limits on means, by name
    at_most: Mapping[str, float] | None = None  #: upper limits on means, by name


@dataclass(frozen=True, kw_only=True)
class Shares:
    """How often each action is played, and a random control group (docs/shares.md).

        rein.Shares(least={"new": 0.02}, holdout=0.05, control="old")

    Give probabilities as one number for all actions, one per action, or {action: number}.
    """

    least: PerAction | None = None  #: the least probability of each action, in every round
    most: PerAction | None = None  #: the most
    holdout: float = 0.0  #: share of the rounds that are the control group
    control: Action | None = None  #: the action that the control group gets


@dataclass(frozen=True, kw_only=True)
class HardLimits:
    """What hard budgets count with: the most that actions can cost, and what is played when money is short.

        rein.HardLimits(largest_costs={"small": 0.1, "large": 2.0}, safe_action="small")
    """

    total: PerCost | None = None  #: total per cost that the whole run never exceeds; short for hard budgets
    largest_costs: CostsByAction | None = None  #: {action: costs} or one row each; needed if a cost has no range
    safe_action: Action | None = None  #: is played when the hard budgets allow no other
    safe_cost: PerCost | None = None  #: the most that it can cost, one number per cost


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """How long decisions wait for their outcomes, and how much is kept (docs/engine.md).

        rein.EngineOptions(expire_after=86_400, default_outcome=(0.0, None))
    """

    expire_after: int = 0  #: clock ticks after which a decision without an outcome expires; 0: never
    default_outcome: tuple[float | None, PerCost | None] | None = None
    """(reward, costs) that an expired decision learns where they have not come; None for what it should not learn"""
    most_open: int = 10_000
    """The most decisions whose outcome is not complete. From there on a new decision makes an open one expire: the
    oldest of which no hard budget holds money."""
    remember: int = 65_536  #: how many settled decisions are remembered, to recognise repeated outcomes
    most_keys: int = 100_000  #: keys per scope that have money of their own at a time
    explained: int = 100  #: how many decisions `explain` still knows after `learn` brought their outcome
    secret: int = 0  #: 128 bits that the ids of decisions depend on, besides the seed


class OldWords(TypedDict, total=False):
    """Words of 0.1 that stood beside each other. They give a DeprecationWarning, and go with 0.3."""

    minimize: str | None
    maximize: str | None
    at_least: Mapping[str, float] | None
    at_most: Mapping[str, float] | None
    least: PerAction | None
    most: PerAction | None
    holdout: float
    control: Action | None
    hard_budget: PerCost | None
    largest_costs: CostsByAction | None
    safe_action: Action | None
    safe_cost: PerCost | None
    expire_after: int
    default_outcome: tuple[float | None, PerCost | None] | None
    most_open: int
    remember: int
    most_keys: int
    secret: int


Groups: TypeAlias = tuple[Goal, Shares, HardLimits, EngineOptions]
Kind: TypeAlias = type[Goal | Shares | HardLimits | EngineOptions]
_GROUPS: Mapping[str, Kind] = {"goal": Goal, "shares": Shares, "hard": HardLimits, "engine": EngineOptions}
_RENAMED = {"hard_budget": "total"}


def groups_of(given: Mapping[str, Any], old: Mapping[str, Any]) -> Groups:
    """The four groups, with what was said by old words."""
    found: dict[str, Any] = {}
    for name, kind in _GROUPS.items():
        group = given[name]
        if group is not None and not isinstance(group, kind):
            raise Error(f"{name}: found {short(group)}; accepted: rein.{kind.__name__}(...)")
        found[name] = kind() if group is None else group
    for word, value in old.items():
        place = _place_of(word)
        if place is None:
            raise TypeError(f"Agent.__init__() got an unexpected keyword argument {word!r}")
        group, field = place
        if given[group] is not None:
            raise Error(f"{word}: found beside {group}=; accepted: {field}= of rein.{_GROUPS[group].__name__}")
        found[group] = replace(found[group], **{field: value})
        warnings.warn(f"{word}= of rein.Agent goes with 0.3; write "
                      f"{group}=rein.{_GROUPS[group].__name__}({field}=...)", DeprecationWarning, stacklevel=3)
    return found["goal"], found["shares"], found["hard"], found["engine"]


def adapted(options: Mapping[str, Any], **usual: Any) -> tuple[dict[str, Any], EngineOptions]:
    """Options of rein.Agent as an adapter got them, and its engine's: `usual` where the caller says nothing else."""
    rest = dict(options)
    old = {word: rest.pop(word) for word in _names(EngineOptions) if word in rest}
    groups: dict[str, Any] = {"goal": None, "shares": None, "hard": None, "engine": rest.pop("engine", None)}
    engine, plain = groups_of(groups, old)[3], EngineOptions()
    unsaid = {word: value for word, value in usual.items() if getattr(engine, word) == getattr(plain, word)}
    return rest | {"engine": replace(engine, **unsaid)}, replace(engine, **unsaid)


def has_hard_total(options: Mapping[str, Any]) -> bool:
    """Whether options of rein.Agent have a total that is never exceeded."""
    hard = options.get("hard")
    return "hard_budget" in options or (isinstance(hard, HardLimits) and hard.total is not None)


def _names(kind: Kind) -> list[str]:
    return [each.name for each in fields(kind)]


def _place_of(word: str) -> tuple[str, str] | None:
    """The group and the field of an old word."""
    field = _RENAMED.get(word, word)
    for name, kind in _GROUPS.items():
        if field in _names(kind) and word in OldWords.__annotations__:
            return name, field
    return None
