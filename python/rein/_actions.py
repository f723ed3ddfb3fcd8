"""The actions of an agent as callers know them: names or numbers of their own, or ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _rein
from ._errors import Error
from ._given import array, integers, number, short, whole

Action: TypeAlias = str | int
Given: TypeAlias = int | Sequence[Action]
Chances: TypeAlias = Mapping[Any, float] | Sequence[float] | npt.NDArray[Any]


def declare(options: _rein.EngineOptions, given: Any) -> int:
    """Puts the names into the options. Returns how many actions there are."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        return whole("actions", given, 31)
    if isinstance(given, (Set, Mapping)):  # ids follow the order, and a set has none
        raise Error(f"actions: found {short(given)}; accepted: a list of names, or how many actions there are")
    labels = list(given)
    if not labels:
        raise Error("actions: found an empty list; accepted: at least one action")
    options.numbered = all(_is_number(label) for label in labels)
    if not options.numbered and not all(isinstance(label, str) for label in labels):
        raise Error(f"actions: found {short(labels)}; accepted: names, or whole numbers, or how many there are")
    options.actions = [str(int(label)) if options.numbered else str(label) for label in labels]
    return len(labels)


def _is_number(label: Any) -> bool:
    return isinstance(label, (int, np.integer)) and not isinstance(label, bool)


def new_name(known: Actions, action: Any) -> str:
    """The name of an action to be added, as the engine takes it."""
    if action is None and known.named:
        raise Error(f"add_action: the other actions have names, as {known.shown()}; accepted: a name")
    if action is None:
        return ""
    numbered = bool(known.labels) and not isinstance(known.labels[0], str)
    if known.named and (_is_number(action) if numbered else isinstance(action, str)):
        return str(action)
    raise Error(f"add_action: found {short(action)}; accepted: "
                + ((("a number" if numbered else "a name") + " of your own, as the others have") if known.named
                   else "nothing, since the others have no names"))


class Labels:
    """What callers call each action, by id."""

    __slots__ = ("labels", "offered", "ids")

    def __init__(self, options: _rein.EngineOptions, actions: int) -> None:
        names: list[Any] = list(options.actions)
        self._set([int(name) for name in names] if options.numbered else names or list(range(actions)),
                  list(range(actions)))

    def _set(self, labels: list[Any], offered: list[int]) -> None:
        self.labels: list[Any] = labels  #: by id, also of removed ones
        self.offered = np.array(offered, np.int32)
        self.ids: dict[Any, int] = {labels[i]: i for i in offered}

    def id_of(self, what: str, action: Any) -> int:
        found = None
        if not isinstance(action, bool):
            with suppress(TypeError):  # a list, for example
                found = self.ids.get(action)
        if found is None:
            raise Error(f"{what}: found {short(action)}; accepted: {self.shown()}")
        return found

    def shown(self) -> str:
        """What may be offered, in words."""
        some = [repr(self.labels[i]) for i in self.offered[:8]]
        return ", ".join(some) + (", ..." if len(self.offered) > 8 else "")

    def by_action(self, what: str, given: Any, round: Iterable[int] | None = None) -> Any:
        """Rows by action, from {action: row}: of the actions with the ids of a round, or of all. Anything else, such as
        columns by cost, passes as it is."""
        if not isinstance(given, Mapping) or not any(key in self.ids for key in given):
            return given
        for key in given:
            self.id_of(what, key)
        wanted = self.offered.tolist() if round is None else list(round)
        missing = [self.labels[i] for i in wanted if self.labels[i] not in given]
        if missing:
            raise Error(f"{what}: found no entry for {short(missing[0])}; accepted: one per action")
        if round is not None:
            return [given[self.labels[i]] for i in wanted]
        # The costs of a removed action do not matter any more, but it keeps a row.
        otherwise = given[self.labels[wanted[0]]]
        return [given[label] if self.ids.get(label) == i else otherwise for i, label in enumerate(self.labels)]

    def chances(self, what: str, given: Any, round: Iterable[int]) -> list[float]:
        """A probability per action of a round, from {action: probability} or a list. Who is not named has 0.
        Those of actions that are not offered go to the others in proportion."""
        offered = list(round)
        if isinstance(given, Mapping):
            named = {self.id_of(what, key): number(what, chance) for key, chance in given.items()}
            here, everywhere = sum(named.get(i, 0.0) for i in offered), sum(named.values())
            scale = everywhere / here if here > 0.0 and set(named) - set(offered) else 1.0
            return [named.get(i, 0.0) * scale for i in offered]
        each = array(what, given)
        if each.ndim != 1 or len(each) != len(offered):
            raise Error(f"{what}: found shape {each.shape}; accepted: one probability per action of the round "
                        f"({len(offered)}), or {{action: probability}}")
        return each.tolist()  # type: ignore[no-any-return]


class Actions(Labels):
    """The same of an agent's engine. Made anew when actions change."""

    __slots__ = ("named", "all")

    def __init__(self, engine: _rein.Engine) -> None:
        labels, offered = engine.actions()
        self._set(labels, offered)
        self.named = labels != list(range(len(labels)))
        self.all = len(offered) == len(labels)

    def ids_of(self, what: str, given: Any) -> npt.NDArray[np.int32]:
        """Ids of the actions in a list, or in rows of them."""
        if not self.named:
            return integers(what, given, np.int32)
        if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
            raise Error(f"{what}: found {short(given)}; accepted: a list of actions, as [{self.shown()}]")
        each = given if isinstance(given, (list, tuple)) else np.asarray(given, dtype=object).tolist()
        if each and isinstance(each[0], (list, tuple, np.ndarray)):
            return np.array([self.ids_of(what, row) for row in each], np.int32)
        return np.array([self.id_of(what, action) for action in each], np.int32)

    def labels_of(self, ids: npt.NDArray[np.int32]) -> npt.NDArray[Any]:
        """What callers call these; None where the id is -1, if actions have names."""
        return np.array([*self.labels, None], dtype=object)[ids] if self.named else ids
