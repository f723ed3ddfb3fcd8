"""Your own oracle, potential or world."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np
import numpy.typing as npt

from . import _rein
from ._errors import Error
from ._given import array, integers, number, short, text
from ._shapes import CostNames, Floats, PerCost, Range, make_shape


@dataclass(frozen=True)
class Round:
    """One round, as your own oracle sees it."""

    context: Floats  #: context of the round
    features: Floats  #: one row per action
    ids: npt.NDArray[np.int64]  #: action ids

    @property
    def actions(self) -> int:
        return len(self.ids)

    def rows(self, actions: int | None = None) -> Floats:
        """One row per action, for any regression: context, features, 1.

        With `actions`, the number of action ids, each row repeats these numbers in a block of its
        own action. The blocks of all other actions are 0.
        """
        k = self.actions
        joint = np.hstack([np.tile(self.context, (k, 1)), self.features, np.ones((k, 1))])
        if actions is None:
            return joint
        own = np.zeros((k, actions, joint.shape[1]))
        own[np.arange(k), self.ids] = joint
        return np.hstack([joint, own.reshape(k, -1)])


class Oracle(Protocol):
    """What `oracle=` takes.

    Pickle and `Agent.save` save the object. With two more methods, `save() -> bytes` and
    `load(bytes)`, its state is also in snapshots and in the state hash.
    """

    def predict(self, round: Round) -> npt.ArrayLike:
        """Returns estimated means, (1 + costs) x actions: row 0 is the reward, then one row per cost.

        It must not change the oracle. Values outside the declared ranges are clipped.
        """
        ...

    def learn(self, round: Round, action: int, outcomes: Floats) -> None:
        """Learns the outcome of one action: (reward, cost, ...)."""


Oracles = Mapping[str, Callable[[Any], Oracle]]  # functions that make oracles, by name
_MAKERS = 'functions of the shape by name, {"sgd": make}, because each policy and seed needs a separate oracle'


def predict(oracle: Any, arrays: tuple[Any, Any, Any], heads: int) -> Floats:
    """Called by the binding."""
    round = Round(*arrays)
    found = array("own oracle: predict", oracle.predict(round))
    if found.shape != (heads, round.actions):
        raise Error(f"own oracle: predict gave shape {found.shape}; accepted: ({heads}, {round.actions}), "
                    "one row for the reward and for each cost, one column per action")
    return found


def learn(oracle: Any, arrays: tuple[Any, Any, Any], action: int, outcomes: Floats) -> None:
    """Called by the binding."""
    oracle.learn(Round(*arrays), action, outcomes)


class Policy(Protocol):
    """What a run takes besides specs: a class whose objects decide and learn.

        rein.compare(world, ["ccb", Mine])          # Mine(shape) is called for each policy and seed

    shape.actions, shape.heads (1 + costs), shape.costs and shape.rounds describe the problem.
    """

    def decide(self, round: Round, spent: Floats) -> int | npt.ArrayLike:
        """The index of an action of the round, or one probability per action.

        `spent` has what each cost has come to, with what open decisions may still cost. It must not
        change the policy.
        """
        ...

    def learn(self, round: Round, action: int, probability: float, reward: float, costs: Floats) -> None:
        """Learns the outcome of the action that was played with this probability."""


Policies = Mapping[str, Callable[[Any], Policy]]  # classes, or functions that make policies, by name


def choose(policy: Any, arrays: tuple[Any, Any, Any], spent: Floats) -> Floats:
    """Called by the binding."""
    round = Round(*arrays)
    said = policy.decide(round, spent)
    if isinstance(said, (int, np.integer)) and not isinstance(said, bool):
        if not 0 <= said < round.actions:
            raise Error(f"own policy: decide gave action {said}; accepted: 0 to {round.actions - 1}, or probabilities")
        chances = np.zeros(round.actions)
        chances[said] = 1.0
        return chances
    chances = array("own policy: decide", said)
    if chances.shape != (round.actions,):
        raise Error(f"own policy: decide gave shape {chances.shape}; accepted: an action, or {round.actions} "
                    "probabilities")
    return chances


def learn_policy(policy: Any, arrays: tuple[Any, Any, Any], action: int, probability: float, reward: float,
                 costs: Floats) -> None:
    """Called by the binding."""
    policy.learn(Round(*arrays), action, probability, reward, costs)


def own_policies(policies: Any) -> tuple[Any, dict[str, Callable[[Any], Any]]]:
    """The specs of a list in which classes stand for policies, and these classes by name."""
    if callable(policies):
        policies = [policies]
    if not isinstance(policies, (list, tuple)):
        return policies, {}
    found: dict[str, Callable[[Any], Any]] = {}
    specs = []
    for policy in policies:
        if callable(policy):
            name = getattr(policy, "__name__", type(policy).__name__)
            if found.setdefault(name, policy) is not policy:
                raise Error(f"policies: found two of the name {name!r}; accepted: different names")
            policy = f'own(name="{name}")'
        specs.append(policy)
    return specs, found


def _check_policy(policy: Any) -> None:
    for verb in ("decide", "learn"):
        if isinstance(policy, type) or not callable(getattr(policy, verb, None)):
            raise Error(f"policies: found {policy!r}, which has no {verb}; accepted: a class whose objects have "
                        "decide(round, spent) and learn(round, action, probability, reward, costs)")


def learns_parts(oracle: Any) -> bool:
    """Called by the binding: whether learn takes outcomes of which some are NaN, as they have not come."""
    return bool(getattr(oracle, "learns_parts", False))


def save(oracle: Any) -> bytes:
    """Called by the binding."""
    saved = oracle.save() if _saves(oracle) else b""
    if not isinstance(saved, bytes):
        raise Error(f"own oracle: save gave {short(saved)}; accepted: bytes")
    return saved


def load(oracle: Any, saved: bytes) -> None:
    """Called by the binding."""
    if _saves(oracle):
        oracle.load(saved)
    elif saved:
        raise Error("own oracle: the snapshot holds its state; accepted: an oracle with save() and load(bytes)")


def _saves(oracle: Any) -> bool:
    return hasattr(oracle, "save") and hasattr(oracle, "load")


def own_of(oracle: Any = None, potential: Any = None) -> _rein.Own:
    """The pieces of an agent: oracle=own and pricer=own in its spec."""
    own = _rein.Own()
    if oracle is not None:
        _check_oracle(oracle)
        own.add_oracle("own", lambda _: oracle)
    _add_potential(own, potential)
    return own


def own_of_run(world: Any, oracles: Oracles | None, potential: Any,
               policies: Policies | None = None) -> tuple[str, _rein.Own]:
    """The world's spec and the pieces of a run."""
    own = _rein.Own()
    for name, maker in (policies or {}).items():
        def build(shape: _rein.Shape, maker: Callable[[Any], Any] = maker) -> Any:
            made = maker(shape)
            _check_policy(made)
            return made
        own.add_policy(name, build)
    if oracles is not None and not isinstance(oracles, Mapping):
        raise Error(f"oracles: found {short(oracles)}; accepted: {_MAKERS}")
    for name, make in (oracles or {}).items():
        if not callable(make):
            raise Error(f"oracles: found {short(make)} for {name!r}; accepted: {_MAKERS}")

        def give(shape: _rein.Shape, make: Callable[[Any], Any] = make) -> Any:
            made = make(shape)
            _check_oracle(made)
            return made
        own.add_oracle(text("oracles", name), give)
    _add_potential(own, potential)
    if not isinstance(world, World):
        return text("world", world), own
    world.add_to(own)
    return world.spec, own


