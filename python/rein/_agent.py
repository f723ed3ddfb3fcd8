"""Agent: decides now, learns when the outcome arrives."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Unpack

from . import _own, _rein
from ._actions import Action, Chances, Given, Labels, declare
from ._agent_change import AgentChanges
from ._agent_decide import AgentDecides
from ._agent_learn import AgentLearns
from ._agent_look import AgentLooks
from ._agent_parts import Row as Row
from ._agent_save import AgentSaves
from ._budget import Budget, add_budgets
from ._errors import Error
from ._given import number, pair, short, text, whole
from ._history import page, plot
from ._options import CostsByAction, EngineOptions, Goal, HardLimits, OldWords, Shares, groups_of
from ._schema import Schema
from ._shapes import CostNames, PerCost, Range, action_rows, make_shape, per_cost, some_costs
from ._wanted import check_budget, wanted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Agent(AgentDecides, AgentLearns, AgentChanges, AgentLooks, AgentSaves):
    """A policy that remembers its decisions. Outcomes arrive by decision id, late and in any order.

        agent = rein.Agent("ccb(budget=1000,rounds=50000)", actions=4, context=12, costs=["dollars"])
        d = agent.decide(x)                               # x: 12 numbers
        agent.learn(d.id, reward=1.0, costs=[0.02])       # now or much later

    spec            the policy, as on the command line
    actions         the actions: names, as ["small", "large"], numbers of your own, or how many
                    there are; `add_action` and `remove_action` change them while it runs
    context         how many numbers the context x of a round has; or the names of its columns with
                    their kinds, as {"age": "number", "country": "category"}; or a rein.Schema
    action_features how many numbers describe each action, for decide(x, rows)
    costs           names of the costs, as ["dollars"]. Scales are learned. A range may be declared:
                    {"dollars": (0, 5)}; {"dollars": 5} is the same; (0, None): only the smallest
    reward          range of the rewards, as (0, 1); None: not known
    rounds, budget  number of rounds and total budget per cost, if the spec does not give them
    seed            seed of all random numbers; random by default, read it as `agent.seed`
    oracle          an object with predict and learn, for specs with oracle=own (docs/own.md)
    potential       an object with value and slope, for specs with pricer=own (docs/own.md)

    expected_costs  what each action is expected to cost: {action: costs}, or one row per action;
                    `expect` changes it
    forget          True: forget what was known before a change, once it is noticed; `ccb` does so by
                    itself. False: never forget. A number: outcomes after which one weighs 1 / e
    goal            rein.Goal: what is made as small or as large as possible, and limits on other means
    shares          rein.Shares: least and most probability of each action, and a random control group
    baseline        what the agent may not fall far below (docs/baseline.md): an action, or the probability
                    of each, as {"small": 0.3, "large": 0.7}. `ccb(baseline=round)`: decide is told it

    budgets         a list of rein.Budget: per day or month, per tenant; hard, or steered by the
                    price (docs/budgets.md)
    hard            rein.HardLimits: what hard budgets count with, as the most that each action can cost
    engine          rein.EngineOptions: how long decisions wait for their outcomes, how many are kept

    Give costs by name, in order, or as one number if there is one cost.

    Thread safety: any thread may call. Calls run one at a time. Batches release the interpreter
    lock.
    """

    __slots__ = ()

    def __init__(
        self,
        spec: str,
        *,
        actions: Given,
        context: int | Mapping[str, str] | Schema = 0,
        action_features: int = 0,
        costs: CostNames | None = None,
        reward: Range | None = None,
        rounds: int = 0,
        budget: PerCost | None = None,
        budgets: Budget | Sequence[Budget] = (),
        expected_costs: CostsByAction | None = None,
        forget: bool | float | None = None,
        baseline: Action | Chances | None = None,
        goal: Goal | None = None,
        shares: Shares | None = None,
        hard: HardLimits | None = None,
        engine: EngineOptions | None = None,
        seed: int | None = None,
        oracle: _own.Oracle | None = None,
        potential: _own.Potential | None = None,
        **old: Unpack[OldWords],
    ) -> None:
        groups = {"goal": goal, "shares": shares, "hard": hard, "engine": engine}
        wish, parts, limits, kept = groups_of(groups, old)
        options = _rein.EngineOptions()
        if isinstance(context, Mapping):
            context = Schema(context)
        if isinstance(context, Schema):
            options.set_schema(context._schema)
            context = context.size
        elif isinstance(context, (list, tuple, set)):
            raise Error(f'context: found {short(context)}; accepted: how many numbers, or names with their kinds, as '
                        '{"age": "number"}')
        shape = make_shape(declare(options, actions), context, action_features, reward, costs, rounds, budget)
        names = [name for name, _, _ in shape.costs]
        label = Labels(options, shape.actions)
        options.seed = secrets.randbits(64) if seed is None else whole("seed", seed, 64, signed=False)
        add_budgets(options, budgets)
        _add_hard_limits(options, limits, names, label)
        _add_engine_options(options, kept, names)
        spec = wanted(text("spec", spec), shape, label, wish, parts, forget=forget, baseline=baseline)
        self._adopt(_rein.Engine.make(spec, shape, options, _own.own_of(oracle, potential)), oracle, potential)
        self._engine.keep_explained(whole("explained", kept.explained, 31, signed=False))
        if budget is not None:
            check_budget(self._engine)
        if expected_costs is not None:
            self.expect(expected_costs)

    def __repr__(self) -> str:
        s = self.state
        return f"<rein.Agent {self.spec}: {s.learned} learned, {s.open} open, spent {s.spent}>"

    def plot(self) -> Figure:
        """Draws spent against allowed, prices, shares of actions and the reward over decisions."""
        return plot(self)

    def _repr_html_(self) -> str:
        return page(self)


def _add_hard_limits(options: _rein.EngineOptions, limits: HardLimits, names: list[str], label: Labels) -> None:
    if limits.total is not None:
        options.hard_budget = per_cost("total", limits.total, names, float("inf"))
    if limits.largest_costs is not None:
        rows = label.by_action("largest_costs", limits.largest_costs)
        options.set_largest_costs(action_rows("largest_costs", rows, names))
    options.safe_action = None if limits.safe_action is None else label.id_of("safe_action", limits.safe_action)
    if limits.safe_cost is not None:
        options.set_safe_cost(per_cost("safe_cost", limits.safe_cost, names))


def _add_engine_options(options: _rein.EngineOptions, kept: EngineOptions, names: list[str]) -> None:
    secret = whole("secret", kept.secret, 128, signed=False)
    options.secret = [secret & (2**64 - 1), secret >> 64]
    options.expire_after = whole("expire_after", kept.expire_after, 63)
    options.most_open = whole("most_open", kept.most_open, 63)
    options.remember = whole("remember", kept.remember, 63)
    options.most_keys = whole("most_keys", kept.most_keys, 31)
    if kept.default_outcome is None:
        return
    worth, paid = pair("default_outcome", kept.default_outcome, "(reward, costs)")
    options.set_default_outcome((
        _rein.MISSING if worth is None else number("default_outcome", worth),
        [_rein.MISSING if x is None else x for x in some_costs("default_outcome", paid, names)]))
    if not options.expire_after:
        raise Error("default_outcome: nothing expires without expire_after; accepted: both or neither")
