"""rein.Client and rein.AsyncClient: what they send, what they retry, and what their errors are."""

import asyncio
import inspect
import multiprocessing
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from service_double import double, refusal

import rein


@pytest.fixture
def server():
    with double() as made:
        yield made


@pytest.fixture
def client(server):
    made = rein.Client("router", url=server.url, token="secret", deadline=10.0)
    yield made
    made.close()


def test_a_round_is_sent_and_its_answer_is_read(server, client):
    d = client.decide(np.array([1.0, 2.0]), actions=["small", "large"], scopes={"tenant": "acme"},
                      largest_costs={"small": np.float64(0.5)}, most_costs=None)
    method, path, body, headers = server.seen[0]
    assert (method, path) == ("POST", "/v1/models/router/decide")
    assert headers["Authorization"] == "Bearer secret" and headers["Content-Type"] == "application/json"
    assert body == {"context": [1.0, 2.0], "actions": ["small", "large"], "scopes": {"tenant": "acme"},
                    "largest_costs": {"small": 0.5}, "request_id": d.request_id}
    assert len(d.request_id) == 32
    assert (d.id, d.action, d.probability, d.left, d.status) == ("0" * 16, "small", 0.5, {"day": 3.21}, "ok")
    assert d.probabilities == [0.5, 0.5] and d.would is None and d.dropped == []


def test_every_call_has_its_path_and_body(server, client):
    client.create({"actions": 2})
    client.outcome("aa", reward=1, costs={"dollars": 0.5})
    client.outcome(request_id="mine", costs=0.5)
    client.activate("aa")
    client.cancel("aa")
    client.state()
    assert client.budgets({"tenant": "a b"})["day"]["limit"] == 5
    client.top_up("day", 2, {"tenant": "x"}, request_id="once")
    client.explain("aa")
    client.call("POST", "/expect", {"expected_costs": None})
    assert [(method, path.removeprefix("/v1/models/router"), body) for method, path, body, _ in server.seen] == [
        ("PUT", "", {"actions": 2}),
        ("POST", "/outcome", {"id": "aa", "reward": 1, "costs": {"dollars": 0.5}}),
        ("POST", "/outcome", {"request_id": "mine", "costs": 0.5}),
        ("POST", "/activate", {"id": "aa"}), ("POST", "/cancel", {"id": "aa"}), ("GET", "/state", None),
        ("GET", "/budgets?tenant=a+b", None),
        ("PATCH", "/budgets", {"budget": "day", "top_up": 2, "request_id": "once", "scopes": {"tenant": "x"}}),
        ("GET", "/explain/aa", None), ("POST", "/expect", {"expected_costs": None})]


def test_the_token_comes_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("REIN_TOKEN", "from outside")
    rein.Client("m", url=server.url).state()
    monkeypatch.delenv("REIN_TOKEN")
    rein.Client("m", url=server.url).state()
    assert server.seen[0][3]["Authorization"] == "Bearer from outside" and "Authorization" not in server.seen[1][3]


@pytest.mark.parametrize("plan", [
    ["drop before"], ["drop after"], ["cut"], ["drop after", "drop before", "cut", "drop after"],
    [refusal(503, "busy", Retry_After="0")], [refusal(429, "rate")], [(502, {}, b"<html>bad gateway</html>")],
    [(503, {}, b"")], [refusal(408, "timeout")], ["then close", "ok"]])
def test_a_call_is_repeated_with_the_same_id_and_applied_once(server, client, plan):
    server.plan = list(plan)
    d = client.decide([1.0])
    if plan == ["then close", "ok"]:
        d = client.decide([1.0])  # the kept connection was closed meanwhile
    assert len(server.applied) == len({body["request_id"] for _, _, body, _ in server.seen})
    assert server.applied[d.request_id]["id"] == d.id
    assert len(server.seen) >= len(plan) + (plan[0] not in ("then close", "ok"))
    assert not server.plan


