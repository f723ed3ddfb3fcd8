"""State, bounds and alarm of an agent, for reading."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ._budget import BudgetState, named


def _hash(self: Any) -> int:
    """The hash of a frozen dataclass that has dictionaries, which nobody changes either."""
    values = (getattr(self, field.name) for field in fields(self))
    return hash(tuple(frozenset(x.items()) if isinstance(x, dict) else x for x in values))


@dataclass(frozen=True)
class Alarm:
    """Whether the oracle's function class fits the outcomes seen (docs/alarm.md)."""

    ringing: bool
    why: str  #: "quiet", "shadow" (a richer model does better) or "bias"
    what: str | None  #: "reward" or the name of a cost; None while quiet
    round: int | None  #: when it started to ring, in rounds learned


@dataclass(frozen=True)
class Status:
    """One word on how the agent's run goes, and what to do (docs/status.md)."""

    word: str  #: "ok", "over", "infeasible", "unspent", "class", "changed", "past" or "crowded"
    advice: str  #: one sentence
    cost: str | None  #: the cost that it is about, if any; "reward" for a limit on the reward

    def __str__(self) -> str:
        return self.word


@dataclass(frozen=True)
class Change:
    """Changes with time that the oracle noticed (docs/alarm.md)."""

    times: int  #: how many
    what: str | None  #: "reward" or the name of the cost that changed last; None if nothing did
    round: int | None  #: when it was noticed, in outcomes learned


@dataclass(frozen=True)
class Certificate:
    """What the regret so far is at most, from the run itself, with probability 0.95 (docs/theory/certificate.md)."""

    regret: float | None  #: against the best choice in every round that keeps the budgets per round
    long_term: float | None  #: against the best choices that keep them over all these rounds
    rounds: int  #: those whose outcome was learned
    none: str | None  #: why there is no certificate


@dataclass(frozen=True)
class State:
    """The state of an agent."""

    rounds: int  #: outcomes learned by the policy
    warm: int  #: logged rounds learned (warm_start); nothing else counts them
    reward: float  #: sum of their rewards
    spent: dict[str, float]  #: total of each cost that was reported, late bills included
    allowed: dict[str, float]  #: what the budgets allow so far: closed windows, and the part of the open ones that has
    #: passed; only costs that have such a plan
    queues: dict[str, float]  #: one per cost, in units of its largest absolute value, or plain if its range is not
    #: known; {} if no prices. If a cost is the objective, "reward" is in its place
    objective: str  #: what is maximised or minimised: "reward" or the name of a cost
    u: float  #: bound on the oracle's squared error in use; NaN without an oracle, or without ranges
    oracle_regret: float  #: as the oracle reports it; NaN if unknown
    alarm: Alarm | None  #: None if the alarm is off
    status: Status
    effective_size: float  #: effective sample size of the decisions learned (docs/status.md)
    change: Change | None  #: None if the oracle does not look for changes
    certificate: Certificate | None  #: None unless the policy was made with certify=1
    setting: str | None  #: setting of the theorem (docs/policy/ccb.md); None if no prices
    now: int  #: the logical clock
    decided: int
    open: int  #: decisions whose outcome is not complete; agent.open() lists them
    partly: int  #: those of which some part came
    without_reward: int  #: those whose reward has not come
    without_cost: dict[str, int]  #: those whose cost has not come, by cost name
    open_since: int | None  #: when the oldest of them was made; None if none is open
    learned: int
    rewarded: int  #: decisions whose reward was learned
    expired: int  #: those that gave way included
    gave_way: int  #: decisions that expired early, to make room for new ones
    cancelled: int  #: decisions that were given up
    late: int  #: bills that came after their decision expired; they are booked
    too_late: int  #: bills whose decision was no longer remembered; they are not
    clipped: int  #: costs above their declared range: booked in full, clipped for learning
    remembered: int  #: settled decisions whose outcome is remembered
    reserved: dict[str, float]  #: predicted cost of open decisions, included in prices
    budgets: dict[str, BudgetState]  #: those for everybody; agent.budgets(scopes) has the others

    __hash__ = _hash

    @property
    def mean_reward(self) -> float | None:
        """The mean of the rewards that came; None if none did. `rewarded` counts them."""
        return self.reward / self.rewarded if self.rewarded else None

    @property
    def certified_regret(self) -> float | None:
        """The regret so far is at most this, with probability 0.95; None without a certificate."""
        return None if self.certificate is None else self.certificate.regret


