"""obp's `bandit_feedback` dictionary: writes it from logged decisions, and reads and checks it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ._agent import Agent
from ._batch import Decisions
from ._errors import Error
from ._given import array, instance, integers, number, whole
from ._rein import Decision
from ._shapes import Floats, PerCost, cost_rows, per_cost

Feedback: TypeAlias = dict[str, Any]


class Log:
    """Collects decisions of an agent with their outcomes. `feedback()` returns obp's dictionary.

        log = rein.obp.Log(agent)
        d = agent.decide(x)
        agent.learn(d, reward, costs)
        log.add(x, d, reward, costs)

    action_context  one row per action id that describes it; default: unit vectors, as in obp
    """

    def __init__(self, agent: Agent, action_context: npt.ArrayLike | None = None) -> None:
        self._actions = instance("agent", agent, Agent)._shape.actions
        self._names = agent.costs
        self._described = (np.eye(self._actions) if action_context is None
                           else array("action_context", action_context))
        if self._described.ndim != 2 or len(self._described) != self._actions:
            raise Error(f"action_context: found shape {self._described.shape}; accepted: {self._actions} rows")
        self._rows: list[tuple[Floats, Floats, int, float, list[float], Floats | None]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, context: npt.ArrayLike | None, decision: Decision, reward: float, costs: PerCost | None = None, *,
            ids: npt.ArrayLike | None = None, expected_reward: npt.ArrayLike | None = None) -> None:
        """Adds one decision and its outcome.

        ids              action ids of the round, if it did not offer all actions
        expected_reward  true mean reward of each action of the round, if known
        """
        instance("decision", decision, Decision)
        self._add(context, decision.probabilities, decision.place, number("reward", reward),
                  per_cost("costs", costs, self._names), ids, expected_reward)

    def add_many(self, contexts: npt.ArrayLike, decisions: Decisions, reward: npt.ArrayLike, costs: Any = None, *,
                 ids: npt.ArrayLike | None = None) -> None:
        """Adds a batch, as given to learn_many. Rounds without an action are skipped."""
        instance("decisions", decisions, Decisions)
        x, rewards = array("contexts", contexts), array("reward", reward)
        paid = np.zeros((len(decisions), 0)) if costs is None else cost_rows("costs", costs, self._names)
        who = None if ids is None else integers("ids", ids, np.int64)
        if who is not None and who.ndim == 1:
            who = np.broadcast_to(who, (len(decisions), len(who)))
        if x.ndim != 2 or {len(x), len(rewards), len(paid)} != {len(decisions)} or rewards.ndim != 1 or (
                who is not None and who.shape != decisions.probabilities.shape):
            raise Error(f"add_many: found contexts {x.shape}, reward {rewards.shape}, costs {paid.shape}; accepted: a "
                        f"row and a reward for each of {len(decisions)} decisions, and the ids of the actions offered")
        for i in range(len(decisions)):
            if decisions.place[i] >= 0:
                self._add(x[i], decisions.probabilities[i], int(decisions.place[i]), rewards[i],
                          per_cost("costs", paid[i], self._names), None if who is None else who[i], None)

    def _add(self, context: Any, probabilities: Floats, action: int, reward: float, costs: list[float], ids: Any,
             expected: Any) -> None:
        if ids is None and len(probabilities) != self._actions:
            raise Error(f"log: found a round of {len(probabilities)} actions; accepted: all {self._actions}, or ids= "
                        "with the ids of the actions offered")
        who = np.arange(self._actions) if ids is None else integers("ids", ids, np.int64)
        if who.shape != probabilities.shape or not np.isin(who, np.arange(self._actions)).all():
            raise Error(f"log: found ids {who.tolist()}; accepted: the ids of the {len(probabilities)} actions of "
                        f"the round, 0 to {self._actions - 1}")
        row = np.zeros(self._actions)
        row[who] = probabilities
        means = None
        if expected is not None:
            known = array("expected_reward", expected)
            if known.shape != who.shape:
                raise Error(f"expected_reward: found shape {known.shape}; accepted: one number per action of the round")
            means = np.full(self._actions, np.nan)
            means[who] = known
        x = np.zeros(0) if context is None else array("context", context)
        if self._rows and len(x) != len(self._rows[0][0]):
            raise Error(f"log: found a context of {len(x)} numbers; accepted: {len(self._rows[0][0])}, as before")
        self._rows.append((x, row, int(who[action]), reward, costs, means))

    def feedback(self) -> Feedback:
        """obp's dictionary, plus `costs`: one array per cost, by name. obp ignores `costs`."""
        if not self._rows:
            raise Error("log: it is empty; accepted: at least one decision")
        contexts, rows, taken, reward, costs, means = zip(*self._rows)
        pi_b = np.array(rows)[:, :, None]
        action = np.array(taken, np.int64)
        paid = np.array(costs).reshape(len(action), -1)
        return {
            "n_rounds": len(action), "n_actions": self._actions, "context": np.array(contexts),
            "action_context": self._described, "action": action, "position": None, "reward": np.array(reward),
            "expected_reward": None if any(row is None for row in means) else np.array(means),
            "pi_b": pi_b, "pscore": pi_b[np.arange(len(action)), action, 0],
            "costs": {name: paid[:, i].copy() for i, name in enumerate(self._names)},
        }


