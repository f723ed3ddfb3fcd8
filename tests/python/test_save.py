"""Saved and resumed, to the bit."""

import copy
import pickle

import numpy as np
import pytest

import rein


def go_on(agent, xs):
    waiting = []
    for x in xs:
        waiting.append(agent.decide(x))
        if len(waiting) > 5:
            d = waiting.pop(0)
            agent.learn(d, 0.2 * d.action, [0.1 * d.action])
    return agent.state_hash()


ways = {
    "pickle": lambda agent, path: pickle.loads(pickle.dumps(agent)),
    "deepcopy": lambda agent, path: copy.deepcopy(agent),
    "file": lambda agent, path: (agent.save(path), rein.Agent.load(path))[1],
    "snapshot": lambda agent, path: rein.Agent.restore(agent.snapshot()),
}


@pytest.mark.parametrize("way", ways)
def test_a_saved_agent_goes_on_exactly(way, agent, xs, tmp_path):
    go_on(agent, xs)  # leaves decisions open
    again = ways[way](agent, tmp_path / "agent.rein")
    assert again.open == agent.open > 0
    assert (again.seed, again.spec, again.costs) == (agent.seed, agent.spec, agent.costs)
    assert go_on(again, xs) == go_on(agent, xs)


def test_the_file_is_the_snapshot_and_nothing_is_left_beside_it(agent, tmp_path):
    agent.save(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == agent.snapshot()
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_bytes_that_were_cut_or_changed_are_refused(agent, tmp_path):
    good = agent.snapshot()
    for bad in [b"", good[:-1], good[: len(good) // 2], good[:100] + bytes([good[100] ^ 1]) + good[101:]]:
        (tmp_path / "bad").write_bytes(bad)
        with pytest.raises(rein.CorruptState):
            rein.Agent.load(tmp_path / "bad")


def test_an_agent_of_every_policy_is_saved():
    for entry in rein.list("policies"):
        spec = "stop(of=ccb,null=0)" if entry.name == "stop" else entry.name
        agent = rein.Agent(spec, actions=2, features=1, costs=["c"], rounds=100, budget=10.0, seed=1)
        agent.learn(agent.decide(np.ones(1)), 0.5, [0.0])
        assert pickle.loads(pickle.dumps(agent)).state_hash() == agent.state_hash()


def test_a_folder_that_is_not_there_is_named(agent, tmp_path):
    with pytest.raises(FileNotFoundError, match=f"no folder {tmp_path / 'none'}"):
        agent.save(tmp_path / "none" / "agent")


class Noted(rein.Agent):
    pass


def test_what_a_subclass_adds_is_pickled_too(xs):
    agent = Noted("uniform", actions=3, features=2, seed=1)
    agent.note = ["kept"]
    for again in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)):
        assert type(again) is Noted and again.note == ["kept"] and again.note is not agent.note
        assert again.state_hash() == agent.state_hash()


def test_decisions_can_be_sent_and_copied(agent, xs):
    for d in (agent.decide(xs[0]), agent.decide(xs[1], [0, 2])):
        for again in (pickle.loads(pickle.dumps(d)), copy.copy(d), copy.deepcopy(d)):
            for key in ("id", "action", "action_id", "probability", "fitting"):
                assert getattr(again, key) == getattr(d, key)
            for key in ("probabilities", "estimates", "widths", "prices"):
                assert np.array_equal(getattr(again, key), getattr(d, key), equal_nan=True)
        assert agent.learn(again, 0.5, 0.1) and not agent.learn(d, 0.5, 0.1)


def test_a_decision_with_a_changed_pickle_is_refused(agent, xs):
    blank = rein.Decision.__new__(rein.Decision)
    state = list(agent.decide(xs[0]).__getstate__())
    with pytest.raises(rein.CorruptState):
        blank.__setstate__((*state[:-1], state[-1][:-1]))
