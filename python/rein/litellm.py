"""Works with LiteLLM: a routing strategy for its Router that learns, and keeps budgets.

    router = litellm.Router(model_list=[...])
    agent = rein.Agent("ccb", actions=rein.litellm.actions(router), context=rein.litellm.CONTEXT,
                       costs=["dollars"], reward=(0, 1), engine=rein.EngineOptions(expire_after=600),
                       budgets=rein.Budget("day", "dollars", 5, hard=True, per="day"))
    router.set_custom_routing_strategy(rein.litellm.Strategy(router, agent, reward=my_mark))

Actions are deployments. The cost is LiteLLM's own cost of the response. See docs/litellm.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
import threading
import time
import uuid
import weakref
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from ._agent import Agent
from ._errors import BudgetSpent, Error, OutcomeConflict, TooManyOpen, Unreachable, needed
from ._given import short
from ._litellm_price import largest_cost
from .client import Client

_litellm = needed("rein.litellm", "litellm")

if TYPE_CHECKING:  # their packages are large: checkers need not read them

    class CustomLogger: ...

    class CustomRoutingStrategyBase: ...

else:
    from litellm.integrations.custom_logger import CustomLogger
    from litellm.types.router import CustomRoutingStrategyBase

__all__ = ["CONTEXT", "Strategy", "action_of", "actions", "features"]

T = TypeVar("T")
Row = Mapping[str, Any]
_log = logging.getLogger("rein.litellm")
_KEPT = 65_536  # answers whose reward may be reported later

#: What `features` returns, for rein.Agent(context=) and for the service.
CONTEXT = {"group": "category(8)", "turns": "number", "log_length": "number", "log_limit": "number", "tools": "bool"}


def action_of(deployment: Row) -> str:
    """The action of a deployment: its model, as "openai/gpt-4o". Deployments of one model are one action."""
    return str(deployment["litellm_params"]["model"])


def actions(router: Any, name: Callable[[Row], str] = action_of) -> list[str]:
    """The actions of a router, for rein.Agent(actions=)."""
    return list(dict.fromkeys(name(one) for one in router.model_list))


def features(request: Row) -> dict[str, Any]:
    """What is known of a request: its model group, turns, length in characters, limit and whether it has tools."""
    messages, text = request.get("messages") or [], request.get("input") or ""
    length = sum(len(str(one.get("content") or "")) for one in messages) + len(str(text))
    limit = request.get("max_completion_tokens") or request.get("max_tokens") or 0
    return {"group": request["model"], "turns": len(messages), "log_length": math.log1p(length),
            "log_limit": math.log1p(limit), "tools": bool(request.get("tools"))}


class Strategy(CustomRoutingStrategyBase):
    """Picks the deployment by rein. Give it to `router.set_custom_routing_strategy`.

    router         the Router: it says which deployments are healthy
    player         who decides: a rein.Agent with one cost, or a rein.Client of a model with one cost
    reward         a function of LiteLLM's (kwargs, response) that marks an answer; None: not known yet.
                   Report it later by the id that `decision(response)` returns
    context        a function of the request: the context of the round; default: `features`
    scopes         a function of the request: whose budgets apply, as {"tenant": "acme"}
    name           a function of a deployment: its action; default: `action_of`
    largest_costs  a function of (deployment, request): the most that the answer can cost, in dollars;
                   default: from LiteLLM's prices, the length of the request and its limit on tokens.
                   None: what the agent was told; a model that has no hard budget needs nothing
    clock          the agent's clock, called before a decision; default: UTC seconds. None: tick yourself

    If a hard budget allows no deployment, the call raises litellm.BudgetExceededError. Name a
    `safe_action` in the agent's hard= to play it instead. Any thread and any event loop may call.
    """

    def __init__(self, router: Any, player: Agent | Client, *,
                 reward: Callable[[dict[str, Any], Any], float | None] | None = None,
                 context: Callable[[Row], Any] = features,
                 scopes: Callable[[Row], Mapping[str, str]] | None = None,
                 name: Callable[[Row], str] = action_of,
                 largest_costs: Callable[[Row, Row], float] | None = largest_cost,
                 clock: Callable[[], int] | None = lambda: int(time.time())) -> None:
        if isinstance(player, Agent):
            if len(player.costs) != 1:
                raise Error(f"player: found an agent with costs {player.costs}; accepted: one cost, in dollars")
            if unknown := sorted(set(actions(router, name)) - set(player.actions)):
                raise Error(f"player: the agent has no actions {unknown}; accepted: all of "
                            "rein.litellm.actions(router)")
        elif not isinstance(player, Client):
            raise Error(f"player: found {short(player)}; accepted: a rein.Agent or a rein.Client")
        self._router, self._player, self._reward = router, player, reward
        self._context, self._scopes, self._name, self._largest = context, scopes, name, largest_costs
        self._clock, self._lock = clock, threading.Lock()
        self._ids: OrderedDict[str, int | str] = OrderedDict()  # by LiteLLM's id of the call
        self._pool = ThreadPoolExecutor(32, thread_name_prefix="rein")  # calls of the service from event loops
        self._key = uuid.uuid4().hex
        _STRATEGIES[self._key] = self

    def close(self) -> None:
        """Waits for the outcomes that are being reported, and reports no others."""
        _STRATEGIES.pop(self._key, None)
        self._pool.shutdown()

    def decision(self, response: Any) -> int | str:
        """The id of the decision behind a response, or behind LiteLLM's id of the call."""
        call = response if isinstance(response, str) else response._hidden_params["litellm_call_id"]
        with self._lock:
            if call not in self._ids:
                raise Error(f"decision: found call {call}; accepted: one of the last {_KEPT} calls that this strategy "
                            "routed")
            return self._ids[call]

    # -- what the Router calls

    async def async_get_available_deployment(self, model: str, messages: Any = None, input: Any = None,
                                             specific_deployment: bool | None = False,
                                             request_kwargs: dict[str, Any] | None = None) -> Any:
        kwargs = {} if request_kwargs is None else request_kwargs
        healthy = await self._healthy(model, messages, input, specific_deployment, kwargs)
        if isinstance(self._player, Agent):
            return self._pick(model, messages, input, kwargs, healthy)
        return await self._in_thread(self._pick, model, messages, input, kwargs, healthy)

    def get_available_deployment(self, model: str, messages: Any = None, input: Any = None,
                                 specific_deployment: bool | None = False,
                                 request_kwargs: dict[str, Any] | None = None) -> Any:
        kwargs = {} if request_kwargs is None else request_kwargs
        healthy = _now(self._healthy(model, messages, input, specific_deployment, kwargs))
        return self._pick(model, messages, input, kwargs, healthy)

    async def _healthy(self, model: str, messages: Any, input: Any, specific: Any, kwargs: dict[str, Any]) -> list[Row]:
        """Deployments that are neither cooling down nor ruled out by LiteLLM's own checks."""
        found = await self._router.async_get_healthy_deployments(
            model=model, request_kwargs=kwargs, messages=messages, input=input, specific_deployment=specific)
        return [found] if isinstance(found, dict) else list(found)

    def _in_thread(self, function: Callable[..., T], *given: Any) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._pool, function, *given)

    def _pick(self, model: str, messages: Any, input: Any, kwargs: dict[str, Any], healthy: list[Row]) -> Any:
        request = {**kwargs, "model": model, "messages": messages, "input": input}
        offered: dict[str, list[Row]] = {}
        for one in healthy:
            offered.setdefault(self._name(one), []).append(one)
        bound = self._largest
        largest = None if bound is None else {name: max(bound(one, request) for one in each)
                                              for name, each in offered.items()}
        scopes = None if self._scopes is None else self._scopes(request)
        try:
            made = self._decide(self._context(request), list(offered), scopes, largest)
        except BudgetSpent as refused:
            raise self._spent(refused, scopes) from refused
        except (Unreachable, TooManyOpen) as refused:
            raise _litellm.ServiceUnavailableError(str(refused), "rein", model) from refused
        call = kwargs.setdefault("litellm_call_id", str(uuid.uuid4()))
        for where in ("metadata", "litellm_metadata"):  # a copy: the dictionary of the caller outlives this attempt
            if where == "metadata" or where in kwargs:
                kwargs[where] = {**(kwargs.get(where) or {}), "rein": {"by": self._key, "id": made.id}}
        with self._lock:
            if _OUTCOMES not in _litellm.callbacks:  # programs replace this list
                _litellm.callbacks.append(_OUTCOMES)
            self._ids[call] = made.id
            while len(self._ids) > _KEPT:
                self._ids.popitem(last=False)
        return random.choice(offered[made.action])

    def _decide(self, context: Any, offered: list[str], scopes: Any, largest: dict[str, float] | None) -> Any:
        if isinstance(self._player, Client):
            return self._player.decide(context, actions=offered, scopes=scopes, largest_costs=largest)
        if self._clock is not None:
            with _CLOCK:  # two threads may read the clock in one order and come here in the other
                if (now := self._clock()) > _NOW.get(self._player, -1):
                    self._player.tick(now)
                    _NOW[self._player] = now
        return self._player.decide(context, offered, scopes=scopes, largest_costs=largest)

    def _spent(self, refused: BudgetSpent, scopes: Any) -> Exception:
        """LiteLLM's own error, which its Router does not retry."""
        rows = []
        if isinstance(self._player, Agent):
            rows = [(one.spent + one.held, one.limit) for one in self._player.budgets(scopes).values()]
        else:
            with contextlib.suppress(Error):  # the refusal counts, not its figures
                rows = [(one["spent"] + one["held"], one["limit"]) for one in self._player.budgets(scopes).values()]
        used, limit = min(rows, key=lambda row: row[1] - row[0], default=(math.nan, math.nan))
        return _litellm.BudgetExceededError(current_cost=used, max_budget=limit, message=str(refused))  # type: ignore[no-any-return]

    # -- what LiteLLM reports

    def _report(self, which: Any, kwargs: dict[str, Any], response: Any) -> None:
        cost, worth = kwargs.get("response_cost"), None
        if self._reward is not None:
            try:
                worth = self._reward(kwargs, response)
            except Exception:
                _log.exception("decision %s: the function reward failed; the cost is booked", which)
        if cost is None:
            _log.error("decision %s: LiteLLM knows no cost of the response; its hold stays until it expires", which)
        self._learn(which, worth, cost)

    def _learn(self, which: Any, worth: float | None, cost: float | None) -> None:
        try:
            if worth is None and cost is None:
                return
            if isinstance(self._player, Client):
                self._player.outcome(which, worth, cost)
            else:
                self._player.learn(which, worth, None if cost is None else [cost])
        except Error:  # LiteLLM only logs what a callback raises; what is not booked stays held
            _log.exception("decision %s: the outcome was refused", which)

    def _fail(self, which: Any, kwargs: dict[str, Any]) -> None:
        """The provider refused: nothing was bought. If it may have answered, the hold stays until it expires."""
        error, began = kwargs.get("exception"), kwargs.get("stream") and kwargs.get("completion_start_time")
        unsure = (_litellm.Timeout, _litellm.APIConnectionError)
        if kwargs.get("response_cost"):
            self._learn(which, None, kwargs["response_cost"])
        elif not began and not isinstance(error, unsure) and hasattr(error, "status_code"):
            try:
                self._player.cancel(which)
            except OutcomeConflict:  # part of a stream was billed before it failed
                _log.info("decision %s: it failed after its cost was booked", which)
            except Error:
                _log.exception("decision %s: it could not be cancelled; its hold stays until it expires", which)


