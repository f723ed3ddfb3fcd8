"""Batches are the same decisions as one at a time, to the bit."""

import threading
import time

import numpy as np
import pandas as pd
import pytest

import rein


def make(spec="ccb(rate=0.2)", **more):
    words = dict(actions=3, context=2, costs=["dollars"], seed=7)
    return rein.Agent(spec, **{**words, **more})


def test_a_batch_decides_as_single_calls_do(xs):
    one, many = make(), make()
    rng = np.random.default_rng(1)
    for part in np.split(xs, 8):
        single = [one.decide(x) for x in part]
        batch = many.decide_many(pd.DataFrame(part))
        rewards, costs = rng.random(len(part)), rng.random(len(part))
        for i, d in enumerate(single):
            assert (batch.id[i], batch.action[i], batch.probability[i]) == (d.id, d.action, d.probability)
            assert np.array_equal(batch.probabilities[i], d.probabilities)
            assert np.array_equal(batch.estimates[i], d.estimates)
            assert np.array_equal(batch.prices[i], d.prices)
            one.learn(d, rewards[i], [costs[i]])
        assert many.learn_many(batch, rewards, costs) == len(part)
        assert many.learn_many(batch.id, rewards, costs[:, None]) == 0
        assert one.state_hash() == many.state_hash()


def test_rows_and_ids_may_differ_by_round_or_be_the_same_for_all():
    rng = np.random.default_rng(1)
    rows = rng.random((10, 4, 3))
    one = make(actions=6, action_features=3)
    batch = one.decide_many(rng.random((10, 2)), rows, ids=[0, 5, 2, 3])
    assert batch.probabilities.shape == (10, 4)
    same = make(actions=6, context=0, action_features=3)
    assert len(same.decide_many(actions=rows[0], rounds=7)) == 7
    some = make("uniform")
    assert set(some.decide_many(np.zeros((50, 2)), [0, 2]).action) == {0, 2}
    assert len(make("uniform", context=0).decide_many(rounds=5)) == 5


@pytest.mark.parametrize("message, call", [
    ("round 3: .*nan", lambda a, x: a.decide_many(np.where(np.arange(5)[:, None] == 3, np.nan, x[:5]))),
    ("contexts", lambda a, x: a.decide_many(x[0])),
    (r"contexts: found shape \(5, 1\); accepted: rounds x 2", lambda a, x: a.decide_many(x[:5, :1])),
    ("number of rounds is not given", lambda a, x: a.decide_many()),
    ("most_open", lambda a, x: a.decide_many(np.zeros((10_001, 2)))),
    ("accepted: one reward per id", lambda a, x: a.learn_many([1, 2], [0.0], [[0.1], [0.1]])),
    ("outcome 0 of 2", lambda a, x: a.learn_many([1, 2], [0.0, 0.0], [[0.1], [0.1]])),
])
def test_a_batch_that_cannot_be_is_refused_whole(xs, message, call):
    agent = make()
    before = agent.state_hash()
    with pytest.raises(rein.Error, match=message):
        call(agent, xs)
    assert agent.state_hash() == before


def test_a_refused_outcome_names_its_place_and_the_rest_can_be_sent_again(xs):
    agent = make(reward=(0, 1))
    batch = agent.decide_many(xs[:4])
    rewards = np.array([0.1, 0.2, 7.0, 0.4])
    with pytest.raises(rein.Error, match="outcome 2 of 4"):
        agent.learn_many(batch, rewards, np.zeros(4))
    rewards[2] = 0.7
    assert agent.learn_many(batch, rewards, np.zeros(4)) == 2
    assert agent.state.open == 0


def test_rounds_without_an_action_under_a_hard_budget_are_marked():
    agent = make("uniform", costs={"dollars": 1.0}, hard=rein.HardLimits(total=5.0))
    batch = agent.decide_many(np.zeros((8, 2)))
    assert (batch.action[:5] >= 0).all() and (batch.action[5:] == -1).all() and (batch.id[5:] == 0).all()
    assert (batch.probabilities[5:] == 0).all() and agent.state.open == 5
    assert agent.learn_many(batch, np.zeros(8), np.ones(8)) == 5  # the others have nothing to be learned
    assert agent.state.open == 0 and agent.spent == {"dollars": 5.0}
    with pytest.raises(rein.UnknownDecision):
        agent.learn_many(batch.id, np.zeros(8), np.ones(8))


