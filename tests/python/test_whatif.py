"""rein.whatif: the numbers of the command line, and of an independent formula where one exists."""

import json
import os
import pathlib
import pickle
import subprocess
import threading
import time

import numpy as np
import pandas as pd
import pytest

import rein

ROOT = pathlib.Path(os.environ.get("REIN_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
LOG = ROOT / "examples" / "data" / "routing_log.csv"
DOLLARS = {"dollars": (0.05, 0.35)}


def made(rows=2000, seed=1, actions=3):
    """A log with one cost, as a dict of columns: cheap actions for most, dear ones for those whom they help."""
    rng = np.random.default_rng(seed)
    x, played = rng.random((rows, 2)), rng.integers(0, actions, rows)
    return {"x_0": x[:, 0], "x_1": x[:, 1], "a": played, "p": np.full(rows, 1 / actions),
            "r": (rng.random(rows) < 0.2 + 0.3 * played * x[:, 0] / actions).astype(float),
            "c": played * (0.5 + 0.5 * x[:, 1]) / actions}


def test_the_numbers_are_those_of_the_command_line(tmp_path):
    found = rein.whatif(LOG, budget=DOLLARS, count=5, at_most={"seconds": 2.0})
    words = [os.environ["REIN_PROGRAM"], "whatif", str(LOG), "--budget", "dollars=0.05:0.35", "--count", "5",
             "--at-most", "seconds=2.0", "--json"]
    told = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    mine = json.loads(found.to_json())
    for key in ("command", "title"):
        told.pop(key), mine.pop(key)
    assert mine == told
    assert found.verdict == told["verdict"]
    assert [point["budget"] for point in found.points] == [point["budget"] for point in told["points"]]


def test_a_path_a_log_a_frame_and_a_dict_are_the_same():
    table = pd.read_csv(LOG)
    whole = rein.whatif(LOG, budget=DOLLARS, count=3).to_json()
    for log in (rein.read_log(LOG), table, {name: table[name].to_numpy() for name in table}):
        assert rein.whatif(log, budget=DOLLARS, count=3).to_json() == whole


def test_columns_can_have_other_names():
    table = pd.read_csv(LOG)
    whole = rein.whatif(table, budget=DOLLARS, count=3).to_json()
    other = table.rename(columns={"a": "model", "p": "chance", "r": "solved", "c_dollars": "bill", "x_hard": "hard",
                                  "x_tokens": "tokens"})
    names = {"a": "model", "p": "chance", "r": "solved", "c_dollars": "bill", "x": ["hard", "tokens"]}
    found = json.loads(rein.whatif(other, columns=names, budget=DOLLARS, count=3).to_json())
    assert found["points"][1]["values"]["reward"] == json.loads(whole)["points"][1]["values"]["reward"]
    with pytest.raises(rein.Error, match="columns: the log has no column 'modell'"):
        rein.whatif(other, columns={"a": "modell"}, budget=DOLLARS)
    with pytest.raises(rein.Error, match="columns: found 'action'; accepted: a, p, r, c, c_NAME, x, x_NAME, w"):
        rein.whatif(other, columns={"action": "model"}, budget=DOLLARS)


def test_threads_change_no_bit():
    assert len({rein.whatif(made(), budget={"cost": (0.1, 0.4)}, count=4, threads=n).to_json() for n in (1, 2, 5)}) == 1


def test_tables_plots_page_and_text(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    found = rein.whatif(LOG, budget={"dollars": (0.02, 0.4), "seconds": [0.3, 1.5, 2.2]}, count=4, grid=True)
    table = found.to_pandas()
    assert list(table.cost) == ["dollars"] * 4 + ["seconds"] * 3
    assert not table.possible[4] and np.isnan(table.reward[4])
    point = found.points[1]["values"]["reward"]
    assert (table.reward[1], table.reward_low[1]) == (point["value"], point["low"])
    assert table.reward_band_high[1] == point["band_high"]
    assert table.filter(like="share_").iloc[1].sum() == pytest.approx(1)
    assert table.expected_size[1] == found.points[1]["expected_size"] > 200
    both = found.to_pandas(grid=True)
    assert both.shape == (3, 4) and both.index.name == "seconds" and both.columns.name == "dollars"
    assert both.iloc[0].isna().all() and both.iloc[2, 3] > both.iloc[1, 1]
    axes = found.plot()
    assert axes.get_xlabel() == "dollars per round" and len(axes.get_lines()) >= 2
    np.testing.assert_array_equal(axes.get_lines()[0].get_ydata(), table.reward[:4])
    assert found.plot(cost="seconds").get_xlabel() == "seconds per round"
    assert found.plot_grid().get_ylabel() == "seconds per round"
    page = tmp_path / "page.html"
    found.report(page)
    assert found.to_json().replace("<", "\\u003c") in page.read_text()
    assert "At half" in repr(found) and "cannot be met" in repr(found)
    assert "<table>" in found._repr_html_()
    assert pickle.loads(pickle.dumps(found)).to_json() == found.to_json()


def test_sensitivity_where_propensities_are_unknown_or_doubted():
    log = made()
    known = rein.whatif(log, budget={"cost": (0.1, 0.3)}, count=3).to_pandas()
    assert not [name for name in known if "sensitivity" in name]
    doubted = rein.whatif(log, budget={"cost": (0.1, 0.3)}, count=3, sensitivity=1.2)
    unknown = rein.whatif({k: v for k, v in log.items() if k != "p"}, budget={"cost": (0.1, 0.3)}, count=3)
    assert (doubted.curves[0]["lambda"], unknown.curves[0]["lambda"]) == (1.2, 1.5)
    for found in (doubted, unknown):
        table = found.to_pandas()
        assert (table.reward_sensitivity_low < table.reward_low).all()
        assert (table.reward_sensitivity_high > table.reward_high).all()
        assert (table.cost_sensitivity_low < table.cost).all()
    labels = [text.get_text() for text in unknown.plot().get_legend().get_texts()]
    assert labels.count("odds wrong by up to 1.5") == 1
    with pytest.raises(rein.Error, match="found sensitivity 0.5; accepted: 1 to"):
        rein.whatif(log, budget={"cost": 0.2}, sensitivity=0.5)


def test_no_band_where_such_logs_have_a_small_effective_size():
    seen = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        x = rng.uniform(-1, 1, 2000)
        rare = 1 / (1 + 2 * np.exp(4 * x))
        a = (rng.random(2000) < rare).astype(int)
        log = {"x_0": x, "a": a, "p": np.where(a, rare, 1 - rare), "r": 0.3 + 0.4 * a + 0.1 * rng.random(2000),
               "c": 1.0 * a}
        point = rein.whatif(log, budget={"cost": [0.5, 1.0]}).points[-1]
        if point["effective_size"] < 200:
            continue
        seen += 1
        largest = (1 / rare).mean() + 1.645 * (1 / rare).std() / 2000**0.5
        assert point["expected_size"] == pytest.approx(2000 / largest, rel=1e-3)
        assert point["expected_size"] < 200 and point["values"]["reward"]["band_low"] is None
    assert seen >= 2


def test_what_is_refused():
    log = made(500)
    for options, said in [
        ({"budget": {"dolars": 1.0}}, "budget: the log has no cost 'dolars'; accepted: ['cost']"),
        ({"budget": {"cost": (0.4, 0.1)}}, "budget cost: found 0.4 to 0.1 in 20 steps; accepted: low below high"),
        ({"budget": {"cost": (0.1, 0.2, 0.3)}}, "accepted: an amount per round, a pair"),
        ({"budget": 0.3}, "budget: found 0.3; accepted: a dict of cost -> amount"),
        ({"budget": {}}, "budget: found none"),
        ({"budget": {"cost": 0.3}, "grid": True}, "grid: found budgets of 1 costs; accepted: of two costs"),
        ({"budget": {"cost": 0.3}, "adaptive": "perhaps"}, "adaptive: found 'perhaps'"),
        ({"budget": {"cost": 0.3}, "predictions": np.zeros((500, 3))},
         "predictions: found shape (500, 3); accepted: (500, 3, 2)"),
        ({"budget": {"cost": 0.3}, "at_least": {"cost": 0.1}}, "other than the budget's"),
    ]:
        with pytest.raises(rein.Error) as raised:
            rein.whatif(log, **options)  # type: ignore[arg-type]
        assert said in str(raised.value)
    with pytest.raises(rein.Error, match="grid: there is none"):
        rein.whatif(log, budget={"cost": 0.3}).to_pandas(grid=True)


def test_progress_goes_up_to_the_end_and_ctrl_c_stops():
    told = []
    rein.whatif(made(), budget={"cost": (0.1, 0.4)}, count=3, progress=lambda done, every: told.append((done, every)))
    assert told == sorted(told) and told[-1] == (1000, 1000)
    import _thread

    log, began = made(200_000), threading.Event()

    def interrupt():
        began.wait(60)
        time.sleep(0.05)
        _thread.interrupt_main()

    stopper = threading.Thread(target=interrupt)
    stopper.start()
    with pytest.raises(KeyboardInterrupt):
        rein.whatif(log, budget={"cost": (0.05, 0.45)}, count=200, threads=1, progress=lambda done, every: began.set())
    stopper.join()
    assert rein.whatif(made(), budget={"cost": 0.3}).points[0]["possible"]  # and it can be asked again


# -- the Qini curve of several arms (Sverdrup, Wu, Athey, Wager, 2023): the best policy under a budget walks the upper
# -- hull of every unit's points (cost, predicted reward), steepest step first, over all units together


def hull(reward, cost):
    """The arms of one unit on the upper left hull from (0, 0), as steps (slope, from, to). Arm 0 costs nothing."""
    steps, now = [], 0
    while True:
        best, slope = None, 0.0
        for arm in range(len(reward)):
            if cost[arm] > cost[now] and (reward[arm] - reward[now]) / (cost[arm] - cost[now]) > slope:
                best, slope = arm, (reward[arm] - reward[now]) / (cost[arm] - cost[now])
        if best is None:
            return steps
        steps.append((slope, now, best))
        now = best


def gain_curve(predicted, cost, scores):
    """Spend and gain per unit after each step; scores are what each arm is worth, which the policy does not see."""
    steps = sorted(((slope, i, old, new) for i in range(len(predicted))
                    for slope, old, new in hull(predicted[i], cost[i])), key=lambda step: -step[0])
    spend = np.cumsum([0.0] + [cost[i, new] - cost[i, old] for _, i, old, new in steps])
    gain = np.cumsum([scores[:, 0].sum()] + [scores[i, new] - scores[i, old] for _, i, old, new in steps])
    return spend / len(predicted), gain / len(predicted)


def units(count, arms, seed):
    """Units with given predictions and costs, and a log of them: arm 0 is the control, which costs nothing."""
    rng = np.random.default_rng(seed)
    predicted = np.column_stack([np.zeros(count), rng.normal(0.3, 0.5, (count, arms - 1))])
    cost = np.column_stack([np.zeros(count), rng.uniform(0.1, 1.0, (count, arms - 1))])
    p = rng.dirichlet(np.full(arms, 9.0), count).clip(0.05)
    p /= p.sum(axis=1, keepdims=True)
    arm = np.array([rng.choice(arms, p=row) for row in p])
    at = np.arange(count), arm
    reward = predicted[at] + rng.normal(0, 1, count)
    scores = predicted.copy()
    scores[at] += (reward - predicted[at]) / p[at]
    return predicted, cost, scores, {"a": arm, "p": p[at], "r": reward, "c": cost[at]}


def test_the_curve_of_one_given_cost_is_the_qini_curve():
    for seed in range(5):
        predicted, cost, scores, log = units(120, 3, seed)  # at most 240 steps: all of them fit on the grid of prices
        spend, gain = gain_curve(predicted, cost, scores)
        budgets = np.linspace(0.001, 1.2 * spend[-1], 25)
        own = np.stack([predicted, cost], axis=2)
        found = rein.whatif(log, budget={"cost": budgets}, predictions=own, adaptive=False)
        assert not any("fewer than 20 times" in line for line in found.warnings)  # so all arms may be played
        ours = [point["values"]["reward"]["value"] for point in found.points]
        np.testing.assert_allclose(ours, np.interp(budgets, spend, gain), rtol=0, atol=1e-9)
        spent = [point["values"]["cost"]["value"] for point in found.points]
        np.testing.assert_allclose(spent, np.minimum(budgets, spend[-1]), rtol=0, atol=1e-9)


def test_with_more_units_than_prices_the_curve_is_close_to_the_qini_curve():
    predicted, cost, scores, log = units(4000, 4, 7)
    spend, gain = gain_curve(predicted, cost, scores)
    budgets = np.linspace(0.02, spend[-1], 15)
    found = rein.whatif(log, budget={"cost": budgets}, predictions=np.stack([predicted, cost], axis=2), adaptive=False)
    for point, exact in zip(found.points, np.interp(budgets, spend, gain)):
        value = point["values"]["reward"]
        assert abs(value["value"] - exact) < 0.15 * value["error"]


def mails(rows=6000, seed=4):
    """By lot: nothing, or a mail for 0.4 dollars, which helps those whose recency is over 0.6."""
    rng = np.random.default_rng(seed)
    recency, mailed = rng.random(rows), rng.integers(0, 2, rows)
    region = np.array(["east", "west"])[rng.integers(0, 2, rows)]
    return pd.DataFrame({"x_recency": recency, "x_region": region, "a": np.array(["none", "mail"])[mailed],
                         "p": np.full(rows, 0.5), "c_dollars": 0.4 * mailed,
                         "r": (rng.random(rows) < 0.3 + 0.5 * mailed * (recency > 0.6)).astype(float)})


def test_money_is_said_beside_the_free_action_and_in_totals():
    found = rein.whatif(mails(), budget={"dollars": (0.05, 0.15)}, count=3, total=64_000, threads=1)
    least = found.curves[0]["cheapest"]
    assert least["action"] == "none" and least["spend"] == 0
    assert abs(least["reward"]["value"] - 0.3) < 0.05
    assert found.verdict[1].startswith("none for everybody, dollars 0 per round, has ")
    assert found.verdict[2].startswith("In 64000 rows: ")
    assert "half of the dollars, 4800, earns " in found.verdict[2]
    assert found.verdict[1] in repr(found) and found.verdict[2] in found._repr_html_()
    with pytest.raises(rein.Error, match="total: found 'many'"):
        rein.whatif(mails(), budget={"dollars": 0.1}, total="many")


def test_segments_say_in_words_who_gets_what():
    found = rein.whatif(mails(), budget={"dollars": 0.15}, segments=True, threads=1)
    first = found.segments[0]
    assert first["action"] == "mail" and first["words"].startswith("recency over 0.")
    gain = first["gain"]["reward"]
    assert 0.3 < gain["low"] < gain["value"] < gain["high"]
    assert found.whom["cheapest"] == "none" and found.whom["budget"] == 0.15
    table = found.to_pandas(segments=True)
    assert list(table.who) == [each["words"] for each in found.segments]
    assert first["words"] in repr(found) and first["words"].replace("<", "&lt;") in found._repr_html_()
    assert json.loads(found.to_json())["segments"]["segments"] == found.segments
    again = rein.whatif(mails(), budget={"dollars": (0.05, 0.15)}, segments=2, segments_at={"dollars": 0.1}, threads=1)
    assert again.whom["budget"] == 0.1 and len(again.segments) <= 2
    assert pickle.loads(pickle.dumps(again)).segments == again.segments
    assert rein.whatif(mails(), budget={"dollars": 0.1}, threads=1).segments == []


@pytest.mark.parametrize("words, said", [
    ({"segments": 1}, "segments: found 1; accepted: 2 to 16"),
    ({"segments_at": {"dollars": 0.1}}, "segments_at: found no segments"),
    ({"segments": 3, "segments_at": {"euros": 0.1}}, "segments_at: the log has no cost 'euros'"),
    ({"segments": 3, "parallel": 2}, "parallel: found predictions, columns, sensitivity, segments or unit"),
])
def test_segments_that_cannot_be_are_refused(words, said):
    with pytest.raises(rein.Error, match=said):
        rein.whatif(mails(600), budget={"dollars": 0.1}, **words)
