"""rein.read_log, rein.convert, and Agent.warm_start with a path."""

import gzip
import json
from typing import Any

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


@pytest.mark.filterwarnings("ignore:warm_start")
def test_warm_start_takes_names_and_categories(tmp_path):
    path = write(tmp_path / "log.csv", CSV)
    agent = rein.Agent("squarecb", reward=(0, 1), actions=["email", "none"],
                       context={"age": "number", "city": "category"}, seed=1)
    assert agent.warm_start(path) == 2


@pytest.mark.filterwarnings("ignore:warm_start")
def test_warm_start_finds_a_column_inside_of_a_namespace(tmp_path):
    source = write(tmp_path / "log.csv", CSV)
    rein.convert(source, tmp_path / "log.dsjson")  # the context is in namespace x there
    columns = {"age": "number", "city": "category"}
    made = [rein.Agent("squarecb", reward=(0, 1), actions=["email", "none"], context=columns, seed=1) for _ in range(2)]
    for agent, name in zip(made, ("log.csv", "log.dsjson")):
        assert agent.warm_start(tmp_path / name) == 2
    looks = [agent.look({"age": 30, "city": "Oslo"}).probabilities.tolist() for agent in made]
    assert looks[0] == looks[1]
    for absent in ("refuse", "missing"):
        schema = rein.Schema({**columns, "sex": "category"}, absent=absent)
        agent = rein.Agent("squarecb", reward=(0, 1), actions=["email", "none"], context=schema, seed=1)
        if absent == "missing":
            assert agent.warm_start(tmp_path / "log.dsjson") == 2
        else:
            with pytest.raises(rein.Error, match=r"found no column \['sex'\]; the log has .*x\^age"):
                agent.warm_start(tmp_path / "log.dsjson")


def test_rows_that_a_warm_start_leaves_out_are_a_warning(tmp_path):
    path = write(tmp_path / "log.csv", "x_u,a,p,r\n1,a,0.5,1\n2,b,0,1\n3,b,0.5,0\n")
    agent = rein.Agent("squarecb", reward=(0, 1), actions=["a", "b"], context=1, seed=1)
    with pytest.warns(UserWarning, match="refused 1 row: line 3: found probability 0") as told:
        assert agent.warm_start(path) == 2
    assert told[0].filename == __file__


FEEDBACK: dict[str, Any] = {
    "n_rounds": 4, "n_actions": 3, "context": np.array([[0.5, 1.0], [0.25, 0.0], [1.0, 2.0], [0.0, 1.0]]),
    "action": np.array([0, 2, 2, 0]), "reward": np.array([1.0, 0.0, np.nan, 1.0]),
    "pscore": np.array([0.5, 0.25, 0.25, 2.0]), "position": None,
    "costs": {"dollars": np.array([1.0, 2.0, 3.0, 4.0])}}


def test_the_dictionary_of_obp_is_read_and_converted(tmp_path):
    log = rein.read_log(FEEDBACK)
    assert (log.kept, log.refused) == (3, 1) and "found probability 2" in log.report and "bandit_feedback" in log.report
    assert log.names["actions"] == ["0", "1", "2"] and log.action.tolist() == [0, 2, 2]
    assert np.isnan(log.reward[2]) and log.costs["dollars"].tolist() == [1.0, 2.0, 3.0]
    assert log.context.tolist() == FEEDBACK["context"][:3].tolist()
    back = log.to_obp()
    assert back["n_actions"] == 3 and back["pscore"].tolist() == [0.5, 0.25, 0.25]
    assert "3 rows kept, 1 refused" in rein.convert(FEEDBACK, tmp_path / "f.rlog")
    assert rein.read_log(tmp_path / "f.rlog").action.tolist() == [0, 2, 2]


@pytest.mark.parametrize(("change", "words"), [
    ({"context": np.zeros((3, 2))}, "context: found shape"), ({"action": np.zeros(3)}, "action: found shape"),
    ({"position": np.array([0, 1, 0, 1])}, "position: found a list"), ({"n_actions": None}, "has no .n_actions.")])
