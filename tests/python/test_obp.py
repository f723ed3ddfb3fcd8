"""obp's bandit_feedback, out and in. obp itself is not needed: its checks are written again here."""

import copy

import numpy as np
import pandas as pd
import pytest

import rein
import rein.obp

KEYS = {"n_rounds", "n_actions", "context", "action_context", "action", "position", "reward", "expected_reward", "pi_b",
        "pscore", "costs"}


def means(x):
    """Of three actions: rewards and costs."""
    return np.array([[0.2, 0.3 + 0.4 * x[0], 0.9 * x[1]], [0.0, 0.3, 0.6]])


def scenes(rng, rounds):
    for _ in range(rounds):
        x = rng.random(2)
        m = means(x)
        yield rein.Scene(reward=rng.random(3) < m[0], costs=m[1], context=x, means=m)


WORLD = rein.World(scenes, actions=3, context=2, costs={"dollars": 1.0}, reward=(0, 1))


def make(spec="ccb(rate=0.2)", **more):
    words = {"actions": 3, "context": 2, "costs": {"dollars": 1.0}, "reward": (0, 1), "seed": 5,
             "engine": rein.EngineOptions(remember=64)}
    return rein.Agent(spec, **(words | more))


def skewed(rounds=4000):
    """A log of a fixed policy that knows nothing, with propensities 0.6, 0.3, 0.1."""
    rng = np.random.default_rng(2)
    x, a = rng.random((rounds, 2)), rng.choice(3, rounds, p=[0.6, 0.3, 0.1])
    m = np.array([means(row) for row in x])
    at = np.arange(rounds)
    return {"n_rounds": rounds, "n_actions": 3, "context": x, "action": a, "position": None,
            "reward": (rng.random(rounds) < m[at, 0, a]).astype(float), "pscore": np.array([0.6, 0.3, 0.1])[a],
            "costs": {"dollars": m[at, 1, a]}, "expected_reward": m[:, 0]}


@pytest.fixture(scope="module")
def uniform():
    return rein.obp.collect(make("uniform"), WORLD, 3000, seed=4)


def check_as_obp_does(f):
    n, k = f["n_rounds"], f["n_actions"]
    assert f["context"].ndim == 2 and len(f["context"]) == n and f["action_context"].shape[0] == k
    assert np.issubdtype(f["action"].dtype, np.integer) and f["action"].shape == (n,)
    assert f["action"].min() >= 0 and f["action"].max() < k
    assert f["reward"].shape == (n,) and f["reward"].dtype == float and f["position"] is None
    assert f["pi_b"].shape == (n, k, 1) and np.allclose(f["pi_b"].sum(axis=1), 1)
    assert f["pscore"].shape == (n,) and (f["pscore"] > 0).all() and (f["pscore"] <= 1).all()
    assert np.array_equal(f["pscore"], f["pi_b"][np.arange(n), f["action"], 0])


def test_a_run_on_a_world_becomes_feedback():
    agent = make()
    found = rein.obp.collect(agent, WORLD, 500, seed=4)
    check_as_obp_does(found)
    assert set(found) == KEYS and found["expected_reward"].shape == (500, 3)
    assert np.array_equal(found["action_context"], np.eye(3))
    assert agent.state.learned == 500 and agent.state.open == 0
    assert found["costs"]["dollars"].sum() == pytest.approx(agent.spent["dollars"])
    assert found["reward"].sum() == agent.state.reward
    assert np.allclose(found["expected_reward"], [means(x)[0] for x in found["context"]])


def test_a_log_takes_decisions_one_by_one_in_batches_and_of_some_actions(xs):
    agent = make()
    log = rein.obp.Log(agent)
    decided = []
    for x in xs[:20]:
        decided.append(d := agent.decide(x))
        agent.learn(d, 1.0, 0.25)
        log.add(x, d, 1.0, 0.25)
    some = agent.decide(xs[20], [2, 0])
    log.add(xs[20], some, 0.5, {"dollars": 0.5}, ids=[2, 0])
    batch = agent.decide_many(pd.DataFrame(xs[21:60]))
    log.add_many(pd.DataFrame(xs[21:60]), batch, batch.action / 2, 0.1 * batch.action)
    found = log.feedback()
    check_as_obp_does(found)
    assert len(log) == found["n_rounds"] == 60 and found["expected_reward"] is None
    assert found["action"][:20].tolist() == [d.action for d in decided]
    assert found["pscore"][:20].tolist() == [d.probability for d in decided]
    assert found["action"][20] == some.action_id and found["pi_b"][20, 1, 0] == 0
    assert found["pi_b"][20, 2, 0] == some.probabilities[0]
    assert np.array_equal(found["pi_b"][21:, :, 0], batch.probabilities)
    assert np.allclose(found["costs"]["dollars"][21:], 0.1 * batch.action)
    with pytest.raises(rein.Error, match="ids="):
        log.add(xs[0], some, 0.5, 0.5)
    with pytest.raises(rein.Error, match="empty"):
        rein.obp.Log(agent).feedback()


