"""rein.litellm: LiteLLM's own Router and its mock responses, with decisions and budgets of rein."""

import asyncio
import fractions
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # the list of prices that comes with it: no traffic

import litellm
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rein
import rein.litellm

ASK = [{"role": "user", "content": "What is a bandit?"}]
SMALL, LARGE = "openai/gpt-4o-mini", "openai/gpt-4o"


def model(name, group="chat", **more):
    params = {"model": name, "api_key": "none", "mock_response": "An arm.", **more}
    return {"model_name": group, "litellm_params": params}


def made_router(*models, **options):
    return litellm.Router(model_list=list(models) or [model(SMALL), model(LARGE)],
                          **{"num_retries": 0, "disable_cooldowns": True, **options})


def made_agent(router, dollars=1.0, **options):
    return rein.Agent("ccb", actions=rein.litellm.actions(router), costs=["dollars"], reward=(0, 1), seed=7,
                      **{"context": rein.litellm.CONTEXT, "engine": rein.EngineOptions(expire_after=600),
                         "budgets": rein.Budget("all", "dollars", dollars, hard=True, rounds=200), **options})


@pytest.fixture
def routed():
    """Makes a router with an agent behind it, and stops it after the test."""
    strategies = []

    def make(router=None, agent=None, dollars=1.0, **options):
        router = router or made_router()
        agent = agent or made_agent(router, dollars)
        strategies.append(rein.litellm.Strategy(router, agent, **options))
        router.set_custom_routing_strategy(strategies[-1])
        return router, agent, strategies[-1]

    yield make
    for one in strategies:
        one.close()


def until(condition, seconds=10.0):
    """LiteLLM reports outcomes a little after it answers."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.005)


async def settle(condition, seconds=10.0):
    """The same inside an event loop, whose callbacks must run meanwhile."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        await asyncio.sleep(0.005)


def bills(responses):
    """What the responses cost in LiteLLM's own count: the exact sum of its numbers."""
    return sum(fractions.Fraction(one._hidden_params["response_cost"]) for one in responses)


def booked(agent, responses):
    """Whether the agent has booked these bills and no others. Its own count may round each one up by a coin."""
    return bills(responses) <= agent.spent["dollars"] + 1e-15 and agent.spent["dollars"] - bills(responses) < 1e-9


def spent(agent):
    return agent.budgets()["all"].spent


# -- one call

def test_a_call_is_a_decision_and_its_bill_is_litellms_own(routed):
    router, agent, strategy = routed(reward=lambda kwargs, response: len(response.choices[0].message.content) / 10)
    answer = router.completion(model="chat", messages=ASK, max_tokens=50)
    until(lambda: agent.state.learned == 1)
    assert answer.choices[0].message.content == "An arm."
    assert agent.state.reward == pytest.approx(0.7) and not agent.open()
    assert booked(agent, [answer]) and spent(agent) > 0 and agent.budgets()["all"].held == 0
    assert isinstance(strategy.decision(answer), int)


def test_the_reward_may_come_later_by_id(routed):
    router, agent, strategy = routed()
    answer = router.completion(model="chat", messages=ASK, max_tokens=50)
    until(lambda: spent(agent) > 0)
    assert agent.open()[0].missing == ["reward"]
    assert agent.learn(strategy.decision(answer), reward=1.0)
    assert agent.state.learned == 1 and not agent.open()
    with pytest.raises(rein.Error, match="decision: found call nothing"):
        strategy.decision("nothing")


def test_a_reward_function_that_fails_does_not_lose_the_bill(routed, caplog):
    router, agent, _ = routed(reward=lambda kwargs, response: 1 / 0)
    answer = router.completion(model="chat", messages=ASK, max_tokens=50)
    until(lambda: spent(agent) > 0 and booked(agent, [answer]))
    assert "the function reward failed" in caplog.text


def test_a_stream_is_billed_at_its_end(routed):
    router, agent, _ = routed()
    stream = router.completion(model="chat", messages=ASK, max_tokens=50, stream=True)
    first = next(stream)
    assert first is not None and spent(agent) == 0 and agent.budgets()["all"].held > 0
    for _ in stream:
        pass
    until(lambda: spent(agent) > 0)
    assert agent.budgets()["all"].held == 0


