"""The command line as a person meets it: what it prints, what it refuses, what it returns."""

import csv
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from contract import ROOT, SCHEMA, checked, valid, without_time

REIN = os.environ["REIN_PROGRAM"]


def rein(*words):
    return subprocess.run([REIN, *words], capture_output=True, text=True, timeout=300)


def run_json(*words):
    done = rein("run", "--rounds", "300", "--seeds", "3", "--json", *words)
    assert done.returncode == 0, done.stderr
    return checked(done.stdout)


class Run(unittest.TestCase):
    def test_table_and_plots_name_every_policy(self):
        done = rein("run", "--world", "linear(k=3,d=3)", "--policy", "ccb(tuning=theory)", "--policy", "squarecb",
                    "--rounds", "400", "--seeds", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        for word in ("ccb", "squarecb", "regret so far", "CCV", "promised by the theorem"):
            self.assertIn(word, done.stdout)
        self.assertEqual(done.stderr, "", "no progress bar when piped")

    def test_a_run_certifies_its_regret(self):
        words = ("run", "--world", "linear(k=3,d=3)", "--policy", "ccb,uniform", "--rounds", "2000", "--seeds", "2")
        with_it = rein(*words, "--certify").stdout
        self.assertIn("certified by the run, probability 0.95", with_it)
        self.assertRegex(with_it, r"uniform .* [0-9]+ \(0\.[0-9]+ T\)")
        self.assertNotIn("certif", rein(*words).stdout)
        for policy in run_json("--world", "linear(k=3,d=3)", "--policy", "ccb,uniform", "--certify")["policies"]:
            self.assertEqual(policy["no_certificate"], "")
            self.assertGreaterEqual(policy["certified_regret"]["low"], policy["regret"]["high"] - 100.0)
        wrong = rein("run", "--world", "nonlinear", "--rounds", "6000", "--seeds", "1", "--certify").stdout
        self.assertIn("no certificate for ccb (1 of 1 seeds): the outcomes do not fit", wrong)

    def test_a_margin_shows_what_is_promised_over_time(self):
        words = ("run", "--world", "linear(k=3,d=3,margin=0.3)", "--policy", "ccb(setting=slater,tuning=theory)",
                 "--rounds", "400", "--seeds", "2")
        with_margin = rein(*words, "--margin", "0.3", "--share", "0.9").stdout
        measured = rein(*words, "--share", "0.9").stdout
        without = rein(*(word.replace("slater", "expectation") for word in words)).stdout
        for word in ("average CCV", "at every time, by the margin", "largest CCV cost", "over time, by the margin"):
            self.assertIn(word, with_margin)
            self.assertIn(word, measured)
            self.assertNotIn(word, without)
        self.assertIn("in 90 % of rounds", measured)
        # Where the run measured the margin, the same bounds are a little larger.
        totals = [json.loads(rein(*words, *more, "--json").stdout)["policies"][0]
                  for more in (("--margin", "0.3"), ())]
        self.assertGreaterEqual(totals[1]["margin"]["low"], 0.29)
        for key in ("bound_regret_margin", "margin"):
            self.assertGreater(totals[1][key]["mean"], 0)
        self.assertEqual(len(totals[0]["bound_ccv_max"]), 1)
        self.assertLess(totals[0]["bound_ccv_max"][0]["mean"], totals[1]["bound_ccv_max"][0]["mean"])

    def test_features_over_the_norm_of_u_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "wide.csv")
            with open(path, "w") as file:
                file.write("x_0,r0,r1\n" + "3,1,0\n0.5,0,1\n" * 50)
            words = ("run", "--world", f'table(cost=[],file="{path}")', "--rounds", "0", "--seeds", "1", "--policy")
            told = "features passed the norm that U assumes in 50 % of rounds"
            self.assertIn(told, rein(*words, "ccb(tuning=theory)").stdout)
            self.assertNotIn("the norm", rein(*words, "ccb(oracle=vaw(norm=3),tuning=theory)").stdout)

    def test_live_budgets_and_parts_of_outcomes(self):
        words = ("--world", "linear(k=4,d=4,costs=positive)", "--missing", "reward=0.4,cost=0.1", "--late", "reward=20",
                 "--budget", 'day(cost=cost,amount=20,per="100 ticks",hard=1)', "--keys", "user=3",
                 "--budget", 'each(cost=cost,amount=9,per="100 ticks",scope=user)')
        day, each = run_json(*words)["policies"][0]["budgets"]
        self.assertEqual((day["name"], day["per"], day["hard"], day["amount"]), ("day", "100 ticks", True, 20))
        self.assertEqual((day["windows"]["mean"], day["over"]["mean"]), (3, 0))
        self.assertEqual((each["scope"], each["windows"]["mean"]), ("user", 9))
        done = rein("run", "--rounds", "300", "--seeds", "2", *words)
        self.assertIn("20 cost per 100 ticks, hard", done.stdout)
        done = rein("compare", "--rounds", "300", "--seeds", "2", *words)
        self.assertIn("9 cost per 100 ticks and user", done.stdout)
        done = rein("run", "--rounds", "300", "--seeds", "2", "--csv", *words)
        row = next(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual((row["windows day"], row["over day"]), ("3", "0"))

    def test_the_page_of_budgets_shows_what_its_command_prints(self):
        with open(os.path.join(ROOT, "docs", "budgets.md"), encoding="utf-8") as file:
            section = file.read().split("## From the command line")[1]
        command = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)[0].replace("\\\n", " ")
        shown = re.findall(r"^    (.*)$", section, re.MULTILINE)
        self.assertEqual(len(shown), 3)
        printed = rein(*shlex.split(command)[1:]).stdout
        self.assertIn("\n".join(shown), printed)

    def test_what_is_wrong_with_live_options_is_said(self):
        for words, told in (
                (("--missing", "reward"), '--missing: found "reward"; accepted: NAME=NUMBER'),
                (("--missing", "reward=2"), '--missing: found "2"; accepted: a share from 0 to 1'),
                (("--late", "reward=0.5"), '--late: found "0.5"; accepted: a whole number'),
                (("--budget", "day(amount=1)"), "accepted: amount=NUMBER and cost=NAME"),
                (("--budget", 'day(amount=1,cost=cost,per="1 hour")'), 'found per="1 hour"; accepted: run, day'),
                (("--budget", "day(amount=1,cost=money)"), 'found cost "money"; accepted: cost'),
                (("--ticks", "0"), "--ticks"), (("--expire", "0"), "--expire")):
            done = rein("run", "--rounds", "50", *words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(told, done.stderr)

    def test_json_has_the_documented_keys(self):
        found = run_json("--policy", "ccb(tuning=theory),squarecb")
        self.assertEqual((found["version"], found["kind"], found["rounds"]), (3, "run", 300))
        self.assertEqual(found["seeds"], {"first": 1, "count": 3})
        self.assertTrue(found["command"].startswith("rein run --rounds 300"))
        ccb, squarecb = found["policies"]
        self.assertGreater(ccb["bound_regret"]["mean"], 0)
        self.assertIsNone(squarecb["bound_regret"])

    def test_one_seed_has_no_interval(self):
        done = rein("run", "--rounds", "100", "--seeds", "1", "--json")
        reward = checked(done.stdout)["policies"][0]["reward"]
        self.assertIsNone(reward["low"])
        self.assertIsNotNone(reward["mean"])

    def test_same_numbers_whatever_the_threads(self):
        one = without_time(run_json("--threads", "1", "--policy", "ccb,ccb(tuning=theory),squarecb"))
        two = without_time(run_json("--threads", "2", "--policy", "ccb,ccb(tuning=theory),squarecb"))
        again = without_time(run_json("--threads", "2", "--policy", "ccb,ccb(tuning=theory),squarecb"))
        self.assertEqual(one, two)
        self.assertEqual(two, again)

    def test_same_numbers_on_every_x86_level(self):
        words = ("run", "--world", "linear(k=5,d=6,m=2,order=adaptive)", "--rounds", "500", "--seeds", "2",
                 "--csv", "--policy", "ccb(setting=expectation),ccb(setting=expectation,tuning=auto),"
                 "squarecb(oracle=adagrad),squarecb(oracle=ons),squarecb(oracle=forest),"
                 "squarecb(oracle=mlp(activation=tanh))")
        found = {}
        for level in ("v2", "v3", "v4"):
            done = subprocess.run([REIN, *words], capture_output=True, text=True, timeout=300,
                                  env={**os.environ, "REIN_CPU": level})
            if done.returncode == 1 and "REIN_CPU" in done.stderr and level != "v2":
                continue  # this machine lacks the level
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = list(csv.DictReader(io.StringIO(done.stdout)))
            for row in rows:
                del row["cpu_seconds"]
            found[level] = rows
        for rows in found.values():
            self.assertEqual(rows, found["v2"])

    def test_csv_has_one_row_per_policy_and_seed(self):
        done = rein("run", "--rounds", "100", "--seeds", "3", "--csv", "--policy", "ccb,uniform")
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(len(rows), 6)
        self.assertEqual(rows[0]["policy"], "ccb")

    def test_save_writes_both_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "result")
            self.assertEqual(rein("run", "--rounds", "50", "--save", path).returncode, 0)
            with open(path + ".json") as saved:
                self.assertTrue(checked(saved.read())["policies"])
            self.assertTrue(os.path.getsize(path + ".csv") > 0)

    def test_unwritable_save_fails_with_1(self):
        done = rein("run", "--rounds", "50", "--save", "/nowhere/at/all")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/at/all.json", done.stderr)


