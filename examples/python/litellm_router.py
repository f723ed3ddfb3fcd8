"""LiteLLM's Router with decisions of rein: 2000 prompts for one dollar, never a cent more.

    python examples/python/litellm_router.py [--out FOLDER]

Three deployments answer prompts; LiteLLM's mock responses stand for the providers, so it runs offline and free. The
strategy picks the deployment, LiteLLM prices the answer, and a judge marks it. A budget of one dollar is hard: it holds
the most that each call in flight can cost. Sixteen calls are in flight at a time.
"""

import argparse
import asyncio
import collections
import os
import pathlib
import random

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # the list of prices that comes with it: offline

import litellm
import matplotlib

matplotlib.use("Agg")

import rein
import rein.litellm

PROMPTS, DOLLARS, AT_ONCE = 2000, 1.0, 16
PRICES = {"small": 2e-6, "medium": 2e-5, "large": 1e-4}  # dollars per token; an answer has about 30 of them
MARKS = {"small": (0.9, 0.5), "medium": (0.92, 0.25), "large": (0.94, 0.02)}  # mark, and what a hard prompt takes away


def made_router():
    return litellm.Router(num_retries=0, model_list=[
        {"model_name": "chat", "litellm_params": {
            "model": f"openai/{name}", "api_key": "none", "mock_response": f"the answer of {name}",
            "input_cost_per_token": price, "output_cost_per_token": price}} for name, price in PRICES.items()])


def context(request):
    """Known before the call: how hard the prompt looks. The program says it with the call's metadata."""
    return {"hard": request["metadata"]["hard"]}


def judge(kwargs, response):
    """The mark of an answer, for the Router's success callback."""
    mark, drop = MARKS[response.model]
    return mark - drop * kwargs["litellm_params"]["metadata"]["hard"]


async def play(router):
    rng, gate, played, refused = random.Random(7), asyncio.Semaphore(AT_ONCE), collections.Counter(), 0

    async def one(hard):
        nonlocal refused
        async with gate:
            try:
                answer = await router.acompletion(model="chat", messages=[{"role": "user", "content": "a prompt"}],
                                                  max_tokens=20, metadata={"hard": hard})
                played[answer.model, hard > 0.5] += 1
            except litellm.BudgetExceededError:
                refused += 1

    await asyncio.gather(*(one(rng.random()) for _ in range(PROMPTS)))
    await asyncio.sleep(0.5)  # LiteLLM reports the last answers a little later
    return played, refused


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    words = words.parse_args()
    router = made_router()
    agent = rein.Agent("ccb", actions=rein.litellm.actions(router), context={"hard": "number"}, costs=["dollars"],
                       reward=(0, 1), seed=7, engine=rein.EngineOptions(expire_after=600),
                       budgets=rein.Budget("all", "dollars", DOLLARS, hard=True, rounds=PROMPTS))
    strategy = rein.litellm.Strategy(router, agent, context=context, reward=judge)
    router.set_custom_routing_strategy(strategy)
    played, refused = asyncio.run(play(router))
    strategy.close()
    print(f"{'deployment':12}{'easy prompts':>14}{'hard prompts':>14}{'all':>8}")
    for name in PRICES:
        easy, hard = played[name, False], played[name, True]
        print(f"{name:12}{easy:14}{hard:14}{easy + hard:8}")
    state, budget = agent.state, agent.budgets()["all"]
    print(f"\n{state.learned} answers, mean mark {state.reward / state.learned:.3f}, {refused} refused")
    print(f"spent {budget.spent:.6f} of {budget.limit:.6f} dollars, held {budget.held:.6f}")
    words.out.mkdir(parents=True, exist_ok=True)
    agent.plot().savefig(words.out / "litellm_router.png", dpi=80)


if __name__ == "__main__":
    main()