def test_embeddings_are_routed_too(routed):
    router = made_router(model("openai/text-embedding-3-small"), model("openai/text-embedding-3-large"))
    router, agent, _ = routed(router)
    router.embedding(model="chat", input=["a bandit"], mock_response=[0.1, 0.2])
    until(lambda: spent(agent) > 0)


def test_the_request_chooses_context_scopes_and_names(routed):
    router = made_router(model(SMALL), model(LARGE))
    agent = rein.Agent(
        "ccb", actions=["gpt-4o-mini", "gpt-4o"], context=1, costs=["dollars"], reward=(0, 1), seed=1,
        engine=rein.EngineOptions(expire_after=60),
        budgets=[rein.Budget("tenant", "dollars", 0.001, hard=True, per="day", scope="tenant")])
    seen = []

    def context(request):
        seen.append(request)
        return [len(request["messages"])]

    router, agent, _ = routed(router, agent, context=context,
                              scopes=lambda request: {"tenant": request["metadata"]["tenant"]},
                              name=lambda deployment: deployment["litellm_params"]["model"].split("/")[1])
    router.completion(model="chat", messages=ASK, max_tokens=50, metadata={"tenant": "acme"})
    assert seen[0]["model"] == "chat" and seen[0]["max_tokens"] == 50
    until(lambda: agent.budgets({"tenant": "acme"})["tenant"].spent > 0)
    assert agent.budgets({"tenant": "other"})["tenant"].spent == 0


# -- failures

def test_what_the_provider_refused_costs_nothing(routed):
    router, agent, _ = routed()
    for wrong in (litellm.RateLimitError("no", "openai", "x"), litellm.InternalServerError("no", "openai", "x")):
        with pytest.raises(type(wrong)):
            router.completion(model="chat", messages=ASK, max_tokens=50, mock_response=wrong)
    until(lambda: agent.state.cancelled == 2)
    assert spent(agent) == agent.budgets()["all"].held == 0


def test_a_call_that_timed_out_may_have_been_billed_so_its_hold_stays(routed):
    now = [1000]
    router, agent, _ = routed(clock=lambda: now[0])
    with pytest.raises(litellm.Timeout):
        router.completion(model="chat", messages=ASK, max_tokens=50, mock_timeout=True, timeout=0.01)
    time.sleep(0.2)
    held = agent.budgets()["all"].held
    assert held > 0 and agent.state.cancelled == 0
    now[0] += 1000
    router.completion(model="chat", messages=ASK, max_tokens=50)
    until(lambda: spent(agent) > held)  # expired: the hold counts as spent
    assert agent.state.expired == 1


@pytest.mark.parametrize("began", [False, True])
def test_a_stream_that_fails_is_free_only_if_it_had_not_begun(routed, began, monkeypatch):
    router, agent, _ = routed()
    real, chunks = litellm.main.async_mock_completion_streaming_obj, []

    async def cut(*given, **named):
        async for chunk in real(*given, **named):
            if began == bool(chunks):
                raise litellm.InternalServerError("overloaded", "openai", "x")
            yield chunk

    async def play():
        with pytest.raises(litellm.InternalServerError if not began else Exception, match="overloaded"):
            stream = await router.acompletion(model="chat", messages=ASK, max_tokens=50, stream=True)
            async for chunk in stream:
                chunks.append(chunk)  # noqa: PERF401
        await asyncio.sleep(0.3)

    monkeypatch.setattr(litellm.main, "async_mock_completion_streaming_obj", cut)
    asyncio.run(play())
    assert bool(chunks) == began
    assert agent.state.cancelled == (not began)
    assert (spent(agent) + agent.budgets()["all"].held > 0) == began  # LiteLLM prices the part that came


def test_two_strategies_may_share_an_agent_and_a_clock_that_steps_back(routed):
    router, agent, _ = routed(clock=iter([100, 90, 120]).__next__)
    other = made_router()
    _, _, second = routed(other, agent, clock=iter([110, 95]).__next__)
    for each in (router, other, router, other, router):
        each.completion(model="chat", messages=ASK, max_tokens=20)
    assert agent.state.now == 120 and agent.state.decided == 5


