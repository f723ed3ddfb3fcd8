"""Works with obp (Open Bandit Pipeline): reads and writes its `bandit_feedback` dictionary.

    feedback = rein.obp.collect(agent, world, 5000)         # or use a Log
    dist = rein.obp.action_dist(agent, feedback)            # rounds x actions x 1, for obp.ope.OffPolicyEvaluation
    rein.obp.estimate(feedback, dist)                       # off-policy values of rewards and costs
    rein.obp.replay("ccb(rate=0.1)", feedback)              # a learning policy on another policy's log

obp need not be installed. See docs/neighbours.md for what each function can and cannot estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _own
from ._agent import Agent
from ._errors import Error
from ._feedback import Feedback, Log, Logged, read
from ._given import array, instance, number, whole
from ._options import adapted, has_hard_total
from ._shapes import CostNames, Floats, Range

__all__ = ["Estimate", "Feedback", "Log", "Replay", "Value", "action_dist", "collect", "estimate", "replay"]


def collect(agent: Agent, world: _own.World, rounds: int, *, seed: int = 1) -> Feedback:
    """Runs an agent on your own world: it decides and learns. Returns the log as feedback.

    `expected_reward` holds the world's means if its scenes give them. Action features must be the
    same in every round, because obp has one `action_context`.
    """
    rounds = whole("rounds", rounds, 31, signed=False)
    play = _own._Stepper(instance("world", world, _own.World), whole("seed", seed, 64, signed=False), rounds)
    rows: dict[int, Floats] = {}
    log = Log(agent)
    taken = -1
    for _ in range(rounds):
        context, features, ids, outcomes, means = play.next(taken)
        who = ids if len(ids) else np.arange(outcomes.shape[1])
        if len(who) != outcomes.shape[1] or len(features) not in (0, len(who)):
            raise Error(f"collect: found a scene with {outcomes.shape[1]} rewards, {len(who)} ids and {len(features)} "
                        "rows; accepted: one of each per action")
        for action, row in zip(who.tolist(), features):
            if not np.array_equal(rows.setdefault(action, row.copy()), row):
                raise Error(f"collect: action {action} is described differently in two rounds; accepted: the same rows "
                            "in all rounds, since obp has one action_context")
        d = agent.decide(context, features, ids=who) if len(features) else agent.decide(context, who)
        taken = d.place
        reward, *costs = outcomes[:, taken].tolist()
        agent.learn(d, reward, costs)
        log.add(context, d, reward, costs, ids=who, expected_reward=None if means is outcomes else means[0])
    found = log.feedback()
    if rows:
        found["action_context"] = np.array([rows.get(i, np.full(len(rows[min(rows)]), np.nan))
                                            for i in range(found["n_actions"])])
    return found


def action_dist(agent: Agent, feedback: Mapping[str, Any]) -> Floats:
    """Probabilities of the agent in every logged round, rounds x actions x 1.

    All rounds use the agent's current state, and the agent does not change.
    """
    logged = read(feedback)
    instance("agent", agent, Agent)
    if agent._shape.actions != logged.actions:
        raise Error(f"action_dist: the agent has {agent._shape.actions} actions; accepted: {logged.actions}, as in "
                    "the feedback")
    rows = _rows(agent, logged)
    found = np.zeros((len(logged), logged.actions, 1))
    for i, context in enumerate(logged.context):
        found[i, :, 0] = agent.look(context, rows).probabilities
    return found


def _rows(agent: Agent, logged: Logged) -> Floats | None:
    if not agent._shape.features:
        return None
    if logged.action_context is None:
        raise Error("feedback: it has no action_context, but the agent needs action features; accepted: one row per "
                    "action")
    return logged.action_context


@dataclass(frozen=True)
class Value:
    """Estimated mean per round."""

    ips: float  #: importance-weighted: unbiased
    ips_error: float  #: its standard error
    snips: float  #: self-normalised: less variance, a little bias


@dataclass(frozen=True)
class Estimate:
    """Estimated reward and costs of a policy on the log."""

    reward: Value
    costs: dict[str, Value]
    effective: float  #: effective sample size; if it is small, do not trust the estimates
    covered: float  #: share of the policy's probability that the log covers; NaN without pi_b. Below 1: biased


def estimate(feedback: Mapping[str, Any], action_dist: npt.ArrayLike) -> Estimate:
    """Off-policy values of the reward and of each cost, for a fixed policy (rounds x actions x 1)."""
    logged = read(feedback)
    scores = logged.propensities()
    dist = array("action_dist", action_dist)
    if dist.shape != (len(logged), logged.actions, 1) or not np.allclose(dist.sum(axis=1), 1.0) or dist.min() < 0:
        raise Error(f"action_dist: found shape {dist.shape}; accepted: ({len(logged)}, {logged.actions}, 1), "
                    "probabilities that add up to 1 in every round")
    weights = dist[np.arange(len(logged)), logged.action, 0] / scores

    def value(outcomes: Floats) -> Value:
        each = weights * outcomes
        spread = float(each.std(ddof=1)) if len(each) > 1 else float("nan")
        sums = float(weights.sum())
        return Value(float(each.mean()), spread / len(each)**0.5, float(each.sum()) / sums if sums else float("nan"))

    covered = float("nan") if logged.pi_b is None else float(dist[:, :, 0][logged.pi_b > 0].sum() / len(logged))
    squares = float((weights**2).sum())
    return Estimate(value(logged.reward), {name: value(paid) for name, paid in logged.costs.items()},
                    float(weights.sum())**2 / squares if squares else 0.0, covered)


@dataclass(frozen=True)
class Replay:
    """Result of a replay: sums over the rounds used."""

    agent: Agent  #: after the replay
    rounds: int  #: rounds of the log
    kept: int  #: rounds kept, as if they had been logged uniformly
    index: npt.NDArray[np.int64]  #: kept rounds in which the agent drew the logged action and learned
    reward: float
    costs: dict[str, float]

    @property
    def matched(self) -> int:
        return len(self.index)

    @property
    def mean_reward(self) -> float:
        return self.reward / self.matched if self.matched else float("nan")

    @property
    def mean_costs(self) -> dict[str, float]:
        return {name: paid / self.matched if self.matched else float("nan") for name, paid in self.costs.items()}


def replay(spec: str, feedback: Mapping[str, Any], *, costs: CostNames | None = None, reward: Range | None = None,
           seed: int | None = None, action_context: bool = False, least: float = 0.0, **options: Any) -> Replay:
    """Runs a policy on the log of another one. It learns from rounds where both draw the same action.

    A logged round is kept with probability min(pscore) / pscore, so the kept rounds are as if logged
    uniformly. A kept round is used if the agent draws the logged action: about rounds x min(pscore)
    of them. If rounds do not depend on earlier actions, and the log gave every action a chance, this
    equals playing these rounds. Use `rate=` rather than `budget=` in the spec, because the number of
    matching rounds is not known beforehand.

    costs, reward   names and ranges as for rein.Agent; default: those of the log
    action_context  True: give the feedback's action_context to the agent as action features
    least           a pscore below this counts as this: more rounds are used, with some bias
    options         the other options of rein.Agent, except a total in hard=
    """
    logged = read(feedback)
    if has_hard_total(options):
        raise Error("replay: a hard budget counts expired decisions as spent; accepted: no total in hard=")
    if logged.pi_b is not None and (logged.pi_b <= 0).any():
        raise Error("replay: pi_b has actions with probability 0, which the log could not have drawn; accepted: "
                    "logs that gave every action a chance")
    rows = logged.action_context if action_context else None
    if action_context and rows is None:
        raise Error("replay: the feedback has no action_context; accepted: action_context=False")
    options, engine = adapted(options, expire_after=1, remember=1024)
    agent = Agent(spec, actions=logged.actions, context=logged.context.shape[1],
                  action_features=0 if rows is None else rows.shape[1],
                  costs=costs if costs is not None else {name: _range(paid) for name, paid in logged.costs.items()},
                  reward=reward if reward is not None else _range(logged.reward), seed=seed, **options)
    scores = np.maximum(logged.propensities(), number("least", least))
    keep = np.flatnonzero(np.random.default_rng(agent.seed).random(len(logged)) * scores < scores.min())
    used = np.array(_matches(agent, logged, keep, engine.expire_after + 1), np.int64)
    return Replay(agent, len(logged), len(keep), used, float(logged.reward[used].sum()),
                  {name: float(logged.costs[name][used].sum()) for name in agent.costs})


def _matches(agent: Agent, logged: Logged, keep: npt.NDArray[np.int64], step: int) -> list[int]:
    """Plays the kept rounds and returns those used. A decision that does not match expires."""
    rows = _rows(agent, logged)
    missing = [name for name in agent.costs if name not in logged.costs]
    if missing:
        raise Error(f"replay: the feedback has no costs {missing}; accepted: {sorted(logged.costs)}")
    used, clock = [], 0
    for i in keep.tolist():
        d = agent.decide(logged.context[i], rows)
        if d.action == logged.action[i]:
            agent.learn(d, float(logged.reward[i]), [float(logged.costs[name][i]) for name in agent.costs])
            used.append(i)
        else:
            agent.tick(clock := clock + step)
    return used


def _range(values: Floats) -> Range:
    """Range of the logged values, with 0 inside; never empty."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    return (low, high) if high > low else (0.0, 1.0)
