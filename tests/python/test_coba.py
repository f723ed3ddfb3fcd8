"""coba's neighbour, held against the real coba: learners in its experiments, costs, and results that it reads."""

import copy
import gzip
import json
import pickle
import subprocess
import sys

import matplotlib
import numpy as np
import pytest

import rein
import rein.coba

coba = pytest.importorskip("coba")
EnvironmentFilter = pytest.importorskip("coba.primitives").EnvironmentFilter
matplotlib.use("Agg")

WIDE = (-2.0, 2.0)  # coba's linear rewards lie around [0, 1], and not always within


class Places:
    """An environment with four named actions, of which the later ones earn and cost more."""

    params = {"env_type": "Places"}

    def __init__(self, rounds, seed=1, **more):
        self.rounds, self.seed, self.more = rounds, seed, more

    def read(self):
        rng = np.random.default_rng(self.seed)
        for _ in range(self.rounds):
            x = rng.random(2)
            price = np.array([0.0, 0.1, 0.2, 0.3])
            yield {"context": tuple(x), "actions": ["none", "small", "middle", "large"],
                   "rewards": [float(r) for r in price * (1 + x[0])],
                   "costs": [{"dollars": float(c)} for c in price], **self.more}


def price(context, action):
    return {"dollars": 0.1 * list(action).index(1)}


def linear(rounds=1000, **more):
    more = {"n_actions": 4, "n_context_features": 3, "n_action_features": 0, "seed": [1, 2]} | more
    return coba.Environments.from_linear_synthetic(rounds, **more)


def run(environments, learners, evaluator=None, **more):
    evaluator = evaluator or rein.coba.CostedCB()
    return coba.Experiment(environments, learners, evaluator).run(quiet=True, **more)


def table(result):
    return result.interactions.to_pandas()


def test_it_is_a_coba_learner():
    learner = rein.coba.Learner("ccb(rate=0.1)", costs=["dollars"])
    assert isinstance(learner, coba.Learner)
    assert isinstance(rein.coba.Costs(), EnvironmentFilter)
    assert coba.SafeLearner(learner).full_name == "rein(spec=ccb(rate=0.1),seed=1)"
    assert coba.SafeLearner(learner).has_score


def test_a_budget_is_kept_in_an_experiment_where_others_pass_it():
    learners = [rein.coba.Learner("ccb(rate=0.08)", costs={"dollars": 1.0}, reward=WIDE),
                rein.coba.Learner("squarecb", costs=["dollars"], reward=WIDE), coba.LinUCBLearner()]
    found = table(run(linear().filter(rein.coba.Costs(price)), learners))
    paid = found.groupby(["learner_id", "environment_id"])["dollars"].sum()
    earned = found.groupby("learner_id")["reward"].mean()
    assert len(found) == 3 * 2 * 1000
    assert (paid[0] <= 80.5).all() and (paid[0] > 60).all()
    assert (paid[1] > 100).all() and (paid[2] > 100).all()
    uniform = table(run(linear(), coba.RandomLearner()))["reward"].mean()
    assert earned[0] > uniform + 0.1


def test_a_hard_budget_is_never_passed_and_costs_may_be_a_key_of_interactions():
    learner = rein.coba.Learner("ccb(rate=0.1)", costs={"dollars": 0.3}, hard=rein.HardLimits(
        total=10.0, safe_action=0, largest_costs=[0.0, 0.1, 0.2, 0.3]))
    found = table(run(coba.Environments(Places(400)).filter(rein.coba.Costs("costs")), learner))
    assert len(found) == 400 and "costs" not in found
    assert 9.0 < found["dollars"].sum() <= 10.0 + 1e-9
    assert (found["action"][-50:] == "none").all()


