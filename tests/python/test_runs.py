"""Runs of an agent, and hard budgets that hold a quantile of the bill."""

import pickle
import threading

import pytest
from service_real import service

import rein

COSTS = {"dollars": 0.05}


def make(**more):
    return rein.Agent("uniform", actions=["small", "large"], costs=COSTS, reward=(0, 1), seed=1,
                      hard=rein.HardLimits(total=100.0, largest_costs=[0.01, 0.05]), **more)


def test_a_run_caps_its_decisions_and_closes():
    agent = make()
    with agent.run(dollars=0.1, expire_after=600) as task:
        d = task.decide()
        agent.learn(d, reward=1.0, costs=0.004)
        with task.run({"dollars": 0.06}) as part, pytest.raises(rein.BudgetSpent):
            while True:
                part.decide()
        assert not part.state.open and part.state.parent == task.id
        money = task.state.costs["dollars"]
        assert (money.spent, money.limit_micros) == (0.004, 100_000)
        assert money.left == pytest.approx(0.1 - 0.004 - part.state.costs["dollars"].held)
        assert agent.barred()[0].budget == "run"
        assert agent.look(run=task).probability > 0
    assert not task.state.open and task.state.decisions == 1 + part.state.decisions
    assert [one.id for one in agent.runs()] == [task.id, part.id] and agent.runs(open=True) == []
    with pytest.raises(rein.ExpiredDecision, match="was closed"):
        task.decide()
    again = pickle.loads(pickle.dumps(agent))
    assert again.state_hash() == agent.state_hash() and again.runs() == agent.runs()


@pytest.mark.parametrize(("given", "named", "what"), [
    (None, {"euros": 1.0}, "an amount of 'euros'"), (None, {}, "one at least"), (None, {"dollars": -1.0}, "amounts: found -1"),
    ("much", {}, "run: dollars")])
def test_bad_amounts_are_refused(given, named, what):
    agent = make()
    before = agent.state_hash()
    with pytest.raises(rein.Error, match=what):
        agent.run(given, **named)
    assert agent.state_hash() == before


def test_threads_share_a_run():
    agent = make()
    with agent.run(2.0) as run:
        def work():
            for _ in range(200):
                try:
                    agent.learn(run.decide(), reward=1.0, costs=0.001)
                except rein.BudgetSpent:
                    return

        threads = [threading.Thread(target=work) for _ in range(8)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert run.state.costs["dollars"].spent_micros == 1000 * run.state.decisions == 1_600_000


def test_quantiles_of_bills_are_held():
    agent = rein.Agent("uniform", actions=1, costs={"dollars": 1.0}, reward=(0, 1), seed=1, budgets=rein.Budget(
        "all", "dollars", 5, hard=True, hold="quantile(0.9)"))
    for _ in range(20):
        agent.learn(agent.decide(), reward=1.0, costs=0.01)
    d = agent.decide()
    budget = agent.budgets()["all"]
    assert 0.01 <= budget.held <= 0.0104 and budget.reserve == pytest.approx(1 - budget.held, abs=2e-6)  # rounded up
    agent.learn(d, reward=1.0, costs=0.5)
    assert (agent.budgets()["all"].passed_holds, agent.budgets()["all"].over_holds) == (1, 0)
    with pytest.raises(rein.Error, match="accepted: largest, or quantile"):
        rein.Agent("uniform", actions=1, costs=COSTS, budgets=rein.Budget("all", "dollars", 5, hard=True, hold="most"))


def test_runs_of_the_service(program, tmp_path):
    with service(program, tmp_path / "data") as made:
        client = rein.Client("router", url=made.url)
        client.create({"policy": "uniform", "actions": ["small"], "costs": COSTS, "largest_costs": [0.05],
                       "budgets": [{"name": "all", "cost": "dollars", "amount": 1, "hard": True}]})
        with client.run(dollars=0.12, expire_after=600) as task:
            d = task.decide()
            client.outcome(d, reward=1.0, costs=0.03)
            with task.run(dollars=1.0) as part:
                part.decide()
                with pytest.raises(rein.BudgetSpent, match="does not fit run"):
                    part.decide()
            assert task.state["costs"]["dollars"] == {"limit": 0.12, "spent": 0.03, "held": 0.05, "left": 0.04}
            assert [one["open"] for one in client.runs()] == [True, False]
        assert not client.run_state(task)["open"] and client.runs(open=True) == []
        with pytest.raises(rein.Error) as gone:
            task.decide()
        assert gone.value.code == "expired"
        assert client.run(0.5, request_id="a").id == client.run(0.5, request_id="a").id
        client.close()
