"""Logs as frames: categories, offers, missing actions and other names, beside the same log as a file."""

import json
import os
import subprocess

import numpy as np
import pandas as pd
import pytest

import rein

BUDGET = {"dollars": (0.1, 0.4)}


def made(rows=1500, seed=2):
    """A log whose context has two categories, one of them with gaps."""
    rng = np.random.default_rng(seed)
    played = rng.integers(0, 3, rows)
    city = rng.choice(["Oslo", "Rome", "Bonn"], rows)
    return pd.DataFrame({
        "x_size": rng.random(rows).round(4), "x_city": city,
        "x_plan": [None if u < 0.1 else "free" if u < 0.6 else "paid" for u in rng.random(rows)],
        "a": np.array(["small", "medium", "large"])[played], "p": 1 / 3,
        "r": (rng.random(rows) < 0.3 + 0.2 * played * (city == "Rome")).astype(float), "c_dollars": 0.25 * played})


def answer(log, **options):
    return json.loads(rein.whatif(log, budget=BUDGET, count=3, **options).to_json())


def test_texts_are_categories_in_a_frame_as_in_a_file(tmp_path):
    frame = made()
    frame.to_csv(tmp_path / "log.csv", index=False)
    frame.to_parquet(tmp_path / "log.parquet")
    whole = answer(tmp_path / "log.csv")
    assert answer(frame) == whole
    assert answer(frame.astype({"x_city": "category", "x_plan": "string"})) == whole
    assert answer({name: frame[name].tolist() for name in frame}) == whole
    assert answer(tmp_path / "log.parquet") == whole
    assert rein.evaluate(frame, "uniform").details == rein.evaluate(tmp_path / "log.csv", "uniform").details
    assert answer(frame.drop(columns=["x_city"])) != whole


def test_a_row_without_an_action_is_refused_by_its_number():
    for missing in (None, np.nan):
        frame = made().astype({"a": object})
        frame.loc[7, "a"] = missing
        with pytest.raises(rein.Error, match="row 7 has no action; accepted: its name or number"):
            rein.whatif(frame, budget=BUDGET)


def test_offers_are_read_from_lists_and_from_json(tmp_path):
    frame = made()
    offers = [["small", "medium", "large"] if i % 3 or a == "large" else ["small", "medium"]
              for i, a in enumerate(frame["a"])]
    frame["p"] = [1 / len(each) for each in offers]
    frame["actions"] = [json.dumps(each) for each in offers]
    frame.to_csv(tmp_path / "log.csv", index=False)
    whole = answer(tmp_path / "log.csv")
    assert answer(frame) == whole
    assert answer(frame.assign(actions=offers)) == whole
    assert answer(rein.read_log(tmp_path / "log.csv").to_pandas())["points"] == whole["points"]
    assert answer(frame.drop(columns=["actions"]))["points"] != whole["points"]
    frame.loc[4, "actions"] = '["small", "medium", "lareg"]'
    with pytest.raises(rein.Error, match=r"row \d+ has action .* accepted: one of those offered"):
        answer(frame.assign(a="large"))
    with pytest.raises(rein.Error, match="row 4 offers action 'lareg'; accepted: "):
        answer(frame, actions=["small", "medium", "large"])
    frame.loc[4, "actions"] = "small"
    with pytest.raises(rein.Error, match="column actions has 'small' in row 4; accepted: a list"):
        answer(frame)


def test_columns_of_evaluate_can_have_other_names():
    frame = made()
    other = frame.rename(columns={"a": "mail", "r": "visit", "x_city": "city"})
    names = {"a": "mail", "r": "visit", "x_city": "city"}
    found = rein.evaluate(other, "uniform", columns=names)
    assert found["uniform"].value["reward"] == pytest.approx(rein.evaluate(frame, "uniform")["uniform"].value["reward"])
    with pytest.raises(rein.Error, match="columns: the log has no column 'mial'"):
        rein.evaluate(other, "uniform", columns={"a": "mial"})


def test_actions_with_features_are_named_as_on_the_command_line(tmp_path):
    frame = made()
    frame.to_csv(tmp_path / "log.csv", index=False)
    rein.convert(tmp_path / "log.csv", tmp_path / "log.dsjson")
    found = answer(tmp_path / "log.dsjson")
    words = [os.environ["REIN_PROGRAM"], "whatif", str(tmp_path / "log.dsjson"), "--budget", "dollars=0.1:0.4",
             "--count", "3", "--json"]
    told = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    assert found["points"] == told["points"] and set(found["actions"]) == set(frame["a"])
    with pytest.raises(rein.Error, match="named=True"):
        rein.whatif(rein.read_log(tmp_path / "log.dsjson"), budget=BUDGET)
    assert answer(rein.read_log(tmp_path / "log.dsjson", named=True))["points"] == told["points"]


