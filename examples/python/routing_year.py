"""A year of prompts on one agent, with 1000 dollars per calendar month.

    python examples/python/routing_year.py [--out FOLDER]

Models answer prompts. The bill of an answer comes at once; the rating of its quality comes hours or days later, and
for 40 % of the answers never. Prompts come as people work: most at noon, few at night and on weekends. In April the
large model doubles its price, and nobody tells the agent. In July a new model arrives.

The agent is compared with a router that knows everything: the mean quality and the mean cost of every model for every
prompt, and all prompts of the month. The data are made (made.py).
"""

import argparse
import heapq
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import made
import rein

AMOUNT, UNRATED, DAY = 1000.0, 0.4, 86_400
MODELS = ["small", "middle", "large", "new"]
DOUBLED, ARRIVES = 4, 7  # the months in which the large model doubles its price and the new one arrives


def routed(seed, data):
    """The loop of a router: which model answered each prompt, and what it cost."""
    at, month, contexts, quality, bills = data
    rng = np.random.default_rng([seed, 1])
    agent = rein.Agent("ccb", actions=4, context=4, costs={"dollars": 3.0}, reward=(0, 1), seed=seed,
                       expire_after=7 * DAY, most_open=100_000,
                       budgets=rein.Budget("month", "dollars", AMOUNT, per="month", zone=made.ZONE))
    waiting, chosen, paid = [], np.zeros(len(at), int), np.zeros(len(at))
    for t, now in enumerate(at.tolist()):
        agent.tick(now)                                          # unrated after 7 days: waited for no more
        while waiting and waiting[0][0] <= now:
            _, key, rating = heapq.heappop(waiting)
            try:
                agent.learn(key, reward=rating)
            except rein.ExpiredDecision:                         # too late
                pass
        d = agent.decide(contexts[t], [0, 1, 2] if month[t] < ARRIVES else None)
        chosen[t], paid[t] = d.action, bills[t, d.action] * rng.uniform(0.5, 1.5)
        agent.learn(d, costs=paid[t])                            # the bill, at once
        if rng.random() >= UNRATED:
            rating = np.clip(quality[t, d.action] + rng.normal(0, 0.1), 0, 1)
            heapq.heappush(waiting, (now + int(rng.exponential(DAY)), d.id, rating))
    return chosen, paid, agent.state


def omniscient(quality, bills):
    """Which model is best for each prompt at the price of a dollar that spends the month's amount."""
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


def draw(rows, file):
    """Spend, quality and shares, month by month."""
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(11, 3.2), layout="constrained")
    months = np.arange(1, 13)
    left.bar(months, rows[:, 1])
    left.axhline(AMOUNT, color="black", linestyle=":")
    left.set(title="dollars spent (dotted: allowed)", ylim=(900, 1010))
    for column, label in ((2, "agent"), (3, "knows everything"), (4, "best mix, whatever the prompt")):
        middle.plot(months, rows[:, column], "o-", markersize=3, label=label)
    middle.set(title="mean quality", ylim=(0.79, 0.9))
    middle.legend(fontsize=7, loc="lower right")
    for m, name in enumerate(MODELS):
        right.bar(months, 100 * rows[:, 5 + m], bottom=100 * rows[:, 5:5 + m].sum(1), label=name)
    right.set(title="answers per model, percent")
    right.legend(fontsize=7, loc="lower left")
    for axes in (left, middle, right):
        axes.set_xlabel("month")
        axes.axvline(DOUBLED - 0.5, color="grey", linewidth=0.7)
        axes.axvline(ARRIVES - 0.5, color="grey", linewidth=0.7)
    figure.savefig(file, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    parser.add_argument("--seed", type=int, default=1)
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    data = made.year(words.seed, DOUBLED)
    chosen, paid, state = routed(words.seed, data)
    _, month, _, quality, bills = data
    rows = []
    for m in range(1, 13):
        here = np.flatnonzero(month == m)
        offered = 3 if m < ARRIVES else 4
        shares = np.bincount(chosen[here], minlength=4) / len(here)
        rows.append([len(here), paid[here].sum(), quality[here, chosen[here]].mean(),
                     omniscient(quality[here, :offered], bills[here, :offered]),
                     mixed(quality[here, :offered], bills[here, :offered]), *shares])
    print(f"{len(month)} prompts in {made.YEAR}, {AMOUNT:g} dollars per month; the large model doubles its price in "
          f"month {DOUBLED}, a new model arrives in month {ARRIVES}")
    print(f"{'month':8}{'prompts':>8}{'spent':>9}{'quality':>9}{'best':>8}{'mix':>8}" + "".join(f"{m:>8}" for m in MODELS))
    for m, (count, spent, *numbers) in enumerate(rows, 1):
        print(f"{m:<8}{count:8}{spent:9.2f}{numbers[0]:9.4f}" + "".join(f"{x:8.4f}" for x in numbers[1:]))
    rows = np.array(rows)
    print(f"\nspent per month: {rows[:, 1].min():.2f} to {rows[:, 1].max():.2f}, mean {rows[:, 1].mean():.2f}; mean quality "
          f"{rows[:, 2].mean():.4f}, best {rows[:, 3].mean():.4f}, mix {rows[:, 4].mean():.4f}")
    print(f"{state.decided} decided, {state.expired} never rated, {state.open} not rated yet; {state.change.times} change "
          f"noticed, in {state.change.what}")
    draw(rows, words.out / "routing_year.png")


if __name__ == "__main__":
    main()