def test_a_dictionary_that_does_not_fit_is_refused(change, words):
    given = {name: value for name, value in {**FEEDBACK, **change}.items() if value is not None or name == "position"}
    with pytest.raises(rein.Error, match=words):
        rein.read_log(given)


def coba_lines(**columns):
    packed = {"action": ["a", "b", "a"], "probability": [0.5, 0.5, 0.25], "reward": [1, 0, 0.5],
              "context": [[1, 2], [3, 4], [5, 6]], "actions": [["a", "b"]] * 3, **columns}
    return [["version", 4], ["experiment", {}], ["E", 0, {}], ["L", 0, {}], ["V", 0, {}],
            ["I", [0, 0, 0], {"_packed": {name: column for name, column in packed.items() if column is not None}}]]


def write_lines(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_result_log_of_coba_is_read(tmp_path):
    path = write_lines(tmp_path / "result.log", coba_lines())
    log = rein.read_log(path)
    assert log.names["actions"] == ["a", "b"] and log.action.tolist() == [0, 1, 0]
    assert log.propensity.tolist() == [0.5, 0.5, 0.25] and log.reward.tolist() == [1.0, 0.0, 0.5]
    assert log.context.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    rein.convert(path, tmp_path / "a.rlog")
    assert rein.read_log(tmp_path / "a.rlog").action.tolist() == [0, 1, 0]
    # Sparse contexts, categories, and actions that are numbers.
    path = write_lines(tmp_path / "sparse.log", coba_lines(context=[{"age": 3}, {"age": 2, "city": "Rome"}, None],
                                                           action=[0, 1, 0], actions=[[0, 1]] * 3))
    log = rein.read_log(path)
    assert log.names["context"] == ["age", "city=Rome"] and log.context.tolist() == [[3, 0], [2, 1], [0, 0]]
    # What coba itself read back is refused by line.
    path = write_lines(tmp_path / "bad.log", coba_lines(probability=[0.5, 0.0, 0.25]))
    log = rein.read_log(path)
    assert log.refused == 1 and "bad.log" in log.report and "found probability 0" in log.report


def test_a_log_of_coba_that_says_too_little_is_refused(tmp_path):
    with pytest.raises(rein.Error, match="without \\['probability'\\].*SequentialCB"):
        rein.read_log(write_lines(tmp_path / "a.log", coba_lines(probability=None)))
    several = [*coba_lines(), ["I", [1, 0, 0], coba_lines()[-1][2]]]
    path = write_lines(tmp_path / "b.log", several)
    with pytest.raises(rein.Error, match="it has 2 runs"):
        rein.read_log(path)
    assert len(rein.read_log(path, run=(1, 0, 0))) == 3
    with pytest.raises(rein.Error, match="run: found"):
        rein.read_log(path, run=(2, 0, 0))
    (tmp_path / "c.log").write_text("no json\n")
    with pytest.raises(rein.Error, match="c.log"):
        rein.read_log(tmp_path / "c.log")


def test_slots_and_products_are_those_of_vowpal_wabbit(tmp_path):
    path = tmp_path / "a.vw"
    path.write_text("shared |User age:31\n|Action f:1\n0:-1:0.5 |Action g:3\n")
    log = rein.read_log(path, bits=18, quadratic=["UA"], dense=False)
    names = [name for _, name, _, _ in log.names["features"]]
    assert names == ["143891", "209188", "254669", "80411", "125426"]   # by --audit of Vowpal Wabbit 9.11
    rein.convert(path, tmp_path / "hashed.vw", bits=18)
    assert (tmp_path / "hashed.vw").read_text().splitlines()[0] == "shared | 143891:31"
    with pytest.raises(rein.Error, match="bits: found 31"):
        rein.read_log(path, bits=31)
