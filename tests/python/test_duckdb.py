"""Logs that a query gives: what DuckDB's tables say is what the same columns say in a data frame."""

import numpy as np
import pandas as pd
import pytest

import rein

duckdb = pytest.importorskip("duckdb")


@pytest.fixture
def calls():
    rng = np.random.default_rng(3)
    hard, model = rng.random(3000), rng.integers(0, 3, 3000)
    return pd.DataFrame({"hard": hard, "topic": np.array(["code", "mail"])[rng.integers(0, 2, 3000)], "model": model,
                         "prob": np.full(3000, 1 / 3), "solved": rng.random(3000) < 0.9 - 0.4 * hard * (2 - model),
                         "dollars": 0.1 * model, "id": np.arange(3000)})


QUERY = ("select hard as x_hard, topic as x_topic, model as a, prob as p, solved::int as r, dollars as c_dollars "
         "from calls order by id")


def frame_of(calls):
    names = {"hard": "x_hard", "topic": "x_topic", "model": "a", "prob": "p", "solved": "r", "dollars": "c_dollars"}
    out = calls.rename(columns=names).drop(columns="id")
    return out.assign(r=out.r.astype(float))


def test_a_relation_is_a_log(calls):
    found = rein.whatif(duckdb.sql(QUERY), budget={"dollars": (0.02, 0.2)}, count=4, threads=1)
    same = rein.whatif(frame_of(calls), budget={"dollars": (0.02, 0.2)}, count=4, threads=1)
    assert found.to_json() == same.to_json()
    values = rein.evaluate(duckdb.sql(QUERY), "action(1)", threads=1)
    assert values.policies == rein.evaluate(frame_of(calls), "action(1)", threads=1).policies


def test_a_connection_that_executed_a_query_is_a_log(calls):
    connection = duckdb.connect()
    connection.register("calls", calls)
    found = rein.whatif(connection.execute(QUERY), budget={"dollars": 0.1}, threads=1)
    assert found.to_json() == rein.whatif(frame_of(calls), budget={"dollars": 0.1}, threads=1).to_json()


def test_columns_have_other_names_and_decimals_are_numbers(calls):
    relation = duckdb.sql("select hard, model, cast(0.333333333333 as decimal(14, 12)) as prob, solved::int as solved, "
                          "dollars::decimal(6, 3) as bill from calls order by id")
    columns = {"a": "model", "p": "prob", "r": "solved", "c_dollars": "bill", "x": ["hard"]}
    found = rein.whatif(relation, budget={"dollars": 0.1}, columns=columns, threads=1)
    assert found.points[0]["possible"]
    assert 0.05 < found.points[0]["values"]["dollars"]["value"] <= 0.1


def test_a_missing_outcome_is_null(calls):
    found = rein.evaluate(duckdb.sql("select hard as x_hard, model as a, prob as p, case when id < 30 then null else "
                                     "solved::int end as r from calls order by id"), "action(1)", threads=1)
    assert found.policies[0].details["missing"] == 30


def test_outcomes_of_another_table_are_joined(calls):
    decisions = duckdb.sql("select id, hard as x_hard, model as a, prob as p from calls")
    outcomes = duckdb.sql("select id, solved::int as r, dollars as c_dollars from calls where id >= 100")
    log = rein.join_outcomes(decisions, outcomes)
    assert len(log["r"]) == 3000
    assert np.isnan(log["r"]).sum() == 100


def test_agents_learn_from_and_assign_to_relations(calls):
    agent = rein.Agent("ccb(rate=0.1)", actions=3, costs=["dollars"], seed=3,
                       context={"hard": "number", "topic": "category"})
    past = duckdb.sql("select hard, topic, model as action, solved::int as reward, dollars from calls order by id")
    assert agent.warm_start(past) == 3000
    plan = agent.assign(duckdb.sql("select hard, topic from calls order by id limit 500"), budget={"dollars": 30})
    assert plan.total.costs["dollars"] <= 30
    assert len(agent.decide_many(duckdb.sql("select hard, topic from calls limit 20"))) == 20