def test_an_answer_that_comes_too_late_is_not_taken_for_another(server):
    server.plan = ["ok", "slow"]
    client = rein.Client("m", url=server.url, timeout=0.2, deadline=5.0)
    found = [client.decide([1.0]) for _ in range(5)]
    assert len(server.seen) >= 6 and not server.plan  # more where this process was held up
    assert [server.applied[d.request_id]["id"] for d in found] == [d.id for d in found]


def test_a_top_up_whose_answer_is_lost_is_applied_once(server, client):
    server.plan = ["drop after", "cut"]
    client.top_up("day", 2)
    assert len(server.seen) == 3 and len(server.applied) == 1


@pytest.mark.parametrize("status, code, kind", [
    (429, "budget", rein.BudgetSpent), (404, "expired", rein.ExpiredDecision), (409, "conflict", rein.OutcomeConflict),
    (503, "full", rein.TooManyOpen), (403, "paused", rein.Paused), (400, "invalid", rein.Error), (401, "token", rein.Error), (500, "bug", rein.Bug),
    (404, "unknown", rein.UnknownDecision)])
def test_a_refusal_is_the_exception_of_the_package_and_is_not_repeated(server, client, status, code, kind):
    server.plan = [refusal(status, code, "found 3; accepted: 4", "reward", Retry_After="0")]
    with pytest.raises(kind, match="found 3; accepted: 4") as found:
        client.outcome("aa", reward=1)
    assert len(server.seen) == 1 and type(found.value) is kind
    if kind is not rein.Bug:
        error = found.value
        assert (error.code, error.status, error.field, error.retry_after) == (code, status, "reward", 0.0)


def test_an_unknown_model_is_not_an_unknown_decision(server, client):
    server.plan = [refusal(404, "unknown", "no model router")]
    with pytest.raises(rein.Error) as found:
        client.decide([1.0])
    assert type(found.value) is rein.Error and found.value.code == "unknown"


def test_a_service_that_stays_busy_raises_its_own_error_at_the_deadline(server):
    server.plan = [refusal(503, "busy", "queue is full", Retry_After="0")] * 1000
    client, begin = rein.Client("m", url=server.url, deadline=0.6), time.monotonic()
    with pytest.raises(rein.Error, match="queue is full") as found:
        client.state()
    assert 0.05 < time.monotonic() - begin < 1.5 and found.value.code == "busy"
    assert 3 <= len(server.seen) <= 12  # the pauses double


def test_a_pause_that_would_pass_the_deadline_is_not_waited_for(server):
    server.plan = [refusal(503, "busy", Retry_After="60")]
    begin = time.monotonic()
    with pytest.raises(rein.Error) as found:
        rein.Client("m", url=server.url, deadline=5.0).state()
    assert time.monotonic() - begin < 1.0 and found.value.retry_after == 60.0


def test_no_service_is_said_with_its_address():
    with double() as server:
        url = server.url
    begin = time.monotonic()
    with pytest.raises(rein.Unreachable, match=r"127\.0\.0\.1:\d+: no answer within 0\.3 seconds") as found:
        rein.Client("m", url=url, deadline=0.3).state()
    assert time.monotonic() - begin < 1.0 and isinstance(found.value, (rein.Error, ConnectionError))


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://host", "http://", "http://host/?x=1"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(rein.Error, match="url: found"):
        rein.Client("m", url=url)


@pytest.mark.parametrize("context", [[float("nan")], [float("inf")], {"x": object()}])
def test_what_json_cannot_say_is_refused_before_it_is_sent(server, client, context):
    with pytest.raises(rein.Error, match="accepted: finite numbers"):
        client.decide(context)
    assert not server.seen


def test_threads_share_a_client_and_connections_are_kept(server, client):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: client.decide([float(n)]), range(200)))
    assert len({d.id for d in found}) == len({d.request_id for d in found}) == 200
    assert server.connections <= 8