def _check_oracle(oracle: Any) -> None:
    for verb in ("predict", "learn"):
        if isinstance(oracle, type) or not callable(getattr(oracle, verb, None)):
            raise Error(f"oracle: found {oracle!r}, which has no {verb}; accepted: an object with "
                        "predict(round) and learn(round, action, outcomes)")


class Potential(Protocol):
    """What `potential=` takes: a convex, non-decreasing function of the spending above the budget.

    All numbers are in units: costs and rewards divided by the largest absolute value of their
    range. An optional attribute `name` is the name in pricer=own(name=NAME). Saved by pickle.
    """

    def value(self, cost: int, queue: float) -> float:
        """The potential of cost number `cost` at this queue. Called only when an agent is made."""
        ...

    def slope(self, cost: int, queue: float) -> float:
        """Its derivative, the price: at least 0, and non-decreasing in the queue."""
        ...


def ask_potential(potential: Any, verb: str, cost: int, queue: float) -> float:
    """Called by the binding."""
    return number(f"potential: {verb}", getattr(potential, verb)(cost, queue))


def _add_potential(own: _rein.Own, potential: Any) -> None:
    if potential is None:
        return
    for verb in ("value", "slope"):
        if isinstance(potential, type) or not callable(getattr(potential, verb, None)):
            raise Error(f"potential: found {short(potential)}, which has no {verb}; accepted: an object with "
                        "value(cost, queue) and slope(cost, queue)")
    own.add_potential(text("potential: name", getattr(potential, "name", "own")), potential)


@dataclass(frozen=True)
class Scene:
    """One round of your own world, with the outcome of every action."""

    reward: npt.ArrayLike  #: one per action
    costs: npt.ArrayLike = ()  #: costs x actions; or one per action, if there is one cost
    context: npt.ArrayLike = ()
    features: npt.ArrayLike = ()  #: one row per action
    ids: npt.ArrayLike = ()  #: action ids; default: 0, 1, ...
    means: npt.ArrayLike | None = None  #: true means, (1 + costs) x actions; default: the outcomes


