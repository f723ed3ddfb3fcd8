"""Finding the dose of a drug, while at most one patient in ten may be overdosed.

    python examples/python/dosing.py [--out FOLDER]

A clinic starts 25 patients a day on one of four doses of a blood thinner. Too little does not help, too much makes
people bleed; whether the dose was right is known when the patient comes back, 3 to 14 days later, and one in thirty
never does. The clinic may overdose 10 % of its patients in the long run, and wants as many right doses as it can
have.

The patients are invented, by the formulas in `patients`: nothing here is medicine. Doses for real people belong to
real trials.
"""

import argparse
import heapq
import math
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rein

DOSES = ["under 21 mg", "21 to 35", "35 to 49", "over 49 mg"]
EDGES = np.log([21.0, 35.0, 49.0])
LIMIT, A_DAY, DAYS, CLINICS = 0.10, 25, 240, 5
SPECS = ["squarecb", "greedy", f"ccb(rate={LIMIT})", f"ccb(rate={LIMIT},oracle=stack)"]
SPREAD = 0.2  # of the dose that is needed, about what can be known of it


def patients(rng, count):
    """A world: one scene a patient, with what each dose would do. The logarithm of the weekly dose that is needed:

        ln 35 - 0.25 age + 0.2 weight - 0.3 slow - 0.4 sensitive - 0.25 other_drug + 0.1 smoker + 0.2 N(0, 1)

    age, weight uniform on [-1, 1]; slow, sensitive: 0, 1 or 2 copies of a gene, each with chance 0.2 and 0.35; 15 %
    take the other drug, 25 % smoke."""
    for _ in range(count):
        age, weight = rng.uniform(-1, 1, 2)
        slow, sensitive = rng.binomial(2, 0.2), rng.binomial(2, 0.35)
        other_drug, smoker = rng.random(2) < (0.15, 0.25)
        typical = (math.log(35) - 0.25 * age + 0.2 * weight - 0.3 * slow - 0.4 * sensitive - 0.25 * other_drug
                   + 0.1 * smoker)
        below = [0.0, *(0.5 * math.erfc((typical - edge) / (SPREAD * math.sqrt(2))) for edge in EDGES), 1.0]
        right = np.searchsorted(EDGES, typical + SPREAD * rng.standard_normal())
        yield rein.Scene(context=np.array([1, age, weight, slow / 2, sensitive / 2, other_drug, smoker]) / 2,
                         reward=np.arange(4) == right, costs=np.arange(4) > right,
                         means=[np.diff(below), below[:-1]])


def clinic(spec, scenes, seed):
    """The loop with late outcomes, on a clock of days. The agent's state at the end; right, overdosed, queue a day."""
    agent = rein.Agent(spec, actions=4, context=7, costs={"overdose": 1.0}, reward=(0, 1), rounds=len(scenes),
                       seed=seed, engine=rein.EngineOptions(expire_after=30))
    chance = np.random.default_rng([seed, 1])
    waiting, history, right, over = [], [], 0, 0
    for today in range(DAYS):
        agent.tick(today)                                   # who is not back after 30 days is waited for no more
        while waiting and waiting[0][0] <= today:
            _, key, reward, cost = heapq.heappop(waiting)
            agent.learn(key, reward=reward, costs=[cost])
        for scene in scenes[today * A_DAY:(today + 1) * A_DAY]:
            d = agent.decide(scene.context)
            reward, cost = int(scene.reward[d.action]), int(scene.costs[d.action])
            right, over = right + reward, over + cost
            if chance.random() > 1 / 30:                    # comes back
                heapq.heappush(waiting, (today + int(chance.integers(3, 15)), d.id, reward, cost))
        treated = (today + 1) * A_DAY
        history.append((right / treated, over / treated, agent.queues.get("overdose", np.nan)))
    return agent.state, np.array(history)


def told(scenes):
    """Who knows the formulas: right and overdosed, at the price of an overdose that is best in hindsight."""
    chances, i = np.array([scene.means for scene in scenes]), np.arange(len(scenes))
    low, high = 0.0, 10.0
    for _ in range(40):
        price = (low + high) / 2
        dose = np.argmax(chances[:, 0] - price * chances[:, 1], axis=1)
        low, high = (price, high) if chances[i, 1, dose].mean() > LIMIT else (low, price)
    return [chances[i, head, dose].mean() for head in (0, 1)]


def late(days):
    """The same world under rein.run, which plays the loop itself, with all outcomes so many days late."""
    world = rein.World(patients, actions=4, context=7, costs={"overdose": 1.0}, reward=(0, 1))
    run = rein.run(world, SPECS[-1], rounds=A_DAY * DAYS, delay=days * A_DAY, long_term=False).to_pandas().iloc[0]
    return f"right {run['reward'] / run['rounds']:.3f}, overdosed {run['spend overdose'] / run['rounds']:.3f}"


def draw(histories, path):
    figure, axes = plt.subplots(1, 3, figsize=(9, 3), layout="constrained")
    titles = ("overdosed so far, share", "right dose so far, share", "queue: overdoses over the limit")
    for axis, column, title in zip(axes, (1, 0, 2), titles):
        for name, history in histories.items():
            axis.plot(history[2:, column], label=name)
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("days")
    axes[0].axhline(LIMIT, color="black", linestyle=":", label="limit")
    axes[2].axhline(0, color="black", linestyle=":")
    axes[0].legend(fontsize=7)
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    clinics = [list(patients(np.random.default_rng(seed), A_DAY * DAYS)) for seed in range(CLINICS)]
    chances = [np.mean([scene.means for scene in scenes], axis=0) for scenes in clinics]
    found = {f"{DOSES[dose]} for all": [chance[:, dose] for chance in chances] for dose in (0, 1)}
    histories = {}
    for spec in SPECS:
        played = [clinic(spec, scenes, seed) for seed, scenes in enumerate(clinics)]
        found[spec], histories[spec], state = [history[-1] for _, history in played], played[0][1], played[0][0]
    found["knows the formulas"] = [told(scenes) for scenes in clinics]
    print(f"{A_DAY * DAYS} patients a clinic, {CLINICS} clinics\n{'':30}{'right':>8}{'overdosed':>11}{'most':>8}")
    for name, ends in found.items():
        right, over = np.array(ends)[:, :2].T
        print(f"{name:30}{right.mean():8.3f}{over.mean():11.3f}{over.max():8.3f}")
    print(f"\nThe last agent of the first clinic: {state.decided} decided, {state.learned} learned, {state.expired} "
          f"never came back, {state.open} not back yet; alarm {state.alarm.why}.")
    print(f"The price of waiting, by rein.run: outcomes at once {late(0)}; all 8 days late {late(8)}.")
    most = {spec: max(end[1] for end in found[spec]) for spec in (SPECS[-1], "greedy")}
    print(f"The limit is {LIMIT:.0%}, and no clinic ended above {most[SPECS[-1]]:.1%}; greedy, which ignores the "
          f"limit, ended at up to {most['greedy']:.1%}.")
    draw(histories, words.out / "dosing.png")


if __name__ == "__main__":
    main()
