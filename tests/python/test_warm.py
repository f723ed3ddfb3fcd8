"""agent.warm_start: what a log may look like, what is refused, and what it does to an agent."""

import time

import numpy as np
import pandas as pd
import pytest

import rein


def new_agent(**options):
    return rein.Agent("ccb(rate=0.2)", actions=3, context=2, costs={"dollars": 1.0}, reward=(0, 1), seed=3, **options)


def logged(rounds=300):
    rng = np.random.default_rng(1)
    x = rng.random((rounds, 2))
    action = rng.integers(0, 3, rounds)
    return {"context": x, "action": action, "reward": 0.3 * action * x[:, 0], "dollars": 0.3 * action}


def test_a_log_teaches_and_nothing_is_spent():
    agent = new_agent(hard=rein.HardLimits(total=5))
    open_one = agent.decide([0.5, 0.5])
    assert agent.warm_start(logged()) == 300
    state = agent.state
    assert (state.warm, state.rounds, state.learned, state.open, state.reward) == (300, 0, 0, 1, 0.0)
    assert agent.spent == {"dollars": 0.0} and state.budgets["dollars"].spent == 0
    d = agent.decide([0.8, 0.5])
    assert d.estimates[0] == pytest.approx([0, 0.24, 0.48], abs=0.03)
    assert d.estimates[1] == pytest.approx([0, 0.3, 0.6], abs=0.03)
    assert d.prices[0] > 0
    assert agent.learn(open_one, reward=0.1, costs=[0.1])


def test_the_ways_to_give_a_log_are_the_same():
    log = logged()
    x = log["context"]
    columns = {"u": x[:, 0], "v": x[:, 1], "action": log["action"], "reward": log["reward"], "dollars": log["dollars"]}
    rows = [{"context": list(x[i]), "action": int(log["action"][i]), "reward": log["reward"][i],
             "dollars": log["dollars"][i]} for i in range(len(x))]
    renamed = pd.DataFrame({"a": log["action"], "r": log["reward"], "bill": log["dollars"], "v": x[:, 1], "u": x[:, 0]})
    hashes = set()
    for given, options in [(log, {}), (columns, {}), (pd.DataFrame(columns), {}), (rows, {}),
                           (renamed, {"action": "a", "reward": "r", "costs": {"dollars": "bill"},
                                      "context": ["u", "v"]}),
                           ({key: log[key] for key in ("action", "reward", "dollars")}, {"context": x}),
                           ({**log, "offered": np.tile([0, 1, 2], (300, 1))}, {})]:
        agent = new_agent()
        assert agent.warm_start(given, **options) == 300
        hashes.add(agent.decide([0.4, 0.2]).prices[0])
        assert agent.state.warm == 300
    assert len(hashes) == 1


def test_offered_actions_may_differ_from_round_to_round():
    agent = new_agent()
    log = logged(4)
    log["action"] = [2, 0, 1, 1]
    assert agent.warm_start(log, offered=[[2], [0, 1, 2], [2, 1], [1, 0]]) == 4
    with pytest.raises(rein.Error, match="round 1: it was given action 0, which it does not offer"):
        agent.warm_start(log, offered=[[2], [1, 2], [2, 1], [1, 0]])
    assert agent.state.warm == 4


def test_action_features():
    agent = rein.Agent("ccb(rate=0.2)", actions=3, action_features=2, costs={"dollars": 1.0}, reward=(0, 1), seed=3)
    rows = np.eye(3)[:, :2]
    log = {key: column for key, column in logged().items() if key != "context"}
    assert agent.warm_start(log, features=rows) == 300
    assert agent.look(actions=rows).estimates[1][1] == pytest.approx(0.3, abs=0.02)
    with pytest.raises(rein.Error, match="no features are given"):
        agent.warm_start(log)


@pytest.mark.parametrize("missing", [np.nan, None])
def test_what_is_missing_is_not_learned(missing):
    agent, log = new_agent(), logged(6)
    log["reward"] = [0.1, missing, 0.2, missing, 0.3, 0.1]
    log["dollars"] = pd.Series([0.1, 0.1, None, None, 0.2, 0.1], dtype="Float64")
    assert agent.warm_start(log) == 5  # the fourth has no outcome at all
    assert new_agent().warm_start({key: log[key] for key in ("context", "action", "dollars")}) == 4


def test_a_refused_log_changes_nothing():
    agent = new_agent()
    before = agent.state_hash()
    log = logged(5000)
    cases = [({"reward": np.where(np.arange(5000) == 4777, 7.0, log["reward"])}, "round 4777"),
             ({"action": np.where(np.arange(5000) == 4777, 3, log["action"])}, "round 4777"),
             ({"context": log["context"][:, :1]}, "shape"),
             ({"context": np.where(np.arange(5000)[:, None] == 4777, np.nan, log["context"])}, "round 4777"),
             ({"dollars": log["dollars"][:-1]}, "shape"),
             ({"action": ["a"] * 5000}, "action")]
    for change, found in cases:
        with pytest.raises(rein.Error, match=found):
            agent.warm_start({**log, **change})
    for wrong in (3, "log", [1, 2], {"action": [1]}, {"context": log["context"], "action": log["action"]}):
        with pytest.raises(rein.Error):
            agent.warm_start(wrong)
    with pytest.raises(rein.Error, match="found 1 columns for the context"):
        agent.warm_start({"u": [0.1], "action": [0], "reward": [0.1]})
    assert agent.state_hash() == before
    with pytest.raises(rein.Error, match="made of parts"):
        rein.Agent("pgd(budget=10,rounds=100)", actions=3, context=2, costs={"dollars": 1.0},
                   reward=(0, 1)).warm_start(logged(3))


def test_it_is_saved_and_progress_is_told():
    agent, told = new_agent(), []
    agent.warm_start(logged(9000), progress=lambda done, every: told.append((done, every)))
    assert told == [(4096, 9000), (8192, 9000), (9000, 9000)]
    again = rein.Agent.restore(agent.snapshot())
    assert again.state_hash() == agent.state_hash() and again.state.warm == 9000


def test_an_interrupt_keeps_what_was_learned():
    agent = new_agent()

    def stop(done, every):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as stopped:
        agent.warm_start(logged(9000), progress=stop)
    assert agent.state.warm == 4096
    assert "4096 rounds were learned" in stopped.value.__notes__[0]


def test_64_000_rows_take_seconds():
    rng = np.random.default_rng(2)
    x, action = rng.random((64_000, 12)), rng.integers(0, 4, 64_000)
    agent = rein.Agent("ccb(rate=0.1)", actions=4, context=12, costs={"dollars": 1.0}, reward=(0, 1), seed=1)
    began = time.process_time()
    assert agent.warm_start({"context": x, "action": action, "reward": rng.random(64_000), "dollars": 0.1 * action}) \
        == 64_000
    assert time.process_time() - began < 10  # it takes 0.7 seconds on a machine that does nothing else


def test_an_own_oracle_learns_it_too():
    class Mean:
        seen = 0

        def predict(self, round):
            return np.zeros((2, round.actions))

        def learn(self, round, action, outcomes):
            self.seen += 1
            if self.seen == 50:
                raise RuntimeError("no more")

    oracle = Mean()
    agent = rein.Agent("ccb(rate=0.2,oracle=own)", actions=3, context=2, costs={"dollars": 1.0}, reward=(0, 1), seed=3,
                       oracle=oracle)
    assert agent.warm_start(logged(40)) == 40 and oracle.seen == 40
    with pytest.raises(RuntimeError, match="no more"):
        agent.warm_start(logged(40))
    assert agent.state.warm == 40
