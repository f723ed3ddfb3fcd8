"""Runs: the numbers of the command line, to the bit, and what can be made of them."""

import csv
import io
import json
import os
import pickle
import subprocess
import threading

import matplotlib
import numpy as np
import pytest
from contract import checked, valid, without_time

import rein

matplotlib.use("Agg")

WORLD, POLICIES = "linear(k=4,d=3,costs=positive,rate=0.2)", ["ccb", "squarecb(gamma_scale=3),uniform"]


@pytest.fixture(scope="module")
def result():
    return rein.run(WORLD, POLICIES, rounds=400, seeds=3)


def same_every_time(text):
    return without_time(checked(text))


def test_live_budgets_and_parts_are_the_command_lines(program):
    world = "linear(k=4,d=3,costs=positive)"
    words = [program, "run", "--world", world, "--rounds", "300", "--seeds", "2", "--missing", "reward=0.4,cost=0.1",
             "--late", "reward=20", "--keys", "user=3", "--ticks", "2", "--expire", "30",
             "--budget", 'day(cost=cost,amount=20,per="200 ticks",hard=1,carry=1)',
             "--budget", 'budget(name="each user",cost=cost,amount=9,per="last 200 ticks",scope=user)']
    options = dict(rounds=300, seeds=2, missing={"reward": 0.4, "cost": 0.1}, late={"reward": 20}, keys={"user": 3},
                   ticks=2, expire=30, budgets=[
                       rein.Budget("day", "cost", 20, hard=True, per="200 ticks", carry=True),
                       rein.Budget("each user", "cost", 9, per="last 200 ticks", scope="user")])
    here = rein.run(world, **options)
    there = same_every_time(subprocess.check_output([*words, "--json"]))
    assert same_every_time(here.to_json()) == there
    day, each = there["policies"][0]["budgets"]
    assert day["windows"]["mean"] == 3 and day["over"]["mean"] == 0 and each["name"] == "each user"
    row = next(csv.DictReader(io.StringIO(subprocess.check_output([*words, "--csv"], text=True))))
    assert float(row["mean each user"]) == here.totals[0]["mean each user"]


@pytest.mark.parametrize("more", [[], ["--delay", "7", "--references", "--first-seed", "5"]])
def test_the_numbers_are_the_command_lines(program, more):
    words = [program, "run", "--world", WORLD, "--rounds", "400", "--seeds", "3", "--json", *more]
    for policy in POLICIES:
        words += ["--policy", policy]
    options = dict(delay=7, references=True, first_seed=5) if more else {}
    here = rein.run(WORLD, POLICIES, rounds=400, seeds=3, **options)
    assert same_every_time(here.to_json()) == same_every_time(subprocess.check_output(words))
    words[words.index("--json")] = "--csv"
    there = subprocess.check_output(words, text=True).splitlines()
    assert [line.rsplit(",", 1)[0] for line in here.to_csv().splitlines()] == [
        line.rsplit(",", 1)[0] for line in there]


def test_numbers_do_not_depend_on_threads(result):
    assert same_every_time(rein.run(WORLD, POLICIES, rounds=400, seeds=3, threads=1).to_json()) == same_every_time(
        result.to_json())


def test_pandas_has_the_totals_exactly(result):
    frame = result.to_pandas()
    assert len(frame) == 9 and set(frame["policy"]) == set(result.policies)
    for row, totals in zip(frame.to_dict("records"), result.totals):
        assert row["reward"] == totals["reward"] and row["spend cost"] == totals["spend cost"]
    curves = result.to_pandas(curves=True)
    last = curves.groupby(["policy", "seed"]).last()
    for totals in result.totals:
        row = last.loc[(totals["policy"], totals["seed"])]
        assert row["round"] == 400 and row["ccv cost"] == totals["ccv cost"]


def test_the_numbers_are_those_of_the_texts(result):
    """They come from C++ as numbers; the texts say the same."""
    assert valid(result.summary) == json.loads(result.to_json())
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    assert [list(row) for row in rows] == [list(row) for row in result.totals]
    for row, totals in zip(rows, result.totals):
        assert (row.pop("policy"), row.pop("status")) == (totals["policy"], totals["status"])
        for key, text in row.items():
            assert text == "" if np.isnan(totals[key]) else float(text) == totals[key], key
    compared = rein.compare(WORLD, "ccb,uniform", rounds=50, seeds=2)
    assert valid(compared.summary) == json.loads(compared.to_json()) and compared.summary["kind"] == "compare"
    found = rein.verify(parts="d", seeds=2, first=5, last=6)
    assert valid(found.summary) == json.loads(found.to_json()) and found.rows == found.summary["verify"]["rows"]


