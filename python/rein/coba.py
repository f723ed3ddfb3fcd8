"""Works with coba: a learner for its experiments, costs for its environments, results for its plots.

    import coba, rein.coba

    environments = coba.Environments.from_linear_synthetic(2000).filter(rein.coba.Costs(price))
    learners = [rein.coba.Learner("ccb(rate=0.1)", costs=["dollars"]), coba.LinUCBLearner()]
    coba.Experiment(environments, learners, rein.coba.CostedCB()).run().plot_learners(y="dollars")

coba has rewards only. `Reward` is a number that also carries its costs, so coba's own learners run
beside ours on the same environments. See docs/neighbours.md. Importing this module does not need
coba; `CostedCB` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from . import _coba_round
from ._agent import Agent
from ._coba_log import write
from ._errors import Error
from ._given import whole
from ._options import adapted, has_hard_total
from ._shapes import CostNames, PerCost, Range, cost_ranges

try:
    from coba.evaluators import SequentialCB
    from coba.primitives import EnvironmentFilter
    from coba.primitives import Learner as CobaLearner
except ImportError:  # a learner also works without coba
    SequentialCB = EnvironmentFilter = CobaLearner = object

__all__ = ["CostedCB", "Costs", "Learner", "Reward", "write"]

_OPEN = 10_000  # rounds that an outcome may be late before the learner forgets the decision


class Reward(float):
    """A number with costs: `reward.costs` is a number, a sequence, or a mapping by name."""

    costs: PerCost

    def __new__(cls, value: float, costs: PerCost = ()) -> Reward:
        made = super().__new__(cls, value)
        made.costs = costs
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Reward, (float(self), self.costs)

    def __copy__(self) -> Reward:
        return self

    def __deepcopy__(self, memory: Any) -> Reward:
        return self

    @property
    def named(self) -> dict[str, float]:
        """Costs by name; unnamed costs are "cost", or "cost 0", "cost 1", ..."""
        if isinstance(self.costs, Mapping):
            return {str(name): float(cost) for name, cost in self.costs.items()}
        if isinstance(self.costs, (int, float)):
            return {"cost": float(self.costs)}
        return {f"cost {i}": float(cost) for i, cost in enumerate(self.costs)}


class Costs(EnvironmentFilter):  # type: ignore[misc]
    """A coba filter that adds costs to the rewards of an environment.

    costs   a function of (context, action) that returns a number, a sequence, or a mapping by name;
            or the key of the interactions that holds the costs: of every action, like `rewards`, or
            of the logged one, like `reward`. The key is removed: a learner sees only the costs of
            the action chosen.

    Put it after filters that change rewards, contexts or actions: arithmetic on a reward drops its
    costs.
    """

    def __init__(self, costs: str | Callable[[Any, Any], PerCost] = "costs") -> None:
        self._costs = costs

    @property
    def params(self) -> dict[str, Any]:
        return {"costs": self._costs if isinstance(self._costs, str) else getattr(self._costs, "__name__", "function")}

    def filter(self, interactions: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        for interaction in interactions:
            new: dict[str, Any] = dict(interaction)
            given = self._given(new)
            if "rewards" in new:
                new["rewards"] = self._all(new, given)
            if "reward" in new:
                new["reward"] = Reward(new["reward"], self._logged(new, given))
            yield new

    def _given(self, interaction: dict[str, Any]) -> Any:
        if callable(self._costs):
            of, context = self._costs, interaction.get("context")
            return lambda action: of(context, action)
        if self._costs not in interaction:
            raise Error(f"Costs: an interaction has no {self._costs!r}; accepted: a key of the interactions (there "
                        f"are {sorted(interaction)}), or a function of (context, action)")
        return interaction.pop(self._costs)

    def _logged(self, interaction: dict[str, Any], given: Any) -> Any:
        if callable(given):
            return given(interaction["action"])
        if "rewards" in interaction:
            return given[_coba_round.place_of(interaction["actions"], interaction["action"])]
        return given

    def _all(self, interaction: dict[str, Any], given: Any) -> list[Reward]:
        actions, rewards = interaction["actions"], interaction["rewards"]
        if not actions:
            raise Error("Costs: an interaction has no list of actions; accepted: discrete actions")
        each: list[Any] = [rewards(action) for action in actions] if callable(rewards) else list(rewards)
        costs: list[Any] = [given(action) for action in actions] if callable(given) else list(given)
        if not len(each) == len(costs) == len(actions):
            raise Error(f"Costs: found {len(actions)} actions, {len(each)} rewards and {len(costs)} costs; accepted: "
                        "one of each per action")
        return [Reward(reward, cost) for reward, cost in zip(each, costs)]


class CostedCB(SequentialCB):  # type: ignore[misc]
    """coba's SequentialCB that also records the costs, one column per cost, for every learner."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        if SequentialCB is object:
            raise ImportError("rein.coba.CostedCB needs coba: pip install coba")
        super().__init__(*arguments, **named)

    def evaluate(self, environment: Any, learner: Any) -> Iterator[dict[str, Any]]:
        for row in super().evaluate(environment, learner):
            if isinstance(row.get("reward"), Reward):
                row.update(row["reward"].named)
            yield row


