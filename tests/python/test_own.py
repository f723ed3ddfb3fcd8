"""Pieces of one's own: an oracle and a potential in Python. Worlds are in test_own_world.py."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import SGDRegressor

import rein


class Sgd:
    """scikit-learn's SGDRegressor as an oracle: one model for the reward and for each cost."""

    def __init__(self, actions, heads):
        self.actions = actions
        self.models = [SGDRegressor(eta0=0.05, learning_rate="constant", random_state=0) for _ in range(heads)]
        self.learned = 0

    def predict(self, round):
        rows = round.rows(self.actions)
        return [m.predict(rows) if self.learned else np.zeros(round.actions) for m in self.models]

    def learn(self, round, action, outcomes):
        row = round.rows(self.actions)[action : action + 1]
        for model, y in zip(self.models, outcomes):
            model.partial_fit(row, [y])
        self.learned += 1


class Means:
    """The mean of every action; numpy only, for speed."""

    def __init__(self, actions, heads):
        self.sum, self.count = np.zeros((heads, actions)), np.ones(actions)

    def predict(self, round):
        return (self.sum / self.count)[:, round.ids]

    def learn(self, round, action, outcomes):
        self.sum[:, round.ids[action]] += outcomes
        self.count[round.ids[action]] += 1


def means_agent(**more):
    return rein.Agent("ccb(rate=0.2,oracle=own)", actions=3, context=1, costs=["c"], oracle=Means(3, 2), seed=1,
                      **more)


def play(agent, rounds, seed=0):
    """Action 1 is good where x > 0, action 0 elsewhere; returns the share of good choices."""
    rng = np.random.default_rng(seed)
    good = 0
    for _ in range(rounds):
        x = rng.choice([-1.0, 1.0])
        d = agent.decide([x])
        right = d.action == (x > 0)
        good += right
        agent.learn(d, 0.8 if right else 0.0, [0.05])
    return good / rounds


def test_a_scikit_learn_model_is_an_oracle():
    agent = rein.Agent("ccb(rate=0.2,oracle=own,u=5)", actions=2, context=1, costs=["c"], oracle=Sgd(2, 2), seed=3)
    play(agent, 150)
    assert play(agent, 100, seed=1) > 0.9
    assert agent.oracle.learned == 250


def test_without_save_it_is_saved_by_pickle_and_left_out_of_the_hash(tmp_path):
    agent = means_agent()
    play(agent, 30)
    again = pickle.loads(pickle.dumps(agent))
    assert again.state_hash() == agent.state_hash()
    assert np.array_equal(again.oracle.sum, agent.oracle.sum) and again.oracle is not agent.oracle
    agent.save(tmp_path / "a")
    with pytest.raises(rein.Error, match="trusted=True"):
        rein.Agent.load(tmp_path / "a")
    loaded = rein.Agent.load(tmp_path / "a", trusted=True)
    assert play(loaded, 30) == play(agent, 30) and loaded.state_hash() == agent.state_hash()
    changed = rein.Agent.restore(agent.snapshot(), oracle=Means(3, 2))
    assert changed.state_hash() == agent.state_hash()
    with pytest.raises(rein.Error, match="own"):
        rein.Agent.restore(agent.snapshot())


class Saving(Means):
    """With save and load, its state is in the snapshot."""

    def save(self):
        return self.sum.tobytes() + self.count.tobytes()

    def load(self, saved):
        numbers = np.frombuffer(saved)
        self.sum = numbers[: self.sum.size].reshape(self.sum.shape).copy()
        self.count = numbers[self.sum.size :].copy()


def saving_agent():
    return rein.Agent("ccb(rate=0.2,oracle=own)", actions=3, context=1, costs=["c"], oracle=Saving(3, 2), seed=1)


