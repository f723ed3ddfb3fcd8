"""What changes while an agent runs: actions, expected costs, budgets, and limits of its engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._actions import Action, new_name
from ._agent_parts import AgentParts
from ._budget import BudgetState, KeyPage, WindowState, named, scopes_of, window_states
from ._errors import Error
from ._given import number, text, whole
from ._options import CostsByAction
from ._shapes import PerCost, action_rows, per_cost


class AgentChanges(AgentParts):
    __slots__ = ()

    def expect(self, costs: CostsByAction | None) -> None:
        """Says what each action is expected to cost from now on: {action: costs}, or one row per action.

        A list price, for example. `tuning=auto` starts from it, and a new value changes the
        estimates by the same factor at once (docs/tuning.md). None: nothing is expected any more.
        """
        costs = self._known.by_action("expected_costs", costs)
        rows = [] if costs is None else action_rows("expected_costs", costs, self._names)
        self._engine.expect([value for row in rows for value in row])

    def set_limits(self, *, most_open: int | None = None, expire_after: int | None = None) -> None:
        """Changes how many decisions may be open, and the ticks after which they expire; None: as it is.

        With a lower most_open, decisions give way as new ones come. A shorter expire_after counts from
        the next tick on.
        """
        self._engine.set_limits(None if most_open is None else whole("most_open", most_open, 63),
                                None if expire_after is None else whole("expire_after", expire_after, 63))

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

    def budgets(self, scopes: Mapping[str, Any] | None = None) -> dict[str, BudgetState]:
        """The budgets that apply to a decision with these scopes, by name."""
        return named(self._engine.budgets(scopes_of(scopes)))

    def top_up(self, budget: str, amount: float, scopes: Mapping[str, Any] | None = None) -> None:
        """Adds to a budget in its open window; to the money of one key, if it has a scope."""
        self._engine.top_up(text("budget", budget), number("amount", amount), scopes_of(scopes))

    def set_amount(self, budget: str, amount: float | None, scopes: Mapping[str, Any] | None = None) -> None:
        """Changes the amount of a budget, from its open window on.

        With scopes, as {"tenant": "acme"}: the amount of this key; None: that of the others again. Without: the
        amount of all keys that have none of their own.
        """
        if amount is None and not scopes:
            raise Error("amount: found None without scopes; accepted: a number")
        self._engine.set_amount(text("budget", budget), None if amount is None else number("amount", amount),
                                scopes_of(scopes))

    def keys(self, budget: str, *, first: int = 0, most: int = 100, search: str = "", ago: int = 0) -> KeyPage:
        """The keys of a budget with a scope, such as tenants, those that spent most first.

        first, most   the page: how many keys are left out before, and how many are listed
        search        only names that contain this text
        ago           the window: 0 is the open one, 1 the one before
        """
        return KeyPage(self._engine.keys(text("budget", budget), whole("first", first, 53), whole("most", most, 53),
                                         text("search", search), whole("ago", ago, 31)))

    @property
    def keyed_budgets(self) -> list[str]:
        """The names of the budgets with a scope, whose keys `keys` lists."""
        return self._engine.keyed_budgets()

    def windows(self, budget: str, scopes: Mapping[str, Any] | None = None) -> list[WindowState]:
        """The windows of a budget that are remembered, oldest first, the open one last."""
        return window_states(self._engine.windows(text("budget", budget), scopes_of(scopes)))

    def begin_window(self, budget: str) -> None:
        """Closes the open window of a budget over the run, rounds or ticks, and begins the next."""
        self._engine.begin_window(text("budget", budget))

    def set_rounds(self, budget: str, rounds: int) -> None:
        """Says how many decisions a window of a budget brings: how long a run lasts."""
        self._engine.set_rounds(text("budget", budget), whole("rounds", rounds, 53))
