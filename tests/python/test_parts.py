"""Outcomes in parts: the reward and each cost on its own, in any order, late or never."""

import math

import numpy as np
import pytest

import rein


def make(**options):
    return rein.Agent("ccb(rounds=1000)", actions=2, context=1, reward=(0, 1), seed=1,
                      costs={"dollars": 1.0, "seconds": 60.0}, budget=[100, 6000], **options)


def test_parts_come_one_by_one_in_any_form():
    agent = make()
    d = agent.decide([1.0])
    assert agent.learn(d, costs={"dollars": 0.25})
    assert agent.learn(d, reward=1.0)
    assert agent.state.open == 1 and agent.state.rounds == 1
    assert agent.learn(d, costs=[None, 3.0])
    assert agent.state.open == 0 and agent.state.learned == 1
    assert agent.spent == {"dollars": 0.25, "seconds": 3.0}
    for again in ({"reward": 1.0}, {"costs": {"seconds": 3.0}}, {"reward": 1.0, "costs": [0.25, 3.0]}):
        assert agent.learn(d, **again) is False
    d = agent.decide([1.0])
    assert agent.learn(d, 0.5, [0.25, None])
    assert agent.learn(d.id, 0.5, {"dollars": 0.25, "seconds": 2.0})


def test_a_conflict_names_the_part():
    agent = make()
    d = agent.decide([1.0])
    agent.learn(d, costs={"dollars": 0.25})
    with pytest.raises(rein.OutcomeConflict, match='cost "dollars"'):
        agent.learn(d, reward=1.0, costs=[0.5, 1.0])
    agent.learn(d, reward=1.0)
    with pytest.raises(rein.OutcomeConflict, match="the reward"):
        agent.learn(d, reward=0.5)
    with pytest.raises(rein.OutcomeConflict, match="part of its outcome came"):
        agent.cancel(d)


@pytest.mark.parametrize("wrong", [
    {}, {"reward": math.nan}, {"costs": {"euros": 1.0}}, {"costs": {}}, {"costs": [None, None]}, {"costs": [0.5]},
    {"costs": {"dollars": math.nan}}, {"reward": "x"}, {"costs": {"dollars": "x"}}, {"costs": [None, "x"]}])
def test_what_is_no_part_is_refused(wrong):
    agent = make()
    d = agent.decide([1.0])
    before = agent.state_hash()
    with pytest.raises(rein.Error):
        agent.learn(d, **wrong)
    assert agent.state_hash() == before


def test_open_lists_what_is_missing():
    agent = make()
    agent.tick(3)
    first, second = agent.decide([1.0]), agent.decide([0.5])
    agent.learn(first, costs={"dollars": 0.25})
    found = agent.open()
    assert [one.id for one in found] == [first.id, second.id] and len(agent.open(1)) == 1
    assert found[0].missing == ["reward", "seconds"] and found[0].costs == {"dollars": 0.25, "seconds": None}
    assert found[0].at == 3 and found[0].reward is None and found[0].action == first.action
    state = agent.state
    assert (state.open, state.partly, state.without_reward, state.open_since) == (2, 1, 2, 3)
    assert state.without_cost == {"dollars": 1, "seconds": 2}
    agent.cancel(second)
    agent.learn(first, 1.0, costs={"seconds": 1.0})
    assert agent.open() == [] and agent.state.open_since is None


def test_expiry_learns_the_default_for_missing_parts_only():
    agent = make(engine=rein.EngineOptions(expire_after=5, default_outcome=(0.0, None)))
    d = agent.decide([1.0])
    agent.learn(d, costs={"dollars": 0.25})
    assert agent.tick(10) == 1
    with pytest.raises(rein.ExpiredDecision, match="reward"):
        agent.learn(d, reward=1.0)
    assert agent.learn(d, costs={"seconds": 2.0})
    assert agent.learn(d, costs={"seconds": 2.0}) is False
    assert agent.spent == {"dollars": 0.25, "seconds": 2.0} and agent.state.late == 1


def test_batches_come_in_parts_too():
    agent = make()
    made = agent.decide_many(np.ones((3, 1)))
    assert agent.learn_many(made, costs={"dollars": [0.1, 0.2, 0.3]}) == 3
    assert agent.learn_many(made, reward=[1.0, 0.0, 1.0]) == 3
    assert agent.learn_many(made, reward=[1.0, 0.0, 1.0]) == 0
    assert agent.state.open == 3 and agent.state.without_cost == {"dollars": 0, "seconds": 3}
    assert agent.learn_many(made.id[:2], costs={"seconds": [1.0, 2.0]}) == 2
    assert agent.state.open == 1 and agent.spent["dollars"] == pytest.approx(0.6)
    with pytest.raises(rein.Error, match="neither"):
        agent.learn_many(made)
    with pytest.raises(rein.Error):
        agent.learn_many(made, reward=[1.0, math.nan, 1.0])


class Means:
    """An oracle of the caller's: a mean per head over what came."""

    def __init__(self, parts):
        self.learns_parts = parts
        self.seen, self.sums = np.zeros(3), np.zeros(3)

    def predict(self, round):
        return np.outer(self.sums / np.maximum(self.seen, 1), np.ones(round.actions))

    def learn(self, round, action, outcomes):
        came = ~np.isnan(outcomes)
        self.seen[came] += 1
        self.sums[came] += outcomes[came]


def test_an_own_oracle_says_whether_it_learns_parts():
    for parts in (True, False):
        oracle = Means(parts)
        agent = rein.Agent("ccb(oracle=own,rounds=100,u=10)", actions=2, context=1, reward=(0, 1), seed=1,
                           oracle=oracle, costs={"dollars": 1.0, "seconds": 60.0}, budget=[10, 600])
        d = agent.decide([1.0])
        if parts:
            agent.learn(d, costs={"dollars": 0.5})
            assert oracle.seen.tolist() == [0, 1, 0]
        else:
            before = agent.state_hash()
            with pytest.raises(rein.Error, match="learns_parts"):
                agent.learn(d, costs={"dollars": 0.5})
            assert agent.state_hash() == before


def test_an_agent_in_the_middle_of_parts_can_be_saved():
    agent = make()
    for n in range(30):
        d = agent.decide([n / 30])
        agent.learn(d, costs=[0.1, 1.0])
        if n % 3:
            agent.learn(d, reward=0.5)
    again = rein.Agent.restore(agent.snapshot())
    assert again.state_hash() == agent.state_hash() and len(again.open()) == 10
    late = again.open()[0].id
    assert again.learn(late, reward=1.0) and agent.learn(late, reward=1.0)
    assert again.state_hash() == agent.state_hash()
