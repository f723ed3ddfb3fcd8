"""agent.assign: whole files under a budget, the same as `rein assign`."""

import numpy as np
import pytest

import rein

pandas = pytest.importorskip("pandas")


def past(rows=2000, seed=1):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, rows)
    mail = rng.integers(0, 2, rows)
    reward = (rng.random(rows) < 0.1 + 0.3 * mail * (age < 40)).astype(float)
    return pandas.DataFrame({"age": age.astype(float), "mail": mail, "reward": reward, "cost": mail.astype(float)})


def taught():
    log = past()
    agent = rein.Agent("ccb(rate=0.3)", actions=["none", "mail"], costs=["cost"], seed=3, context={"age": "number"})
    agent.warm_start(log.assign(action=np.array(["none", "mail"])[log["mail"]])[["age", "action", "reward", "cost"]])
    return agent


def test_a_budget_is_met_and_goes_to_those_whom_it_moves():
    agent, rows = taught(), past(seed=2)[["age"]]
    before = agent.state_hash
    plan = agent.assign(rows, budget={"cost": 300})
    assert 300 * 0.995 <= plan.total.costs["cost"] <= 300
    mailed = plan.action == "mail"
    assert rows["age"][mailed].mean() < rows["age"][~mailed].mean() - 10
    assert agent.state_hash == before
    assert list(plan.to_pandas()) == ["a", "p", "estimated_reward", "estimated_cost"]
    assert plan.everybody["none"].costs["cost"] == pytest.approx(0, abs=1)
    assert plan.total.reward > plan.everybody["none"].reward
    assert "cost: " in repr(plan)


def test_columns_may_be_called_as_in_the_log_and_others_are_named():
    agent, rows = taught(), past(seed=2)
    plan = agent.assign(rows[["age"]], budget=300)
    again = agent.assign(pandas.DataFrame({"x_age": rows["age"], "city": "Oslo"}), budget=300)
    assert (plan.action == again.action).all() and again.unused == ["city"]
    assert agent.decide_many({"x_age": rows["age"][:3]}).action.shape == (3,)


def test_explore_draws_with_true_probabilities():
    plan = taught().assign(past(seed=2)[["age"]], budget={"cost": 400}, explore=0.2, seed=5)
    assert set(np.round(plan.probability, 12)) == {0.1, 0.9}
    assert plan.expected.costs["cost"] == pytest.approx(400, rel=0.005)


def test_what_does_not_fit_is_refused():
    agent = taught()
    with pytest.raises(rein.Error, match="budget: found 'euros'; accepted"):
        agent.assign({"age": [30.0]}, budget={"euros": 1})
    with pytest.raises(rein.Error, match="cheapest action"):
        agent.assign({"age": [30.0]}, budget={"cost": -1})
    with pytest.raises(rein.Error, match='no column "age"'):
        agent.assign({"years": [30.0]})