def test_an_agent_with_names_learns_actions_that_are_features(tmp_path):
    made().to_csv(tmp_path / "log.csv", index=False)
    rein.convert(tmp_path / "log.csv", tmp_path / "log.dsjson")
    agents = [rein.Agent("ccb(rate=0.2)", actions=["small", "medium", "large"], costs=["dollars"], seed=1,
                         context={f"{space}size": "number", f"{space}city": "category"}) for space in ("", "x^")]
    for agent, name in zip(agents, ("log.csv", "log.dsjson"), strict=True):
        assert agent.warm_start(tmp_path / name) == 1500
    ours, theirs = (agent.decide({f"{space}size": 0.3, f"{space}city": "Rome"})
                    for agent, space in zip(agents, ("", "x^"), strict=True))
    assert (ours.action, ours.probability) == (theirs.action, theirs.probability)


def test_parquet_keeps_offers_and_probabilities(tmp_path):
    rows = [{"id": f"e{i}", "action": "u", "probability": 0.25, "actions": ["u", "v"][: 1 + (i > 0)] if i else ["u"],
             "probabilities": [0.25, 0.75] if i else [1.0], "context": {"k": i}, "reward": i % 2, "costs": {"d": 1}}
            for i in range(6)]
    rows[0]["probability"] = 1.0
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name in ("log.parquet", "log.arrow"):
        said = rein.convert(tmp_path / "log.jsonl", tmp_path / name)
        assert f"{name}: 6 rows kept, 0 refused" in said
        back, first = rein.read_log(tmp_path / name), rein.read_log(tmp_path / "log.jsonl")
        assert back.offered() == first.offered() == [["u"], *[["u", "v"]] * 5]
        np.testing.assert_array_equal(back.arrays["probabilities"], first.arrays["probabilities"])
        assert back.arrays["id"] == first.arrays["id"]


def test_actions_in_parquet_are_numbers_only_if_that_changes_nothing(tmp_path):
    for names, kind in ((["0", "1"], "int64"), (["007", "1"], "object"), (["u", "1"], "object")):
        (tmp_path / "log.csv").write_text("x_k,a,p,r\n" + "".join(f"1,{name},0.5,1\n" for name in names))
        rein.convert(tmp_path / "log.csv", tmp_path / "log.parquet")
        assert pd.read_parquet(tmp_path / "log.parquet")["a"].dtype.name in (kind, "str")
        assert sorted(rein.read_log(tmp_path / "log.parquet").names["actions"]) == sorted(names)


def test_columns_are_named_for_convert_too(tmp_path):
    (tmp_path / "log.csv").write_text("age,mail,chance,visit,bill_usd\n31,u,0.5,1,0.2\n44,v,0.5,0,0\n")
    rein.convert(tmp_path / "log.csv", tmp_path / "log.rlog", action="mail", propensity="chance", reward="visit",
                 cost="bill", columns=["age"])
    log = rein.read_log(tmp_path / "log.rlog")
    assert (log.names["context"], log.names["costs"], log.reward.tolist()) == (["age"], ["usd"], [1.0, 0.0])
    with pytest.raises(rein.Error, match='found no column "chanse" for the propensity in the header'):
        rein.read_log(tmp_path / "log.csv", action="mail", propensity="chanse")


def test_messages_name_what_the_caller_gave(tmp_path):
    pd.DataFrame({"x_k": [1.0], "action": ["u"]}).to_parquet(tmp_path / "log.parquet")
    with pytest.raises(rein.Error, match='log.parquet, line 1: found no column "a" for the action'):
        rein.read_log(tmp_path / "log.parquet")


def test_plain_cb_text_can_be_told(tmp_path):
    (tmp_path / "log.vw").write_text("1:0:0.5 | a:1\n2:-1:0.5 | a:2\n")
    assert len(rein.read_log(tmp_path / "log.vw", vw="cb")) == 2
    with pytest.raises(rein.Error, match='vw: found "bag"; accepted: auto, adf, cb'):
        rein.read_log(tmp_path / "log.vw", vw="bag")
