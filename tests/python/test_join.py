"""Logs in several Parquet files, outcomes in a table of their own, and columns that nobody uses in silence."""

import numpy as np
import pytest

import rein

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")


def log(rows=400):
    rng = np.random.default_rng(1)
    x, mail = rng.random(rows), rng.integers(0, 2, rows)
    return pandas.DataFrame({"id": [f"d{i}" for i in range(rows)], "x_age": x, "a": np.array(["no", "yes"])[mail],
                             "p": 0.5, "r": (rng.random(rows) < 0.2 + 0.5 * mail * x).astype(float), "c_eur": mail * 1.0})


def curve(found):
    return rein.whatif(found, budget={"eur": (0.1, 0.5)}, count=3).to_pandas().reward.tolist()


def test_a_pattern_of_parquet_files_is_one_log(tmp_path):
    whole = log()
    whole[:150].to_parquet(tmp_path / "a.parquet")
    whole[150:].to_parquet(tmp_path / "b.parquet")
    assert curve(str(tmp_path / "*.parquet")) == curve(whole)
    whole.drop(columns="p").to_parquet(tmp_path / "c.parquet")
    with pytest.raises(rein.Error, match="the same in all files"):
        curve(str(tmp_path / "*.parquet"))
    with pytest.raises(rein.Error, match="found no file"):
        curve(str(tmp_path / "no*.parquet"))


def test_outcomes_are_joined_by_id_in_any_order(tmp_path):
    whole = log()
    decisions, outcomes = whole[["id", "x_age", "a", "p"]], whole[["id", "r", "c_eur"]].sample(frac=1, random_state=3)
    decisions.to_parquet(tmp_path / "decisions.parquet")
    joined = rein.join_outcomes(str(tmp_path / "decisions.parquet"), outcomes)
    assert curve(joined) == curve(whole)
    late = rein.join_outcomes(decisions, outcomes[outcomes.id != "d7"])
    assert np.isnan(late["r"]).tolist().index(True) == 7
    for wrong, message in ((pandas.concat([outcomes, outcomes[:1]]), "comes twice"),
                           (outcomes.assign(id="other"), "comes twice"),
                           (outcomes[:1].assign(id="other"), "'other' is of no decision"),
                           (outcomes.assign(p=1.0), "both have the column 'p'"),
                           (outcomes.rename(columns={"id": "key"}), "found no column 'id'")):
        with pytest.raises(rein.Error, match=message):
            rein.join_outcomes(decisions, wrong)


def test_columns_without_the_prefix_are_used_or_refused():
    plain = log().rename(columns={"x_age": "age"})
    with pytest.raises(rein.Error, match="columns age are no context"):
        curve(plain)
    named = rein.whatif(plain, budget={"eur": (0.1, 0.5)}, count=3, columns={"x": ["age"]})
    assert named.to_pandas().reward.tolist() == curve(log())
    rein.evaluate(plain, ["logged"], columns={"x": []})