def test_the_learner_may_know_the_costs_itself():
    seen = []

    def cost_of(context, action, reward):
        seen.append((context, action, reward))
        return 0.1 * list(action).index(1)

    learner = rein.coba.Learner("ccb(rate=0.08)", costs={"dollars": 1.0}, cost_of=cost_of, reward=WIDE)
    run(linear(seed=1), learner, coba.SequentialCB())
    assert len(seen) == 1000 == learner.agent.state.learned
    assert learner.agent.spent["dollars"] == pytest.approx(sum(0.1 * list(a).index(1) for _, a, _ in seen))
    assert learner.agent.spent["dollars"] <= 80.5


def test_the_probability_is_the_one_that_the_action_was_drawn_with():
    actions = ["a", "b", "c"]
    learner, twin = (rein.coba.Learner("squarecb", seed=3, reward=(-1, 1)) for _ in range(2))
    by_hand = rein.Agent("squarecb", actions=3, context=2, seed=3, reward=(-1, 1))
    counts, expected = np.zeros(3), np.zeros(3)
    rng = np.random.default_rng(1)
    for _ in range(400):
        x = tuple(rng.random(2))
        scores = [twin.score(x, actions, action) for action in actions]
        d = by_hand.decide(x)
        action, probability, info = learner.predict(x, actions)
        assert (action, probability) == (actions[d.action], d.probability) and info == {"decision": d.id}
        assert probability == scores[actions.index(action)] and sum(scores) == pytest.approx(1)
        assert twin.predict(x, actions)[:2] == (action, probability)  # scoring changed nothing
        reward = x[0] * actions.index(action) / 2
        learner.learn(x, action, reward, probability, **info)
        twin.learn(x, action, reward, probability, **info)
        by_hand.learn(d, reward)
        counts[d.action] += 1
        expected += d.probabilities
    assert learner.agent.state_hash() == twin.agent.state_hash()
    assert np.abs(counts - expected).max() < 4 * np.sqrt(400) / 2


@pytest.mark.parametrize("environments", [
    coba.Environments.from_linear_synthetic(200, seed=1),
    coba.Environments.from_linear_synthetic(200, n_context_features=0, seed=1),
    coba.Environments.from_linear_synthetic(200, n_action_features=0, seed=1),
    coba.Environments.from_linear_synthetic(200, n_context_features=0, n_action_features=0, seed=1),
    coba.Environments.from_neighbors_synthetic(200), coba.Environments.from_kernel_synthetic(200),
    coba.Environments.from_mlp_synthetic(200), coba.Environments.from_linear_synthetic(200, seed=1).batch(7),
    coba.Environments.from_neighbors_synthetic(200, n_action_features=0).batch(3),
    coba.Environments(Places(200)).batch(5),
], ids=["rows", "rows-no-context", "one-hot", "nothing", "neighbors", "kernel", "mlp", "batched-rows",
        "batched-one-hot", "batched-names"])
def test_it_learns_on_environments_of_every_kind(environments):
    learner = rein.coba.Learner("squarecb", reward=WIDE)
    found = table(run(environments, [learner, coba.RandomLearner()], coba.SequentialCB()))
    earned = found.groupby("learner_id")["reward"].mean()
    assert len(found) == 400 and earned[0] > earned[1]
    assert ((found["probability"] > 0) & (found["probability"] <= 1)).all()


def test_several_processes_and_fresh_copies_give_the_same_numbers():
    learners = [rein.coba.Learner("ccb(rate=0.08)", costs={"dollars": 1.0}, reward=WIDE), coba.RandomLearner()]
    environments = linear(100).filter(rein.coba.Costs(price))
    one = table(run(environments, learners))
    two = table(run(environments, learners, processes=2))
    assert one.equals(two) and len(one) == 400
    with pytest.raises(rein.Error, match="before the first round"):
        _ = learners[0].agent  # copies played: the learner itself is as it was made