def compare(folder, *words):
    return subprocess.run([REIN, "compare", "--world", "linear(k=3,d=3)", "--rounds", "200", "--seeds", "3", *words],
                          capture_output=True, text=True, timeout=300, cwd=folder)


class Compare(unittest.TestCase):
    def test_tables_pairs_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            done = compare(folder, "--policies", "ccb,squarecb,uniform", "--report", "out.html", "--save", "all")
            self.assertEqual(done.returncode, 0, done.stderr)
            for words in ("Paired differences", "ccb less squarecb", "ccb less uniform",
                          "results kept in out.jsonl", "report: out.html"):
                self.assertIn(words, done.stdout)
            self.assertEqual(done.stderr, "", "no progress bar when piped")
            self.assertEqual(sorted(os.listdir(folder)), ["all.csv", "all.json", "out.html", "out.jsonl"])
            with open(os.path.join(folder, "out.html")) as page, open(os.path.join(folder, "all.json")) as saved:
                self.assertIn(json.dumps(checked(saved.read())["world"]), page.read())

    def test_a_stopped_comparison_goes_on(self):
        words = ("--policies", "ccb,squarecb", "--json")
        with tempfile.TemporaryDirectory() as folder:
            whole = without_time(checked(compare(folder, *words).stdout))
            self.assertEqual(os.listdir(folder), [], "nothing is kept where nobody asked")
            once = without_time(checked(compare(folder, "--resume", "r.jsonl", *words).stdout))
            path = os.path.join(folder, "r.jsonl")
            with open(path) as kept:
                lines = kept.read().splitlines(keepends=True)
            self.assertEqual(len(lines), 7)
            for keep in (lines[:4], lines[:3] + [lines[3][:99]]):
                with open(path, "w") as stopped:
                    stopped.write("".join(keep))
                again = without_time(checked(compare(folder, "--resume", "r.jsonl", *words).stdout))
                for found in (once, again):
                    self.assertEqual(found, whole)

    def test_a_file_of_another_run_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            words = ("--policies", "uniform", "--resume", "r.jsonl")
            self.assertEqual(compare(folder, *words).returncode, 0)
            done = compare(folder, *words, "--margin", "0.5")
            self.assertEqual(done.returncode, 2)
            self.assertIn("margin is 0 there and 0.5 here", done.stderr)
            self.assertEqual(compare(folder, *words, "--margin", "0.5", "--fresh").returncode, 0)

    def test_a_grid_shows_the_given_and_the_best(self):
        with tempfile.TemporaryDirectory() as folder:
            done = compare(folder, "--policies", "squarecb,uniform", "--grid", "gamma_scale=1,1000", "--slack", "1",
                           "--json")
            policies = checked(done.stdout)["policies"]
            self.assertEqual([p["spec"] for p in policies],
                             ["squarecb", "squarecb(gamma_scale=1000)", "uniform"])
            self.assertEqual(policies[1]["grid"], {"of": "squarecb", "tried": 2, "best": True})
            self.assertIsNone(policies[2]["grid"])

    def test_the_command_can_be_typed_again(self):
        with tempfile.TemporaryDirectory() as folder:
            found = checked(compare(folder, "--policies", "ccb(u=3)", "--json").stdout)
            self.assertEqual(found["command"], "rein compare --world 'linear(k=3,d=3)' --rounds 200 --seeds 3 "
                             "--policies 'ccb(u=3)' --json")


