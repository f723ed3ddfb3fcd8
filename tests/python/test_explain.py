"""agent.explain: parts that sum to the estimate, by name."""

import pickle

import numpy as np
import pandas as pd

import pytest

import rein

NAMES = ["length", "age"]


def taught(spec="ccb(rate=0.2)", **options):
    agent = rein.Agent(spec, actions=3, context=2, costs={"dollars": 1.0}, reward=(0, 1), seed=3, **options)
    rng = np.random.default_rng(1)
    x, action = rng.random((400, 2)), rng.integers(0, 3, 400)
    agent.warm_start({"context": x, "action": action, "reward": 0.4 * x[:, 0], "dollars": 0.3 * action * x[:, 1]})
    return agent


def test_parts_sum_to_the_estimate_largest_first():
    agent = taught()
    d = agent.decide([0.9, 0.4])
    every = agent.explain(d, which="all", names=NAMES)
    assert [one.action for one in every] == [0, 1, 2] and [one.chosen for one in every].count(True) == 1
    for one in every:
        assert one.probability == d.probabilities[one.action]
        assert one.prices == {"dollars": d.prices[0]}
        for head, (name, found) in enumerate(one.estimates.items()):
            assert name == ["reward", "dollars"][head]
            assert found.estimate == pytest.approx(d.estimates[head][one.action], abs=1e-9)
            sizes = [abs(term.part) for term in found.terms]
            assert sizes == sorted(sizes, reverse=True)
            assert sum(term.part for term in found.terms) == pytest.approx(found.linear, abs=1e-9)
            parts = found.linear + found.rest + found.prior + found.calibration
            assert parts == pytest.approx(found.estimate, abs=1e-9)
    terms = every[2].estimates["reward"].terms
    assert terms[0].name == "length" and terms[0].value == 0.9 and terms[0].weight == pytest.approx(0.4, abs=0.05)
    assert {term.name for term in terms} == {"length", "age", "constant"}


def test_a_context_is_explained_without_deciding():
    agent = taught()
    before = agent.state_hash()
    found = agent.explain([0.9, 0.4], which=[2, 0])
    assert [one.action for one in found] == [2, 0] and agent.state_hash() == before
    assert {term.name for term in found[0].estimates["reward"].terms} == {"x0", "x1", "constant"}
    assert len(agent.explain([0.9, 0.4])) == 1


def test_it_prints_a_table_and_gives_a_frame():
    agent = taught()
    found = agent.explain(agent.decide([0.9, 0.4]), names=NAMES)
    text = repr(found)
    for word in ("reward: estimate", "dollars: estimate", "weight x value", "length", "constant",
                 "shrinking, clipping"):
        assert word in text
    frame = found.to_pandas()
    assert isinstance(frame, pd.DataFrame)
    sums = frame.groupby("estimate")["part"].sum()
    assert sums["dollars"] == pytest.approx(found[0].estimates["dollars"].estimate, abs=1e-9)


def test_oracles_without_weights_say_so():
    found = taught("ccb(rate=0.2,oracle=forest)").explain([0.9, 0.4])
    assert found[0].estimates["reward"].terms is None
    assert "it has no weights" in repr(found)


def test_what_is_refused():
    agent = taught()
    d = agent.decide([0.9, 0.4])
    agent.learn(d, reward=0.1, costs=[0.1])
    agent = pickle.loads(pickle.dumps(agent))  # what is kept to be explained is not saved
    with pytest.raises(rein.ExpiredDecision, match="accepted: a round, or an open decision"):
        agent.explain(d)
    with pytest.raises(rein.UnknownDecision):
        agent.explain(12345)
    for options in ({"which": "some"}, {"which": [7]}, {"names": ["one"]}):
        with pytest.raises(rein.Error):
            agent.explain([0.9, 0.4], **options)
    with pytest.raises(rein.Error, match="no oracle"):
        rein.Agent("uniform", actions=3, context=2).explain([0.9, 0.4])


def test_a_decision_can_be_explained_after_its_outcome():
    agent = rein.Agent("ccb(rate=0.5)", actions=["a", "b"], context=2, costs={"dollars": 1.0}, reward=(0, 1), seed=1,
                       engine=rein.EngineOptions(explained=2))
    made = [agent.decide([1.0, n / 3]) for n in range(3)]
    for d in made:
        agent.learn(d, reward=1.0, costs=0.5)
    last = agent.explain(made[2])
    assert last[0].action == made[2].action and last[0].chosen
    assert agent.explain(made[1].id, which="all")[0].probability > 0
    with pytest.raises(rein.Error, match="open decision"):
        agent.explain(made[0])


def test_a_round_is_explained_for_a_scope():
    agent = rein.Agent("ccb", actions=["small", "large"], context=1, costs={"dollars": 1.0}, reward=(0, 1), seed=1,
                       hard=rein.HardLimits(largest_costs={"small": 0.1, "large": 1.0}),
                       budgets=[rein.Budget("each", "dollars", {"acme": 0.5, "*": 5}, hard=True, per="9 ticks", scope="user"),
                                rein.Budget("all", "dollars", 50, per="9 ticks")])
    assert len(agent.explain([1.0], which="all", scopes={"user": "x"})) == 2
    assert [one.action for one in agent.explain([1.0], which="all", scopes={"user": "acme"})] == ["small"]