def test_a_batch_says_who_was_chosen_and_shows_itself(xs):
    batch = make("uniform", actions=4).decide_many(xs[:6], [[0, 2], [1, 3], [3, 0], [2, 1], [0, 1], [3, 2]])
    offered = np.array([[0, 2], [1, 3], [3, 0], [2, 1], [0, 1], [3, 2]])
    assert batch.action.tolist() == offered[np.arange(6), batch.place].tolist() != batch.place.tolist()
    assert repr(batch) == "<rein.Decisions: 6 of 2 actions>" and batch == batch
    assert batch.to_pandas().to_dict("list") == {key: getattr(batch, key).tolist()
                                                 for key in ("id", "action", "probability")}
    whole = make("uniform").decide_many(xs[:5])
    assert np.array_equal(whole.place, whole.action)


def test_outcomes_may_be_some_shuffled_a_list_of_decisions_or_columns_by_name(xs):
    agent = make("uniform", costs={"dollars": 8.0, "seconds": 8.0})
    batch = agent.decide_many(xs[:8])
    some = np.array([5, 0, 3])
    assert agent.learn_many(batch.id[some], np.zeros(3), np.ones((3, 2))) == 3
    named = {"seconds": [5.0] * 5, "dollars": [1.0] * 5}  # not in the agent's order
    rest = np.setdiff1d(np.arange(8), some)
    assert agent.learn_many(batch.id[rest].tolist(), np.zeros(5), named) == 5
    assert agent.spent == {"dollars": 8.0, "seconds": 28.0}
    singles = [agent.decide(x) for x in xs[:2]]
    assert agent.learn_many(singles[::-1], [0, 1], pd.DataFrame(named).head(2)) == 2
    assert agent.spent == {"dollars": 10.0, "seconds": 38.0}


@pytest.mark.parametrize("empty", [[], np.zeros((0, 2))])
def test_an_empty_batch_is_none(empty):
    agent = make()
    before = agent.state_hash()
    assert len(agent.decide_many(empty)) == 0 and agent.learn_many([], [], []) == 0
    assert agent.state_hash() == before


def test_other_threads_run_while_a_batch_decides():
    agent = make(actions=50, context=60, engine=rein.EngineOptions(most_open=20_000))
    contexts = np.random.default_rng(1).random((400, 60))
    counted = 0
    stop = threading.Event()

    def count():
        nonlocal counted
        while not stop.is_set():
            counted += 1
            time.sleep(0)

    watcher = threading.Thread(target=count)
    watcher.start()
    try:
        rounds = 0
        while counted < 1000 and rounds < 20_000:
            before = counted
            agent.decide_many(contexts)
            rounds += len(contexts)
            if counted > before + 10:  # it ran during the call, not only between calls
                return
    finally:
        stop.set()
        watcher.join()
    pytest.fail(f"the other thread counted to {counted} in {rounds} rounds")


def mailing(rng, rows):
    x = rng.random(rows)
    return pd.DataFrame({"age": x}), x


@pytest.mark.parametrize("policy", ["ccb(rate=0.3333)", "ccb(budget=1666,rounds=5000)"])
def test_a_batch_of_a_trained_agent_spends_its_budget(policy):
    rng = np.random.default_rng(5)
    frame, x = mailing(rng, 4000)
    mailed = rng.integers(0, 2, 4000)
    reward = (rng.random(4000) < 0.1 + 0.4 * x * mailed).astype(float)
    agent = rein.Agent(policy, actions=["none", "mail"], costs=["mails"], seed=3, context={"age": "number"})
    agent.warm_start({"age": x, "action": np.array(["none", "mail"])[mailed], "reward": reward, "mails": mailed})
    customers, x = mailing(rng, 5000)
    many = agent.decide_many(customers)
    assert 0.31 < np.mean(many.action == "mail") < 0.35
    assert x[many.action == "mail"].mean() > 0.75  # those whom it helps


def test_a_batch_is_the_same_after_a_snapshot(tmp_path):
    rng = np.random.default_rng(5)
    agent = make("ccb(rate=0.2)")
    for x in rng.random((300, 2)):
        agent.learn(agent.decide(x), rng.random(), [rng.random()])
    agent.decide_many(rng.random((400, 2)))  # stay open
    agent.save(tmp_path / "agent.rein")
    again = rein.Agent.load(tmp_path / "agent.rein")
    x = rng.random((200, 2))
    assert np.array_equal(agent.decide_many(x).action, again.decide_many(x).action)
