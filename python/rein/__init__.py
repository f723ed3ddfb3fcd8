"""rein chooses actions: the most reward while long-run costs stay within their budgets.

    agent = rein.Agent("ccb(budget=1000,rounds=50000)", actions=4, context=12, costs=["dollars"], seed=7)
    d = agent.decide(x)                            # d.action, d.probability, d.probabilities, d.id
    agent.learn(d.id, reward=1.0, costs=[0.02])    # now or much later

`rein.run`, `rein.compare` and `rein.verify` measure policies on worlds. `rein.list` shows what
specs can name. Names and specs are the same as on the command line and in C++.

`rein.docs("python")` has examples: it is the page docs/python.md. All pages that docstrings name come
with the package.
"""

from typing import TYPE_CHECKING, Any

from ._agent import Agent
from ._agent_run import Run, RunMoney, RunState
from ._assign import Assignment
from ._batch import Decisions
from ._benchmark import Benchmark, benchmark
from ._budget import Budget, BudgetState, KeyPage, KeyState, WindowState
from ._docs import docs
from ._errors import (
    BudgetSpent,
    Bug,
    CorruptState,
    Error,
    ExpiredDecision,
    OutcomeConflict,
    Paused,
    RangeWarning,
    TooManyOpen,
    UnknownDecision,
    UnknownPolicy,
    Unreachable,
)
from ._evaluate import PolicyEstimate, PolicyValues, evaluate
from ._explain import ActionParts, EstimateParts, Explanation, Term
from ._history import History
from ._join import join_outcomes
from ._list import Catalog, Entry, Option
from ._list import list as list  # not in __all__: `from rein import *` must not hide Python's list
from ._log import Log, convert, read_log
from ._options import EngineOptions, Goal, HardLimits, Shares
from ._own import Oracle, Policy, Potential, Round, Scene, World
from ._rein import Decision, __version__
from ._result import Comparison, Result
from ._run import compare, falsify, run, verify
from ._schema import Schema
from ._state import Alarm, BarredAction, Bounds, Certificate, Change, OpenDecision, State, Status
from ._verification import Verification
from ._whatif import whatif
from ._whatif_result import Whatif

if TYPE_CHECKING:
    from .client import AsyncClient, Client, Decided, ServiceRun


def __getattr__(name: str) -> Any:
    """The client is imported at its first use: most programs need no HTTP."""
    if name not in ("AsyncClient", "Client", "Decided", "ServiceRun"):
        raise AttributeError(f"module 'rein' has no attribute {name!r}")
    from . import client

    return getattr(client, name)


__all__ = [
    "ActionParts", "Agent", "Alarm", "Assignment", "AsyncClient", "BarredAction", "Benchmark", "Bounds", "Budget",
    "BudgetSpent", "BudgetState", "Bug", "Catalog", "Certificate", "Change", "Client", "Comparison", "CorruptState",
    "Decided", "Decision", "Decisions", "EngineOptions", "Entry", "Error", "EstimateParts", "ExpiredDecision",
    "Explanation", "Goal", "HardLimits", "History", "KeyPage", "KeyState", "Log", "OpenDecision", "Option", "Oracle", "OutcomeConflict",
    "Paused", "Policy", "PolicyEstimate", "PolicyValues", "Potential", "RangeWarning", "Result", "Round", "Run",
    "RunMoney", "RunState", "Scene", "Schema", "ServiceRun", "Shares", "State", "Status", "Term", "TooManyOpen",
    "UnknownDecision", "UnknownPolicy", "Unreachable", "Verification", "Whatif", "WindowState", "World",
    "__version__", "benchmark", "compare", "convert", "docs", "evaluate", "falsify", "join_outcomes", "read_log",
    "run", "verify", "whatif",
]
