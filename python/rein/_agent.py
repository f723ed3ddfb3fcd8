"""Agent: decides now, learns when the outcome arrives."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, cast

import numpy.typing as npt

from . import _own, _rein, _saved
from ._actions import Action, Actions, Chances, Given, Labels, declare, new_name
from ._batch import Decisions, decide_many, learn_many
from ._budget import Budget, BudgetState, add_budgets, named, scopes_of
from ._columns import named_row
from ._errors import Error
from ._explain import Explanation, explain
from ._given import number, pair, short, text, whole
from ._history import History, page, plot, read_history
from ._log import named_columns, warm_columns
from ._progress import Progress
from ._rein import Decision
from ._round import read_context, read_round
from ._schema import Schema
from ._shapes import CostNames, PerCost, Range, action_rows, make_shape, per_cost, some_costs
from ._state import Bounds, OpenDecision, State, Status, read_open, read_state
from ._wanted import PerAction, check_budget, wanted
from ._warm import read_log, warm_start

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = npt.ArrayLike | Mapping[str, Any]  # numbers in order, or values by name


class Agent:
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
    forget          True: forget what was known before a change, once it is noticed; this is what `ccb` does
                    by itself. False: never forget. A number: outcomes after which one weighs 1 / e
    minimize        what is made as small as possible, as "dollars"; maximize: as large as possible, by
                    default "reward" (docs/quality_floor.md)
    at_least        lower limits on means by name, as {"reward": 0.95}; at_most: upper limits
    least, most     least and most probability of each action in every round (docs/shares.md): one
                    number for all, one per action, or {action: number}
    holdout         share of the rounds that are a random control group; it gets the action `control`
    baseline        what the agent may not fall far below (docs/baseline.md): an action, or the probability
                    of each, as {"small": 0.3, "large": 0.7}. `ccb(baseline=round)`: decide is told it

    The other options belong to the engine (docs/engine.md):

    expire_after    clock ticks after which a decision without an outcome expires; 0: never
    default_outcome (reward, costs) that an expired decision learns where they have not come; None
                    for what it should not learn
    budgets         a list of rein.Budget: per day or month, per tenant; hard, or steered by the
                    price (docs/budgets.md)
    hard_budget     total per cost that is never exceeded: short for hard budgets over the whole run
    most_keys       keys per scope that have money of their own at a time
    largest_costs   the most that each action can cost: {action: costs}, or one row per action. A hard
                    budget needs it, here or with each round, if the cost has no range
    safe_action     the action to play when the hard budget allows no other
    safe_cost       the most that the safe action can cost, one number per cost
    most_open       the most decisions whose outcome is not complete. From there on a new decision
                    makes an open one expire: the oldest of which no hard budget holds money
    remember        how many settled decisions are remembered, to recognise repeated outcomes
    secret          128 bits that decision ids depend on, besides the seed

    Give costs by name, in order, or as one number if there is one cost.

    Thread safety: any thread may call. Calls run one at a time. Batches release the interpreter
    lock.
    """

    __slots__ = ("_engine", "_oracle", "_potential", "_names", "_shape", "_plain", "_known", "_schema", "__weakref__")

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
        seed: int | None = None,
        oracle: _own.Oracle | None = None,
        potential: _own.Potential | None = None,
        expected_costs: Sequence[PerCost] | Mapping[Any, PerCost] | npt.NDArray[Any] | None = None,
        forget: bool | float | None = None,
        minimize: str | None = None,
        maximize: str | None = None,
        at_least: Mapping[str, float] | None = None,
        at_most: Mapping[str, float] | None = None,
        least: PerAction | None = None,
        most: PerAction | None = None,
        holdout: float = 0.0,
        control: Action | None = None,
        baseline: Action | Chances | None = None,
        expire_after: int = 0,
        default_outcome: tuple[float | None, PerCost | None] | None = None,
        budgets: Budget | Sequence[Budget] = (),
        hard_budget: PerCost | None = None,
        most_keys: int = 100_000,
        largest_costs: Sequence[PerCost] | Mapping[Any, PerCost] | npt.NDArray[Any] | None = None,
        safe_action: Action | None = None,
        safe_cost: PerCost | None = None,
        most_open: int = 10_000,
        remember: int = 65_536,
        secret: int = 0,
    ) -> None:
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
        secret = whole("secret", secret, 128, signed=False)
        options.secret = [secret & (2**64 - 1), secret >> 64]
        options.expire_after = whole("expire_after", expire_after, 63)
        options.most_open = whole("most_open", most_open, 63)
        options.remember = whole("remember", remember, 63)
        add_budgets(options, budgets)
        options.most_keys = whole("most_keys", most_keys, 31)
        if hard_budget is not None:
            options.hard_budget = per_cost("hard_budget", hard_budget, names, float("inf"))
        if largest_costs is not None:
            options.set_largest_costs(action_rows("largest_costs", label.by_action("largest_costs", largest_costs),
                                                  names))
        options.safe_action = None if safe_action is None else label.id_of("safe_action", safe_action)
        if safe_cost is not None:
            options.set_safe_cost(per_cost("safe_cost", safe_cost, names))
        if default_outcome is not None:
            worth, paid = pair("default_outcome", default_outcome, "(reward, costs)")
            options.set_default_outcome((
                _rein.MISSING if worth is None else number("default_outcome", worth),
                [_rein.MISSING if x is None else x for x in some_costs("default_outcome", paid, names)]))
            if not options.expire_after:
                raise Error("default_outcome: nothing expires without expire_after; accepted: both or neither")
        control = None if control is None else label.id_of("control", control)
        spec = wanted(text("spec", spec), shape, label, least=least, most=most, holdout=holdout, control=control,
                      minimize=minimize, maximize=maximize, at_least=at_least, at_most=at_most, forget=forget,
                      baseline=baseline)
        self._adopt(_rein.Engine.make(spec, shape, options, _own.own_of(oracle, potential)), oracle, potential)
        if budget is not None:
            check_budget(self._engine)
        if expected_costs is not None:
            self.expect(expected_costs)

    def _adopt(self, engine: _rein.Engine, oracle: Any, potential: Any) -> None:
        self._engine = engine
        self._oracle = oracle
        self._potential = potential
        found = engine.schema()
        self._schema = None if found is None else Schema.restore(found)
        self._see_actions()

    def _see_actions(self) -> None:
        """Reads what changes when actions come and go."""
        self._shape = self._engine.shape()
        self._names = [name for name, _, _ in self._shape.costs]
        self._known = Actions(self._engine)
        self._plain = self._shape.features == 0 and self._known.all

    # -- the loop

    def decide(self, context: Row | None = None, actions: Any = None, *,
               ids: npt.ArrayLike | None = None, scopes: Mapping[str, Any] | None = None,
               largest_costs: Any = None, most_costs: PerCost | None = None,
               baseline: Chances | None = None) -> Decision:
        """Chooses an action.

        context        the numbers of the round: an array, a list, a row of a DataFrame. By name, if the
                       agent has names for them: a dict, a row of a DataFrame
        actions        the actions offered in this round, as ["small", "large"]; default: all. With
                       action features: {action: its numbers}, or one row per action
        ids            the action of each row; default: in order
        scopes         who it is for, as {"tenant": "acme"}: their budgets apply too
        largest_costs  the most that each action can cost this time, one row per action
        most_costs     the most that this decision may cost; dearer actions are not played. If no largest
                       cost is declared, what was learned counts (learned_largest_costs)
        baseline       the probability with which the baseline would play each action, as {"small": 0.3,
                       "large": 0.7}, or one per action; for ccb(baseline=round) (docs/baseline.md)
        """
        if scopes is not None or largest_costs is not None or most_costs is not None or baseline is not None:
            return self._with(False, context, actions, ids, scopes, largest_costs, most_costs, baseline)
        if actions is None and ids is None and self._plain:
            if self._schema is not None:
                return self._engine.decide_named(context if type(context) is dict else named_row(context))
            return self._engine.decide_context(read_context(self._shape, context))
        if self._schema is not None:
            return self._with(False, context, actions, ids, None, None, None, None)
        return self._engine.decide(*read_round(self._shape, self._known, context, actions, ids))

    def _with(self, look: bool, context: Any, actions: Any, ids: Any, scopes: Any, largest: Any, most: Any,
              baseline: Any) -> Decision:
        row = None if self._schema is None else named_row(context)
        round = read_round(self._shape, self._known, context, actions, ids, row is not None)
        count, _, _, who = round
        offered = who.tolist() if len(who) else range(count)
        largest = self._known.by_action("largest_costs", largest, offered)
        each = [] if largest is None else action_rows("largest_costs", largest, self._names)
        rows = [x for one in each for x in one]
        limit = [] if most is None else per_cost("most_costs", most, self._names, 4e12)
        chances = [] if baseline is None else self._known.chances("baseline", baseline, offered)
        return self._engine.decide_with(*round, scopes_of(scopes), rows, limit, look, row, chances)

    def look(self, context: Row | None = None, actions: Any = None, *,
             ids: npt.ArrayLike | None = None, scopes: Mapping[str, Any] | None = None,
             largest_costs: Any = None, most_costs: PerCost | None = None,
             baseline: Chances | None = None) -> Decision:
        """Returns what decide would return now, without deciding.

        Nothing is remembered or reserved, and no random number is used.
        """
        given = (scopes, largest_costs, most_costs, baseline, self._schema)
        if any(one is not None for one in given):
            return self._with(True, context, actions, ids, scopes, largest_costs, most_costs, baseline)
        return self._engine.look(*read_round(self._shape, self._known, context, actions, ids))

    def learn(self, decision: SupportsIndex | Decision, reward: float | None = None,
              costs: PerCost | Mapping[str, float | None] | Sequence[float | None] | None = None) -> bool:
        """Learns the outcome of a decision, given the decision or its id. Any delay, any order.

        Parts may come alone: learn(d, costs={"dollars": 0.02}) now and learn(d, reward=1.0) later.
        The decision stays open until the reward and every cost came, or until it expires.

        Returns False if all of it came before, with the same values, or if the decision was settled
        so long ago that its outcome is forgotten (`remember`): then nothing changes. Another value raises OutcomeConflict, which names the part. If the decision has expired, its costs
        are still booked (late bills count), and nothing is learned; a reward is refused, or left out if
        costs came with it. A cost above its declared range is booked in full and clipped for learning:
        a RangeWarning says so once.
        """
        which = decision if type(decision) is int else _id_of(decision)
        if reward is None:
            return self._learn_parts(which, reward, costs)
        if type(costs) is not list and type(costs) is not tuple:
            if self._names and (costs is None or isinstance(costs, Mapping)):
                return self._learn_parts(which, reward, costs)
            costs = per_cost("costs", cast(PerCost | None, costs), self._names)
        try:
            return self._engine.learn(which, reward, costs)
        except TypeError:  # from the arguments, or from the caller's own oracle
            whole("learn: id", which, 64, signed=False)
            number("learn: reward", reward)
            if any(cost is None for cost in costs):
                return self._learn_parts(which, reward, costs)
            per_cost("learn: costs", cast(PerCost, costs), self._names)
            raise

    def _learn_parts(self, which: SupportsIndex, reward: Any, costs: Any) -> bool:
        worth = None if reward is None else number("learn: reward", reward)
        paid = some_costs("costs", costs, self._names)
        return self._engine.learn_parts(whole("learn: id", which, 64, signed=False), worth, paid)

    def decide_many(self, contexts: Any = None, actions: Any = None, *,
                    ids: npt.ArrayLike | None = None, rounds: int | None = None,
                    progress: bool | Progress = False) -> Decisions:
        """Decides many rounds in one call, without holding the interpreter lock.

        contexts  an array (or DataFrame) of rounds x `context`. By name, if the agent has names for
                  them: a DataFrame, a dict of columns, a list of dicts
        actions   rounds x K x `action_features`; or K x `action_features`, the same for all rounds
        ids       the actions offered: rounds x K; or K, the same for all rounds
        rounds    number of rounds, if no other argument gives it
        progress  True: a progress bar; or a function of the rounds done and all rounds

        Nothing is learned within a batch, but each decision reserves its predicted cost before the
        next one. If the hard budget allows no action, the round has action -1 and id 0, and there
        is nothing to learn. Ctrl-C stops a batch. A batch that is stopped, or that fails midway,
        leaves no open decisions: those that it made are cancelled.
        """
        return decide_many(self._engine, self._shape, self._known, self._schema, contexts, actions, ids, rounds,
                           progress)

    def learn_many(self, decisions: Decisions | Sequence[Decision] | npt.ArrayLike,
                   reward: npt.ArrayLike | None = None, costs: Any = None, *,
                   progress: bool | Progress = False) -> int:
        """Learns many outcomes in one call, in order. Returns how many were new.

        decisions  what decide_many returned (rounds without an action are skipped), a list of
                   decisions, or an array of ids; any subset, in any order
        reward     one number per outcome; None: the rewards have not come
        costs      outcomes x costs; or columns by name, as a dict or a DataFrame; or one array if
                   there is one cost. None: no cost has come; a column that is left out has not

        The first refused outcome raises an error that gives its position. The outcomes before it
        are learned, as they are if Ctrl-C stops the batch. You may send the whole batch again: each
        outcome is applied once.
        """
        return learn_many(self._engine, self._names, decisions, reward, costs, progress)

    def warm_start(self, log: Any, *, context: Any = None, action: str = "action", reward: str = "reward",
                   costs: Mapping[str, str] | None = None, offered: Any = None, features: Any = None,
                   progress: bool | Progress | None = None) -> int:
        """Learns rounds that somebody else decided, before or between rounds of its own (docs/warm_start.md).

        log       a DataFrame, a dictionary of columns, or a list of dictionaries; or the path of a log
                  (docs/convert.md), whose columns must be those of the agent
        action    the column with the actions that were played
        reward    the column with the rewards
        costs     columns of the costs, if they are not named after them, as {"dollars": "bill"}
        context   columns of the context, in order; or one array, rounds x `context`. Default: the column
                  "context", else the other columns in order. If the agent has names for its columns,
                  they are found by these
        offered   the actions that each round offered; default: the column "offered", else all
        features  rounds x K x `action_features`; or K x `action_features`, the same for all rounds
        progress  a progress bar: True, False, or a function of (rounds done, all rounds)

        NaN marks a reward or a cost that is not known. Returns how many rounds were learned: those
        without any outcome are skipped. Nothing is spent and no budget changes. A refused log
        changes nothing. Ctrl-C keeps the rounds that were learned before it.
        """
        if isinstance(log, (str, os.PathLike)):
            by_name = not self._shape.features and all(isinstance(each, str) for each in self.actions)
            log = (named_columns(log, self._names, by_name) if self.schema else
                   warm_columns(log, self._shape.context, self._shape.features, self._names, by_name))
        seen, arrays = read_log(self._shape, self._known, self.schema, self._names, log, context, action, reward, costs,
                                offered, features)
        return warm_start(self._engine, seen, arrays, progress)

    def explain(self, decision: Any = None, actions: Any = None, *, ids: npt.ArrayLike | None = None,
                which: str | Sequence[Action] | None = None, names: Sequence[str] | None = None) -> Explanation:
        """What the estimates of an action are made of: weight x value, largest first.

        decision  an open decision or its id; or the context of a round, with actions and ids as in
                  decide: then it explains what `look` returns
        which     the actions to explain, or "all"; default: the chosen one
        names     names of the numbers of the context, then of the action features; default: those of
                  the schema, else x0, x1, ..., a0, a1, ...

        Weights and estimates are those of now; probability, score and prices those of the decision.
        Oracles that are not linear have no weights.
        """
        return explain(self._engine, self._shape, self._known, self.schema, self._names, decision, actions, ids, which,
                       names)

    def cancel(self, decision: SupportsIndex | Decision) -> None:
        """Gives up a decision: nothing was bought. Its holds are released, nothing is learned.

        Raises OutcomeConflict if any part of its outcome came.
        """
        self._engine.cancel(_id_of(decision))

    def open(self, most: int = 2**24) -> list[OpenDecision]:
        """The open decisions, oldest first, with what has come of their outcomes."""
        return read_open(self._engine.open(whole("most", most, 63)), self._names)

    def expect(self, costs: Sequence[PerCost] | Mapping[Any, PerCost] | npt.NDArray[Any] | None) -> None:
        """Says what each action is expected to cost from now on: {action: costs}, or one row per action.

        A list price, for example. `tuning=auto` starts from it, and a new value changes the
        estimates by the same factor at once (docs/tuning.md). None: nothing is expected any more.
        """
        costs = self._known.by_action("expected_costs", costs)
        rows = [] if costs is None else action_rows("expected_costs", costs, self._names)
        self._engine.expect([value for row in rows for value in row])

    def tick(self, now: int) -> int:
        """Moves the logical clock forward. Returns how many decisions expired (`expire_after`).

        With budgets per day, week or month, `now` is a UTC second: int(time.time()).
        """
        return self._engine.tick(whole("now", now, 63))

    def set_limits(self, *, most_open: int | None = None, expire_after: int | None = None) -> None:
        """Changes how many decisions may be open, and the ticks after which they expire; None: as it is.

        With a lower most_open, decisions give way as new ones come. A shorter expire_after counts from
        the next tick on.
        """
        self._engine.set_limits(None if most_open is None else whole("most_open", most_open, 63),
                                None if expire_after is None else whole("expire_after", expire_after, 63))

    # -- actions

    @property
    def actions(self) -> list[Any]:
        """The actions that rounds may offer: names, or ids."""
        return [self._known.labels[i] for i in self._known.offered]

    def add_action(self, action: Action | None = None, *, largest_costs: PerCost | None = None,
                   expected_costs: PerCost | None = None) -> Any:
        """Adds an action, and returns it. Nothing is known about it, so it is explored.

        action          its name; none if the others have none: then it gets the next id
        largest_costs   the most that it can cost, if the other actions have that declared
        expected_costs  what it is expected to cost, if that is known of the others
        """
        name = new_name(self._known, action)
        new = self._engine.add_action(
            name, [] if largest_costs is None else per_cost("largest_costs", largest_costs, self._names),
            [] if expected_costs is None else per_cost("expected_costs", expected_costs, self._names))
        self._see_actions()
        return self._known.labels[new]

    def remove_action(self, action: Action) -> None:
        """No round can offer this action any more. Its open decisions can still be learned."""
        self._engine.remove_action(self._known.id_of("remove_action", action))
        self._see_actions()

    # -- budgets

    def budgets(self, scopes: Mapping[str, Any] | None = None) -> dict[str, BudgetState]:
        """The budgets that apply to a decision with these scopes, by name."""
        return named(self._engine.budgets(scopes_of(scopes)))

    def top_up(self, budget: str, amount: float, scopes: Mapping[str, Any] | None = None) -> None:
        """Adds to a budget in its open window; to the money of one key, if it has a scope."""
        self._engine.top_up(text("budget", budget), number("amount", amount), scopes_of(scopes))

    def set_amount(self, budget: str, amount: float) -> None:
        """Changes the amount of a budget, from its open window on."""
        self._engine.set_amount(text("budget", budget), number("amount", amount))

    def begin_window(self, budget: str) -> None:
        """Closes the open window of a budget over the run, rounds or ticks, and begins the next."""
        self._engine.begin_window(text("budget", budget))

    def set_rounds(self, budget: str, rounds: int) -> None:
        """Says how many decisions a window of a budget brings: how long a run lasts."""
        self._engine.set_rounds(text("budget", budget), whole("rounds", rounds, 53))

    # -- properties

    @property
    def seed(self) -> int:
        """Seed of all random numbers. The same seed, spec and rounds give the same bits."""
        return self._engine.seed()

    @property
    def spec(self) -> str:
        """The policy, with its keys sorted."""
        return self._engine.spec()

    @property
    def costs(self) -> list[str]:
        """Names of the costs, in order."""
        return list(self._names)

    @property
    def schema(self) -> Schema | None:
        """How rows with names become numbers, with the statistics of now; a copy. None: contexts are numbers."""
        found = self._engine.schema()
        return None if found is None else Schema.restore(found)

    @property
    def oracle(self) -> Any:
        """Your own oracle, or None."""
        return self._oracle

    @property
    def potential(self) -> Any:
        """Your own potential, or None."""
        return self._potential

    @property
    def state(self) -> State:
        """A snapshot of all counters, queues and budgets, for reading."""
        return read_state(self._engine.state(), self._names)

    @property
    def history(self) -> History:
        """What happened so far, in at most 257 points; snapshots keep it."""
        return read_history(self._engine.history(), self._names, self._known.labels,
                            self._engine.state()["objective"])

    def plot(self) -> Figure:
        """Draws spent against allowed, prices, shares of actions and the reward over decisions."""
        return plot(self)

    @property
    def spent(self) -> dict[str, float]:
        """Total of the costs that were reported, by cost name; late bills included."""
        return self.state.spent

    @property
    def queues(self) -> dict[str, float]:
        """The queues that prices are computed from, by cost name; units: see `State.queues`."""
        return self.state.queues

    @property
    def learned_largest_costs(self) -> dict[str, list[float | None]]:
        """What each action can cost, learned from its costs, by cost name and action id (docs/budgets.md).

        The 0.95 quantile of its last 32 costs. None: nothing was seen. {} if largest costs are declared.
        """
        found = self._engine.learned_largest_costs()
        columns = [found[i::len(self._names)] for i in range(len(self._names))] if found else []
        return dict(zip(self._names, columns))

    @property
    def alarm(self) -> bool:
        """Whether the alarm reports that the oracle's model is wrong; `state.alarm` says why."""
        found = self.state.alarm
        return found is not None and found.ringing

    @property
    def status(self) -> Status:
        """How the run goes: a word, and a sentence of advice (docs/status.md)."""
        return self.state.status

    @property
    def effective_size(self) -> float:
        """Effective sample size of the decisions learned so far (docs/status.md)."""
        return self.state.effective_size

    def bounds(self, margin: float = 0.0) -> Bounds:
        """Bounds of the theorem (tuning=theory). `margin` is the Slater margin, if known (docs/theory/slater.md)."""
        regret, ccv, by_margin, ccv_max = self._engine.bounds(number("margin", margin))
        names = self.state.queues
        return Bounds(regret, dict(zip(names, ccv)), by_margin, dict(zip(names, ccv_max)))

    def state_hash(self) -> int:
        """64-bit hash of all state that affects later decisions, except an own oracle without save and load."""
        return self._engine.state_hash()

    def __repr__(self) -> str:
        s = self.state
        return f"<rein.Agent {self.spec}: {s.learned} learned, {s.open} open, spent {s.spent}>"

    def _repr_html_(self) -> str:
        return page(self)

    # -- save and restore, bit for bit

    def snapshot(self) -> bytes:
        """All state as bytes, with spec, sizes, options and seed. Keep it as secret as the seed."""
        return self._engine.snapshot()

    @classmethod
    def restore(cls, snapshot: bytes | bytearray | memoryview, *, oracle: _own.Oracle | None = None,
                potential: _own.Potential | None = None) -> Agent:
        """Returns an agent that continues exactly where the snapshot was taken.

        Pass your own oracle and potential again. The oracle's load() gets what its save() returned. A
        potential with another name or other slopes is refused.
        """
        if not isinstance(snapshot, (bytes, bytearray, memoryview)):
            raise Error(f"restore: found {type(snapshot).__name__}; accepted: the bytes of snapshot()")
        agent = cls.__new__(cls)
        agent._adopt(_rein.Engine.restore(bytes(snapshot), _own.own_of(oracle, potential)), oracle, potential)
        return agent

    def __reduce__(self) -> tuple[Any, ...]:
        own = self.snapshot(), self._oracle, self._potential
        return _revive, (type(self), *own), getattr(self, "__dict__", None)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the snapshot atomically. With your own oracle or potential, the file is a pickle."""
        _saved.write(path, self)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, trusted: bool = False) -> Agent:
        """Reads what save() wrote. A file with your own pieces needs `trusted=True`: a pickle runs code."""
        found: Agent = _saved.read(path, cls, trusted)
        return found


def _revive(cls: type[Agent], snapshot: bytes, oracle: Any, potential: Any = None) -> Agent:
    return cls.restore(snapshot, oracle=oracle, potential=potential)


def _id_of(decision: Any) -> int:
    return decision.id if isinstance(decision, Decision) else whole("learn: a decision, or its id", decision, 64,
                                                                    signed=False)
