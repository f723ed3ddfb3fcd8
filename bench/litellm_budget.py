"""LiteLLM's own budget router and rein on the same calls: speed, and what is spent over the budget.

    python bench/litellm_budget.py [--calls 640] [--at-once 64] [--dollars 0.02] [--json FILE]

It needs litellm (tested with 1.108) and the package rein. Answers are LiteLLM's mock responses, in this process: no
network. Two deployments cost 50 and 500 micro-dollars per answer, and an answer takes 20 ms. `at once` calls are in
flight together; the next ones begin when all of them are answered and billed. The budget suffices for a part of them.

    no budget        LiteLLM's simple-shuffle: what the calls themselves take
    LiteLLM budget   the same with provider_budget_config
    rein             rein.litellm.Strategy with a rein.Agent and a hard budget

Columns: answered calls, refused calls, dollars spent, dollars over the budget (0 is right). Then, with money for all:
calls per second (more are better), and microseconds to pick a deployment without calling it (fewer are better).
"""

import argparse
import asyncio
import importlib.metadata
import json
import logging
import multiprocessing
import os
import statistics
import time
from concurrent.futures import ProcessPoolExecutor

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # the list of prices that comes with it: no traffic

import litellm

import rein
import rein.litellm

ASK = [{"role": "user", "content": "What is a bandit?"}]
LIMIT, DELAY, PAUSE, PICKS = 20, 0.02, 0.2, 500


def made_router(**options):
    return litellm.Router(num_retries=0, disable_cooldowns=True, **options, model_list=[
        {"model_name": "chat", "litellm_params": {
            "model": f"openai/{name}", "api_key": "none", "mock_response": "An arm.", "mock_delay": DELAY,
            "input_cost_per_token": price, "output_cost_per_token": 2 * price}}
        for name, price in (("cheap", 1e-6), ("dear", 1e-5))])


def no_budget(_):
    return made_router(), lambda: None


def litellm_budget(dollars):
    return made_router(provider_budget_config={"openai": {"budget_limit": dollars, "time_period": "1d"}}), lambda: None


def with_rein(dollars):
    router = made_router()
    agent = rein.Agent("ccb", actions=rein.litellm.actions(router), context=rein.litellm.CONTEXT, costs=["dollars"],
                       reward=(0, 1), seed=7, engine=rein.EngineOptions(expire_after=600),
                       budgets=rein.Budget("all", "dollars", dollars, hard=True, rounds=640))
    strategy = rein.litellm.Strategy(router, agent, reward=lambda kwargs, response: 0.5)
    router.set_custom_routing_strategy(strategy)
    return router, strategy.close


async def calls_of(make, dollars, calls, at_once):
    """All calls through one router, `at_once` at a time: what they cost, and how long they took."""
    router, close = make(dollars)
    spent, refused, took = [], [], 0.0

    async def call():
        try:
            answer = await router.acompletion(model="chat", messages=ASK, max_tokens=LIMIT)
            spent.append(answer._hidden_params["response_cost"])
        except (litellm.BudgetExceededError, ValueError) as found:  # LiteLLM's budget router raises ValueError
            if "budget" not in str(found):
                raise
            refused.append(found)

    for first in range(0, calls, at_once):
        begin = time.perf_counter()
        await asyncio.gather(*(call() for _ in range(min(at_once, calls - first))))
        took += time.perf_counter() - begin
        await asyncio.sleep(PAUSE)  # every bill is booked before the next calls
    close()
    return {"answered": len(spent), "refused": len(refused), "spent": round(sum(spent), 6),
            "over": max(0.0, round(sum(spent) - dollars, 6))}, round(calls / took)


async def speed_of(make, calls, at_once):
    """Calls per second, and the median time to pick a deployment, with money for all."""
    _, rate = await calls_of(make, 1e6, calls, at_once)
    router, close = make(1e6)
    picks = []
    for _ in range(PICKS):
        begin = time.perf_counter()
        await router.async_get_available_deployment(model="chat", messages=ASK, request_kwargs={"max_tokens": LIMIT})
        picks.append(time.perf_counter() - begin)
    close()
    return {"calls per second": rate, "pick, us": round(1e6 * statistics.median(picks))}


CASES = {"no budget": no_budget, "LiteLLM budget": litellm_budget, "rein": with_rein}


def one(case, dollars, calls, at_once):
    litellm.suppress_debug_info = True
    logging.disable(logging.WARNING)  # LiteLLM warns of prices that it does not list
    make = CASES[case]
    if dollars is None:
        return asyncio.run(speed_of(make, calls, at_once))
    return asyncio.run(calls_of(make, dollars, calls, at_once))[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calls", type=int, default=640)
    parser.add_argument("--at-once", type=int, default=64)
    parser.add_argument("--dollars", type=float, default=0.02)
    parser.add_argument("--json", help="a file for the figures")
    words = parser.parse_args()
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as alone:
        # A process per measurement: LiteLLM's callbacks and spend belong to the process.
        found = {case: alone.submit(one, case, words.dollars, words.calls, words.at_once).result()
                 | alone.submit(one, case, None, words.calls, words.at_once).result() for case in CASES}
    print(f"{words.calls} calls, {words.at_once} at once, budget {words.dollars} dollars, litellm "
          f"{importlib.metadata.version('litellm')}")
    print(f"{'':16}" + "".join(f"{key:>18}" for key in found["rein"]))
    for name, row in found.items():
        print(f"{name:16}" + "".join(f"{value:18.6f}" if isinstance(value, float) else f"{value:18}"
                                     for value in row.values()))
    if words.json:
        with open(words.json, "w") as file:
            json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
