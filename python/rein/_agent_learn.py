"""How an agent learns: outcomes of its decisions, and rounds that somebody else decided."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex, cast

import numpy.typing as npt

from ._agent_parts import AgentParts, id_of
from ._batch import Decisions, learn_many
from ._given import number, whole
from ._log import named_columns, warm_columns
from ._progress import Progress
from ._rein import Decision
from ._shapes import PerCost, per_cost, some_costs
from ._warm import read_log, warm_start


class AgentLearns(AgentParts):
    __slots__ = ()

    def learn(self, decision: SupportsIndex | Decision, reward: float | None = None,
              costs: PerCost | Mapping[str, float | None] | Sequence[float | None] | None = None) -> bool:
        """Learns the outcome of a decision, given the decision or its id. Any delay, any order.

        Parts may come alone: learn(d, costs={"dollars": 0.02}) now and learn(d, reward=1.0) later.
        The decision stays open until the reward and every cost came, or until it expires.

        Returns False if all of it came before, with the same values, or if the decision was settled so long
        ago that its outcome is forgotten (`remember`): then nothing changes. Another value raises
        OutcomeConflict, which names the part. If the decision has expired, its costs are still booked (late
        bills count), and nothing is learned; a reward is refused, or left out if
        costs came with it. A cost above its declared range is booked in full and clipped for learning:
        a RangeWarning says so once.
        """
        which = decision if type(decision) is int else id_of(decision)
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
        schema = self._schema_now()
        if isinstance(log, (str, os.PathLike)):
            offers = [self._known.labels[i] for i in self._known.offered]
            by_name = not self._shape.features and all(isinstance(each, str) for each in offers)
            log = (named_columns(log, self._names, by_name) if schema else
                   warm_columns(log, self._shape.context, self._shape.features, self._names, by_name))
        seen, arrays = read_log(self._shape, self._known, schema, self._names, log, context, action, reward, costs,
                                offered, features)
        return warm_start(self._engine, seen, arrays, progress)

    def cancel(self, decision: SupportsIndex | Decision) -> None:
        """Gives up a decision: nothing was bought. Its holds are released, nothing is learned.

        Raises OutcomeConflict if any part of its outcome came.
        """
        self._engine.cancel(id_of(decision))

    def tick(self, now: int) -> int:
        """Moves the logical clock forward. Returns how many decisions expired (`expire_after`).

        With budgets per day, week or month, `now` is a UTC second: int(time.time()).
        """
        return self._engine.tick(whole("now", now, 63))

    def _learn_parts(self, which: SupportsIndex, reward: Any, costs: Any) -> bool:
        worth = None if reward is None else number("learn: reward", reward)
        paid = some_costs("costs", costs, self._names)
        return self._engine.learn_parts(whole("learn: id", which, 64, signed=False), worth, paid)
