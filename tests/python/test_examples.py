"""The worked examples run as a user runs them, at full size, and what they print is what they promise. The long ones
are part of `make test-python`, not of `make test`."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(os.environ.get("REIN_SOURCE_DIR", pathlib.Path(__file__).parents[2]))


def rows(name, folder):
    """Runs examples/python/NAME.py: the table that it printed, name -> numbers, and the whole text."""
    done = subprocess.run([sys.executable, ROOT / "examples" / "python" / f"{name}.py", "--out", folder],
                          capture_output=True, text=True, cwd=folder, timeout=300)
    assert done.returncode == 0, done.stderr
    picture = (folder / f"{name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 10_000
    table = {}
    for line in done.stdout.split("\n\n")[0].splitlines():
        found = re.fullmatch(r"(\S.*?)((?:\s+\d+(?:\.\d+)?){3,})", line)
        if found:
            table[found[1]] = [float(number) for number in found[2].split()]
    return table, done.stdout


@pytest.mark.skipif(importlib.util.find_spec("pareto_bandit") is None,
                    reason="the rows ship with paretobandit, which is not installed (tests/python/requirements.txt)")
def test_a_dollar_routes_all_prompts_better_than_the_mix_of_the_same_price(tmp_path):
    table, _ = rows("llm_routing", tmp_path)
    mark, dollars, most = table["ccb, $1.00"]
    assert 0.95 < dollars <= most <= 1.0
    assert mark > table["hand-set mix"][0] + 0.01
    assert mark > table["llama 8b always"][0] + 0.05
    assert table["mistral large always"][1] > 1.5                       # alone it does not fit the dollar
    assert table["gemini pro always"][1] > 50
    assert table["squarecb, no budget"][1] > 10
    assert table["ccb, $0.50"][2] <= 0.505 and table["ccb, $2.00"][2] <= 2.0 and table["ccb, $4.00"][2] <= 4.0


def test_the_limit_on_overdoses_is_kept_with_outcomes_that_come_days_later(tmp_path):
    table, text = rows("dosing", tmp_path)
    right, _, most = table["ccb(rate=0.1,oracle=stack)"]
    assert most <= 0.103 and table["ccb(rate=0.1)"][2] <= 0.103
    assert right > table["under 21 mg for all"][0] + 0.2
    assert right > table["squarecb"][0] + 0.1
    assert right > table["greedy"][0] - 0.02 and table["greedy"][1] > 0.115
    assert right < table["knows the formulas"][0]
    decided, learned, expired, waiting = map(int, re.search(
        r"(\d+) decided, (\d+) learned, (\d+) never came back, (\d+) not back yet", text).groups())
    assert decided == learned + expired + waiting and expired > 0


def test_no_wall_is_passed_and_the_coupons_sell_more(tmp_path):
    table, text = rows("coupons", tmp_path)
    for name in ("ccb", "squarecb", "greedy", "uniform"):
        _, _, money, _, mails = table[name]
        assert money <= 40 and mails <= 800, name
    assert table["by hand, no wall"][2] > 40                            # right on average is not a wall
    assert table["ccb"][0] > 1.2 * max(table[name][0] for name in ("by hand, no wall", "squarecb", "greedy", "uniform"))
    assert "No wall was passed in any of 20 seasons" in text


@pytest.mark.long
def test_the_quality_floor_is_met_at_nearly_the_lowest_cost(tmp_path):
    table, _ = rows("quality_floor", tmp_path)
    quality, worst, _, share = table["agent"]
    assert abs(quality - 0.95) <= 0.001 and abs(worst - 0.95) <= 0.002   # in every seed
    assert share <= 1.10                             # of the agent that knows everything; seeds nothing was chosen on
    assert table["two models at random"][3] > 1.3


@pytest.mark.long
def test_twelve_months_in_a_row_keep_their_budget_on_one_agent(tmp_path):
    table, text = rows("routing_year", tmp_path)
    for month in range(1, 13):
        _, spent, quality, best, mix, *shares = table[str(month)]
        assert 980 <= spent <= 1002, month
        assert best - 0.006 < quality < best + 0.001, month
        assert quality > mix + 0.003, month
        assert shares[3] > 0.5 if month >= 7 else shares[3] == 0, month  # the new model, from July on
    assert table["4"][7] < 0.75 * table["3"][7]                            # the large one doubled its price
    decided, expired, waiting = map(int, re.search(r"(\d+) decided, (\d+) never rated, (\d+) not rated", text).groups())
    assert 0.35 * decided < expired < 0.45 * decided and waiting < 5000


@pytest.mark.long
def test_no_day_is_over_its_hard_budget_and_the_holdout_is_random(tmp_path):
    table, text = rows("coupons_by_day", tmp_path)
    mean, _, most, held, lift, error = table["hard"]
    assert 380 <= mean <= most <= 400
    assert abs(held - 0.1) < 0.005 and lift > 5 * error
    mean, least, _, held, lift, error = table["steer"]
    assert abs(mean - 400) <= 4 and least > 320
    assert abs(held - 0.1) < 0.005 and lift > 5 * error
    found = re.findall(r"holdout and strata: chi-square \S+, p = (\S+); no coupon and strata: \S+ \S+, p = (\S+)", text)
    assert len(found) == 2
    for holdout, chosen in found:
        assert float(holdout) > 0.01            # independent of who the visitor is
        assert float(chosen) < 0.01             # the test finds what does depend on it


@pytest.mark.long
def test_a_warm_start_earns_what_the_agent_does_that_played_the_log(tmp_path):
    table, _ = rows("warm_start", tmp_path)
    _, dollars, most, share, least = table["warm"]
    assert share >= 0.97 and least >= 0.95                               # of the first 1000 live rounds
    assert 240 < dollars <= most <= 252
    assert table["cold"][3] < share - 0.03 and table["rule of thumb"][3] < 0.8


@pytest.mark.long
def test_litellms_router_spends_its_dollar_and_not_a_micro_dollar_more(tmp_path):
    table, text = rows("litellm_router", tmp_path)
    spent, limit, held = map(float, re.search(r"spent (\S+) of (\S+) dollars, held (\S+)", text).groups())
    assert 0.9 < spent <= limit == 1.0 and held == 0.0
    learned, refused = map(int, re.search(r"(\d+) answers, .* (\d+) refused", text).groups())
    assert learned + refused == 2000 and learned == sum(table[name][2] for name in ("small", "medium", "large"))
    easy, hard, _ = table["small"]
    assert easy > 2 * hard                              # the small model gets the easy prompts


def test_half_of_the_money_for_mails_keeps_most_visits_and_the_bands_hold_the_truth(tmp_path):
    table, text = rows("email_campaign", tmp_path)
    assert len(table) == 7
    for name, (visits, low, high, mix, known) in table.items():
        assert low < visits < high and low < known < high, name
        assert visits > mix + 5  # mails to those whom they move, at the same money
    share, low, high = map(float, re.search(r"earn ([\d.]+) % \[([\d.]+), ([\d.]+)\] of the reward", text).groups())
    assert 75 < low < share < high < 90
    page = (tmp_path / "email_campaign.html").read_text()
    assert "An e-mail campaign: visits against dollars" in page and "default-src 'none'" in page


def test_the_journal_of_the_service_says_what_other_budgets_would_have_earned(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "examples" / "python" / "llm_routing_whatif.py", "--out", tmp_path],
                          capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "llm_routing_whatif.png").read_bytes().startswith(b"\x89PNG")
    curve = [[float(x) for x in line.split()] for line in done.stdout.splitlines()
             if re.fullmatch(r"0\.\d{4}(\s+\d\.\d{3}){4}", line)]
    assert len(curve) >= 4                                              # budgets with a band
    for _, good, low, high, best in curve:
        assert low < good < high
        assert good - best < high - low      # nobody earns more; runs differ, and one band in 20 may miss
        assert abs(good - best) < 0.06
    assert curve[-1][1] > curve[0][1] + 0.05


def test_eight_days_of_a_platform_equal_the_ledger_kept_outside(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "examples" / "python" / "platform_days.py", "--requests", "600"],
                          capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "are equal in rein and in the ledger" in done.stdout
    spent = [float(line.split()[4]) for line in done.stdout.splitlines()[1:9]]
    assert all(0 < dollars <= 30.2 for dollars in spent)