def test_a_learner_may_be_copied_and_pickled_at_any_time():
    learner = rein.coba.Learner("ccb(rate=0.2)", costs=["c"])
    for x in np.random.default_rng(1).random((20, 2)):
        action, probability, info = learner.predict(list(x), [1, 2, 3])
        learner.learn(list(x), action, rein.coba.Reward(0.1 * action, 0.2), probability, **info)
    pair = [copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))]
    expected = learner.predict([0.5, 0.5], [1, 2, 3])
    assert [twin.predict([0.5, 0.5], [1, 2, 3]) for twin in pair] == [expected] * 2


def test_actions_may_come_and_go():
    named = rein.coba.Learner("squarecb", actions=5, reward=(-1, 1))
    for actions in (["a", "b"], ["c", "b", "a"], ["d"], ["e", "a"], ["b", "e"]):
        action, probability, info = named.predict([1.0], actions)
        assert action in actions
        named.learn([1.0], action, 0.5, probability, **info)
    with pytest.raises(rein.Error, match=r"found 6; accepted: 5.*actions=6"):
        named.predict([1.0], ["f"])
    units = rein.coba.Learner("squarecb", reward=(-1, 1))
    units.predict(None, [(1, 0, 0), (0, 0, 1)])
    assert units.predict(None, [(0, 1, 0)])[0] == (0, 1, 0)
    rows = rein.coba.Learner("squarecb", actions=3, reward=(-1, 1))
    for count in (2, 1, 3):
        rows.predict([1.0], [[0.5, 0.1 * i] for i in range(count)])
    with pytest.raises(rein.Error, match="actions=4"):
        rows.predict([1.0], [[0.5, 0.1]] * 4)


def test_mappings_and_words_are_hashed_where_that_is_asked_for():
    x, actions = {"age": 0.3, "city": "Rome"}, [{"kind": "ad", "size": 2}, {"kind": "news"}]
    with pytest.raises(rein.Error, match="context: found .*Rome.*hashed="):
        rein.coba.Learner("squarecb", reward=(-1, 1)).predict(x, actions)
    with pytest.raises(rein.Error, match="context: found .*Rome.*hashed="):
        rein.coba.Learner("squarecb", reward=(-1, 1)).predict((0.3, "Rome"), ["a", "b"])
    learner = rein.coba.Learner("squarecb", hashed=16, reward=(-1, 1))
    for _ in range(150):
        action, probability, info = learner.predict(x, actions)
        learner.learn(x, action, 1.0 if action["kind"] == "news" else 0.0, probability, **info)
    assert learner.score(x, actions, actions[1]) > 0.8
    code = "import rein._encode as e; print(e.numbers('x', {'city': 'Rome', 'tags': ['a', 2]}, 8).tolist())"
    runs = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
            for _ in range(2)}
    assert len(runs) == 1 and any(json.loads(runs.pop()))


def test_rejection_sampling_of_a_log_teaches_what_playing_teaches():
    rng = np.random.default_rng(1)
    log = []
    for _ in range(1500):
        x, a = rng.random(2), int(rng.integers(3))
        log.append({"context": tuple(x), "actions": ["a", "b", "c"], "action": "abc"[a], "probability": 1 / 3,
                    "reward": float(0.4 * a * x[0]), "costs": 0.3 * a})

    class Log:
        params = {}

        def read(self):
            return log

    learner = rein.coba.Learner("ccb(rate=0.2)", costs={"dollars": 1.0})
    environments = coba.Environments(Log()).filter(rein.coba.Costs("costs"))
    found = table(run(environments, learner, coba.RejectionCB(["reward", "action", "probability"])))
    state = learner.agent.state
    assert state.learned == len(found) > 200 and state.open == 0
    assert state.reward == pytest.approx(found["reward"].sum(), abs=1e-3)
    assert state.spent["dollars"] == pytest.approx(sum(0.3 * "abc".index(a) for a in found["action"]))
    assert state.spent["dollars"] <= 1.07 * 0.2 * len(found)  # the log paid 0.3 a round, the best action costs 0.6


