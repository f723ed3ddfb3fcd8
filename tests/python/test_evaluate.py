"""rein.evaluate: what holds a log, what is a policy, and what the answer has."""

import numpy as np
import pandas
import pyarrow
import pytest

import rein


def log(rows=3000, seed=5):
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=rows), 3)
    p = np.where(rng.random(rows) < 0.5, 0.3, 0.7)
    a = (rng.random(rows) < p).astype(int)  # action 1 with probability p
    p = np.where(a == 1, p, np.round(1 - p, 1))
    r = np.round(np.clip(0.4 + 0.2 * a + 0.1 * x * a + 0.05 * rng.normal(size=rows), 0, 1), 4)
    c = np.round(0.1 + 0.3 * a + 0.02 * rng.random(rows), 4)
    return {"x_0": x, "a": np.where(a == 1, "large", "small"), "p": p, "r": r, "c_dollars": c}


def table(found):
    return found.to_pandas().drop(columns="policy").to_numpy().tolist()


def test_every_holder_of_a_log_gives_the_same_answer(tmp_path):
    columns = log()
    names = sorted(set(columns["a"]), key=list(columns["a"]).index)
    frame = pandas.DataFrame(columns)
    frame.to_csv(tmp_path / "log.csv", index=False)
    known = rein.evaluate(columns, "action(large)")
    assert known.details["actions"] == names
    for each in (frame, pyarrow.table(frame), tmp_path / "log.csv", rein.read_log(tmp_path / "log.csv"),
                 str(tmp_path / "log.csv")):
        assert rein.evaluate(each, "action(large)").details == known.details
    feedback = {"n_actions": 2, "context": columns["x_0"][:, None], "reward": columns["r"], "pscore": columns["p"],
                "action": np.array([names.index(name) for name in columns["a"]]),
                "costs": {"dollars": columns["c_dollars"]}}
    found = rein.evaluate(feedback, f"action({names.index('large')})")
    assert found[0].value == known[0].value and found[0].low == known[0].low


def test_policies_by_text_and_by_probabilities():
    columns = log()
    names = rein.evaluate(columns, "uniform").details["actions"]
    dist = np.tile([0.25, 0.75], (3000, 1))
    mix = f"mix({names[0]}=0.25,{names[1]}=0.75)"
    found = rein.evaluate(columns, ["logged", mix, {"mine": dist}])
    assert [each.policy for each in found.policies] == ["logged", mix, "mine"] and len(found) == 3
    assert found["mine"].value == found[mix].value and found["mine"].kind == "given"
    assert found["logged"].value["reward"] == pytest.approx(columns["r"].mean())
    robust = next(row["value"] for row in found.rows()
                  if (row["policy"], row["estimator"], row["head"]) == ("mine", "dr", "reward"))
    assert found["mine"].difference["reward"]["value"] == pytest.approx(robust - found["logged"].value["reward"])
    assert found["logged"].difference == {}
    assert rein.evaluate(columns, dist[:, :, None])[0].value == found["mine"].value
    text = str(found)
    assert f"mine ({found['mine'].estimator}): reward" in text and "effective size" in text
    with pytest.raises(KeyError):
        found["yours"]


def test_a_file_with_refused_rows_says_so(tmp_path):
    lines = "".join(f"{i % 5},{'ab'[i % 2]},{0.5 if i else 2},{i % 2},{i % 2}\n" for i in range(1000))
    (tmp_path / "log.csv").write_text("x_u,a,p,r,c\n" + lines)
    found = rein.evaluate(tmp_path / "log.csv", "logged")
    curve = rein.whatif(tmp_path / "log.csv", budget={"cost": 0.3})
    assert "refused 1 row: line 2: found probability 2" in found.refused and found.refused == curve.refused
    for shown in (str(found), str(curve), curve._repr_html_()):
        assert "line 2: found probability 2" in shown and "a policy that did not learn (adaptive=)" in shown
    assert rein.evaluate(log(), "logged").refused == ""


def test_whether_a_learner_made_the_log_is_said_as_for_whatif():
    for said, name in ((True, "yes"), (False, "no")):
        found = rein.evaluate(log(), "action(large)", adaptive=said)
        assert found.details["adaptive"] is said
        assert found.details == rein.evaluate(log(), "action(large)", adaptive=name).details


