"""A year of prompts on one agent, with 1000 dollars per calendar month.

    python examples/python/routing_year.py [--out FOLDER]

Models answer prompts. The bill of an answer comes at once; the rating of its quality comes hours or days later, and
for 40 % of the answers never. Prompts come as people work: most at noon, few at night and on weekends. In April the
large model doubles its price, and nobody tells the agent. In July a new model arrives.

The agent is compared with a router that knows everything: the mean quality and the mean cost of every model for every
prompt, and all prompts of the month. The data are made (made.py).
"""

import argparse
import contextlib
import heapq
import pathlib

import matplotlib

matplotlib.use("Agg")
import made
import numpy as np
import pandas as pd

import rein

AMOUNT, UNRATED, DAY = 1000.0, 0.4, 86_400
DOUBLED, ARRIVES = 4, 7  # the months in which the large model doubles its price and the new one arrives


def routed(seed, prompts, quality, bills):
    """The loop of a router: the agent, which model answered each prompt, and what it cost."""
    rng = np.random.default_rng([seed, 1])
    known = rein.Schema({"hard": "number", "topic": "category(2)", "length": "number"}, extra="ignore")
    agent = rein.Agent("ccb", actions=["small", "middle", "large"], context=known, costs={"dollars": 3.0},
                       reward=(0, 1), seed=seed, engine=rein.EngineOptions(expire_after=7 * DAY, most_open=100_000),
                       budgets=rein.Budget("month", "dollars", AMOUNT, per="month", zone=made.ZONE))
    waiting, chosen, paid = [], [], []
    for prompt in prompts.itertuples():
        if prompt.month == ARRIVES and "new" not in agent.actions:
            agent.add_action("new")
        agent.tick(prompt.at)                                    # unrated after 7 days: waited for no more
        while waiting and waiting[0][0] <= prompt.at:
            _, key, rating = heapq.heappop(waiting)
            with contextlib.suppress(rein.ExpiredDecision):              # too late
                agent.learn(key, reward=rating)
        d = agent.decide(prompt)
        chosen.append(d.action)
        paid.append(bills.at[prompt.Index, d.action] * rng.uniform(0.5, 1.5))
        agent.learn(d, costs=paid[-1])                           # the bill, at once
        if rng.random() >= UNRATED:
            rating = np.clip(quality.at[prompt.Index, d.action] + rng.normal(0, 0.1), 0, 1)
            heapq.heappush(waiting, (prompt.at + int(rng.exponential(DAY)), d.id, rating))
    return agent, chosen, paid


def omniscient(quality, bills):
    """The mean quality of the best model for each prompt, at the price of a dollar that spends the month's amount."""
    low, high, rows = 0.0, 100.0, np.arange(len(bills))
    for _ in range(40):
        price = (low + high) / 2
        chosen = np.argmax(quality - price * bills, axis=1)
        low, high = (price, high) if bills[rows, chosen].sum() > AMOUNT else (low, price)
    return quality[rows, np.argmax(quality - high * bills, axis=1)].mean()


def mixed(quality, bills):
    """The best mix of two models that ignores the prompt and spends the month's amount."""
    worth, cost, best = quality.mean(0), bills.sum(0), 0.0
    for a in range(len(cost)):
        for b in range(len(cost)):
            if cost[a] <= AMOUNT < cost[b]:
                best = max(best, worth[a] + (AMOUNT - cost[a]) / (cost[b] - cost[a]) * (worth[b] - worth[a]))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    prompts, quality, bills = made.year(words.seed, DOUBLED)
    agent, chosen, prompts["spent"] = routed(words.seed, prompts, quality, bills)
    prompts["quality"] = quality.to_numpy()[prompts.index, quality.columns.get_indexer(chosen)]
    table = prompts.groupby("month").agg(prompts=("at", "size"), spent=("spent", "sum"), quality=("quality", "mean"))
    for month, rows in prompts.groupby("month").groups.items():
        offered = list(made.DOLLARS)[:3 if month < ARRIVES else 4]
        known = quality.loc[rows, offered].to_numpy(), bills.loc[rows, offered].to_numpy()
        table.loc[month, ["best", "mix"]] = omniscient(*known), mixed(*known)
    table = table.join(pd.crosstab(prompts.month, np.array(chosen), normalize="index")[list(made.DOLLARS)])
    print(f"{len(prompts)} prompts in {made.YEAR}, {AMOUNT:g} dollars per month; the large model doubles its price in "
          f"month {DOUBLED}, a new model arrives in month {ARRIVES}")
    print(table.round(4).to_string())
    print(f"\nspent per month: {table.spent.min():.2f} to {table.spent.max():.2f}; means of the months:",
          table[["spent", "quality", "best", "mix"]].mean().round(4).to_dict())
    state = agent.state
    print(f"{state.decided} decided, {state.expired} never rated, {state.open} not rated yet; {state.change.times} "
          f"change noticed, in {state.change.what}")
    agent.plot().savefig(words.out / "routing_year.png", dpi=80)


if __name__ == "__main__":
    main()