@dataclass(frozen=True)
class Logged:
    """A feedback dictionary, read and checked."""

    actions: int
    context: Floats  #: rounds x features
    action: npt.NDArray[np.int64]
    reward: Floats
    costs: dict[str, Floats]
    pscore: Floats | None
    pi_b: Floats | None  #: rounds x actions
    action_context: Floats | None

    def __len__(self) -> int:
        return len(self.action)

    def propensities(self) -> Floats:
        if self.pscore is None:
            raise Error("feedback: it has neither pscore nor pi_b; accepted: the probabilities with which the logged "
                        "actions were drawn")
        return self.pscore


def read(feedback: Mapping[str, Any]) -> Logged:
    """Reads and checks a feedback dictionary. Feedback with several positions is refused."""
    if not isinstance(feedback, Mapping):
        raise Error(f"feedback: found {type(feedback).__name__}; accepted: obp's bandit_feedback, a dictionary")
    missing = [key for key in ("context", "action", "reward") if feedback.get(key) is None]
    if missing:
        raise Error(f"feedback: it has no {', '.join(missing)}; accepted: obp's bandit_feedback, with n_actions, "
                    "context, action, reward, pscore")
    context = array("context", feedback["context"])
    action = integers("action", feedback["action"], np.int64)
    described = feedback.get("action_context")
    actions = whole("n_actions", feedback.get("n_actions") or action.max(initial=0) + 1, 31)
    position = feedback.get("position")
    if position is not None and np.any(integers("position", position, np.int64) != 0):
        raise Error("feedback: found several positions in a list; accepted: one, position None or 0")
    rounds = len(action)
    if context.ndim != 2 or len(context) != rounds or action.ndim != 1 or not rounds:
        raise Error(f"feedback: found context {context.shape} and action {action.shape}; accepted: one row and one "
                    "action per round, at least one round")
    if action.min() < 0 or action.max() >= actions:
        raise Error(f"feedback: found actions {action.min()} to {action.max()}; accepted: 0 to {actions - 1}")
    costs = feedback.get("costs") or {}
    if not isinstance(costs, Mapping):
        raise Error(f"costs: found {type(costs).__name__}; accepted: one array per cost, by name")
    pi_b = _pi_b(feedback, rounds, actions)
    return Logged(actions, context, action, _column("reward", feedback["reward"], rounds),
                  {str(name): _column(f"costs {name}", paid, rounds)
                   for name, paid in costs.items()}, _pscore(feedback, pi_b, action), pi_b,
                  None if described is None else array("action_context", described))


def _pi_b(feedback: Mapping[str, Any], rounds: int, actions: int) -> Floats | None:
    if feedback.get("pi_b") is None:
        return None
    found = array("pi_b", feedback["pi_b"])
    if found.shape != (rounds, actions, 1):
        raise Error(f"pi_b: found shape {found.shape}; accepted: ({rounds}, {actions}, 1)")
    return found[:, :, 0]


def _pscore(feedback: Mapping[str, Any], pi_b: Floats | None, action: npt.NDArray[np.int64]) -> Floats | None:
    found = feedback.get("pscore")
    if found is None:
        if pi_b is None:
            return None
        found = pi_b[np.arange(len(action)), action]
    scores = _column("pscore", found, len(action))
    if not ((scores > 0) & (scores <= 1)).all():
        raise Error(f"pscore: found {scores.min()} to {scores.max()}; accepted: above 0, at most 1")
    return scores


def _column(what: str, values: Any, rounds: int) -> Floats:
    found: Floats = array(what, values)
    if found.shape != (rounds,):
        raise Error(f"{what}: found shape {found.shape}; accepted: one number for each of {rounds} rounds")
    if not np.isfinite(found).all():
        raise Error(f"{what}: found a number that is not finite; accepted: finite ones")
    return found