def test_a_learning_policy_paces_its_budget():
    found = rein.evaluate(log(), ["uniform", "ccb"], budget={"dollars": 0.2}, seed=3)
    learner = found["ccb"]
    assert learner.kind == "learning" and found["uniform"].kind == "fixed"
    replay = learner.details["replay"]
    assert replay["least"] == 0.3 and 800 < replay["accepted"] < 900 and replay["accepted"] == replay["horizon"]
    assert learner.value["dollars"] < 0.23
    assert {row["estimator"] for row in found.rows() if row["policy"] == "ccb"} >= {"dr", "ips", "rejection"}
    again = rein.evaluate(log(), ["uniform", "ccb"], budget={"dollars": 0.2}, seed=3, threads=1)
    assert again.details == found.details


def test_limits_sequences_sensitivity_and_frozen():
    found = rein.evaluate(log(), "squarecb", frozen=True, train=0.2, at_most={"dollars": 0.5}, sensitivity=1.3,
                          ranges={"reward": (0, 1)}, sequence=True)
    line = found[0].details
    assert found.details["first"] == 600 and found[0].kind == "frozen"
    assert line["region"]["certain"] is True
    assert line["sequence"]["reward"]["low"] < found[0].low["reward"]
    assert line["sequence"]["dollars"]["low"] is None
    assert line["sensitivity"]["reward"]["low"] < found[0].low["reward"]


def test_a_log_without_propensities_says_so():
    columns = log()
    del columns["p"]
    found = rein.evaluate(columns, "action(large)")
    assert "no propensities" in found.warnings[0] and "sensitivity" in found[0].details
    assert "no propensities" in str(found)


def test_missing_outcomes_are_left_out_and_counted():
    columns = log()
    columns["r"][:100] = np.nan
    found = rein.evaluate(columns, "uniform")
    assert found[0].details["missing"] == 100 and found[0].details["used"] == 2900
    assert any("lack an outcome" in line for line in found[0].warnings)


def test_whole_numbers_are_actions_in_their_order():
    columns = log()
    columns["a"] = np.where(columns["a"] == "large", 10, 9).astype(float)
    assert rein.evaluate(columns, "action(10)").details["actions"] == ["9", "10"]
    assert rein.evaluate(columns, "action(10)", actions=["10", "9"]).details["actions"] == ["10", "9"]


@pytest.mark.parametrize(("change", "options", "words"), [
    ({"r": None}, {}, "no column r"),
    ({"p": "x"}, {}, "column p is not numbers"),
    ({"p": [0.5]}, {}, "column p has shape"),
    ({"p": 0.0}, {}, "propensity 0"),
    ({"x_0": np.inf}, {}, "column x_0 has inf in row 0"),
    ({"a": 0.5}, {}, "accepted: whole numbers or names"),
    ({}, {"actions": ["small"]}, "has action 'large'"),
    ({}, {"policy": "action(no)"}, 'the log has no action "no"'),
    ({}, {"policy": np.ones((2, 2))}, "found shape"),
    ({}, {"policy": {"m": np.ones((3000, 2))}}, "sum to 2"),
    ({}, {"budget": {"pounds": 1}}, "has no 'pounds'; accepted: dollars"),
    ({}, {"budget": 3}, "accepted: a dict by name"),
    ({}, {"ranges": {"reward": 3}}, "accepted: (low, high)"),
    ({}, {"sequence": True}, "needs the range"),
    ({}, {"adaptive": "maybe"}, "adaptive: found 'maybe'; accepted: True, False or"),
    ({}, {"predicted": np.ones(3)}, "rows x actions x heads"),
    ({}, {"train": 2.0, "frozen": True}, "train share 2"),
])
def test_refusals_say_what_is_accepted(change, options, words):
    columns = log()
    for name, value in change.items():
        if value is None:
            del columns[name]
        elif np.ndim(value) == 0:
            columns[name] = np.full(3000, value)
        else:
            columns[name] = value
    policy = options.pop("policy", "uniform")
    with pytest.raises(rein.Error) as refused:
        rein.evaluate(columns, policy, **options)
    assert words in str(refused.value)