def test_an_oracle_with_save_and_load_is_in_snapshots_and_in_the_hash():
    agent = saving_agent()
    play(agent, 30)
    again = rein.Agent.restore(agent.snapshot(), oracle=Saving(3, 2))
    assert np.array_equal(again.oracle.sum, agent.oracle.sum) and again.oracle.count.sum() == 33
    assert play(again, 30) == play(agent, 30) and again.state_hash() == agent.state_hash()
    agent.oracle.sum[0, 0] += 1
    assert again.state_hash() != agent.state_hash()
    with pytest.raises(rein.Error, match="save\\(\\) and load"):
        rein.Agent.restore(agent.snapshot(), oracle=Means(3, 2))
    agent.oracle.save = lambda: "text"
    with pytest.raises(rein.Error, match="accepted: bytes"):
        agent.snapshot()


def test_an_oracle_with_save_and_load_is_restored_where_it_fails():
    agent = saving_agent()
    d = agent.decide([1.0])
    before = agent.snapshot()

    def fail(round, action, outcomes):
        agent.oracle.sum += 1
        raise RuntimeError("out of order")

    agent.oracle.learn = fail
    with pytest.raises(RuntimeError, match="out of order"):
        agent.learn(d, 0.5, [0.1])
    assert agent.snapshot() == before and not agent.oracle.sum.any()


def test_an_oracle_that_fails_changes_nothing():
    agent = means_agent()
    d = agent.decide([1.0])
    before = agent.state_hash()

    def fail(*_):
        raise RuntimeError("out of order")

    agent.oracle.learn = agent.oracle.predict = fail
    for call in (lambda: agent.decide([1.0]), lambda: agent.learn(d, 0.5, [0.1]),
                 lambda: agent.decide_many([[1.0]])):
        with pytest.raises(RuntimeError, match="out of order"):
            call()
        assert agent.state_hash() == before
    del agent.oracle.learn, agent.oracle.predict
    assert agent.learn(d, 0.5, [0.1])


class Fuse:
    """Means that fail at the call after `calls` more."""

    def __init__(self, actions, heads):
        self.means, self.calls = Means(actions, heads), -1

    def burn(self):
        self.calls -= 1
        if self.calls == -1:
            raise RuntimeError("out of order")

    def predict(self, round):
        said = self.means.predict(round)
        self.burn()
        return said

    def learn(self, round, action, outcomes):
        self.burn()
        self.means.learn(round, action, outcomes)


def break_everywhere(agent, work):
    """work() with each call of the oracle broken once; says how many there were."""
    before = agent.snapshot()
    for calls in range(1000):
        agent.oracle.calls = calls
        try:
            work()
        except RuntimeError:
            assert agent.snapshot() == before, f"after {calls} calls"
        else:
            agent.oracle.calls = -1
            return calls
    raise AssertionError("it never ends")


ORACLES = ["own", "stack(of=[vaw,own])", "stack(of=[own,adagrad])"]
POLICIES = ["ccb(alarm=1,rate=0.3,{})", "ccb(alarm=1,setting=expectation,tuning=theory,u=3,{})", "squarecb({})",
            "greedy({})", "epsilon({})", "loe2d(rate=0.3,{})", "lagrange(rate=0.3,{})", "squarecbwk(rate=0.3,{})",
            "squarecbwk(explore=4,rate=0.3,stages=2,{})", "banditq(rate=0.3,{})",
            "stop(null=0,of=ccb(alarm=1,rate=0.3,{}),at=30)"]
WIDE = ["lincbwk(explore=4,rate=0.3,{})", "aupd(rate=0.3,{})", "pacer(rate=0.3,{})", "optimistic3(rate=0.3,{})"]


@pytest.mark.parametrize("spec", [p.format("oracle=" + o) for p in POLICIES for o in ORACLES]
                         + [p.format("oracle=" + ORACLES[1]) for p in WIDE])  # these need widths: vaw's