class Learner(CobaLearner):  # type: ignore[misc]
    """A coba learner with an agent inside.

    spec        the policy, as for rein.Agent
    costs       names, or names with ranges, as for rein.Agent; the costs themselves come with the
                rewards (`Costs`) or from `cost_of`
    cost_of     a function of (context, action, reward) that returns the costs
    actions     the largest number of different actions; default: as many as the first round has, or
                the length of its one-hot vectors
    rows        True: the numbers of an action describe it. False: actions are names. Default:
                sequences and mappings describe; words, numbers and one-hot vectors are names
    hashed      hash contexts and rows into this many numbers each; mappings and words need it
    seed        seed of all random numbers; 1, as for coba's own learners
    options     the other options of rein.Agent: reward, rounds, budget, hard, ...

    The first round fixes the sizes. predict returns the probability with which the action was drawn.
    The learner learns only from its own decisions: SequentialCB with learn="on" (also "ips", "dr",
    "dm"), or RejectionCB.
    """

    def __init__(self, spec: str = "ccb", *, costs: CostNames | None = None,
                 cost_of: Callable[[Any, Any, float], PerCost] | None = None, actions: int | None = None,
                 rows: bool | None = None, hashed: int = 0, seed: int = 1, reward: Range | None = None,
                 **options: Any) -> None:
        self._spec, self._seed, self._rows = spec, seed, rows
        self._actions = None if actions is None else whole("actions", actions, 31, signed=False)
        self._hashed = whole("hashed", hashed, 24, signed=False)
        self._names = [name for name, _, _ in cost_ranges(costs)]
        self._cost_of = cost_of
        given, engine = adapted(options, remember=1024, expire_after=_OPEN, most_open=2 * _OPEN)
        self._options = {"costs": costs, "reward": reward} | given
        self._expire_after = engine.expire_after
        self._encoder: _coba_round.Encoder | None = None
        self._agent: Agent | None = None
        self._scored: tuple[Any, Any, Any, float] | None = None
        self._clock = 0

    @property
    def params(self) -> dict[str, Any]:
        """Columns of coba's table of learners."""
        given = {"actions": self._actions, "rows": self._rows, "hashed": self._hashed or None}
        return {"family": "rein", "spec": self._spec, "seed": self._seed} | {
            key: value for key, value in given.items() if value is not None}

    @property
    def agent(self) -> Agent:
        """The agent inside; it exists after the first round."""
        if self._agent is None:
            raise Error("agent: it does not exist before the first round; accepted: call predict first")
        return self._agent

    def predict(self, context: Any, actions: Any) -> tuple[Any, float, dict[str, int]]:
        """Returns an action, its probability, and the decision id that learn() needs."""
        x, offered = self._round(context, actions)
        self._clock += 1
        self.agent.tick(self._clock)
        d = self.agent.decide(x, offered)
        return actions[d.place], d.probability, {"decision": d.id}

    def score(self, context: Any, actions: Any, action: Any) -> float:
        """Returns the probability with which predict would draw the action now. Changes nothing."""
        x, offered = self._round(context, actions)
        d = self.agent.look(x, offered)
        found = float(d.probabilities[_coba_round.place_of(actions, action)])
        self._scored = x, offered, actions, found
        return found

    def learn(self, context: Any, action: Any, reward: float, probability: float | None,
              decision: int | None = None) -> None:
        """Learns the outcome of a decision of predict()."""
        if hasattr(reward, "is_batch"):
            raise Error("learn: found a batch; accepted: one outcome. coba sends single outcomes after this error")
        costs = self._paid(context, action, reward)
        if decision is None:
            decision = self._redrawn(action, probability)
        self.agent.learn(decision, float(reward), costs)

    def _round(self, context: Any, actions: Any) -> tuple[Any, Any]:
        _coba_round.check(context, actions)
        encoder = self._encoder or _coba_round.Encoder.of(context, actions, self._actions, self._rows, self._hashed)
        x, offered = encoder.context(context), encoder.offer(actions)
        if self._agent is None:
            self._agent = Agent(self._spec, actions=encoder.actions, context=encoder.features,
                                action_features=encoder.action_features, seed=self._seed, **self._options)
        self._encoder = encoder
        return x, offered

    def _paid(self, context: Any, action: Any, reward: float) -> PerCost | None:
        if not self._names:
            return None
        if self._cost_of is not None:
            return self._cost_of(context, action, reward)
        if isinstance(reward, Reward):
            return reward.costs
        raise Error(f"learn: found a reward without costs, but the learner has {self._names}; accepted: an environment "
                    "with rein.coba.Costs as its last filter, or cost_of= on the learner")

    def _redrawn(self, action: Any, probability: float | None) -> int:
        """A decision for an action that an evaluator drew with our probabilities.

        RejectionCB does this after score. The agent draws until it draws that action too, and lets
        the other decisions expire. It then learns as if it had drawn the action itself.
        """
        if self._scored is None or probability != self._scored[3] or not probability:
            raise Error("learn: this learner did not make the decision; accepted: SequentialCB with learn='on', "
                        "'ips', 'dr' or 'dm', or RejectionCB. It cannot learn from actions of another policy")
        if has_hard_total(self._options):
            raise Error("learn: a hard budget counts expired decisions as spent; accepted: RejectionCB "
                        "without hard limits on the total")
        x, offered, actions, _ = self._scored
        place = _coba_round.place_of(actions, action)
        d = self.agent.decide(x, offered)
        while d.place != place:
            self._clock += self._expire_after + 1
            self.agent.tick(self._clock)
            d = self.agent.decide(x, offered)
        self._scored = None
        return d.id
