"""Shares of actions and the control group, from Python."""

import pickle

import numpy as np
import pytest

import rein


def agent(**words):
    return rein.Agent("ccb(rate=0.4)", actions=3, context=2, costs={"dollars": 1.0}, reward=(0, 1), seed=3, **words)


def test_shares_hold_in_every_round():
    one = agent(shares=rein.Shares(least={2: 0.1}, most=[1, 1, 0.2], holdout=0.05, control=0))
    assert "control=0,holdout=0.05,least=[0,0,0.1],most=[1,1,0.2]" in one.spec
    marks = []
    for n in range(300):
        d = one.decide([n % 7 / 7, 1.0])
        assert 0.1 <= d.probabilities[2] <= 0.2 + 1e-12 and d.probabilities[0] >= 0.05
        assert abs(d.probabilities.sum() - 1) < 1e-12
        assert d.holdout is not True or d.action == 0
        marks.append(d.holdout)
        one.learn(d, reward=0.2 + 0.3 * d.action, costs=0.1 + 0.4 * d.action)
    assert 3 <= marks.count(True) <= 30 and None not in marks


def test_a_round_without_its_control_is_marked():
    one = agent(shares=rein.Shares(holdout=0.5, control=0))
    assert one.decide([0.1, 1.0], [1, 2]).holdout is None
    assert agent().decide([0.1, 1.0]).holdout is None
    d = one.decide([0.1, 1.0])
    assert pickle.loads(pickle.dumps(d)).holdout == d.holdout is not None


def test_a_batch_says_who_is_in_the_holdout():
    made = agent(shares=rein.Shares(holdout=0.3, control=1)).decide_many(np.ones((500, 2)))
    assert set(made.holdout) == {0, 1}
    assert (made.action[made.holdout == 1] == 1).all()
    assert 110 <= (made.holdout == 1).sum() <= 190
    assert (agent().decide_many(np.ones((5, 2))).holdout == -1).all()


@pytest.mark.parametrize("words, message", [
    ({"least": 0.4}, "sum to 1.2"),
    ({"holdout": 0.1}, "needs its control"),
    ({"least": {3: 0.1}}, "found 3; accepted: 0, 1, 2"),
    ({"most": [0.5, 0.6]}, "one number per action, 3 in all"),
    ({"least": "many"}, "least"),
])
def test_what_cannot_hold_is_refused(words, message):
    with pytest.raises(rein.Error, match=message):
        agent(shares=rein.Shares(**words))


def test_a_share_in_the_spec_and_as_an_argument_is_refused():
    with pytest.raises(rein.Error, match='"least" is in the spec and an argument'):
        rein.Agent("ccb(least=0.1)", actions=3, shares=rein.Shares(least=0.1))


def test_a_floor_is_reported_in_the_terms_of_the_user():
    one = rein.Agent("ccb", actions=2, context=1, costs={"dollars": 2.0}, reward=(0, 1), seed=1,
                     goal=rein.Goal(minimize="dollars", at_least={"reward": 0.8}))
    assert one.spec == 'ccb(at_least=["reward",0.8],minimize="dollars")'
    rng = np.random.default_rng(0)
    reward = dollars = 0.0
    for _ in range(3000):
        d = one.decide([1.0])
        got = float(rng.random() < [0.7, 0.95][d.action])
        one.learn(d, reward=got, costs=[0.1, 2.0][d.action])
        reward += got
        dollars += [0.1, 2.0][d.action]
    state = one.state
    assert state.objective == "dollars" and list(state.queues) == ["reward"]
    assert abs(state.reward - reward) < 1e-6 and abs(state.spent["dollars"] - dollars) < 1e-6
    assert abs(reward / 3000 - 0.8) < 0.01 and dollars / 3000 < 1.05     # the mix pays 0.86
    assert np.allclose(d.estimates[1], [0.1, 2.0], atol=0.05) and np.allclose(d.estimates[0], [0.7, 0.95], atol=0.1)
    again = rein.Agent.restore(one.snapshot())
    assert again.state_hash() == one.state_hash() and again.state.objective == "dollars"


@pytest.mark.parametrize("words, message", [
    ({"minimize": "euros"}, "accepted: reward, dollars"),
    ({"minimize": "dollars", "at_least": {"reward": 2}}, "accepted: 0 to 1"),
    ({"minimize": "dollars", "at_least": 0.9}, "limits by name"),
])
def test_goals_that_make_no_sense_are_refused(words, message):
    with pytest.raises(rein.Error, match=message):
        rein.Agent("ccb", actions=3, costs={"dollars": 1.0}, reward=(0, 1), goal=rein.Goal(**words))


def test_bounds_of_a_goal_are_in_the_units_of_its_heads():
    def bounds(most):
        return rein.Agent("ccb(tuning=theory)", actions=2, context=1, costs={"dollars": most}, reward=(0, 1),
                          rounds=1000, goal=rein.Goal(minimize="dollars", at_least={"reward": 0.8})).bounds()
    small, large = bounds(1.0), bounds(4.0)
    assert list(small.ccv) == ["reward"] and small.ccv == large.ccv
    assert large.regret == pytest.approx(4 * small.regret)


