"""Actions with names: offered by name, added and removed while an agent runs."""

import pickle

import numpy as np
import pytest

import rein


def agent(actions=("small", "large", "none"), **more):
    return rein.Agent("ccb(rate=0.1)", actions=actions, context=2, costs={"dollars": 1.0}, reward=(0, 1), seed=1,
                      **more)


def test_the_action_is_its_name():
    a = agent()
    d = a.decide([0.1, 0.2])
    assert d.action in a.actions == ["small", "large", "none"]
    assert d.action == a.actions[d.action_id] and d.place == d.action_id
    assert repr(d.action) in repr(d)
    assert pickle.loads(pickle.dumps(d)).action == d.action


def test_a_subset_returns_its_own_names():
    a = agent()
    chosen = {a.decide([0.1, 0.2], ["none", "large"]).action for _ in range(60)}
    assert chosen == {"none", "large"}
    d = a.decide([0.1, 0.2], ["none"])
    assert (d.action, d.place, d.action_id) == ("none", 0, 2)
    assert a.open()[-1].action == "none"


def test_numbers_of_their_own():
    a = agent(actions=[1017, 2044])
    assert {a.decide([0, 0]).action for _ in range(40)} == {1017, 2044}
    assert a.decide([0, 0], [2044]).action == 2044
    assert rein.Agent.restore(a.snapshot()).actions == [1017, 2044]
    assert a.add_action(31) == 31


def test_without_names_the_action_is_its_id():
    a = agent(actions=3)
    d = a.decide([0.1, 0.2], [2, 0])
    assert d.action == [2, 0][d.place] == d.action_id
    assert a.add_action() == 3 and a.actions == [0, 1, 2, 3]


@pytest.mark.parametrize("given, says", [
    (["a", "a"], "twice"), ([], "empty list"), (["a", 1], "names, or whole numbers"), (["a", ""], "0 bytes"),
    ("abc", "a whole number"), ({"a", "b"}, "a list of names"), ([True, False], "names, or whole numbers")])
def test_names_are_checked(given, says):
    with pytest.raises(rein.Error, match=says):
        agent(actions=given)


def test_an_unknown_name_is_refused_with_those_that_exist():
    with pytest.raises(rein.Error, match="found 'medium'; accepted: 'small', 'large', 'none'"):
        agent().decide([0, 0], ["medium"])
    with pytest.raises(rein.Error, match="a list of actions"):
        agent().decide([0, 0], "small")


def test_an_added_action_is_found():
    a = agent()
    pays = {"small": 0.3, "large": 0.4, "none": 0.0, "new": 0.9}
    for n in range(600):
        if n == 200:
            assert a.add_action("new") == "new"
        d = a.decide([1.0, n % 7 / 7])
        a.learn(d, reward=pays[d.action], costs=0.05)
    d = a.look([1.0, 0.5])
    assert a.actions[-1] == "new" and d.probabilities[3] > 0.5


def test_a_removed_action_leaves_and_its_decisions_stay():
    a = agent()
    open_one = a.decide([0, 0], ["large"])
    a.remove_action("large")
    assert a.actions == ["small", "none"]
    assert {a.decide([0, 0]).action for _ in range(60)} == {"small", "none"}
    assert set(a.decide_many(np.zeros((60, 2))).action) == {"small", "none"}
    assert a.learn(open_one, reward=0.5, costs=0.2)
    with pytest.raises(rein.Error, match="found 'large'; accepted: 'small', 'none'"):
        a.decide([0, 0], ["large"])
    with pytest.raises(rein.Error, match="found 'large'"):
        a.remove_action("large")
    a.add_action("large")
    assert a.decide([0, 0], ["large"]).action_id == 3, "a new one"


def test_many_decisions_by_name():
    a = agent()
    many = a.decide_many(np.zeros((30, 2)), ids=["none", "small"])
    assert set(many.action) <= {"none", "small"} and (many.place < 2).all()
    assert [["none", "small"][i] for i in many.place] == many.action.tolist()
    assert a.learn_many(many, np.full(30, 0.5), np.full(30, 0.1)) == 30
    assert many.to_pandas().columns.tolist() == ["id", "action", "probability"]