class Contract(unittest.TestCase):
    def test_the_schema_refuses_what_is_not_in_it(self):
        found = run_json("--policy", "uniform")
        for change in (lambda o: o.pop("kind"), lambda o: o.update(version=2), lambda o: o.update(extra=1),
                       lambda o: o["policies"][0].pop("regret"), lambda o: o["policies"][0].update(speed=None),
                       lambda o: o["policies"][0]["reward"].update(mean=None), lambda o: o.update(kind="verify"),
                       lambda o: o["policies"][0]["ccv"].pop(), lambda o: o.update(seeds=3)):
            broken = json.loads(json.dumps(found))
            change(broken)
            with self.assertRaises(AssertionError):
                valid(broken)

    def test_csv_has_the_same_names(self):
        done = rein("run", "--rounds", "100", "--seeds", "1", "--csv", "--world", "linear(k=3,d=3,m=2)")
        names = {name.split(" ")[0] for name in next(csv.reader(io.StringIO(done.stdout)))}
        policy = SCHEMA["$defs"]["policy"]["properties"]
        self.assertEqual(names - {"policy", "seed", "rounds"},
                         set(policy) - {"spec", "benchmark", "no_bound", "no_certificate", "budgets", "grid", "curves"})

    def test_tables_say_what_was_allowed_beside_what_was_spent(self):
        words = ("--rounds", "200", "--seeds", "2", "--references", "--world")
        for verb in ("run", "compare"):
            kept = rein(verb, *words, "linear(k=3,d=3,costs=positive,rate=0.2)").stdout
            self.assertEqual(kept.count("spend cost (at most 40)"), 2, kept)
            free = rein(verb, *words, "linear(k=3,d=3)").stdout
            self.assertEqual(free.count("CCV cost (at most 0)"), 2, free)