def test_what_is_no_log_is_refused():
    with pytest.raises(rein.Error, match="found int; accepted: a path"):
        rein.evaluate(3, "uniform")


def test_progress_is_told():
    told = []
    rein.evaluate(log(), ["squarecb", "uniform"], progress=lambda done, every: told.append((done, every)))
    assert told[0] == (0, 1000) and told == sorted(told) and any(done >= 500 for done, _ in told)


def users():
    """40 users with 50 rows each, which have their level in common."""
    rng = np.random.default_rng(4)
    user = np.arange(2000) // 50
    a = rng.integers(0, 2, 2000)
    return {"x_n": rng.normal(size=2000), "a": a, "p": np.full(2000, 0.5), "c": 1.0 * a,
            "user": [f"u{u}" for u in user],
            "r": rng.normal(size=40)[user] + 0.3 * rng.normal(size=2000)}


def test_rows_of_a_unit_are_one_observation(tmp_path):
    columns = users()

    def width(**more):
        found = rein.evaluate(columns, "action(1)", adaptive=False, **more)
        return found[0].high["reward"] - found[0].low["reward"], found

    alone, asked = width()
    assert any("unit=" in line for line in asked.warnings)
    together, found = width(unit="user")
    assert together > 4 * alone and found.details["units"] == 40 and not found.warnings
    assert width(unit=np.arange(2000) // 50)[0] == together
    lines = "".join(f"{u},{x!r},{a},0.5,{r!r},{c}\n" for u, x, a, r, c in
                    zip(columns["user"], columns["x_n"].tolist(), columns["a"].tolist(), columns["r"].tolist(),
                        columns["c"].tolist()))
    (tmp_path / "log.csv").write_text("user,x_n,a,p,r,c\n" + lines)
    file = rein.evaluate(tmp_path / "log.csv", "action(1)", adaptive=False, unit="user")
    assert file[0].high == found[0].high
    logs = (columns, tmp_path / "log.csv")
    curves = [rein.whatif(log, budget={"cost": 0.5}, adaptive=False, unit="user") for log in logs]
    assert curves[0].curves == curves[1].curves and curves[0].curves[0]["units"] == 40


def test_a_column_that_looks_like_units_is_asked_about(tmp_path):
    """Shuffled rows of users: neither neighbours nor contexts are alike."""
    columns, order = users(), np.random.default_rng(1).permutation(2000)
    shuffled = {name: np.asarray(values)[order] for name, values in columns.items()}
    assert any('"user"' in line for line in rein.evaluate(shuffled, "action(1)", adaptive=False).warnings)
    assert any('"user"' in line for line in rein.whatif(shuffled, budget={"cost": 0.5}, adaptive=False).warnings)
    (tmp_path / "log.csv").write_text("\n".join([",".join(shuffled)] + [
        ",".join(map(str, row)) for row in zip(*(values.tolist() for values in shuffled.values()))]))
    found = rein.evaluate(tmp_path / "log.csv", "action(1)", adaptive=False)
    assert any("--unit user" in line for line in found.warnings)
    shuffled["user"] = shuffled["user"][np.random.default_rng(2).permutation(2000)]
    assert not rein.evaluate(shuffled, "action(1)", adaptive=False).warnings


@pytest.mark.parametrize(("unit", "words"), [
    ("usr", "no column 'usr'"), ([1, 2], "found 2 values; accepted: 2000"), ([None] * 2000, "row 0 has none")])
def test_units_that_do_not_fit_are_refused(unit, words):
    with pytest.raises(rein.Error, match=words):
        rein.evaluate(users(), "action(1)", unit=unit)


def test_a_notebook_shows_values_and_differences():
    rng = np.random.default_rng(2)
    a = rng.integers(0, 2, 500)
    log = {"x_age": rng.random(500), "a": a, "p": np.full(500, 0.5), "r": 0.2 + 0.3 * a, "c_eur": 1.0 * a}
    shown = rein.evaluate(log, ["action(0)", "action(1)"])._repr_html_()
    assert shown.count("<table>") == 2 and "minus the first" in shown and "action(1)" in shown and "log: taken as" in shown