def test_described_actions_are_the_action_context():
    rows = np.array([[0.1, 0.9], [0.8, 0.2], [0.5, 0.5]])

    def ads(rng, rounds, move=0.0, count=2):
        for t in range(rounds):
            here = np.sort(rng.choice(3, count, replace=False))
            yield rein.Scene(reward=rng.random(count), features=rows[here] + move * t, ids=here)

    words = {"actions": 3, "action_features": 2, "reward": (0, 1)}
    agent = rein.Agent("squarecb", seed=1, **words)
    found = rein.obp.collect(agent, rein.World(ads, **words), 50)
    check_as_obp_does(found)
    assert np.array_equal(found["action_context"], rows) and found["expected_reward"] is None
    assert rein.obp.action_dist(agent, found).shape == (50, 3, 1)
    with pytest.raises(rein.Error, match="could not have drawn"):
        rein.obp.replay("squarecb", found, action_context=True)
    full = rein.obp.collect(make("uniform", **words, costs=None, context=0),
                            rein.World(lambda rng, n: ads(rng, n, count=3), **words), 100)
    found = rein.obp.replay("squarecb", full, action_context=True, seed=1)
    assert found.kept == 100 and 15 < found.matched < 55
    with pytest.raises(rein.Error, match="described differently"):
        rein.obp.collect(agent, rein.World(lambda rng, n: ads(rng, n, 0.1), **words), 50)


@pytest.mark.parametrize("spec", ["ccb(rate=0.2)", "squarecb"])
def test_the_distribution_is_that_of_one_state_and_changes_nothing(uniform, spec):
    agent = make(spec)
    rein.obp.collect(agent, WORLD, 100)
    agent.decide([0.5, 0.5])  # one is open
    before = agent.state_hash()
    few = uniform | {key: uniform[key][:60] for key in ("context", "action", "reward", "pscore", "pi_b")}
    few["costs"] = None
    dist = rein.obp.action_dist(agent, few)
    assert agent.state_hash() == before and dist.shape == (60, 3, 1)
    for x, row in zip(few["context"], dist):
        assert np.array_equal(copy.deepcopy(agent).decide(x).probabilities, row[:, 0])


def test_estimates_find_what_a_policy_would_earn_and_pay():
    log = skewed()
    dist = np.tile(np.array([0.2, 0.3, 0.5])[None, :, None], (4000, 1, 1))
    found = rein.obp.estimate(log, dist)
    truth = (log["expected_reward"] @ [0.2, 0.3, 0.5]).mean()
    assert abs(found.reward.ips - truth) < 4 * found.reward.ips_error < 0.1
    assert found.reward.snips == pytest.approx(truth, abs=0.05)
    assert found.costs["dollars"].ips == pytest.approx(0.3 * 0.3 + 0.6 * 0.5, abs=4 * found.costs["dollars"].ips_error)
    assert 500 < found.effective < 4000
    own = rein.obp.estimate(log, np.tile(np.array([0.6, 0.3, 0.1])[None, :, None], (4000, 1, 1)))
    assert own.reward.ips == own.reward.snips == pytest.approx(log["reward"].mean())
    assert own.effective == pytest.approx(4000) and np.isnan(own.covered)
    blind = np.tile(np.array([0.7, 0.3, 0.0])[None, :, None], (4000, 1, 1))
    assert rein.obp.estimate(log | {"pi_b": blind}, dist).covered == pytest.approx(0.5)


def test_replay_learns_where_it_agrees_and_keeps_its_rate(uniform):
    found = rein.obp.replay("ccb(rate=0.2)", uniform, seed=3)
    assert found.rounds == found.kept == 3000 and 850 < found.matched < 1150
    state = found.agent.state
    assert state.learned == found.matched and state.reward == found.reward
    assert found.costs["dollars"] == pytest.approx(state.spent["dollars"])
    assert 0.15 < found.mean_costs["dollars"] < 0.21
    assert found.mean_reward > uniform["reward"].mean()
    free = rein.obp.replay("squarecb", uniform, seed=3)
    assert free.mean_reward > found.mean_reward and free.mean_costs["dollars"] > 0.3
    again = rein.obp.replay("ccb(rate=0.2)", uniform, seed=3)
    assert np.array_equal(again.index, found.index) and again.agent.state_hash() == found.agent.state_hash()


def test_replay_is_as_if_the_policy_had_played(uniform):
    log = rein.obp.collect(make("uniform"), WORLD, 12_000, seed=11)
    found = rein.obp.replay("ccb(rate=0.2)", log, costs={"dollars": 1.0}, reward=(0, 1), seed=3)
    played = rein.run(WORLD, "ccb(rate=0.2)", rounds=found.matched, seeds=8, curve_points=0)
    mean = played.summary["policies"][0]["reward"]["mean"] / found.matched
    assert found.mean_reward == pytest.approx(mean, abs=4 * 0.5 / np.sqrt(found.matched))