def test_reading_them_parses_no_text(result, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("text was parsed")

    for module, name in ((json, "loads"), (json, "load"), (csv, "reader"), (csv, "DictReader")):
        monkeypatch.setattr(module, name, refuse)
    repr(result), result._repr_html_(), result.to_pandas(), result.plot_pareto()
    assert result.summary is result.summary and result.totals is result.totals


def test_plots_show_every_policy(result):
    for axes in (result.plot_regret(), result.plot_spend(), result.plot_spend(cost="cost"), result.plot_pareto()):
        labels = [text.get_text() for text in axes.get_legend().get_texts()]
        assert set(result.policies) <= set(labels)
        matplotlib.pyplot.close(axes.figure)
    line = result.plot_regret().get_lines()[0]
    assert line.get_xdata()[-1] == 400
    assert line.get_ydata()[-1] == pytest.approx(result.summary["policies"][0]["regret"]["mean"])
    with pytest.raises(rein.Error, match="accepted"):
        result.plot_spend(cost="euros")


def test_one_seed_has_no_interval():
    one = rein.run("two_arm", "ccb(oracle=truth)", rounds=50)
    one.plot_regret()
    one.plot_pareto()
    assert one.summary["policies"][0]["reward"]["low"] is None and "±" not in repr(one)


def test_it_shows_itself(result):
    assert "squarecb(gamma_scale=3)" in repr(result)
    html = result._repr_html_()
    assert html.count("<tr>") == 4 and "spend cost (at most 80)" in html
    assert "CCV cost (at most 0)" in repr(rein.run("linear(k=3,d=3)", "uniform", rounds=20))
    assert pickle.loads(pickle.dumps(result)).to_json() == result.to_json()


def test_progress_is_told_and_ends_at_all():
    told = []
    rein.run("two_arm", "uniform", rounds=5000, progress=lambda done, every: told.append((done, every)))
    assert told[-1] == (5000, 5000) and [d for d, _ in told] == sorted(d for d, _ in told)


def test_a_bar_is_shown_where_it_is_asked_for_and_not_to_a_file(capfd):
    rein.run("two_arm", "uniform", rounds=2000)
    assert capfd.readouterr().err == ""
    rein.run("two_arm", "uniform", rounds=2000, progress=True)
    assert "2.00k/2.00k" in capfd.readouterr().err
    rein.run("two_arm", "uniform", rounds=200, progress=True, parallel="threading")
    assert "200/200" in capfd.readouterr().err


def test_what_progress_raises_ends_the_run():
    def stop(done, every):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rein.run("linear", "ccb", rounds=10**9, progress=stop)
    assert "rein" not in [thread.name for thread in threading.enumerate()]


def test_a_table_is_run_to_its_end(tmp_path):
    (tmp_path / "t.csv").write_text("x_1,r0,r1,c0,c1\n" + "0.5,1,0,0.1,0\n" * 30)
    result = rein.run(f'table(file="{tmp_path}/t.csv",rate=0.05)', "greedy")
    assert result.summary["rounds"] == 30


@pytest.mark.parametrize("message, words", [
    ("unknown name", dict(world="linaer")), ("unknown name", dict(policies="cbb")),
    ("rounds is -1", dict(rounds=-1)), ("seeds is 0", dict(seeds=0)),
])
def test_what_cannot_run_is_refused(message, words):
    with pytest.raises(rein.Error, match=message):
        rein.run(**{"rounds": 10, **words})


def test_curves_can_be_left_out():
    bare = rein.run("two_arm", "uniform", rounds=50, curve_points=0)
    assert np.isfinite(bare.totals[0]["reward"])
    with pytest.raises(rein.Error, match="curve_points"):
        bare.plot_regret()


COMPARED = dict(rounds=300, seeds=3, grid={"gamma_scale": [0.5, 2.0]}, all_pairs=True)


def test_a_comparison_is_the_command_lines(program, tmp_path):
    words = ["compare", "--world", WORLD, "--policies", "ccb,squarecb", "--rounds", "300", "--seeds", "3",
             "--grid", "gamma_scale=0.5,2", "--all-pairs", "--json"]
    here = rein.compare(WORLD, "ccb,squarecb", **COMPARED)
    assert same_every_time(here.to_json()) == same_every_time(subprocess.check_output([program, *words]))


def test_a_comparison_shows_rows_and_pairs_and_goes_on_where_it_stopped(tmp_path):
    first = rein.compare(WORLD, "ccb,squarecb", resume=tmp_path / "kept.jsonl", **COMPARED)
    assert len(first.policies) == 6 and len(first.rows) == 4
    assert [row["best"] for row in first.rows] == [False, True, False, True]
    assert {pair["a"] for pair in first.pairs} <= {row["spec"] for row in first.rows}
    axes = first.plot_pareto()
    assert len(axes.get_legend().get_texts()) == 5  # four rows, and what is allowed
    assert first._repr_html_().count("<tr>") == 5
    again = rein.compare(WORLD, "ccb,squarecb", resume=tmp_path / "kept.jsonl", **COMPARED)
    assert again.restored == 18 and same_every_time(again.to_json()) == same_every_time(first.to_json())
    first.report(tmp_path / "report.html")
    assert "<html" in (tmp_path / "report.html").read_text()[:500].lower()


def test_a_verification_can_be_read(tmp_path):
    found = rein.verify(parts="d", seeds=2, first=6, last=8)
    assert {row["part"] for row in found.rows} == {"d"} and isinstance(found.passed, bool)
    frame = found.to_pandas()
    assert set(frame["horizon"]) == {64, 128, 256} and "regret" in set(frame["quantity"])
    assert "exponent" in repr(found) and "<table>" in found._repr_html_()
    for axes, quantity in ((found.plot_regret(), "regret"), (found.plot_spend(), "ccv")):
        row = next(row for row in found.rows if row["quantity"] == quantity)
        line, bound = axes.get_lines()[0], [part for part in axes.get_lines() if part.get_linestyle() == ":"][0]
        assert line.get_ydata().tolist() == [figure["mean"] for figure in row["measured"]]
        assert list(bound.get_ydata()) == row["bounds"] and axes.get_ylabel() == quantity
        matplotlib.pyplot.close(axes.figure)
    found.report(tmp_path / "verify.html")
    with pytest.raises(rein.Error, match="accepted"):
        rein.verify(parts="z")


def test_a_verification_goes_on_from_its_file(tmp_path):
    options = {"parts": "b", "seeds": 2, "first": 6, "last": 8}
    kept = tmp_path / "kept.jsonl"
    first = rein.verify(resume=kept, **options)
    assert len(kept.read_text().splitlines()) == 1 + 2 * 3 * len({(row["world"], row["policy"]) for row in first.rows})
    assert rein.verify(resume=kept, **options).to_json() == first.to_json() == rein.verify(**options).to_json()


def test_a_hunt_finds_bounds_that_are_too_small():
    found = rein.falsify(cases=40, tighten=8.0)
    assert found["runs"] + found["outside"] + found["refused"] == 40 and found["offences"] > 0
    assert all(call["measured"] > call["bound"] and "rein run" in call["command"] for call in found["offenders"])
    assert found["closest"] and found["closest"] == rein.falsify(cases=40, tighten=8.0, threads=1)["closest"]
    with pytest.raises(rein.Error, match="accepted"):
        rein.falsify()


def test_a_verification_is_the_command_lines(program):
    here = checked(rein.verify(parts="f", seeds=2).to_json())
    done = subprocess.run([program, "verify", "--parts", "f", "--seeds", "2", "--json"], stdout=subprocess.PIPE)
    there = checked(done.stdout)
    assert there.pop("command") and not here.pop("command")
    assert here == there and done.returncode == (0 if all(row["pass"] for row in here["verify"]["rows"]) else 1)


def test_a_path_that_is_not_utf8_is_resumed(tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"kept\xff.jsonl")
    assert [rein.compare("two_arm", "uniform", rounds=9, resume=path).restored for _ in range(2)] == [0, 1]
    with pytest.raises(rein.Error, match="kept\udcff.jsonl is of another run"):
        rein.compare("two_arm", "uniform", rounds=10, resume=path)
