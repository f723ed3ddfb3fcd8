"""Agents whose contexts have names: dicts, data frames, categories, missing values."""

import pickle

import numpy as np
import pytest

import rein

COLUMNS = {"age": "number", "country": "category(4)", "member": "bool"}


def agent(**more):
    return rein.Agent("ccb(rate=0.1)", actions=["small", "large"], context=COLUMNS, costs={"dollars": 1.0},
                      reward=(0, 1), seed=1, **more)


def rows(n):
    return [{"age": 20 + i % 7, "country": ("DE", "FR", None)[i % 3], "member": i % 2 == 0} for i in range(n)]


def test_rows_by_name_in_any_order():
    one, two = agent(), agent()
    for row in rows(20):
        a = one.decide(row)
        b = two.decide(dict(reversed(row.items())))
        assert a.action == b.action and a.id == b.id
        for which, d in ((one, a), (two, b)):
            which.learn(d, reward=0.5, costs=0.1)
    assert one.state_hash() == two.state_hash()
    assert one.schema.names()[:2] == ["age", "country=DE"]


@pytest.mark.parametrize("row, says", [
    ({"age": 3, "country": "DE"}, "member"), ({"age": 3, "country": "DE", "member": True, "x": 1}, "x"),
    ({"age": "old", "country": "DE", "member": True}, "age"), ([1.0, 2.0, 3.0], "values without names")])
def test_rows_that_do_not_fit_are_refused(row, says):
    a = agent()
    a.decide(rows(1)[0])
    before = a.state_hash()
    with pytest.raises(rein.Error, match=says):
        a.decide(row)
    assert a.state_hash() == before


def test_names_without_a_schema_are_refused():
    a = rein.Agent("uniform", actions=2, context=2, costs=["a"], seed=1)
    with pytest.raises(rein.Error, match="found a dict; accepted: 2 numbers, or names"):
        a.decide({"a": 1, "b": 2})


def test_many_rows_at_once_are_the_same():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows(30))
    one, many, listed = agent(), agent(), agent()
    single = [one.decide(row).action for row in rows(30)]
    assert many.decide_many(frame).action.tolist() == single == listed.decide_many(rows(30)).action.tolist()
    assert one.state_hash() == many.state_hash() == listed.state_hash()
    by_row = agent()
    assert [by_row.decide(row).action for _, row in frame.astype(object).iterrows()] == single


def test_subsets_looks_and_limits_take_rows_too():
    a = agent()
    row = rows(1)[0]
    assert a.look(row).action in a.actions
    assert a.decide(row, ["large"]).action == "large"
    a.remove_action("large")
    assert a.decide(row).action == "small"
    assert set(a.decide_many(rows(5)).action) == {"small"}


def test_saved_with_its_statistics(tmp_path):
    a = agent()
    for row in rows(10):
        a.decide(row)
    a.save(tmp_path / "agent")
    for b in (rein.Agent.load(tmp_path / "agent"), pickle.loads(pickle.dumps(a))):
        assert b.schema.snapshot() == a.schema.snapshot()
        assert b.decide(rows(12)[-1]).id == pickle.loads(pickle.dumps(a)).decide(rows(12)[-1]).id


def test_a_schema_of_ones_own():
    schema = rein.Schema({"age": "number(missing=1)"}, extra="ignore", absent="missing")
    a = rein.Agent("ccb(rate=0.1)", actions=2, context=schema, costs={"dollars": 1.0}, reward=(0, 1), seed=1)
    a.decide({"other": 3})
    a.decide({"age": 31})
    assert a.schema.size == 2 and schema.size == 2
    assert np.isfinite(a.decide({"age": 40}).estimates).all()
    assert rein.Agent("uniform", actions=2, context=2, costs=["a"]).schema is None


def log(n):
    rng = np.random.default_rng(5)
    return [{**row, "action": ("small", "large")[rng.integers(2)], "reward": float(rng.random()), "dollars": 0.1}
            for row in rows(n)]


def test_a_log_with_names_is_learned_and_explained_by_name():
    a = agent()
    assert a.warm_start(log(5000)) == 5000
    assert a.state.learned == 0 and a.schema.names()[1:3] == ["country=DE", "country=FR"]
    row = rows(1)[0]
    d = a.decide(row)
    terms = a.explain(d)[0].estimates["reward"].terms
    assert {"age", "country=DE", "member", "constant"} <= {term.name for term in terms}
    assert a.explain(row, which=["large"])[0].action == "large"
    before = a.state_hash()
    with pytest.raises(rein.Error, match="'medium'"):
        a.warm_start([{**log(1)[0], "action": "medium"}])
    with pytest.raises(rein.Error, match="age"):
        a.warm_start([{**log(1)[0], "age": "old"}])
    assert a.state_hash() == before


def test_a_log_is_learned_as_its_rows_are_decided_on():
    a = agent()
    a.warm_start([{**row, "action": "large", "reward": float(row["age"] > 23), "dollars": 0.1} for row in rows(3000)])
    young, old = ({"age": age, "country": "DE", "member": True} for age in (20, 26))
    place = a.actions.index("large")
    assert a.look(old).estimates[0, place] > a.look(young).estimates[0, place] + 0.3