def test_thinning_mends_a_log_that_was_not_uniform():
    log = skewed(8000)
    truth = log["expected_reward"].mean()
    mended = rein.obp.replay("uniform", log, seed=1)
    plain = rein.obp.replay("uniform", log, seed=1, least=1.0)  # every pscore counts as 1: nothing is thinned
    assert mended.kept < 3000 < plain.kept == 8000
    assert abs(mended.mean_reward - truth) < 4 * 0.5 / np.sqrt(mended.matched)
    assert plain.mean_reward < truth - 4 * 0.5 / np.sqrt(plain.matched)


@pytest.mark.parametrize("message, change", [
    ("no reward", {"reward": None}), ("no context", {"context": None}),
    ("actions 0 to 2; accepted: 0 to 1", {"n_actions": 2}),
    ("pi_b: found shape", {"pi_b": np.ones((4000, 3))}),
    ("could not have drawn", {"pi_b": np.tile([[[1.0], [0.0], [0.0]]], (4000, 1, 1))}),
    ("whole numbers", {"action": np.full(4000, 0.5)}),
    ("several positions", {"position": np.arange(4000) % 2}), ("neither pscore nor pi_b", {"pscore": None}),
    ("pscore: found 0", {"pscore": np.zeros(4000)}), ("reward: found shape", {"reward": np.zeros(3)}),
    ("context", {"context": np.zeros(4000)}), ("not finite", {"reward": np.full(4000, np.nan)}),
    ("costs: found list", {"costs": [1]}), ("n_actions: found '3'", {"n_actions": "3"}),
])
def test_feedback_that_cannot_be_is_refused(message, change):
    with pytest.raises(rein.Error, match=message):
        rein.obp.replay("squarecb", skewed() | change)


def test_propensities_may_come_from_pi_b_alone():
    log = skewed()
    pi_b = np.tile(np.array([0.6, 0.3, 0.1])[None, :, None], (4000, 1, 1))
    other = rein.obp.replay("squarecb", log | {"pscore": None, "pi_b": pi_b}, seed=1)
    assert np.array_equal(other.index, rein.obp.replay("squarecb", log, seed=1).index)


@pytest.mark.parametrize("message, call", [
    ("hard budget", lambda f: rein.obp.replay("squarecb", f, hard=rein.HardLimits(total=1.0))),
    ("no action_context", lambda f: rein.obp.replay("squarecb", f, action_context=True)),
    (r"no costs \['euros'\]", lambda f: rein.obp.replay("ccb(rate=0.1)", f, costs=["euros"])),
    ("agent has 2 actions; accepted: 3", lambda f: rein.obp.action_dist(make(actions=2), f)),
    ("least: found", lambda f: rein.obp.replay("squarecb", f, least="x")),
    ("accepted: a rein.Agent", lambda f: rein.obp.action_dist("squarecb", f)),
    ("accepted: a rein.Agent", lambda f: rein.obp.Log("squarecb")),
    ("accepted: a rein.World", lambda f: rein.obp.collect(make(), "linear", 10)),
    ("a dictionary", lambda f: rein.obp.estimate([f], 1)),
    ("accepted: .4000, 3, 1.", lambda f: rein.obp.estimate(f, np.ones((4000, 3, 1)))),
])
def test_what_cannot_be_asked_says_what_can(message, call):
    with pytest.raises(rein.Error, match=message):
        call(skewed())


@pytest.mark.parametrize("message, call", [
    ("accepted: a rein.Decision", lambda log, d, b: log.add([0.1, 0.2], d.id, 1.0, 0.1)),
    ("reward: found", lambda log, d, b: log.add([0.1, 0.2], d, "x", 0.1)),
    ("0 to 2", lambda log, d, b: log.add([0.1, 0.2], d, 1.0, 0.1, ids=[0, 1, 9])),
    ("0 to 2", lambda log, d, b: log.add([0.1, 0.2], d, 1.0, 0.1, ids=[0, 1])),
    ("expected_reward", lambda log, d, b: log.add([0.1, 0.2], d, 1.0, 0.1, expected_reward=[1.0])),
    ("accepted: a rein.Decisions", lambda log, d, b: log.add_many(np.zeros((4, 2)), [d] * 4, np.zeros(4), np.zeros(4))),
    (r"costs \(1, 4\)", lambda log, d, b: log.add_many(np.zeros((4, 2)), b, np.zeros(4), np.zeros((1, 4)))),
    ("found .'euros'.", lambda log, d, b: log.add_many(np.zeros((4, 2)), b, np.zeros(4), {"euros": np.zeros(4)})),
])
def test_what_cannot_be_logged_is_refused_and_not_kept(message, call):
    agent = make()
    log = rein.obp.Log(agent)
    with pytest.raises(rein.Error, match=message):
        call(log, agent.decide([0.1, 0.2]), agent.decide_many(np.zeros((4, 2))))
    assert len(log) == 0