def test_an_oracle_that_fails_at_any_call_leaves_the_agent_to_the_byte(spec):
    heads = 1 if spec.partition("(")[0] in ("squarecb", "greedy", "epsilon") else 2  # of the reward alone
    agent = rein.Agent(spec, actions=3, context=1, costs={"c": (0, 1)}, reward=(-1, 1), rounds=60, seed=1,
                       oracle=Fuse(3, heads), engine=rein.EngineOptions(expire_after=4, default_outcome=(0.1, 0.2)))
    made = []
    for t in range(9):
        break_everywhere(agent, lambda t=t: made.append(agent.decide([t / 9])))
        if t >= 2 and t % 2:
            break_everywhere(agent, lambda: agent.learn(made[-3], 0.5, [0.25]))
    assert agent.state.open >= 3
    before = agent.state.rounds
    break_everywhere(agent, lambda: agent.tick(50))
    assert agent.state.open == 0 and agent.state.rounds > before


@pytest.mark.parametrize("message, said", [
    (r"gave shape \(3,\)", np.zeros(3)), (r"accepted: \(2, 3\)", np.zeros((3, 2))),
    ("estimates nan", np.full((2, 3), np.nan)),
])
def test_what_an_oracle_says_is_checked(message, said):
    agent = means_agent()
    agent.oracle.predict = lambda round: said
    with pytest.raises(rein.Error, match=message):
        agent.decide([1.0])


def test_what_an_oracle_says_is_clipped():
    agent = rein.Agent("ccb(rate=0.2,oracle=own)", actions=3, context=1, costs={"c": 1.0}, reward=(0, 1),
                       oracle=Means(3, 2), seed=1)
    agent.oracle.predict = lambda round: np.full((2, 3), 99.0)
    assert (agent.decide([1.0]).estimates == 1.0).all()


def test_an_oracle_may_not_call_its_own_agent():
    agent = means_agent()
    agent.oracle.predict = lambda round: agent.decide([1.0])
    with pytest.raises(rein.Error, match="inside its own oracle"):
        agent.decide([1.0])


def test_rows_are_made_for_any_regression():
    round = rein.Round(np.array([2.0]), np.array([[5.0], [6.0]]), np.array([2, 0]))
    assert round.rows().tolist() == [[2, 5, 1], [2, 6, 1]]
    assert round.rows(3)[0].tolist() == [2, 5, 1, 0, 0, 0, 0, 0, 0, 2, 5, 1]


def test_oracles_of_ones_own_run_beside_ours():
    result = rein.run("linear(k=3,d=2)", ["ccb(oracle=own(name=means))", "ccb"], rounds=200, seeds=2,
                      oracles={"means": lambda shape: Means(shape.actions, shape.heads)})
    assert len(result.summary["policies"]) == 2
    with pytest.raises(rein.Error, match="none was brought"):
        rein.run("linear(k=3,d=2)", "ccb(oracle=own(name=means))", rounds=10)
    with pytest.raises(rein.Error, match="predict"):
        rein.run("linear(k=3,d=2)", "ccb(oracle=own)", rounds=10, oracles={"own": lambda shape: object()})


@pytest.mark.parametrize("said", ["x", {"a": 1}, None])
def test_what_is_no_estimate_is_refused(said):
    agent = means_agent()
    agent.oracle.predict = lambda round: said
    with pytest.raises(rein.Error, match="own oracle: predict"):
        agent.decide([1.0])


def test_what_an_oracle_raises_comes_out_as_it_is():
    agent = means_agent()
    d = agent.decide([1.0])

    def fail(*_):
        raise TypeError("a mistake of its own")

    agent.oracle.learn = fail
    with pytest.raises(TypeError, match="a mistake of its own"):
        agent.learn(d, 0.5, [0.1])


def test_a_file_with_an_oracle_that_was_cut_or_changed_is_refused(tmp_path):
    agent = means_agent()
    agent.save(tmp_path / "a")
    good = (tmp_path / "a").read_bytes()
    for bad in (good[:-1], good[: len(good) // 2], good[:60], good[:-5] + b"x" + good[-4:]):
        (tmp_path / "a").write_bytes(bad)
        with pytest.raises(rein.CorruptState, match="cut or changed"):
            rein.Agent.load(tmp_path / "a", trusted=True)
