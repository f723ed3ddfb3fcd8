"""Client and AsyncClient: the calls of the decision service (`rein serve`), with safe retries.

They need the standard library only. docs/client.md has examples.
"""

from __future__ import annotations

import asyncio
import functools
import http.client
import json
import math
import os
import random
import time
import urllib.parse
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields
from typing import Any, Concatenate, ParamSpec, TypedDict, TypeVar, Unpack

from ._errors import (
    BudgetSpent,
    Bug,
    Error,
    ExpiredDecision,
    OutcomeConflict,
    Paused,
    TooManyOpen,
    UnknownDecision,
    Unreachable,
)
from ._service_run import ServiceRun

__all__ = ["AsyncClient", "Client", "Costs", "Decided", "Options", "ServiceRun"]

P = ParamSpec("P")
T = TypeVar("T")
Costs = float | Mapping[str, float]  # one number if there is one cost, or numbers by name
_CONNECT = 1.0  # seconds to reach the owner of a model; the url may take the whole timeout
_STAYS = 60.0  # seconds for which calls stay at the url after the owner could not be reached
_RETRIED = ("busy", "rate", "timeout")  # codes; gateways between us and the service have statuses only
_ERRORS = {"budget": BudgetSpent, "conflict": OutcomeConflict, "expired": ExpiredDecision, "full": TooManyOpen,
           "paused": Paused}


@dataclass(frozen=True)
class Decided:
    """What the service decided. Keep the id until the outcome comes."""

    id: str
    action: Any  #: its name, or its number if the actions of the model have none
    probability: float
    probabilities: list[float]  #: in the order of `actions`
    actions: list[Any] = field(default_factory=list)
    price: dict[str, float] = field(default_factory=dict)
    left: dict[str, float] = field(default_factory=dict)  #: by budget
    status: str = ""
    mode: str = "online"
    holdout: str = "none"
    dropped: list[dict[str, Any]] = field(default_factory=list)  #: actions that a budget did not allow
    would: dict[str, Any] | None = None  #: in shadow mode: what the policy would do
    fallback: str | None = None  #: why the baseline action was played
    request_id: str = ""  #: of the caller, or generated


class Options(TypedDict, total=False):
    """What `decide` takes besides the context; docs/client.md has each."""

    actions: Sequence[str | Mapping[str, Any]] | None
    scopes: Mapping[str, str] | None
    largest_costs: Mapping[str, Costs] | None
    most_costs: Costs | None
    expected_costs: Mapping[str, Costs] | None
    run: str | None
    activate: bool | None
    request_id: str | None