def test_it_learns_from_estimated_rewards_and_not_from_what_others_drew(capsys):
    rng = np.random.default_rng(1)
    log = [{"context": tuple(rng.random(2)), "actions": ["a", "b", "c"], "action": "abc"[i % 3], "probability": 1 / 3,
            "reward": 0.3 * (i % 3)} for i in range(90)]

    class Log:
        params = {}

        def read(self):
            return log

    def cost_of(context, action, reward):
        return 0.3 * "abc".index(action)

    learner = rein.coba.Learner("ccb(rate=0.2)", costs={"dollars": 1.0}, cost_of=cost_of, reward=(-3, 3))
    found = table(run(coba.Environments(Log()), learner, coba.SequentialCB(learn="ips", eval="ips")))
    assert len(found) == 90 == learner.agent.state.learned
    refused = rein.coba.Learner("ccb(rate=0.2)", costs={"dollars": 1.0}, cost_of=cost_of)
    found = table(run(coba.Environments(Log()), refused, coba.SequentialCB(learn="off", eval=None)))
    assert len(found) == 0 and "did not make the decision" in capsys.readouterr().out


def test_a_learner_that_is_never_told_goes_on():
    learner = rein.coba.Learner("ccb(rate=0.2)", costs=["c"],
                                engine=rein.EngineOptions(expire_after=50, most_open=60))
    found = table(run(linear(300, seed=1), learner, coba.SequentialCB(learn=None)))
    assert len(found) == 300 and learner.agent.state.open <= 52


@pytest.mark.parametrize("message, call", [
    ("reward without costs.*cost_of", lambda a: a.learn((0.1,), "a", 0.5, 0.5, decision=1)),
    ("cannot learn from actions of another", lambda a: a.learn((0.1,), "a", rein.coba.Reward(0.5, 0.1), 0.5)),
    ("continuous", lambda a: a.predict((0.1,), [])),
    ("found 2 numbers; accepted: 1", lambda a: a.predict((0.1, 0.2), ["a", "b"])),
    ("not among", lambda a: a.score((0.1,), ["a", "b"], "z")),
])
def test_what_cannot_be_is_refused_and_says_what_is_accepted(message, call):
    learner = rein.coba.Learner("ccb(rate=0.1)", costs=["c"])
    learner.predict((0.1,), ["a", "b"])
    before = learner.agent.state_hash()
    with pytest.raises(rein.Error, match=message):
        call(learner)
    assert learner.agent.state_hash() == before


@pytest.mark.parametrize("words", [{"hashed": -1}, {"hashed": "x"}, {"actions": "x"}, {"actions": 1.5}])
def test_sizes_that_are_none_are_refused_at_once(words):
    with pytest.raises(rein.Error, match=f"{next(iter(words))}: found"):
        rein.coba.Learner("uniform", **words)


def test_a_reward_is_a_number_that_carries_costs():
    reward = rein.coba.Reward(0.5, {"dollars": 2})
    assert reward + 1 == 1.5 and json.dumps(reward) == "0.5" and type(reward + 1) is float
    for same in (pickle.loads(pickle.dumps(reward)), copy.deepcopy(reward)):
        assert same == 0.5 and same.named == {"dollars": 2.0}
    assert rein.coba.Reward(1, 3).named == {"cost": 3.0}
    assert rein.coba.Reward(1, [3, 4]).named == {"cost 0": 3.0, "cost 1": 4.0}
    with pytest.raises(rein.Error, match="no 'costs'"):
        list(rein.coba.Costs().filter([{"context": None, "actions": [1, 2], "rewards": [0, 1]}]))
    with pytest.raises(rein.Error, match="2 actions, 2 rewards and 1 costs"):
        list(rein.coba.Costs().filter([{"context": None, "actions": [1, 2], "rewards": [0, 1], "costs": [1]}]))


# -- results