def test_the_holdout_does_not_depend_on_the_context_or_on_what_was_learned():
    """Chi-square tests of independence; 24.3 is exceeded once in a thousand by 7 degrees of freedom."""
    for seed in range(5):
        one = rein.Agent("ccb(rate=0.3)", actions=3, context=2, costs={"dollars": 1.0}, reward=(0, 1), rounds=8000,
                         seed=seed, shares=rein.Shares(holdout=0.1, control=0))
        rng = np.random.default_rng(seed)
        strata, held, last, before = [], [], 0.0, 0
        after = []
        for t in range(8000):
            x = np.array([rng.random(), 1.0])
            d = one.decide(x)
            reward = float(rng.random() < [0.2, 0.2 + 0.5 * x[0], 0.8][d.action])
            one.learn(d, reward=reward, costs=[0.0, 0.3, 0.9][d.action])
            strata.append(int(4 * x[0]) + 4 * (t >= 4000))
            after.append(2 * before + int(last))
            held.append(d.holdout)
            before, last = d.action, reward
        assert chi_square(strata, held, 8) < 24.3 and chi_square(after, held, 6) < 24.3, seed
        assert chi_square(strata, [x >= 6 for x in strata], 8) > 100     # what does depend is found


def chi_square(strata, members, count):
    sizes, inside = np.bincount(strata, minlength=count), np.bincount(strata, members, minlength=count)
    expected = sizes * np.mean(members)
    return ((inside - expected) ** 2 / expected + (inside - expected) ** 2 / (sizes - expected)).sum()


def test_the_status_of_a_goal_speaks_of_its_limit():
    one = rein.Agent("ccb", actions=2, costs={"dollars": 2.0}, reward=(0, 1),
                     goal=rein.Goal(minimize="dollars", at_least={"reward": 0.9}), seed=1)
    for _ in range(300):
        one.learn(one.decide(), reward=0.5, costs=0.1)
    assert one.status.word in ("over", "infeasible") and one.status.cost == "reward"
    assert "limit" in one.status.advice and "budget" not in one.status.advice
    spent = rein.Agent("ccb", actions=2, costs={"dollars": 2.0}, reward=(0, 1),
                       goal=rein.Goal(minimize="dollars", at_least={"reward": 0.4}), seed=1,
                       hard=rein.HardLimits(total=1.0, largest_costs=[[0.01], [0.01]]))
    spent.learn(spent.decide(), reward=0.9, costs=0.01)                  # above its floor
    assert spent.status.word == "ok"
    spent.learn(spent.decide(), reward=0.5, costs=1.5)                   # a bill above its hold
    assert spent.status.word == "over" and spent.status.cost == "dollars"
    assert "budget" in spent.status.advice
    with pytest.raises(rein.Error, match="at_most"):
        rein.Agent("ccb", actions=2, costs={"dollars": 2.0}, goal=rein.Goal(minimize="dollars",
                                                                            at_least={"reward": 0.4}),
                   budgets=rein.Budget("day", "dollars", 5, per="100 rounds"))


def test_what_is_forgotten_is_an_argument():
    def spec(forget, of="ccb(rate=0.1)"):
        return rein.Agent(of, actions=["a", "b"], context=1, costs={"c": 1.0}, reward=(0, 1), forget=forget).spec

    assert spec(None) == "ccb(rate=0.1)"
    assert spec(True) == "ccb(memory=auto,rate=0.1)"
    assert spec(False) == "ccb(memory=0,rate=0.1)"
    assert spec(500) == "ccb(memory=500,rate=0.1)"
    assert spec(500, "squarecb") == "squarecb(oracle=vaw(memory=500))"
    for wrong in (0, -3, "long"):
        with pytest.raises(rein.Error, match="forget"):
            spec(wrong)
    with pytest.raises(rein.Error, match="in the spec and an argument"):
        spec(500, "squarecb(oracle=vaw)")
    with pytest.raises(rein.Error, match="memory and an oracle are both given"):
        spec(500, "ccb(rate=0.1,oracle=vaw)")


def test_to_forget_does_not_take_the_curves():
    x = np.random.default_rng(1).uniform(-1, 1, (3000, 1))
    means = []
    for forget in (None, True):
        one = rein.Agent("ccb", actions=2, context=1, reward=(0, 1), seed=1, forget=forget)
        for row in x:
            d = one.decide(row)
            one.learn(d, float(0.5 + 0.4 * np.cos(6 * row[0]) * (1 if d.action else -1)))
        means.append(one.state.reward)
    assert means[0] == means[1] > 0.7 * len(x)  # a line earns half


@pytest.mark.parametrize("words, groups", [
    ({"minimize": "dollars", "at_least": {"reward": 0.2}},
     {"goal": rein.Goal(minimize="dollars", at_least={"reward": 0.2})}),
    ({"least": 0.1, "holdout": 0.2, "control": 1}, {"shares": rein.Shares(least=0.1, holdout=0.2, control=1)}),
    ({"hard_budget": 3, "safe_action": 0}, {"hard": rein.HardLimits(total=3, safe_action=0)}),
    ({"expire_after": 5, "most_open": 9}, {"engine": rein.EngineOptions(expire_after=5, most_open=9)}),
])
def test_words_of_the_last_version_still_work_and_say_what_to_write(words, groups):
    spec = "ccb" if "goal" in groups else "ccb(rate=0.4)"
    known = dict(actions=3, context=2, costs={"dollars": 1.0}, reward=(0, 1), seed=3)
    with pytest.warns(DeprecationWarning, match=rf"write {next(iter(groups))}=rein\.\w+\(") as found:
        old = rein.Agent(spec, **known, **words)
    assert len(found) == len(words) and all(each.filename == __file__ for each in found)
    assert old.state_hash() == rein.Agent(spec, **known, **groups).state_hash()


def test_groups_are_checked():
    with pytest.raises(rein.Error, match=r"holdout: found beside shares=; accepted: holdout= of rein\.Shares"):
        agent(shares=rein.Shares(least=0.1), holdout=0.1)
    with pytest.raises(rein.Error, match=r"goal: found 'reward'; accepted: rein\.Goal\(\.\.\.\)"):
        agent(goal="reward")
    with pytest.raises(TypeError, match="unexpected keyword argument 'holdin'"):
        agent(holdin=0.1)