class Client:
    """One model of a decision service. Any thread may call; each call in flight has a connection.

        client = rein.Client("router", url="http://127.0.0.1:8080")
        d = client.decide({"length": 300})
        client.outcome(d, reward=1.0, costs={"dollars": 0.02})

    model     the name of the model
    url       the address of the service
    token     its token; default: the environment variable REIN_TOKEN
    timeout   seconds to wait for one answer
    deadline  seconds for a call with all its retries

    With several nodes behind the url (docs/cluster.md) it follows to the node that owns the model, and comes
    back to the url when that node does not answer.

    A call is repeated with the same id if the connection breaks, or if the service is busy. So it
    is applied once. A refusal by a budget is not repeated.
    """

    def __init__(self, model: str, *, url: str = "http://127.0.0.1:8080", token: str | None = None,
                 timeout: float = 10.0, deadline: float = 30.0) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise Error(f'url: found {url!r}; accepted: an address such as "http://127.0.0.1:8080"')
        self._make = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._host, self._port = parts.hostname, parts.port or self._make.default_port
        self._at = self._home = (self._host, self._port)  # where calls go, and the url
        self._follows_from = 0.0 if parts.scheme == "http" else math.inf  # since when it does; nodes speak HTTP
        self._base = f"{parts.path.rstrip('/')}/v1/models/{urllib.parse.quote(model, safe='')}"
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if token := os.environ.get("REIN_TOKEN") if token is None else token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._timeout, self._deadline = timeout, deadline
        self._idle: list[http.client.HTTPConnection] = []
        self._process = os.getpid()

    # -- the calls of the service

    def create(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Creates the model. The same document again changes nothing; another one raises OutcomeConflict."""
        return self.call("PUT", "", document)

    def decide(self, context: Any = None, **options: Unpack[Options]) -> Decided:
        """Chooses an action. The same `request_id` and round give the same answer."""
        given = {"context": [] if context is None else context, "request_id": uuid.uuid4().hex}
        given.update({name: value for name, value in options.items() if value is not None})
        answer = self.call("POST", "/decide", given)
        known = {one.name for one in fields(Decided)}
        return Decided(**{k: v for k, v in answer.items() if k in known} | {"request_id": given["request_id"]})

    def outcome(self, decision: str | Decided | None = None, reward: float | None = None, costs: Costs | None = None,
                *, request_id: str | None = None) -> str:
        """Reports the reward, the costs, or both. Returns "applied", "duplicate", "late" or "forgotten".

        `request_id` names the decision by the caller's id instead; the service must have a token.
        """
        which = {"request_id": request_id} if decision is None else {"id": _id(decision)}
        parts = {"reward": reward, "costs": costs}
        return str(self.call("POST", "/outcome", which | {k: v for k, v in parts.items() if v is not None})["result"])

    def activate(self, decision: str | Decided) -> str:
        """Says that the decision was used, if it was made with activate=False."""
        return str(self.call("POST", "/activate", {"id": _id(decision)})["result"])

    def cancel(self, decision: str | Decided) -> str:
        """Gives up a decision: nothing was bought."""
        return str(self.call("POST", "/cancel", {"id": _id(decision)})["result"])

    def state(self) -> dict[str, Any]:
        """All counters, prices and the status."""
        return self.call("GET", "/state")

    def budgets(self, scopes: Mapping[str, str] | None = None) -> dict[str, dict[str, Any]]:
        """The budgets that apply to these scopes, by name."""
        return _by_name(self.call("GET", "/budgets" + (f"?{urllib.parse.urlencode(scopes)}" if scopes else "")))

    def top_up(self, budget: str, amount: float, scopes: Mapping[str, str] | None = None, *,
               request_id: str | None = None) -> dict[str, dict[str, Any]]:
        """Adds to a budget in its open window, once per `request_id`."""
        body = {"budget": budget, "top_up": amount, "request_id": request_id or uuid.uuid4().hex}
        return _by_name(self.call("PATCH", "/budgets", body | ({"scopes": scopes} if scopes else {})))

    def set_amount(self, budget: str, amount: float | None, scopes: Mapping[str, str] | None = None, *,
                   request_id: str | None = None) -> dict[str, dict[str, Any]]:
        """Changes the amount of a budget; with scopes that of one key. None: as the keys without one of their own."""
        body = {"budget": budget, "amount": "*" if amount is None else amount,
                "request_id": request_id or uuid.uuid4().hex}
        return _by_name(self.call("PATCH", "/budgets", body | ({"scopes": scopes} if scopes else {})))

    def run(self, /, amounts: Costs | None = None, *, expire_after: int = 86_400,
            parent: str | ServiceRun | None = None, request_id: str | None = None, **costs: float) -> ServiceRun:
        """Opens a run: a cap on what one task may cost, for the decisions that name it (docs/runs.md).

            with client.run(dollars=0.50) as run:
                d = run.decide({"length": 300})

        amounts       the caps by cost, as {"dollars": 0.50}, or one number if there is one cost; or by name
        expire_after  seconds after which it closes by itself
        parent        the run that it is inside
        """
        if amounts is not None and costs and not isinstance(amounts, Mapping):
            raise Error(f"run: found the amount {amounts!r} beside amounts by name; accepted: one of the two")
        caps = {**amounts, **costs} if isinstance(amounts, Mapping) else costs if amounts is None else amounts
        body = {"amounts": caps, "expire_after": expire_after, "request_id": request_id or uuid.uuid4().hex}
        found = self.call("POST", "/runs", body | ({"parent": _run(parent)} if parent is not None else {}))
        return ServiceRun(self, str(found["run"]))

    def close_run(self, run: str | ServiceRun) -> dict[str, Any]:
        """Closes a run and those inside it. Again: changes nothing."""
        return self.call("DELETE", f"/runs/{urllib.parse.quote(_run(run), safe='')}")

    def run_state(self, run: str | ServiceRun) -> dict[str, Any]:
        """What a run has spent, holds and has left, of every cost."""
        return self.call("GET", f"/runs/{urllib.parse.quote(_run(run), safe='')}")

    def runs(self, *, open: bool = False, first: int = 0, most: int = 100) -> list[dict[str, Any]]:
        """The runs that are remembered, oldest first; `open=True`: only those that are open."""
        query = urllib.parse.urlencode({"open": int(open), "first": first, "most": most})
        found: list[dict[str, Any]] = self.call("GET", f"/runs?{query}")["runs"]
        return found

    def keys(self, budget: str, *, first: int = 0, most: int = 100, search: str = "", ago: int = 0) -> dict[str, Any]:
        """The keys of a budget with a scope, those that spent most first; `ago=1`: in the window before."""
        query = {"budget": budget, "first": first, "most": most, "ago": ago} | ({"search": search} if search else {})
        return self.call("GET", f"/keys?{urllib.parse.urlencode(query)}")

    def windows(self, budget: str, scopes: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
        """The windows of a budget that are remembered, oldest first."""
        query = urllib.parse.urlencode({"budget": budget, **(scopes or {})})
        found: list[dict[str, Any]] = self.call("GET", f"/windows?{query}")["windows"]
        return found

    def notices(self, *, after: int = 0, most: int = 100) -> list[dict[str, Any]]:
        """What people were told, the oldest first: thresholds, statuses, pauses, suspect callers."""
        query = urllib.parse.urlencode({"after": after, "most": most})
        found: list[dict[str, Any]] = self.call("GET", f"/notices?{query}")["notices"]
        return found

    def pause(self, scopes: Mapping[str, str] | None = None, *, why: str = "") -> str:
        """Refuses decisions of the model, or of one key, until resume(). Outcomes are still taken."""
        return self._stop("/pause", scopes, {"why": why})

    def resume(self, scopes: Mapping[str, str] | None = None, *, why: str = "") -> str:
        """Ends a pause: of the model, or of one key."""
        return self._stop("/resume", scopes, {"why": why})

    def quarantine(self, caller: str | None = None, scopes: Mapping[str, str] | None = None, *, why: str = "",
                   lift: bool = False) -> str:
        """Learns nothing from a caller (the name of a token) or from one key; its money counts. `lift` ends it."""
        return self._stop("/quarantine", scopes, {"why": why, "lift": lift} | ({"caller": caller} if caller else {}))

    def _stop(self, path: str, scopes: Mapping[str, str] | None, body: dict[str, Any]) -> str:
        body |= {"request_id": uuid.uuid4().hex} | ({"scopes": dict(scopes)} if scopes else {})
        return str(self.call("POST", path, body)["result"])

    def explain(self, decision: str | Decided) -> dict[str, Any]:
        """What the estimates of the actions were made of."""
        return self.call("GET", f"/explain/{urllib.parse.quote(_id(decision), safe='')}")

    # -- how a call is made

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Any other call of the model, as call("POST", "/expect", {...}). It may be sent more than once."""
        try:
            data = None if body is None else json.dumps(body, allow_nan=False, default=_plain).encode()
        except (TypeError, ValueError) as bad:
            raise Error(f"{path or 'create'}: {bad}; accepted: finite numbers, texts, lists and dictionaries") from None
        end, attempt = time.monotonic() + self._deadline, 0
        while True:
            pause = min(2.0, 0.05 * 2**attempt) * random.uniform(0.5, 1.5)
            failed: Exception
            try:
                return self._once(method, path, data, max(0.01, min(self._timeout, end - time.monotonic())))
            except _Again as refused:
                failed, pause = refused.error, max(pause, refused.error.retry_after or 0.0)
            except (OSError, http.client.HTTPException) as broken:
                failed = Unreachable(f"{self._host}:{self._port}: no answer within "
                                     f"{self._deadline:g} seconds; the last attempt: {broken!r}")
            if time.monotonic() + pause >= end:
                raise failed
            time.sleep(pause)
            attempt += 1

    def _once(self, method: str, path: str, data: bytes | None, timeout: float) -> dict[str, Any]:
        if self._process != os.getpid():  # after a fork: the connections belong to the parent
            self._idle, self._process = [], os.getpid()
        kept, at = True, self._at
        try:
            connection = self._idle.pop()
        except IndexError:
            kept, connection = False, self._make(*at)
        follows = time.monotonic() >= self._follows_from
        connection.timeout = timeout
        if connection.sock is not None:
            connection.sock.settimeout(timeout)
        try:
            if not kept and at != self._home:
                connection.timeout = min(timeout, _CONNECT)
                connection.connect()
                if connection.sock is not None:
                    connection.sock.settimeout(timeout)
            connection.request(method, self._base + path, data,
                               self._headers | {"Rein-Redirect": "1"} if follows else self._headers)
            response = connection.getresponse()
            text = response.read()
        except BaseException as broken:  # a half-read answer must not be taken for the next one
            connection.close()
            if at != self._home:
                if not kept and isinstance(broken, OSError):  # perhaps nobody outside can reach the nodes
                    self._follows_from = time.monotonic() + _STAYS
                self._go(self._home)
            if kept and isinstance(broken, ConnectionError):  # closed while nobody used it: no reason to wait
                self.close()
                return self._once(method, path, data, timeout)
            raise
        if (connection.host, connection.port) == self._at:
            self._idle.append(connection)
        else:
            connection.close()
        if response.status == 307 and follows and at == self._home:
            owner = urllib.parse.urlsplit(response.headers.get("Location", ""))
            if owner.scheme == "http" and owner.hostname:
                self._go((owner.hostname, owner.port or 80))
                return self._once(method, path, data, timeout)
        if at != self._home and response.status in (307, 503):
            self._go(self._home)
            if response.status == 307:
                raise http.client.HTTPException(f"{at[0]}:{at[1]} no longer owns the model")
        return _read(response.status, response.headers.get("Retry-After"), text, path)

    def _go(self, to: tuple[str, int]) -> None:
        self._at = to
        self.close()

    def close(self) -> None:
        """Closes the connections that no call uses."""
        while self._idle:
            self._idle.pop().close()


class _Again(Exception):
    """Refused for now: the same call may be sent again."""

    def __init__(self, error: Error) -> None:
        self.error = error


def _read(status: int, after: str | None, text: bytes, path: str) -> dict[str, Any]:
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    if status < 300 and isinstance(answer, dict):
        return answer
    told = answer.get("error") if isinstance(answer, dict) else None
    told = told if isinstance(told, dict) else {}
    code = str(told.get("code") or "")
    message = str(told.get("message") or f"{path or '/'}: found HTTP {status} with {text[:80]!r}; accepted: JSON")
    if code == "bug":
        raise Bug(message)
    about_decision = path.startswith(("/outcome", "/activate", "/cancel", "/explain"))
    error = (UnknownDecision if code == "unknown" and about_decision else _ERRORS.get(code, Error))(message)
    error.code, error.status, error.field = code, status, told.get("field")
    error.retry_after = float(after) if after and after.isdecimal() else None
    if code in _RETRIED or (not code and status in (502, 503, 504)):
        raise _Again(error)
    raise error


def _by_name(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in answer["budgets"]}


def _id(decision: str | Decided) -> str:
    return decision if isinstance(decision, str) else decision.id


def _run(run: str | ServiceRun) -> str:
    return run if isinstance(run, str) else run.id


def _plain(value: Any) -> Any:
    """NumPy's arrays and numbers, and rows of pandas, as JSON."""
    for name in ("tolist", "to_dict"):
        if hasattr(value, name):
            return getattr(value, name)()
    raise TypeError(f"found {type(value).__name__}")


def _in_thread(call: Callable[Concatenate[Client, P], T]) -> Callable[Concatenate[AsyncClient, P],
                                                                          Coroutine[Any, Any, T]]:
    """The same call of an AsyncClient: it runs in a thread of its pool."""
    @functools.wraps(call)
    async def run(self: AsyncClient, /, *values: P.args, **options: P.kwargs) -> T:
        work = functools.partial(call, self._client, *values, **options)
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    return run


class AsyncClient:
    """The same calls for asyncio. Each runs the call of a Client in a thread of its own pool.

    calls   how many run at a time; others wait

    A call whose task is cancelled still runs to its end in its thread. Its decision then stays
    open until it expires.
    """

    def __init__(self, model: str, *, url: str = "http://127.0.0.1:8080", token: str | None = None,
                 timeout: float = 10.0, deadline: float = 30.0, calls: int = 32) -> None:
        self._client = Client(model, url=url, token=token, timeout=timeout, deadline=deadline)
        self._pool = ThreadPoolExecutor(calls, thread_name_prefix="rein")

    create = _in_thread(Client.create)
    decide = _in_thread(Client.decide)
    outcome = _in_thread(Client.outcome)
    activate = _in_thread(Client.activate)
    cancel = _in_thread(Client.cancel)
    state = _in_thread(Client.state)
    budgets = _in_thread(Client.budgets)
    top_up = _in_thread(Client.top_up)
    set_amount = _in_thread(Client.set_amount)
    keys = _in_thread(Client.keys)
    windows = _in_thread(Client.windows)
    notices = _in_thread(Client.notices)
    pause = _in_thread(Client.pause)
    resume = _in_thread(Client.resume)
    quarantine = _in_thread(Client.quarantine)
    run = _in_thread(Client.run)
    close_run = _in_thread(Client.close_run)
    run_state = _in_thread(Client.run_state)
    runs = _in_thread(Client.runs)
    explain = _in_thread(Client.explain)
    call = _in_thread(Client.call)

    async def close(self) -> None:
        """Waits for the calls in flight and closes the connections."""
        await asyncio.to_thread(self._pool.shutdown)
        self._client.close()
