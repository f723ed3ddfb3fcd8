"""rein chooses actions that earn the most while long-run costs stay where they were promised.

    agent = rein.Agent("ccb(budget=1000,rounds=50000)", actions=4, features=12, costs=["dollars"], seed=7)
    d = agent.decide(x)                            # d.action, d.probability, d.probabilities, d.id
    agent.learn(d.id, reward=1.0, costs=[0.02])    # now or much later

`rein.run`, `rein.compare` and `rein.verify` measure policies on worlds; `rein.list` shows what specs can name. The same
words and specs as the command line and C++. docs/python.md has a page of examples.
"""

from ._agent import Agent
from ._batch import Decisions
from ._errors import (
    BudgetSpent,
    Bug,
    CorruptState,
    Error,
    ExpiredDecision,
    OutcomeConflict,
    TooManyOpen,
    UnknownDecision,
)
from ._list import Catalog, Entry, Option
from ._list import list as list  # not in __all__: `from rein import *` leaves Python's own alone
from ._own import Oracle, Potential, Round, Scene, World
from ._rein import Decision, __version__
from ._result import Comparison, Result
from ._run import compare, falsify, run, verify
from ._state import Alarm, Bounds, Money, State
from ._verification import Verification

__all__ = [
    "Agent", "Alarm", "Bounds", "BudgetSpent", "Bug", "Catalog", "Comparison", "CorruptState", "Decision",
    "Decisions", "Entry", "Error", "ExpiredDecision", "Money", "Option", "Oracle", "OutcomeConflict", "Potential",
    "Result", "Round", "Scene", "State", "TooManyOpen", "UnknownDecision", "Verification", "World", "__version__",
    "compare", "falsify", "run", "verify",
]
