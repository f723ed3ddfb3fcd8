"""rein.read_log, rein.convert, and Agent.warm_start with a path."""

import gzip
import json

import numpy as np
import pytest

import rein

CSV = "x_age,x_city,a,p,r,c_dollars\n30,Paris,email,0.5,1,0.02\n40,Rome,none,0.25,0,\n50,Rome,none,0,0,0\n"
EVENT = {"_label_cost": -1, "_label_probability": 0.5, "_labelIndex": 1, "EventId": "e1", "a": [2, 1],
         "c": {"User": {"age": 30}, "_multi": [{"A": {"f": 1, "g": 0.5}}, {"A": {"f": 2}}]}, "p": [0.5, 0.5],
         "_costs": {"spend": 0.02}}


def write(path, text):
    path.write_text(text)
    return path


def test_a_csv_file_is_columns(tmp_path):
    log = rein.read_log(write(tmp_path / "log.csv", CSV))
    assert len(log) == log.kept == 2 and log.refused == 1
    assert "line 4: found probability 0; accepted: above 0 and at most 1" in log.report
    assert log.names["context"] == ["age", "city=Paris", "city=Rome"]
    assert log.context.tolist() == [[30, 1, 0], [40, 0, 1]]
    assert log.propensity.tolist() == [0.5, 0.25]
    assert log.costs["dollars"][0] == 0.02 and np.isnan(log.costs["dollars"][1])
    assert log.columns()["a"] == ["email", "none"]
    sparse = rein.read_log(tmp_path / "log.csv", dense=False)
    assert sparse.names["context"] == ["age"] and len(sparse.arrays["shared_index"]) == 2


def test_columns_can_be_named_and_actions_given(tmp_path):
    path = write(tmp_path / "log.csv", "f,arm,q,y\n1,u,0.5,3\n1,w,0.5,3\n")
    log = rein.read_log(path, columns=["f"], action="arm", propensity="q", reward="y", actions=["u"])
    assert log.reward.tolist() == [3] and log.refused == 1


def test_dsjson_becomes_obp_feedback(tmp_path):
    log = rein.read_log(write(tmp_path / "log.dsjson", json.dumps(EVENT) + "\n"))
    feedback = log.to_obp()
    assert feedback["n_rounds"] == 1 and feedback["n_actions"] == 2
    assert feedback["action"].tolist() == [1] and feedback["pscore"].tolist() == [0.5]
    assert feedback["costs"]["spend"].tolist() == [0.02]


def test_a_file_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(rein.Error, match="cannot be opened"):
        rein.read_log(tmp_path / "no.csv")
    with pytest.raises(rein.Error, match="no row can be used"):
        rein.read_log(write(tmp_path / "bad.csv", "a,p,r\nb,2,1\n"))
    with pytest.raises(rein.Error, match='found "xml"'):
        rein.read_log(tmp_path / "no.csv", format="xml")


def test_convert_between_files(tmp_path):
    source = write(tmp_path / "log.csv", CSV)
    assert "2 rows kept, 1 refused" in rein.convert(source, tmp_path / "log.jsonl.gz")
    with gzip.open(tmp_path / "log.jsonl.gz", "rt") as file:
        assert json.loads(file.readline())["context"] == {"age": 30}
    rein.convert(tmp_path / "log.jsonl.gz", tmp_path / "log.rlog")
    assert rein.read_log(tmp_path / "log.rlog").context.tolist() == [[30, 1, 0], [40, 0, 1]]


def test_parquet_and_arrow(tmp_path):
    pytest.importorskip("pyarrow")
    source = write(tmp_path / "log.csv", CSV)
    for end in (".parquet", ".arrow"):
        target = tmp_path / f"log{end}"
        rein.convert(source, target)
        log = rein.read_log(target)
        assert log.names["context"] == ["age", "city=Paris", "city=Rome"]
        assert log.propensity.tolist() == [0.5, 0.25] and log.columns()["a"] == ["email", "none"]


def test_warm_start_takes_a_path(tmp_path):
    rows = "".join(f"{i % 7},{i % 3},{'b' if i % 2 else 'a'},0.5,{i % 2},{0.1 * (i % 2)}\n" for i in range(60))
    path = write(tmp_path / "log.csv", "x_u,x_v,a,p,r,c_dollars\n" + rows)
    agent = rein.Agent("ccb(rate=0.1)", actions=["a", "b"], context=2, costs=["dollars"], seed=1)
    assert agent.warm_start(path) == 60
    by_hand = rein.Agent("ccb(rate=0.1)", actions=["a", "b"], context=2, costs=["dollars"], seed=1)
    log = rein.read_log(path)
    by_hand.warm_start({"action": log.columns()["a"], "reward": log.reward, "dollars": log.costs["dollars"],
                        "context": log.context})
    assert agent.look([1, 2]).probabilities.tolist() == by_hand.look([1, 2]).probabilities.tolist()
    with pytest.raises(rein.Error, match="context of 2 columns; accepted: 3"):
        rein.Agent("ccb(rate=0.1)", actions=["a", "b"], context=3, costs=["dollars"], seed=1).warm_start(path)
    with pytest.raises(rein.Error, match="has no costs"):
        rein.Agent("ccb(rate=0.1)", actions=["a", "b"], context=2, costs=["euros"], seed=1).warm_start(path)


def test_warm_start_takes_features_of_actions(tmp_path):
    events = [EVENT | {"_labelIndex": i % 2, "_label_Action": i % 2 + 1, "a": [i % 2 + 1, 2 - i % 2]}
              for i in range(20)]
    path = write(tmp_path / "log.dsjson", "".join(json.dumps(event) + "\n" for event in events))
    agent = rein.Agent("squarecb", reward=(-1, 1), actions=2, context=1, action_features=2, seed=1)
    assert agent.warm_start(path) == 20


def test_warm_start_takes_names_and_categories(tmp_path):
    path = write(tmp_path / "log.csv", CSV)
    agent = rein.Agent("squarecb", reward=(0, 1), actions=["email", "none"],
                       context={"age": "number", "city": "category"}, seed=1)
    assert agent.warm_start(path) == 2
