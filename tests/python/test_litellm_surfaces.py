"""Every surface of LiteLLM's Router against a provider on loopback: what it bills is what is booked."""

import asyncio
import os
import time

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm
import pytest
from litellm_upstream import Upstream

import rein
import rein.litellm

ASK = [{"role": "user", "content": "What is a bandit?"}]
CHAT, TEXT = "openai/gpt-4o-mini", "text-completion-openai/gpt-3.5-turbo-instruct"
CLAUDE, EMBED, IMAGE = "anthropic/claude-haiku-4-5", "openai/text-embedding-3-small", "openai/gpt-image-1"
IN, OUT = 10, 5  # tokens that the provider bills


@pytest.fixture
def upstream():
    one = Upstream()
    yield one
    one.close()


def played(upstream, model, fallback=None, **options):
    deployments = [("g", model)] + ([("other", fallback)] if fallback else [])
    router = litellm.Router(
        model_list=[{"model_name": group, "litellm_params": {
            "model": name, "api_key": "none", "max_retries": 0,
            "api_base": upstream.url + ("" if name.startswith("anthropic/") else "/v1")}} for group, name in deployments],
        disable_cooldowns=True, **({"num_retries": 0} | options.pop("router", {})))
    agent = rein.Agent("ccb", actions=rein.litellm.actions(router), context=rein.litellm.CONTEXT, costs=["dollars"],
                       reward=(0, 1), seed=1, engine=rein.EngineOptions(expire_after=600),
                       budgets=rein.Budget("all", "dollars", 1.0, hard=True, rounds=200))
    strategy = rein.litellm.Strategy(router, agent, **options)
    router.set_custom_routing_strategy(strategy)
    return router, agent, strategy


async def settle(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come"
        await asyncio.sleep(0.01)


def price(model, kind):
    listed = litellm.model_cost
    return next(listed[name] for name in (model, model.split("/", 1)[1]) if name in listed)[kind]


def run(work):
    return asyncio.run(work)


SURFACES = {
    "chat": (CHAT, lambda router: router.acompletion(model="g", messages=ASK, max_tokens=20)),
    "chat, streamed": (CHAT, lambda router: router.acompletion(model="g", messages=ASK, max_tokens=20, stream=True)),
    "completions": (TEXT, lambda router: router.atext_completion(model="g", prompt="A bandit", max_tokens=20)),
    "responses": (CHAT, lambda router: router.aresponses(model="g", input="A bandit", max_output_tokens=20)),
    "responses, streamed": (CHAT, lambda router: router.aresponses(model="g", input="A bandit", max_output_tokens=20,
                                                                  stream=True)),
    "messages": (CLAUDE, lambda router: router.aanthropic_messages(model="g", messages=ASK, max_tokens=20)),
    "embeddings": (EMBED, lambda router: router.aembedding(model="g", input=["A bandit"])),
}


@pytest.mark.parametrize("surface", SURFACES)
def test_the_bill_of_every_surface_is_booked_in_place_of_its_hold(upstream, surface):
    model, call = SURFACES[surface]
    router, agent, strategy = played(upstream, model)

    async def work():
        answer = await call(router)
        if "streamed" in surface:
            assert agent.spent["dollars"] == 0 and agent.budgets()["all"].held > 0
            async for _ in answer:
                pass
        await settle(lambda: agent.spent["dollars"] > 0)

    run(work())
    strategy.close()
    bill = IN * price(model, "input_cost_per_token")
    bill += 0 if surface == "embeddings" else OUT * price(model, "output_cost_per_token")
    assert agent.spent["dollars"] == pytest.approx(bill)
    money = agent.budgets()["all"]
    assert money.held == 0 and money.over_holds == 0 and agent.state.rounds == 1 and len(upstream.seen) == 1


def test_an_image_needs_a_bound_of_its_own(upstream):
    router, agent, strategy = played(upstream, IMAGE)
    with pytest.raises(Exception, match="billed as image_generation, not by tokens of text"):
        run(router.aimage_generation(model="g", prompt="a bandit"))
    strategy.close()
    assert not upstream.seen and not agent.open()
    router, agent, strategy = played(upstream, IMAGE, largest_costs=lambda deployment, request: 0.05)

    async def work():
        await router.aimage_generation(model="g", prompt="a bandit")
        await settle(lambda: agent.spent["dollars"] > 0)

    run(work())
    strategy.close()
    assert 0 < agent.spent["dollars"] <= 0.05 and agent.budgets()["all"].held == 0


def test_a_stream_that_is_left_keeps_its_hold(upstream):
    router, agent, strategy = played(upstream, CHAT)

    async def work():
        stream = await router.acompletion(model="g", messages=ASK, max_tokens=20, stream=True)
        await anext(stream)
        del stream
        await asyncio.sleep(0.3)

    run(work())
    strategy.close()
    money = agent.budgets()["all"]
    bill = IN * price(CHAT, "input_cost_per_token") + OUT * price(CHAT, "output_cost_per_token")
    assert money.spent + money.held >= bill, "nothing of it is free"


def test_a_cancelled_call_keeps_its_hold(upstream):
    router, agent, strategy = played(upstream, CHAT)
    upstream.gate.clear()

    async def work():
        call = asyncio.ensure_future(router.acompletion(model="g", messages=ASK, max_tokens=20))
        await settle(lambda: upstream.seen)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        upstream.gate.set()
        await asyncio.sleep(0.3)

    run(work())
    strategy.close()
    money = agent.budgets()["all"]
    assert money.spent + money.held > 0


def test_retries_and_fallbacks_are_billed_once_each(upstream):
    router, agent, strategy = played(upstream, CHAT, "openai/gpt-4o",
                                     router={"num_retries": 1, "fallbacks": [{"g": ["other"]}], "retry_after": 0})
    upstream.refuses = [500, 500]

    async def work():
        await router.acompletion(model="g", messages=ASK, max_tokens=20)
        await settle(lambda: agent.spent["dollars"] > 0)
        await settle(lambda: agent.budgets()["all"].held == 0)

    run(work())
    strategy.close()
    bill = IN * price("gpt/gpt-4o", "input_cost_per_token") + OUT * price("gpt/gpt-4o", "output_cost_per_token")
    assert len(upstream.seen) == 3 and agent.spent["dollars"] == pytest.approx(bill)
    assert agent.state.cancelled == 2 and agent.state.rounds == 1


def bound(model, **request):
    deployment = {"model_name": "g", "litellm_params": {"model": model}}
    return rein.litellm.largest_cost(deployment, {"model": "g", "messages": None, "input": None, **request})


def test_the_bound_counts_all_that_a_surface_sends():
    words = "be brief " * 50
    assert bound(CHAT, input="x", max_output_tokens=20) < bound(CHAT, input="x", max_output_tokens=2000)
    assert bound(CHAT, input="x", max_output_tokens=20, instructions=words) > bound(CHAT, input="x", max_output_tokens=20)
    assert bound(CLAUDE, messages=ASK, max_tokens=20, system=words) > bound(CLAUDE, messages=ASK, max_tokens=20)
    whole = price(CHAT, "max_input_tokens") * price(CHAT, "input_cost_per_token")
    assert bound(CHAT, input="x", max_output_tokens=20, previous_response_id="resp_0") >= whole
