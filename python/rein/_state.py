"""What an agent can say about itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Money:
    """One cost under a hard budget, in whole millionths: spent + held <= limit, always."""

    limit: int
    spent: int
    held: int  #: the largest costs of open decisions


@dataclass(frozen=True)
class Alarm:
    """Whether what the oracle can learn holds what is seen (docs/alarm.md)."""

    ringing: bool
    why: str  #: "quiet", "shadow" (a richer model does better) or "bias"
    what: str | None  #: "reward" or the cost that it rings for
    round: int | None  #: since when, in rounds learned


@dataclass(frozen=True)
class State:
    """What an agent can say about itself."""

    rounds: int  #: outcomes learned by the policy
    reward: float  #: their sum
    spent: dict[str, float]  #: of every cost
    queues: dict[str, float]  #: as the theory has them, costs divided by their largest size; {} unpriced
    u: float  #: the bound on the oracle's squared error in use; NaN where there is no oracle
    oracle_regret: float  #: the oracle's own account; NaN where unknown
    alarm: Alarm | None  #: None where nobody watches
    setting: str | None  #: what the costs are taken to promise; None where they are not priced
    now: int  #: the logical clock
    decided: int
    open: int  #: decisions without an outcome
    learned: int
    expired: int
    remembered: int  #: settled ones whose outcome is remembered
    reserved: dict[str, float]  #: predicted cost of the open ones, which prices include
    money: dict[str, Money]  #: {} without a hard budget


@dataclass(frozen=True)
class Bounds:
    """What the theorem promises at the horizon; None and {} where it says nothing of this policy."""

    regret: float | None
    ccv: dict[str, float]  #: of the sum of each cost


def read_state(found: dict[str, Any], names: Sequence[str]) -> State:
    """The engine's plain values, by the names of the costs."""
    for key in ("reserved", "spent", "queues"):
        found[key] = dict(zip(names, found[key]))
    found["money"] = {name: Money(*counts) for name, counts in zip(names, found["money"])}
    if found["alarm"] is not None:
        ringing, why, head, since = found["alarm"]
        found["alarm"] = Alarm(ringing, why, ["reward", *names][head] if ringing else None,
                               since if ringing else None)
    return State(**found)
