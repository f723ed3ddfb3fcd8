"""What Python costs over C++, a decision and its outcome: one at a time, and in batches.

    build-python/venv/bin/python bench/python_cost.py build-bench

Prints CPU microseconds per round, the least of several turns on contiguous float64:

    policy       decide + learn of the policy alone, in C++
    rein run     all that the command line does in a round: world, policy, benchmark, measurements; a run of all
                 rounds of a table less a run of one
    engine       Engine::decide + Engine::learn in C++; Python: Agent.decide + Agent.learn, and how much over that
    batch        batches of 500 in C++; Python: decide_many + learn_many, and how much over `rein run`
    by name      Agent.decide + Agent.learn on a dict of 12 numbers, and how much over the array form of the same agent

All take turns, many short ones, since a shared machine is slower at some times than at others.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy's helper threads would add CPU time at their start
import numpy as np

import rein

BATCH = 500
PROBLEMS = [  # spec, actions, features, rounds, turns
    ("uniform", 2, 2, 50_000, 40),
    ("ccb(budget=1000,rounds=50000)", 4, 12, 50_000, 40),
    ("ccb(budget=1000,rounds=50000,tuning=theory)", 4, 12, 50_000, 40),
    ("ccb(budget=1000,rounds=50000)", 10, 98, 50_000, 20),
]


def make(spec, actions, context):
    return rein.Agent(spec, actions=actions, context=context, reward=(-1, 1), costs={"dollars": 1.0}, seed=7)


def one_by_one(agent, contexts):
    for x in contexts:
        d = agent.decide(x)
        agent.learn(d.id, 0.05 * d.action, [0.01 * d.action])


def in_batches(agent, contexts):
    for first in range(0, len(contexts), BATCH):
        batch = agent.decide_many(contexts[first:first + BATCH])
        agent.learn_many(batch, 0.05 * batch.action, 0.01 * batch.action)


def microseconds(play, spec, actions, contexts, schema=None):
    agent = make(spec, actions, schema or contexts.shape[1])
    begin = time.process_time()
    play(agent, contexts)
    return 1e6 * (time.process_time() - begin) / len(contexts)


def write_table(path, actions, contexts):
    """The rounds that all others play, as a table for the command line."""
    names = [f"x_{i}" for i in range(contexts.shape[1])]
    names += [f"{head}{a}" for head in "rc" for a in range(actions)]
    outcomes = np.concatenate([0.05 * np.arange(actions), 0.01 * np.arange(actions)])
    rows = np.hstack([contexts, np.tile(outcomes, (len(contexts), 1))])
    np.savetxt(path, rows, delimiter=",", header=",".join(names), comments="", fmt="%.6g")


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def command_line(program, table, spec, rounds):
    """CPU seconds of one `rein run`."""
    before = children_seconds()
    subprocess.run([program, "run", "--world", f'table(file="{table}",cost_range=[0,1],order=shuffled)',
                    "--policy", spec, "--rounds", str(rounds), "--seeds", "1", "--threads", "1",
                    "--no-long-term", "--json"], check=True, stdout=subprocess.DEVNULL)
    return children_seconds() - before


def turn(build, table, spec, actions, contexts):
    """Policy, engine and batches in C++; the command line, all rounds and one; one by one and batches in Python."""
    rounds = len(contexts)
    words = [build / "bench/engine_cost", spec, str(actions), str(contexts.shape[1]), str(rounds)]
    in_cpp = [float(word) for word in subprocess.check_output(words, text=True).split()]
    return [*in_cpp, *(1e6 * command_line(build / "rein", table, spec, n) / rounds for n in (rounds, 1)),
            *(microseconds(play, spec, actions, contexts) for play in (one_by_one, in_batches))]


def measure(build, spec, actions, features, rounds, turns):
    """The least of all turns."""
    contexts = np.random.default_rng(3).random((rounds, features))
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder, "rounds.csv")
        write_table(table, actions, contexts)
        return np.min([turn(build, table, spec, actions, contexts) for _ in range(turns)], axis=0)


def by_name(spec, actions, features, rounds, turns):
    """One at a time: arrays, dicts of numbers as they are (the same problem), dicts of numbers standardised."""
    contexts = np.random.default_rng(3).random((rounds, features))
    names = [f"x_{i}" for i in range(features)]
    rows = [dict(zip(names, row)) for row in contexts.tolist()]
    return np.min([[microseconds(one_by_one, spec, actions, contexts),
                    *(microseconds(one_by_one, spec, actions, rows, dict.fromkeys(names, kind))
                      for kind in ("number(scale=none)", "number"))] for _ in range(turns)], axis=0)


def main():
    print(f"{'spec':<46}{'K':>4}{'d':>4}{'policy':>9}{'rein run':>10}{'engine':>9}{'Python':>9}{'over':>8}"
          f"{'batch':>9}{'Python':>9}{'over rein run':>15}")
    for problem in PROBLEMS:
        policy, engine, batches, all_rounds, one, single, many = measure(pathlib.Path(sys.argv[1]), *problem)
        whole = all_rounds - one
        print(f"{problem[0]:<46}{problem[1]:>4}{problem[2]:>4}{policy:>9.2f}{whole:>10.2f}{engine:>9.2f}{single:>9.2f}"
              f"{single - engine:>8.2f}{batches:>9.2f}{many:>9.2f}{100 * (many / whole - 1):>14.0f}%", flush=True)
    array, plain, scaled = by_name(*PROBLEMS[1])
    print(f"by name, {PROBLEMS[1][0]}: array {array:.2f}, dict {plain:.2f} ({plain - array:+.2f}), dict standardised "
          f"{scaled:.2f} ({scaled - array:+.2f})")


if __name__ == "__main__":
    main()
