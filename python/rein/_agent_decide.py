"""How an agent decides: one round, or many at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy.typing as npt

from ._actions import Chances
from ._agent_parts import AgentParts, Row
from ._agent_run import Run, RunState, open_run, read_run, run_id
from ._assign import Assignment, assign
from ._batch import Decisions, decide_many
from ._budget import scopes_of
from ._columns import named_row
from ._given import whole
from ._progress import Progress
from ._rein import Decision
from ._round import read_context, read_round
from ._shapes import PerCost, action_rows, per_cost


class AgentDecides(AgentParts):
    __slots__ = ()

    def decide(self, context: Row | None = None, actions: Any = None, *,
               ids: npt.ArrayLike | None = None, scopes: Mapping[str, Any] | None = None,
               largest_costs: Any = None, most_costs: PerCost | None = None,
               baseline: Chances | None = None, run: Run | int | None = None) -> Decision:
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
        run            the run that it is part of, from `run`: its cap counts too (docs/runs.md)
        """
        if (scopes is not None or largest_costs is not None or most_costs is not None or baseline is not None
                or run is not None):
            return self._with(False, context, actions, ids, scopes, largest_costs, most_costs, baseline, run)
        if actions is None and ids is None and self._plain:
            if self._schema is not None:
                return self._engine.decide_named(context if type(context) is dict else named_row(context))
            return self._engine.decide_context(read_context(self._shape, context))
        if self._schema is not None:
            return self._with(False, context, actions, ids, None, None, None, None)
        return self._engine.decide(*read_round(self._shape, self._known, context, actions, ids))

    def look(self, context: Row | None = None, actions: Any = None, *,
             ids: npt.ArrayLike | None = None, scopes: Mapping[str, Any] | None = None,
             largest_costs: Any = None, most_costs: PerCost | None = None,
             baseline: Chances | None = None, run: Run | int | None = None) -> Decision:
        """Returns what decide would return now, without deciding.

        Nothing is remembered or reserved, and no random number is used.
        """
        given = (scopes, largest_costs, most_costs, baseline, run, self._schema)
        if any(one is not None for one in given):
            return self._with(True, context, actions, ids, scopes, largest_costs, most_costs, baseline, run)
        return self._engine.look(*read_round(self._shape, self._known, context, actions, ids))

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

    def assign(self, contexts: Any, budget: Mapping[str, float] | float | None = None, *, explore: float = 0.0,
               seed: int = 1, actions: Any = None, ids: npt.ArrayLike | None = None,
               progress: bool | Progress = False) -> Assignment:
        """One action for every row at once, so that the totals over all rows stay within budgets.

            plan = agent.assign(customers, budget={"dollars": 1666})     # plan.to_pandas(): a, p, estimates

        contexts  as for decide_many; a data frame may have other columns too, and x_age is age
        budget    total of each cost over all rows, as {"dollars": 1666}; None: no limit
        explore   share of the rows whose action is drawn uniformly, for the next log
        seed      of that draw
        actions, ids, progress    as for decide_many

        The agent's estimates decide, at the price at which these rows meet the budget. Nothing is decided
        or learned: to let outcomes come back, write the rows with `a`, `p` and the outcomes as the next log.
        """
        return assign(self._engine, self._shape, self._known, self._schema, self._names, contexts, budget, explore,
                      seed, actions, ids, progress)

    def run(self, amounts: Mapping[str, float] | float | None = None, *, expire_after: int = 86_400,
            **costs: float) -> Run:
        """Opens a run: a cap on what one task may cost, for the decisions that name it (docs/runs.md).

            with agent.run(dollars=0.50) as run:
                d = run.decide(x)

        amounts       the caps by cost, as {"dollars": 0.50}, or one number if there is one cost; or by name
        expire_after  ticks after which it closes by itself
        """
        return open_run(self, amounts, expire_after, 0, costs)

    def runs(self, *, open: bool = False, first: int = 0, most: int = 100) -> list[RunState]:
        """The runs that are remembered, oldest first; `open=True`: only those that are open."""
        rows = self._engine.agent_runs(open, whole("first", first, 63), whole("most", most, 63))
        return [read_run(row, self._names) for row in rows]

    def _with(self, look: bool, context: Any, actions: Any, ids: Any, scopes: Any, largest: Any, most: Any,
              baseline: Any, run: Any = None) -> Decision:
        row = None if self._schema is None else named_row(context)
        round = read_round(self._shape, self._known, context, actions, ids, row is not None)
        count, _, _, who = round
        offered = who.tolist() if len(who) else range(count)
        largest = self._known.by_action("largest_costs", largest, offered)
        each = [] if largest is None else action_rows("largest_costs", largest, self._names)
        rows = [x for one in each for x in one]
        limit = [] if most is None else per_cost("most_costs", most, self._names, 4e12)
        chances = [] if baseline is None else self._known.chances("baseline", baseline, offered)
        return self._engine.decide_with(*round, scopes_of(scopes), rows, limit, look, row, chances, run_id(run))