def test_each_attempt_of_a_retry_is_a_decision_of_its_own(routed):
    router = made_router(model(SMALL), model(LARGE), num_retries=3)
    router, agent, strategy = routed(router)
    left = [litellm.InternalServerError("no", "openai", "x")] * 2

    async def play():
        real = litellm.acompletion

        async def flaky(**kwargs):
            return await real(**{**kwargs, **({"mock_response": left.pop()} if left else {})})
        litellm.acompletion = flaky
        try:
            answer = await router.acompletion(model="chat", messages=ASK, max_tokens=50)
        finally:
            litellm.acompletion = real
        await settle(lambda: agent.state.cancelled == 2 and spent(agent) > 0)
        return answer

    answer = asyncio.run(play())
    assert agent.state.decided == 3 and booked(agent, [answer])
    assert agent.learn(strategy.decision(answer), reward=1.0)


def test_a_deployment_that_cools_down_is_not_offered(routed):
    router = made_router(model(SMALL), model(LARGE), disable_cooldowns=False, cooldown_time=60, allowed_fails=0)
    router, agent, _ = routed(router)
    names = {one["model_info"]["id"]: one["litellm_params"]["model"] for one in router.model_list}
    with pytest.raises(litellm.RateLimitError):
        router.completion(model="chat", messages=ASK, max_tokens=50,
                          mock_response=litellm.RateLimitError("no", "openai", "x"))
    until(lambda: agent.state.cancelled == 1)
    cold = {names[one] for one in litellm.router.get_cooldown_deployments(router, None)}
    assert len(cold) == 1
    for _ in range(20):
        answer = router.completion(model="chat", messages=ASK, max_tokens=50)
        assert names[answer._hidden_params["model_id"]] not in cold


# -- budgets

PRICE = {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6}


def priced(**more):
    """Mock responses have 10 and 20 tokens, or those of the text: prices are ours, so that figures are known."""
    return made_router(model("openai/cheap", **PRICE), model("openai/dear", input_cost_per_token=1e-5,
                                                             output_cost_per_token=2e-5), **more)


def test_64_calls_at_once_against_one_small_budget_are_not_a_micro_dollar_over(routed):
    dollars = 0.02
    router, agent, _ = routed(priced(), dollars=dollars)
    over, done, refused = [], [], []

    async def call():
        try:
            done.append(await router.acompletion(model="chat", messages=ASK, max_tokens=20, mock_delay=0.05))
        except litellm.BudgetExceededError as found:
            refused.append(found)
        now = agent.budgets()["all"]
        if now.spent_micros + now.held_micros > now.limit_micros:
            over.append(now)

    async def play():
        for _ in range(8):  # every time all 64 are in flight before the first bill comes
            await asyncio.gather(*(call() for _ in range(64)))
            await settle(lambda: agent.budgets()["all"].held == 0)

    asyncio.run(play())
    assert not over and done and refused and len(done) + len(refused) == 8 * 64
    assert booked(agent, done) and bills(done) <= fractions.Fraction(str(dollars))
    assert agent.budgets()["all"].limit == 0.02 >= spent(agent) > 0.018  # nearly all of it was used
    assert agent.budgets()["all"].over_holds == 0
    assert refused[-1].max_budget == dollars and refused[-1].current_cost <= dollars


def test_threads_keep_the_budget_too(routed):
    router, agent, _ = routed(priced(), dollars=0.005)
    lock, done, refused = threading.Lock(), [], []

    def call(_):
        try:
            answer = router.completion(model="chat", messages=ASK, max_tokens=20)
            with lock:
                done.append(answer)
        except litellm.BudgetExceededError as found:
            with lock:
                refused.append(found)

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(call, range(160)))
    until(lambda: agent.budgets()["all"].held == 0)
    assert done and refused and booked(agent, done) and bills(done) <= 0.005 and spent(agent) <= 0.005


def test_the_safe_deployment_is_played_when_no_other_fits(routed):
    router = made_router(model("openai/free", input_cost_per_token=0.0, output_cost_per_token=0.0),
                         model("openai/dear", input_cost_per_token=1e-5, output_cost_per_token=2e-5))
    agent = made_agent(router, 1e-6, hard=rein.HardLimits(safe_action="openai/free", safe_cost=0.0))
    router, agent, _ = routed(router, agent)
    answers = [router.completion(model="chat", messages=ASK, max_tokens=20) for _ in range(5)]
    assert {answer.model for answer in answers} == {"free"}


def test_a_refused_call_is_not_retried(routed):
    router, agent, _ = routed(made_router(num_retries=5), dollars=1e-6)
    begin = time.monotonic()
    with pytest.raises(litellm.BudgetExceededError):
        router.completion(model="chat", messages=ASK, max_tokens=20)
    assert time.monotonic() - begin < 2.0 and agent.state.decided == 0


