"""The clients, the LiteLLM strategy and the FastAPI example against the real `rein serve`."""

import asyncio
import fractions
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # the list of prices that comes with it: no traffic

import litellm
import pytest
from service_real import service

import rein
import rein.litellm

ROOT = pathlib.Path(os.environ.get("REIN_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
MODEL = {"actions": ["small", "large"], "context": 1, "costs": ["dollars"], "reward": [0, 1], "seed": 7,
         "largest_costs": {"small": 0.01, "large": 0.1}, "expire_after": 600,
         "budgets": [{"name": "all", "cost": "dollars", "amount": 1, "hard": True, "rounds": 200}]}


@pytest.fixture
def served(program, tmp_path):
    with service(program, tmp_path / "data") as made:
        yield made


@pytest.fixture
def client(served):
    made = rein.Client("router", url=served.url)
    made.create(MODEL)
    yield made
    made.close()


def test_decisions_outcomes_and_budgets(client):
    d = client.decide([1.0], request_id="mine")
    assert d == client.decide([1.0], request_id="mine") and d.actions == ["small", "large"]
    assert sum(d.probabilities) == pytest.approx(1) and d.probability == d.probabilities[d.actions.index(d.action)]
    assert [one["action"] for one in client.explain(d)["actions"] if one["chosen"]] == [d.action]
    assert client.outcome(d, costs={"dollars": 0.005}) == "applied"
    assert client.outcome(d, reward=1.0) == "applied" and client.outcome(d, 1.0, 0.005) == "duplicate"
    with pytest.raises(rein.OutcomeConflict):
        client.outcome(d, reward=0.5)
    with pytest.raises(rein.OutcomeConflict):
        client.decide([2.0], request_id="mine")
    with pytest.raises(rein.UnknownDecision):
        client.outcome("0123456789abcdef", reward=1.0)
    with pytest.raises(rein.Error, match="context") as found:
        client.decide([1.0, 2.0])
    assert found.value.status == 400 and found.value.code == "invalid"
    other = client.decide([1.0])
    assert client.cancel(other) == "applied" and client.cancel(other) in ("applied", "duplicate")  # counted once, below
    state, budget = client.state(), client.budgets()["all"]
    assert (state["decided"], state["learned"], state["cancelled"]) == (2, 1, 1)
    assert (budget["spent"], budget["held"], budget["limit"]) == (0.005, 0, 1)
    assert client.top_up("all", 2, request_id="once")["all"]["limit"] == 3
    assert client.top_up("all", 2, request_id="once")["all"]["limit"] == 3
    assert client.create(MODEL)["name"] == "router"
    with pytest.raises(rein.OutcomeConflict):
        client.create({**MODEL, "seed": 8})


def test_the_token_is_asked_for(program, tmp_path, monkeypatch):
    with service(program, tmp_path / "data", REIN_TOKEN="a token that is long") as made:
        with pytest.raises(rein.Error) as found:
            rein.Client("m", url=made.url).create(MODEL)
        assert (found.value.status, found.value.code) == (401, "token")
        monkeypatch.setenv("REIN_TOKEN", "a token that is long")
        client = rein.Client("m", url=made.url)
        client.create(MODEL)
        d = client.decide([1.0], request_id="mine")
        assert client.outcome(request_id="mine", reward=1.0, costs=0.001) == "applied"
        assert client.outcome(d, reward=1.0) == "duplicate"


def test_calls_survive_a_service_that_is_killed_and_each_is_applied_once(served, client):
    ended, played, kills = threading.Event(), [], []

    def play(n):
        d = client.decide([float(n)], request_id=f"r{n}")
        client.outcome(d, reward=1.0, costs={"dollars": 0.0001})
        played.append(n)
        return d.id

    def crash():  # after some calls, not after some time: a slow machine must get on too
        while not ended.wait(0.01):
            if len(played) >= 40 * (1 + len(kills)):
                served.kill()
                served.start()
                kills.append(len(played))

    killer = threading.Thread(target=crash)
    killer.start()
    try:
        with ThreadPoolExecutor(8) as pool:
            ids = list(pool.map(play, range(400), timeout=600))
    finally:
        ended.set()
        killer.join()
    state, budget = client.state(), client.budgets()["all"]
    assert len(kills) > 5
    assert len(set(ids)) == state["decided"] == state["learned"] == 400
    assert budget["spent"] == pytest.approx(0.04, abs=1e-9) and budget["held"] == 0


def test_64_calls_at_once_against_one_small_budget_are_not_a_micro_dollar_over(served, client):
    done, refused = [], []

    def call(n):
        try:
            d = client.decide([1.0])
            done.append((d.id, 0.01 if d.action == "small" else 0.1))  # all of it, in the worst case
        except rein.BudgetSpent as found:
            refused.append(found)

    with ThreadPoolExecutor(64) as pool:
        for _ in range(4):
            list(pool.map(call, range(64)))
            for which, dollars in done[len(done) // 2:]:
                client.outcome(which, costs=dollars, reward=0.5)
    for which, dollars in done:
        client.outcome(which, costs=dollars, reward=0.5)
    budget = client.budgets()["all"]
    assert refused and all(one.retry_after is None for one in refused)
    assert sum(fractions.Fraction(str(dollars)) for _, dollars in done) <= 1
    assert 0.9 <= budget["spent"] <= 1 and budget["over_holds"] == 0


def test_litellms_router_keeps_the_budget_of_the_service(served):
    def router():
        return litellm.Router(num_retries=0, disable_cooldowns=True, model_list=[
            {"model_name": "chat", "litellm_params": {
                "model": f"openai/{name}", "api_key": "none", "mock_response": "An arm.",
                "input_cost_per_token": price, "output_cost_per_token": 2 * price}}
            for name, price in (("cheap", 1e-6), ("dear", 1e-5))])

    routers = [router(), router()]  # as two processes would have
    clients = [rein.Client("chat", url=served.url) for _ in routers]
    clients[0].create({"actions": rein.litellm.actions(routers[0]), "context": rein.litellm.CONTEXT,
                       "costs": ["dollars"], "reward": [0, 1], "expire_after": 600, "seed": 7, "budgets": [
                           {"name": "all", "cost": "dollars", "amount": 0.02, "hard": True, "rounds": 300}]})
    strategies = [rein.litellm.Strategy(one, client, reward=lambda kwargs, response: 0.5)
                  for one, client in zip(routers, clients)]
    for one, strategy in zip(routers, strategies):
        one.set_custom_routing_strategy(strategy)
    done, refused = [], []

    async def call(n):
        try:
            done.append(await routers[n % 2].acompletion(
                model="chat", messages=[{"role": "user", "content": "What is a bandit?"}], max_tokens=20))
        except litellm.BudgetExceededError as found:
            refused.append(found)

    async def play():
        for _ in range(8):
            await asyncio.gather(*(call(n) for n in range(64)))
            end = time.monotonic() + 120
            while clients[0].budgets()["all"]["held"] > 0:
                assert time.monotonic() < end, "a bill did not come"
                await asyncio.sleep(0.02)

    asyncio.run(play())
    for strategy in strategies:
        strategy.close()
    budget = clients[0].budgets()["all"]
    bills = sum(fractions.Fraction(one._hidden_params["response_cost"]) for one in done)
    assert done and refused and bills <= fractions.Fraction("0.02") and budget["over_holds"] == 0
    assert bills - fractions.Fraction(1, 10**9) < budget["spent"] <= 0.02
    assert refused[-1].max_budget == 0.02


@pytest.fixture
def example():
    spec = importlib.util.spec_from_file_location("fastapi_app", ROOT / "examples" / "python" / "fastapi_app.py")
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_fastapi_example(served, example):
    from fastapi.testclient import TestClient

    with TestClient(example.make_app(served.url)) as visitor:
        first = visitor.post("/ask", json={"question": "what"}, headers={"X-Request-Id": "r1"}).json()
        assert first["model"] in ("small", "large") and first["answer"].endswith("tahw")
        assert visitor.post("/thumb", json={"id": first["id"], "up": True}).json() == {"result": "applied"}
        assert visitor.post("/thumb", json={"id": first["id"], "up": True}).json() == {"result": "duplicate"}
        assert visitor.post("/thumb", json={"id": first["id"], "up": False}).status_code == 409
        assert visitor.post("/thumb", json={"id": "0" * 16, "up": True}).status_code == 404
        assert 0 < visitor.get("/spend").json()["spent"] < 0.01


def test_the_fastapi_example_plays_its_visitors_within_the_budget(served):
    done = subprocess.run([sys.executable, ROOT / "examples" / "python" / "fastapi_app.py", "--url", served.url],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    counts = re.search(r"200 questions: (\d+) .*, (\d+) .*, (\d+) refused", done.stdout)
    small, large, refused = map(int, counts.groups())
    spent, limit = map(float, re.search(r"spent (\S+) of (\S+) dollars", done.stdout).groups())
    assert small + large + refused == 200 and small and large
    assert 0.1 < spent <= limit == 0.5