class World:
    """Your own world for rein.run, as a Python generator.

    `rounds(rng, count)` yields one `Scene` for each of `count` rounds. rng is a numpy Generator made
    from the seed. `action = yield scene` receives the action chosen; set adapts=True if later rounds
    depend on it. Each policy gets its own generator, made from the same seed. The other arguments
    are those of rein.Agent; `horizon` is the number of rounds.
    """

    def __init__(self, rounds: Callable[[np.random.Generator, int], Generator[Scene, int, Any]], *,
                 actions: int, context: int = 0, action_features: int = 0,
                 costs: CostNames | None = None, reward: Range = (-1.0, 1.0),
                 budget: PerCost | None = None, horizon: int = 0, adapts: bool = False,
                 name: str | None = None) -> None:
        if not callable(rounds):
            raise Error(f"world: found {short(rounds)}; accepted: a function of (rng, rounds) that yields scenes")
        self.name: str = text("world: name", getattr(rounds, "__name__", "own") if name is None else name)
        if '"' in self.name or not self.name.isprintable():
            raise Error(f"world: found the name {self.name!r}; accepted: one line of text without quotes")
        self.adapts = adapts
        self._rounds = rounds
        self._shape = make_shape(actions, context, action_features, reward, costs, horizon, budget,
                                 otherwise=(-1.0, 1.0))

    @property
    def spec(self) -> str:
        """The world's spec in results."""
        return f'own(name="{self.name}")'

    def __repr__(self) -> str:
        costs = [name for name, _, _ in self._shape.costs]
        return f"<rein.World {self.name}: {self._shape.actions} actions, costs {costs}>"

    def add_to(self, own: _rein.Own) -> None:
        own.add_world(self.name, lambda seed, rounds: _Stepper(self, seed, rounds), self._shape, self.adapts)

    def __getstate__(self) -> dict[str, Any]:
        s = self._shape
        sizes = (s.actions, s.context, s.features, s.reward, s.costs, s.rounds, s.budgets)
        return {**self.__dict__, "_shape": sizes}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _shape=_rein.Shape.make(*state["_shape"]))


class _Stepper:
    """One run through a world."""

    def __init__(self, world: World, seed: int, rounds: int) -> None:
        self._shape = world._shape
        self._name = world.name
        self._generator = world._rounds(np.random.default_rng(seed), rounds)
        self._count = 0
        if not hasattr(self._generator, "send"):
            raise Error(f"world {world.name}: found {short(self._generator)}; accepted: a generator, as returned "
                        "by a function with yield")

    def next(self, taken: int) -> tuple[npt.NDArray[Any], ...]:
        """Called by the binding with the action chosen in the previous round."""
        try:
            scene = next(self._generator) if self._count == 0 else self._generator.send(taken)
        except StopIteration:
            raise Error(f"world {self._name}: it ended after {self._count} rounds; accepted: at least "
                        "as many as the run asks for") from None
        self._count += 1
        if not isinstance(scene, Scene):
            self._refuse(f"found {short(scene)}; accepted: a rein.Scene")
        try:
            return self._arrays(scene)
        except Error as wrong:
            self._refuse(str(wrong))

    def _arrays(self, scene: Scene) -> tuple[npt.NDArray[Any], ...]:
        reward, costs = array("reward", scene.reward), array("costs", scene.costs)
        context, features = array("context", scene.context), array("features", scene.features)
        ids = integers("ids", scene.ids, np.int32)
        heads, k = self._shape.heads, reward.size
        if reward.ndim != 1 or not k or costs.size != (heads - 1) * k or costs.shape[-1:] not in ((k,), (0,)):
            raise Error(f"found reward {reward.shape} and costs {costs.shape}; accepted: one reward and {heads - 1} "
                        "costs per action")
        if not features.size:
            features = features.reshape(0, 0)
        if (context.ndim, features.ndim, ids.ndim) != (1, 2, 1):
            raise Error(f"found context {context.shape}, features {features.shape} and ids {ids.shape}; accepted: "
                        "a list of numbers, rows of numbers, a list of numbers")
        outcomes = np.concatenate([reward, costs.ravel()]).reshape(heads, k)
        means = outcomes if scene.means is None else array("means", scene.means)
        if means.shape != (heads, k) or not np.isfinite(means).all():
            raise Error(f"found means {short(means.tolist())}; accepted: finite numbers of shape ({heads}, {k})")
        return context, features, ids, outcomes, means

    def _refuse(self, why: str) -> NoReturn:
        raise Error(f"world {self._name}, round {self._count}: {why}") from None