def test_it_learns_which_deployment_is_worth_its_price(routed):
    marks = {"cheap": 0.9, "dear": 0.2}
    router = priced()
    agent = made_agent(router, budgets=rein.Budget("all", "dollars", 1.0, rounds=300))
    router, agent, _ = routed(router, agent, reward=lambda kwargs, response: marks[response.model])
    played = []

    async def play():
        for n in range(200):
            played.append((await router.acompletion(model="chat", messages=ASK, max_tokens=20)).model)
            await settle(lambda n=n: agent.state.learned == n + 1)

    asyncio.run(play())
    assert played[-50:].count("cheap") >= 45


# -- the largest cost

def request_of(text="hello", **more):
    return {"model": "chat", "messages": [{"role": "user", "content": text}], **more}


def test_the_largest_cost_is_the_prices_times_the_limits():
    deployment = model("openai/own", **PRICE)
    bound = rein.litellm.largest_cost(deployment, request_of(max_tokens=1000))
    assert 2e-3 < bound < 2e-3 + 150e-6
    assert rein.litellm.largest_cost(deployment, request_of(max_tokens=1000, n=3)) > 6e-3
    limited = model("openai/own", max_tokens=10, **PRICE)
    assert rein.litellm.largest_cost(limited, request_of()) < 200e-6
    listed = litellm.model_cost["gpt-4o"]
    assert rein.litellm.largest_cost(model(LARGE), request_of()) > (
        listed["output_cost_per_token"] * listed["max_output_tokens"])


@pytest.mark.parametrize("deployment, request_, says", [
    (model("openai/nobody-knows"), request_of(max_tokens=5), "knows no price of openai/nobody-knows"),
    (model("openai/own", **PRICE), request_of(), "has no limit; accepted: max_tokens"),
    (model(LARGE), request_of([{"type": "image_url", "image_url": {"url": "x"}}]), "found image_url in a request"),
    (model(LARGE), request_of(web_search_options={"a": 1}), "found web_search_options")])
def test_a_cost_without_a_bound_is_refused_with_what_would_bound_it(deployment, request_, says):
    with pytest.raises(rein.Error, match=says):
        rein.litellm.largest_cost(deployment, request_)


@given(st.text(max_size=400), st.integers(1, 60), st.sampled_from([SMALL, LARGE, "anthropic/claude-haiku-4-5"]))
def test_no_bill_is_above_the_largest_cost(text, limit, name):
    messages = [{"role": "user", "content": text}]
    usage = litellm.Usage(prompt_tokens=litellm.token_counter(model=name, messages=messages), completion_tokens=limit)
    bill = litellm.completion_cost(litellm.ModelResponse(model=name, usage=usage), model=name)
    assert 0 < bill <= rein.litellm.largest_cost(model(name), request_of(text, max_tokens=limit))


# -- what is refused at the start

def test_an_agent_that_does_not_fit_is_refused():
    router = made_router()
    with pytest.raises(rein.Error, match="the agent has no actions"):
        rein.litellm.Strategy(router, rein.Agent("ccb", actions=["x", "y"], costs=["dollars"], rounds=9, budget=1))
    with pytest.raises(rein.Error, match="accepted: one cost, in dollars"):
        rein.litellm.Strategy(router, rein.Agent("uniform", actions=rein.litellm.actions(router)))
    with pytest.raises(rein.Error, match="accepted: a rein.Agent or a rein.Client"):
        rein.litellm.Strategy(router, "ccb")


def test_strategies_of_two_routers_get_their_own_outcomes(routed):
    first, one, _ = routed()
    second, other, _ = routed()
    first.completion(model="chat", messages=ASK, max_tokens=20)
    until(lambda: spent(one) > 0)
    litellm.callbacks = []  # as a program may do
    for _ in range(3):
        second.completion(model="chat", messages=ASK, max_tokens=20)
    until(lambda: len(other.open()) == 3 and not other.budgets()["all"].held)
    assert one.state.decided == 1 and other.state.decided == 3


def test_other_calls_are_left_alone(routed):
    _, agent, _ = routed()
    answer = litellm.completion(model=SMALL, messages=ASK, mock_response="not routed")
    time.sleep(0.2)
    assert answer.choices[0].message.content == "not routed" and agent.state.decided == 0 and spent(agent) == 0
