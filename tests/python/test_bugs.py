"""Mistakes of callers that were once accepted in silence, and calls that once failed."""

import os
import pathlib
import random
import re
import signal
import time

import numpy as np
import pandas as pd
import pytest

import rein

PACKAGE = pathlib.Path(rein.__file__).parent


def test_an_action_is_offered_once(agent):
    with pytest.raises(rein.Error, match=r"ids\[1\] is 0, as that of an action before it"):
        agent.decide([1, 2], [0, 0])
    with pytest.raises(rein.Error, match="different ids"):
        agent.decide_many(np.zeros((2, 2)), ids=[[0, 1], [2, 2]])
    assert agent.state.decided == 0


@pytest.mark.parametrize("column", [np.array([1, "4"], object), pd.Series([1, "4"]),
                                    pd.Series(["1", "4"], dtype="string"),
                                    pd.Series(["1", "4"], dtype="category"), np.array([1, b"4"], object)])
def test_text_in_a_column_of_objects_is_not_a_number(agent, column):
    with pytest.raises(rein.Error, match="accepted: numbers"):
        agent.decide(column)
    with pytest.raises(rein.Error, match="accepted: numbers"):
        agent.decide_many(pd.DataFrame({"a": [1.0, 2.0], "b": column}))
    with pytest.raises(rein.Error, match="accepted: a number"):  # an array of one text
        agent.bounds(np.array("4"))
    assert agent.state.decided == 0
    agent.decide(np.array([1, 4], object))  # numbers are fine


def test_a_state_can_be_hashed(agent):
    first = agent.state
    assert hash(first) == hash(agent.state) and first == agent.state
    d = agent.decide([0.1, 0.2])
    assert agent.state not in {first}
    assert len({agent.open()[0], agent.open()[0]}) == 1
    agent.learn(d, 0.5, 0.1)
    assert hash(agent.state) != hash(first) and isinstance(hash(agent.bounds()), int)


def test_a_budget_without_effect_is_refused():
    for spec in ("squarecb(budget=5)", "greedy(rate=0.1)", "epsilon(budget=5,rounds=100)"):
        with pytest.raises(rein.Error, match="ignores costs"):
            rein.Agent(spec, actions=3, costs=["c"])
    for spec in ("squarecb", "uniform"):
        with pytest.raises(rein.Error, match="ignores costs"):
            rein.Agent(spec, actions=3, costs={"c": 1.0}, reward=(0, 1), budget=5, rounds=100)
    rein.Agent("stop(null=0,of=squarecb)", actions=3, costs={"c": 1.0}, reward=(0, 1), budget=5, rounds=100)
    rein.Agent("squarecb", actions=3, costs={"c": 1.0}, reward=(0, 1), hard=rein.HardLimits(total=5))


@pytest.mark.parametrize("play", [rein.run, rein.compare])
def test_a_policy_is_given_once(play):
    with pytest.raises(rein.Error, match="policy ccb is given twice"):
        play("two_arm", ["ccb", "uniform", "ccb()"], rounds=10)


def test_one_name_is_listed_with_its_keys():
    text = str(rein.list("ccb"))
    assert all(key in text for key in ("budget", "oracle", "rounds", "tuning"))


def test_the_pages_that_docstrings_name_come_with_the_package():
    named = set()
    for file in PACKAGE.glob("*.py"):
        named |= set(re.findall(r"docs/([a-z_/]+)\.md", file.read_text()))
    assert {"budgets", "engine", "python"} <= named
    for page in named:
        assert rein.docs(page).startswith("# "), page
    assert rein.docs("docs/budgets.md") == rein.docs("budgets") and "budgets.md" in rein.docs()
    with pytest.raises(rein.Error, match='found "nonsense"; accepted: README'):
        rein.docs("nonsense")


@pytest.fixture
def interrupts():
    """Ctrl-C raises, as in a program that a person started."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGINT, before)


def test_an_interrupted_batch_loses_no_ids(interrupts):
    agent = rein.Agent("ccb(budget=20,rounds=1000)", actions=3, context=8, costs=["c"], seed=7,
                       engine=rein.EngineOptions(most_open=400_000))
    x = np.random.default_rng(1).random((3000, 8))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)  # as Ctrl-C, after a while
    chance, stopped = random.Random(3), 0
    began = time.perf_counter()
    rounds = len(x)
    kept = agent.decide_many(x)
    usual = time.perf_counter() - began
    assert agent.state.open == rounds
    agent.learn_many(kept, np.zeros(rounds), np.zeros(rounds))
    try:
        for _ in range(60):
            found = None
            try:
                signal.setitimer(signal.ITIMER_REAL, usual * chance.uniform(0.2, 1.5) + 1e-6)
                found = agent.decide_many(x)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                stopped += 1
            assert agent.state.open == (0 if found is None else len(found))
            if found is not None:
                agent.learn_many(found, np.zeros(rounds), np.zeros(rounds))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert stopped > 0
    assert agent.state.open == 0


def test_a_long_batch_stops_soon(interrupts):
    agent = rein.Agent("ccb(rate=0.1,oracle=kernel)", actions=8, context=8, costs=["c"], seed=7,
                       engine=rein.EngineOptions(most_open=2_000_000))
    for _ in range(300):
        agent.learn(agent.decide(np.random.default_rng(1).random(8)), 0.1, 0.1)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    x = np.random.default_rng(1).random((1_000_000, 8))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        began = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            agent.decide_many(x)
        assert time.perf_counter() - began < 20
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert agent.state.open == 0 and agent.state.cancelled > 0


def test_batches_tell_their_progress(agent, xs):
    told = []
    many = agent.decide_many(xs, progress=lambda done, every: told.append((done, every)))
    assert told[-1] == (200, 200)
    assert agent.learn_many(many, np.zeros(200), np.zeros(200), progress=lambda *now: told.append(now)) == 200

    def fails(done, every):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        agent.decide_many(xs, progress=fails)
    assert agent.state.open == 0


def test_after_a_fork_only_the_parent_gives_out_ids(agent):
    d = agent.decide([0.1, 0.2])
    for call in (lambda: agent.decide([0.1, 0.2]), lambda: agent.decide_many([[0.1, 0.2]]),
                 lambda: agent.learn(d, 0.5, 0.1), lambda: agent.cancel(d), lambda: agent.tick(5)):
        child = os.fork()
        if child == 0:  # no test may go on in here
            code = 3
            try:
                call()
                code = 1
            except rein.Error as refused:
                told = "forked after the agent was made" in str(refused)
                rein.Agent.restore(agent.snapshot()).decide([0.1, 0.2])  # reading is allowed, and so is a copy
                code = 0 if told and agent.state.open == 1 else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert agent.learn(d, 0.5, 0.1) and agent.decide([0.1, 0.2]).id
