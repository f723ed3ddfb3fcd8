"""A million rounds take no more memory than the first thousands."""

import contextlib
import gc
import os

import numpy as np
import pytest

import rein


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("spec", ["epsilon", "ccb(rate=0.2)"])
def test_memory_does_not_grow_over_a_million_rounds(spec):
    agent = rein.Agent(spec, actions=2, context=1, costs=["c"], seed=1, engine=rein.EngineOptions(remember=1024))
    x = np.array([0.5])

    def rounds(count):
        for _ in range(count):
            d = agent.decide(x)
            agent.learn(d, 0.5, [0.25])

    rounds(20_000)
    before = resident()
    rounds(980_000)
    assert agent.state.learned == 1_000_000
    assert resident() - before < 2**20


def test_decisions_batches_and_refusals_are_let_go():
    agent = rein.Agent("uniform", actions=3, context=2, costs=["c"], seed=1, engine=rein.EngineOptions(remember=1024))
    x = np.zeros((500, 2))

    def work(count):
        for _ in range(count):
            batch = agent.decide_many(x)
            agent.learn_many(batch, np.zeros(500), np.zeros(500))
            for bad in (lambda: agent.decide([1.0]), lambda: agent.learn(1, 0.0, [0.0])):
                with contextlib.suppress(rein.Error):
                    bad()
            d = agent.decide(x[0])
            agent.learn(d, 0.0, 0.0)
            d.probabilities, d.estimates, d.prices, agent.state, agent.snapshot()

    work(200)
    before = resident()
    work(1000)
    assert resident() - before < 2**20