class Verify(unittest.TestCase):
    def test_rows_of_a_part_and_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "v.html")
            done = rein("verify", "--parts", "f", "--seeds", "2", "--json", "--report", page)
            rows = checked(done.stdout)["verify"]["rows"]
            self.assertEqual({row["part"] for row in rows}, {"f"})
            self.assertEqual(done.returncode, 0 if all(row["pass"] for row in rows) else 1)
            self.assertGreaterEqual(len(rows[0]["horizons"]), 6)
            self.assertTrue(os.path.getsize(page) > 0)


class Refusals(unittest.TestCase):
    CASES = [
        (("run", "--policy", "squarecb(gama=5)"),
         'policy spec: unknown key "gama" at 9; squarecb takes'),
        (("run", "--policy", "cccb"), 'policy spec: unknown name "cccb" at 0; accepted: ccb,'),
        (("run", "--policy", "ccb(oracle=vaw(reg=-1))"), 'key "reg" has -1'),
        (("run", "--policy", "ccb(rounds=)"), "policy spec: expected"),
        (("run", "--world", "lineal"), 'world spec: unknown name "lineal" at 0; accepted: linear'),
        (("run", "--rounds", "ten"), '--rounds: found "ten"; accepted: a whole number'),
        (("run", "--rounds", "0"), '--rounds: found "0"'),
        (("run", "--json", "--csv"), "accepted: one"),
        (("run", "--polcy", "ccb"), "--polcy"),
        (("bound", "--setting", "knapsack", "--rounds", "1e6", "--u", "5"), "needs --budget"),
        (("bound", "--setting", "nap", "--rounds", "1e6", "--u", "5"), 'found "nap"; accepted:'),
        (("bound", "--rounds", "1e6"), "--u NUMBER"),
        (("compare", "--policies", "ccb,cccb"), 'policy spec: unknown name "cccb"'),
        (("compare", "--grid", "gamma_scale"), 'grid: found "gamma_scale"; accepted: KEY=NUMBER'),
        (("compare", "--policies", "uniform", "--grid", "gamma_scale=1,2"), "no policy here takes the key"),
        (("compare", "--json", "--csv"), "accepted: one"),
        (("compare", "--slack", "2"), '--slack: found "2"; accepted: a number from 0 to 1'),
        (("verify", "--profile", "slow"), 'profile is "slow"; accepted: quick, full'),
        (("verify", "--parts", "h"), 'parts are "h"; accepted: letters from a to g'),
        (("list", "nothing_like_this"), 'nothing is called "nothing_like_this"'),
        (("ruin",), "ruin"),
    ]

    def test_every_wrong_word_is_named_and_returns_2(self):
        for words, message in self.CASES:
            with self.subTest(words=words):
                done = rein(*words)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn(message, done.stderr)
                self.assertEqual(done.stdout, "")