def test_it_follows_to_the_node_that_owns_the_model_and_comes_back(server, client):
    with double() as owner:
        server.plan = [(307, {"Location": owner.url + "/v1/models/router/decide"}, {})]
        first = client.decide([1.0], request_id="one")
        assert client.decide([1.0], request_id="one") == first
        assert len(server.seen) == 1 and len(owner.seen) == 2
        assert owner.seen[0][3]["Authorization"] == "Bearer secret"
        assert server.seen[0][3]["Rein-Redirect"] == "1"
        owner.plan = [refusal(503, "busy", Retry_After="0")]  # it owns the model no more
        client.decide([1.0], request_id="two")
        assert len(owner.seen) == 3 and len(server.seen) == 2
        server.plan = [(307, {"Location": owner.url + "/v1/models/router/decide"}, {})]
        client.decide([1.0], request_id="three")
        owner.plan = ["drop before"]  # it dies
        client.decide([1.0], request_id="four")
        assert len(owner.seen) == 5 and len(server.seen) == 4


def test_an_owner_that_nobody_can_reach_is_left_alone(server, client):
    with double() as owner:
        away = owner.url
    server.plan = [(307, {"Location": away + "/v1/models/router/decide"}, {})]
    client.decide([1.0])
    client.decide([1.0])
    assert ["Rein-Redirect" in headers for *_, headers in server.seen] == [True, False, False]


def in_a_child(client, queue):
    queue.put(client.decide([1.0]).id)


def test_a_forked_process_opens_its_own_connections(server, client):
    client.state()
    before = server.connections
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=in_a_child, args=(client, queue)) for _ in range(3)]
    for child in children:
        child.start()
    ids = {queue.get(timeout=120) for _ in children}
    for child in children:
        child.join(120)
    client.state()
    assert len(ids) == 3 and server.connections == before + 3


def test_the_async_client_makes_the_same_calls_at_once(server):
    async def play():
        client = rein.AsyncClient("router", url=server.url, deadline=10.0)
        await client.create({"actions": 2})
        found = await asyncio.gather(*(client.decide([1.0], request_id=f"r{n}") for n in range(50)))
        assert await client.outcome(found[0], 1.0, {"dollars": 0.1}) == "applied"
        assert await client.outcome(request_id="r1", costs=0.1) == "applied"
        assert await client.activate(found[1]) == await client.cancel(found[2]) == "applied"
        assert (await client.state())["status"] == "ok"
        assert (await client.budgets())["day"]["spent"] == (await client.top_up("day", 1))["day"]["spent"] == 1
        assert (await client.explain(found[3]))["action"] == "small"
        assert (await client.call("GET", "/open?most=1"))["action"] == "small"
        await client.close()
        return found
    server.plan = ["ok", "drop after", "drop before", "cut"]
    found = asyncio.run(play())
    assert {d.request_id for d in found} == {f"r{n}" for n in range(50)} and len({d.id for d in found}) == 50


def test_the_async_client_has_every_call_with_its_arguments():
    def calls(kind):
        return {name: call for name, call in vars(kind).items() if not name.startswith("_")}

    assert set(calls(rein.AsyncClient)) == set(calls(rein.Client)) > {"decide", "outcome", "call"}
    for name, call in calls(rein.AsyncClient).items():
        assert inspect.iscoroutinefunction(call), name
        assert inspect.signature(call).parameters == inspect.signature(getattr(rein.Client, name)).parameters


def test_the_package_does_not_import_http_before_it_is_needed():
    code = ("import sys, rein\nassert 'rein.client' not in sys.modules\nrein.Client\n"
            "assert 'rein.client' in sys.modules\ntry: rein.Clint\nexcept AttributeError as e: print(e)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "module 'rein' has no attribute 'Clint'\n", done.stderr


def test_the_main_thread_is_not_kept_waiting_by_another(server, client):
    server.plan = [refusal(503, "busy", Retry_After="2")]
    slow = threading.Thread(target=client.state)
    slow.start()
    while not server.seen:
        time.sleep(0.001)
    begin = time.monotonic()
    client.state()
    assert time.monotonic() - begin < 1.5
    slow.join()