class _Outcomes(CustomLogger):
    """LiteLLM's callbacks, one for all strategies: it registers only one logger of a class.

    They run in threads, because a service may let them wait.
    """

    def log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        if found := _which(kwargs):
            found[0]._report(found[1], kwargs, response_obj)

    def log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        if found := _which(kwargs):
            found[0]._fail(found[1], kwargs)

    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        if found := _which(kwargs):
            await found[0]._in_thread(found[0]._report, found[1], kwargs, response_obj)

    async def async_log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        if found := _which(kwargs):
            await found[0]._in_thread(found[0]._fail, found[1], kwargs)


_OUTCOMES = _Outcomes()
_CLOCK = threading.Lock()
_NOW: weakref.WeakKeyDictionary[Agent, int] = weakref.WeakKeyDictionary()  # several strategies may share an agent
_STRATEGIES: weakref.WeakValueDictionary[str, Strategy] = weakref.WeakValueDictionary()


def _which(kwargs: dict[str, Any]) -> tuple[Strategy, Any] | None:
    """The strategy that routed an attempt, and its decision. None: somebody else did."""
    given = kwargs.get("litellm_params") or {}
    for where in ("metadata", "litellm_metadata"):
        mark = (given.get(where) or {}).get("rein")
        if isinstance(mark, dict) and (by := _STRATEGIES.get(mark.get("by", ""))) is not None:
            return by, mark["id"]
    return None


def _now(coroutine: Any) -> Any:
    """The result of a coroutine, in a thread that may have an event loop: it runs in another one."""
    with ThreadPoolExecutor(1) as one:
        return one.submit(asyncio.run, coroutine).result()
