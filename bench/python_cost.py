"""What Python costs over C++, a decision and its outcome: one at a time, and in batches.

    build-python/venv/bin/python bench/python_cost.py build/bench/engine_cost

Prints CPU microseconds a round, least of several repeats on contiguous float64: the policy alone, as `rein run`
measures it; the engine in C++, Agent.decide + Agent.learn, and how much that is over it; then batches of 500 in
C++ and by decide_many + learn_many, and how much those are over C++'s. C++ and Python take turns, since a
shared machine is slower at some times than at others.
"""

import os
import subprocess
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy's helper threads spin at their start, and their CPU time would count
import numpy as np

import rein

TURNS, BATCH = 7, 500
PROBLEMS = [
    ("uniform", 2, 2, 200_000),
    ("ccb(budget=1000,rounds=50000)", 4, 12, 100_000),
    ("ccb(budget=1000,rounds=50000,tuning=theory)", 4, 12, 100_000),
    ("ccb(budget=1000,rounds=50000)", 10, 98, 20_000),
]


def make(spec, actions, features):
    return rein.Agent(spec, actions=actions, features=features, costs={"dollars": 1.0}, seed=7)


def one_by_one(agent, contexts):
    for x in contexts:
        d = agent.decide(x)
        agent.learn(d.id, 0.05 * d.action, [0.01 * d.action])


def in_batches(agent, contexts):
    for first in range(0, len(contexts), BATCH):
        batch = agent.decide_many(contexts[first:first + BATCH])
        agent.learn_many(batch, 0.05 * batch.action, 0.01 * batch.action)


def microseconds(play, spec, actions, contexts):
    agent = make(spec, actions, contexts.shape[1])
    begin = time.process_time()
    play(agent, contexts)
    return 1e6 * (time.process_time() - begin) / len(contexts)


def measure(spec, actions, features, rounds):
    """The least of: policy, engine and batches in C++, one by one and batches in Python."""
    contexts = np.random.default_rng(3).random((rounds, features))
    words = [sys.argv[1], spec, str(actions), str(features), str(rounds)]
    turns = [[*map(float, subprocess.check_output(words, text=True).split()),
              *(microseconds(play, spec, actions, contexts) for play in (one_by_one, in_batches))]
             for _ in range(TURNS)]
    return np.min(turns, axis=0)


def main():
    print(f"{'spec':<46}{'K':>4}{'d':>4}{'policy':>9}{'engine':>9}{'Python':>9}{'over':>8}"
          f"{'C++ batch':>11}{'Python':>9}{'over':>7}")
    for spec, actions, features, rounds in PROBLEMS:
        policy, engine, batches, single, many = measure(spec, actions, features, rounds)
        print(f"{spec:<46}{actions:>4}{features:>4}{policy:>9.2f}{engine:>9.2f}{single:>9.2f}"
              f"{single - engine:>8.2f}{batches:>11.2f}{many:>9.2f}{100 * (many / batches - 1):>6.0f}%", flush=True)


if __name__ == "__main__":
    main()
