"""A potential of one's own."""

import pickle
import threading

import pytest
from test_own import Means, play

import rein


class Square:
    """The potential of pricer=quadratic(v=10)."""

    name = "own"

    def __init__(self, v=10.0):
        self.v = v

    def value(self, cost, queue):
        return max(queue, 0.0) ** 2 / self.v

    def slope(self, cost, queue):
        return 2 * max(queue, 0.0) / self.v


def square_agent(potential, pricer="own", **more):
    return rein.Agent(f"ccb(pricer={pricer},tuning=theory)", actions=3, context=1, costs={"c": (-1, 1)}, rounds=500,
                      seed=1, reward=(-1, 1), potential=potential, **more)


def test_a_potential_is_an_object_with_value_and_slope():
    mine, ours = square_agent(Square()), square_agent(None, "quadratic(v=10)")
    for t in range(60):
        a, b = mine.decide([t / 60]), ours.decide([t / 60])
        assert (a.probabilities == b.probabilities).all() and a.prices == b.prices
        mine.learn(a, 0.5, [0.4])
        ours.learn(b, 0.5, [0.4])
    assert a.prices[0] > 1
    assert mine.bounds() == rein.Bounds(None, {})


def test_a_potential_is_brought_again_and_another_is_refused(tmp_path):
    agent = square_agent(Square())
    play(agent, 20)
    again = pickle.loads(pickle.dumps(agent))
    assert again.state_hash() == agent.state_hash() and again.potential is not agent.potential
    agent.save(tmp_path / "a")
    with pytest.raises(rein.Error, match="trusted=True"):
        rein.Agent.load(tmp_path / "a")
    loaded = rein.Agent.load(tmp_path / "a", trusted=True)
    assert play(loaded, 20) == play(agent, 20) and loaded.state_hash() == agent.state_hash()
    with pytest.raises(rein.Error, match="with other slopes"):
        rein.Agent.restore(agent.snapshot(), potential=Square(11.0))
    with pytest.raises(rein.Error, match="none was brought"):
        rein.Agent.restore(agent.snapshot())
    other = Square()
    other.name = "other"
    with pytest.raises(rein.Error, match='"other" was brought'):
        rein.Agent.restore(agent.snapshot(), potential=other)


class Bent(Square):
    def __init__(self, value, slope):
        self._value, self._slope = value, slope

    def value(self, cost, queue):
        return self._value(queue)

    def slope(self, cost, queue):
        return self._slope(queue)


@pytest.mark.parametrize("message, potential", [
    ("has no value", object()), ("has no value", Square), ("has no slope", type("P", (), {"value": abs, "slope": 1})()),
    ("its slope falls", Bent(lambda q: (q + 600) ** 0.5, lambda q: 0.5 / (q + 600) ** 0.5)),
    ("slope -1", Bent(lambda q: -q, lambda q: -1.0)),
    ("derivative of the value", Bent(lambda q: 0.0, lambda q: 1.0)),
    ("slope nan at queue", Bent(lambda q: 0.0, lambda q: float("nan"))),
    ("potential: slope: found 'x'", Bent(lambda q: 0.0, lambda q: "x")),
])
def test_what_is_no_potential_is_refused(message, potential):
    with pytest.raises(rein.Error, match=message):
        square_agent(potential)


def test_what_a_potential_raises_comes_out_and_changes_nothing():
    agent = square_agent(Square())
    before = agent.snapshot()

    def fail(*_):
        raise RuntimeError("out of order")

    agent.potential.slope = fail
    with pytest.raises(RuntimeError, match="out of order"):
        agent.decide([1.0])
    assert agent.snapshot() == before
    with pytest.raises(RuntimeError, match="out of order"):
        square_agent(agent.potential)


def test_a_potential_that_nobody_uses_is_refused():
    with pytest.raises(rein.Error, match="does not use it"):
        square_agent(Square(), "quadratic")
    with pytest.raises(rein.Error, match="no spec uses it"):
        rein.run("linear(k=3,d=2)", "ccb", rounds=10, potential=Square())


@pytest.mark.parametrize("parallel", [None, "threading", 2])
def test_a_run_takes_a_potential(parallel):
    specs = ["ccb(pricer=own,tuning=theory)", "ccb(pricer=quadratic(v=10),tuning=theory)", "uniform"]
    result = rein.run("linear(k=3,d=2)", specs, rounds=200, seeds=2, potential=Square(), parallel=parallel)
    mine, ours, _ = (policy["reward"]["mean"] for policy in result.summary["policies"])
    assert mine == ours


def test_agents_are_made_in_several_threads_at_once():
    """Each waits for the other while it is made, so a lock around the making would never end."""
    meet = threading.Barrier(2, timeout=20)
    made, wrong = [], []

    class Meets(Square):
        met = False

        def value(self, cost, queue):
            if not self.met:
                self.met = True
                meet.wait()
            return super().value(cost, queue)

    def make():
        try:
            made.append(rein.Agent("ccb(oracle=own,pricer=own,tuning=theory,u=5)", actions=3, context=1,
                                   costs={"c": (-1, 1)}, reward=(-1, 1), rounds=500, seed=1, oracle=Means(3, 2),
                                   potential=Meets()))
        except Exception as raised:
            wrong.append(raised)

    threads = [threading.Thread(target=make) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(made) == 2
    assert play(made[0], 20) == play(made[1], 20) and made[0].state_hash() == made[1].state_hash()