@dataclass(frozen=True)
class OpenDecision:
    """An open decision, and what has come of its outcome."""

    id: int
    at: int  #: when it was made, on the logical clock
    action: Any  #: the chosen action, as callers name it
    reward: float | None  #: None: it has not come
    costs: dict[str, float | None]  #: None: it has not come

    __hash__ = _hash

    @property
    def missing(self) -> list[str]:
        """What has not come: "reward" and names of costs."""
        return [name for name, part in (("reward", self.reward), *self.costs.items()) if part is None]


def read_open(found: Sequence[tuple[Any, ...]], names: Sequence[str]) -> list[OpenDecision]:
    return [OpenDecision(id, at, action, reward, dict(zip(names, costs))) for id, at, action, reward, costs in found]


@dataclass(frozen=True)
class BarredAction:
    """An action that a decision could not play, because its largest cost did not fit."""

    action: Any  #: as callers name it
    budget: str | None  #: the first hard budget that it did not fit; None: the limit of the call (`most_costs`)
    until: int | None  #: the first tick at which it fits again, if nothing is spent meanwhile; None: no time helps


@dataclass(frozen=True)
class Bounds:
    """Bounds of the theorem at the last round; None and {} if it does not cover this policy."""

    regret: float | None
    ccv: dict[str, float]  #: bound on the sum of each cost
    regret_margin: float | None = None  #: bound on the regret by a margin; setting slater, with its margin
    ccv_max: dict[str, float] = field(default_factory=dict)  #: bound on the sum of each cost at every time, by it

    __hash__ = _hash


def limited(names: Sequence[str], head: int) -> list[str]:
    """What queues and prices belong to: the costs, with the reward in the place of a cost that is the objective."""
    return ["reward" if head == i + 1 else name for i, name in enumerate(names)]


def allowances(allowed: dict[str, Any], names: Sequence[str], head: int) -> dict[str, Any]:
    """Without the objective, which has no limit, and without costs that a goal has made signed: 0 is no allowance."""
    return {name: value for i, name in enumerate(names)
            if name in allowed and head != i + 1 and np.any(np.nan_to_num(value := allowed[name]))}


def read_state(found: dict[str, Any], names: Sequence[str]) -> State:
    """Names the engine's plain values by cost."""
    head = found["objective"]
    found["objective"] = ["reward", *names][head]
    for key, which in (("reserved", names), ("spent", names), ("allowed", names), ("queues", limited(names, head)),
                       ("without_cost", names)):
        found[key] = dict(zip(which, found[key]))
    found["allowed"] = allowances(found["allowed"], names, head)
    if not found["open"]:
        found["open_since"] = None
    for key in ("u", "oracle_regret"):  # one NaN for all, so that equal states are equal
        found[key] = math.nan if math.isnan(found[key]) else found[key]
    found["budgets"] = named(found["budgets"])
    if found["alarm"] is not None:
        ringing, why, head, since = found["alarm"]
        found["alarm"] = Alarm(ringing, why, ["reward", *names][head] if ringing else None,
                               since if ringing else None)
    word, advice, about = found["status"]
    found["status"] = Status(word, advice, ["reward", *names][about] if about >= 0 else None)
    if found["change"] is not None:
        times, since, head = found["change"]
        found["change"] = Change(times, ["reward", *names][head] if times else None, since if times else None)
    if found["certificate"] is not None:
        regret, long_term, rounds, none = found["certificate"]
        found["certificate"] = Certificate(None if none else regret, None if none else long_term, rounds, none or None)
    return State(**found)