def test_options_by_name():
    a = agent(shares=rein.Shares(least={"none": 0.3}), expected_costs={"small": 0.1, "large": 0.4, "none": 0.0},
              budgets=())
    assert a.look([0, 0]).probabilities[2] >= 0.3
    assert a.look([0, 0]).estimates[1].tolist() == pytest.approx([0.1, 0.4, 0.0])
    a.expect({"none": 0.0, "small": 0.2, "large": 0.4})
    assert a.look([0, 0]).estimates[1, 0] == pytest.approx(0.2)
    with pytest.raises(rein.Error, match="no entry for 'none'"):
        a.expect({"small": 0.1, "large": 0.4})
    with pytest.raises(rein.Error, match="found 'nothing'; accepted: 'small'"):
        agent(shares=rein.Shares(least={"nothing": 0.3}))
    with pytest.raises(rein.Error, match="no expected costs"):
        a.add_action("new")
    a.add_action("new", expected_costs=0.2)
    b = agent(hard=rein.HardLimits(safe_action="none", total=5.0,
                                   largest_costs={"small": 0.1, "large": 0.4, "none": 0.0}),
              shares=rein.Shares(holdout=0.2, control="none"))
    assert b.decide([0, 0]).action in b.actions


def test_rows_by_action():
    a = rein.Agent("ccb(rate=0.1)", actions=["small", "large"], context=1, action_features=2, costs={"dollars": 1.0},
                   reward=(0, 1), seed=1)
    chosen = {a.decide([1.0], {"large": [0.0, 1.0], "small": [1.0, 0.0]}).action for _ in range(60)}
    assert chosen == {"small", "large"}
    assert a.decide([1.0], {"large": [0.0, 1.0]}).action == "large"


def test_save_and_restore_keep_the_names(tmp_path):
    a = agent()
    a.add_action("new")
    a.remove_action("none")
    a.save(tmp_path / "agent")
    for b in (rein.Agent.load(tmp_path / "agent"), pickle.loads(pickle.dumps(a))):
        assert b.actions == ["small", "large", "new"] and b.state_hash() == a.state_hash()


def test_what_cannot_grow_says_so():
    a = rein.Agent("ccb(tuning=theory,rate=0.1,rounds=100)", actions=3, context=2, costs={"dollars": 1.0},
                   reward=(0, 1))
    with pytest.raises(rein.Error, match="theorem"):
        a.add_action()
    with pytest.raises(rein.Error, match="accepted: a name"):
        agent().add_action()
    with pytest.raises(rein.Error, match="there is an action"):
        agent().add_action("small")


def test_largest_costs_of_a_round_are_those_of_the_actions_it_offers():
    a = agent()
    large = {"large": 0.9, "small": 0.1, "none": 0.0}
    assert a.decide([0, 0], ["large", "none"], largest_costs=large, most_costs=0.5).action == "none"
    assert a.decide([0, 0], ["large"], largest_costs={"large": 0.2}, most_costs=0.5).action == "large"
    a.remove_action("small")
    assert a.decide([0, 0], largest_costs={"large": 0.9, "none": 0.0}, most_costs=0.5).action == "none"
    with pytest.raises(rein.Error, match="largest_costs: found no entry for 'none'"):
        a.decide([0, 0], largest_costs={"large": 0.9})
    with pytest.raises(rein.Error, match="largest_costs: found 'lrge'; accepted: 'large', 'none'"):
        a.decide([0, 0], largest_costs={"lrge": 0.9, "none": 0.0})
    with pytest.raises(rein.Error, match="expected_costs: found 'lrge'"):
        agent(expected_costs={"small": 0.1, "lrge": 0.2, "none": 0.0})


def test_names_alone_are_no_context():
    with pytest.raises(rein.Error, match="context: found .*accepted: how many numbers, or names with their kinds"):
        rein.Agent("uniform", actions=2, context=["age"], costs=["c"])