class Bound(unittest.TestCase):
    def test_example_of_the_help(self):
        done = rein("bound", "--setting", "knapsack", "--k", "10", "--rounds", "1e6", "--budget", "1000",
                    "--u", "60")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("regret", done.stdout)

    def test_json_value_of_part_f(self):
        done = rein("bound", "--setting", "linear_constraints", "--k", "2", "--rounds", "1e6", "--mean",
                    "--budget", "1e5", "--u", "1", "--json")
        self.assertAlmostEqual(json.loads(done.stdout)["bound_regret"] / 1.11e6, 1.0, delta=0.01)

    def test_a_margin_bounds_every_time(self):
        words = ("bound", "--setting", "slater", "--k", "2", "--rounds", "1e6", "--u", "1")
        done = rein(*words, "--margin", "0.5")
        for word in ("regret, by the margin", "CCV at every time, by the margin", "7049", "44196"):
            self.assertIn(word, done.stdout)
        found = json.loads(rein(*words, "--margin", "0.5", "--json").stdout)
        self.assertEqual((found["margin"], round(found["bound_ccv_max"][0])), (0.5, 7049))
        self.assertLess(found["bound_regret_margin"], found["bound_regret"])
        without = rein(*words)
        self.assertIn("Say --margin EPS", without.stdout)
        self.assertNotIn("by the margin", without.stdout)
        refused = rein("bound", "--rounds", "1e6", "--u", "1", "--margin", "0.5")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("accepted with --margin: slater", refused.stderr)
        self.assertIn("docs/theory/slater.md", rein("bound", "--help").stdout)

    def test_vacuous_bounds_are_called_so(self):
        done = rein("bound", "--k", "8", "--rounds", "1e4", "--oracle", "vaw", "--d", "8")
        self.assertIn("vacuous", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