@pytest.mark.parametrize("name", ["result.log", "result.log.gz"])
def test_coba_reads_our_results_and_plots_them(tmp_path, name):
    result = rein.run("linear(k=4,d=4,costs=positive,rate=0.2)", ["ccb", "squarecb"], rounds=200, seeds=3,
                      curve_points=200)
    rein.coba.write(result, tmp_path / name)
    read = coba.Result.from_file(str(tmp_path / name))
    found = table(read)
    assert len(found) == 2 * 3 * 200
    sums = found.groupby(["learner_id", "environment_id"])[["reward", "regret", "cost"]].sum()
    ours = result.to_pandas()
    assert np.allclose(sums["reward"], ours["reward"], atol=1e-9)
    assert np.allclose(sums["regret"], ours["regret"], atol=1e-9)
    assert np.allclose(sums["cost"], ours["ccv cost"], atol=1e-9)
    assert set(np.round(found["reward"], 9)) <= {-1.0, 0.0, 1.0}  # the world's rewards, and no means of them
    last = read.raw_learners().to_pandas().iloc[-1]
    for i, spec in enumerate(["ccb", "squarecb"]):
        mean = ours[ours["policy"] == spec]["reward"].mean() / 200
        assert np.mean(last[f"{i}. rein(spec={spec})"]) == pytest.approx(mean)
    read.plot_learners(out=str(tmp_path / "plot.png"))
    assert (tmp_path / "plot.png").stat().st_size > 5000
    opener = gzip.open if name.endswith("gz") else open
    with opener(tmp_path / name, "rt") as file:
        assert json.loads(file.readline()) == ["version", 4]


def test_fewer_points_are_refused_or_become_means_that_say_so(tmp_path):
    found = rein.compare("linear(k=3,d=3)", ["ccb", "squarecb"], rounds=100, seeds=2, curve_points=30,
                         grid={"gamma_scale": [0.5, 2]})
    with pytest.raises(rein.Error, match="a point every 4 rounds.*curve_points=100"):
        rein.coba.write(found, tmp_path / "a.log")
    assert not (tmp_path / "a.log").exists()
    rein.coba.write(found, tmp_path / "a.log", means=True)
    read = coba.Result.from_file(str(tmp_path / "a.log"))
    assert read.evaluators.to_pandas()["stretch"].tolist() == [4]
    assert read.learners.to_pandas()["spec"].tolist() == [row["spec"] for row in found.rows]
    totals = {(row["policy"], row["seed"]): row["reward"] for row in found.totals}
    sums = table(read).groupby(["learner_id", "environment_id"])["reward"].sum()
    for i, row in enumerate(found.rows):
        assert sums[i].tolist() == pytest.approx([totals[row["spec"], seed] for seed in (1, 2)])


def test_the_module_needs_no_coba():
    code = """
import sys
sys.modules["coba"] = None
import rein.coba
learner = rein.coba.Learner("squarecb", reward=(-1, 1))
action, probability, info = learner.predict([0.5], ["a", "b"])
learner.learn([0.5], action, 1.0, probability, **info)
try:
    rein.coba.CostedCB()
except ImportError as missing:
    print(missing)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "pip install coba" in done.stdout


def test_a_recorded_experiment_of_coba_is_a_log(tmp_path):
    environments = coba.Environments.from_linear_synthetic(50, n_actions=3, n_context_features=2,
                                                           n_action_features=0, seed=1)
    recorded = coba.SequentialCB(record=["context", "actions", "action", "probability", "reward"])
    coba.Experiment(environments, coba.RandomLearner(), recorded).run(str(tmp_path / "result.log.gz"), quiet=True)
    log = rein.read_log(tmp_path / "result.log.gz")
    assert len(log) == 50 and log.refused == 0 and len(log.names["actions"]) == 3
    assert log.context.shape == (50, 2) and np.allclose(log.propensity, 1 / 3, atol=1e-4)
