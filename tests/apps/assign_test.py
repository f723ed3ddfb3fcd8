"""rein assign: every row gets an action, the totals meet the budget, and what does not fit is refused by name."""

import csv
import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from verb_case import PROGRAM, VerbCase

import subprocess

ROOT = os.environ.get("REIN_SOURCE_DIR", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
LOG = os.path.join(ROOT, "examples", "data", "decisions.csv")


class Assign(VerbCase):
    verb = "assign"

    def model(self, log=LOG):
        path = self.path("model.rein")
        subprocess.run([PROGRAM, "train", log, "--policy", "ccb(rate=0.05)", "--save", path], check=True,
                       capture_output=True, timeout=120)
        return path

    def test_totals_are_within_half_a_percent_below_the_budget(self):
        model, out = self.model(), self.path("out.csv")
        for budget in (10.0, 45.0, 200.0):
            found = json.loads(self.run_rein(model, LOG, "--budget", f"dollars={budget}", "--out", out, "--json"))
            self.assertLessEqual(found["total"]["dollars"], budget)
            self.assertGreaterEqual(found["total"]["dollars"], 0.995 * budget)
            with open(out, encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), found["rows"])
            self.assertAlmostEqual(sum(float(row["estimated_dollars"]) for row in rows), found["total"]["dollars"], 2)
            self.assertEqual({row["p"] for row in rows}, {"1"})
            self.assertEqual(list(rows[0]), ["x_recency", "x_visits", "x_region", "a", "p", "estimated_reward",
                                             "estimated_dollars"])
            for action in found["actions"]:
                self.assertEqual(action["rows"], sum(row["a"] == action["action"] for row in rows))

    def test_rows_that_are_alike_are_told_apart_by_their_order_and_this_is_said(self):
        rows = "".join(f"{i % 2},{'mail' if i % 4 < 2 else 'none'},{int(i % 8 < 2)},{int(i % 4 < 2)}\n" for i in range(80))
        model = self.model(self.path("past.csv", "x_age,a,r,c_cost\n" + rows))
        same = self.path("same.csv", "age\n" + "1\n" * 60)
        found = json.loads(self.run_rein(model, same, "--budget", "cost=20.5", "--json"))
        self.assertEqual((found["ties"], found["raised"]), (60, found["actions"][0]["rows"]))
        self.assertAlmostEqual(found["raised"], 20.5, delta=1.5)
        self.assertIn("ties: 60 rows", self.run_rein(model, same, "--budget", "cost=20.5"))

    def test_explored_rows_have_probabilities_that_are_true(self):
        model, out = self.model(), self.path("out.csv")
        found = json.loads(self.run_rein(model, LOG, "--budget", "dollars=60", "--explore", "0.3", "--out", out, "--json"))
        self.assertAlmostEqual(found["expected"]["dollars"], 60, delta=0.3)
        with open(out, encoding="utf-8") as file:
            drawn = [row for row in csv.DictReader(file) if float(row["p"]) < 0.5]
        self.assertEqual({row["p"] for row in drawn}, {"0.09999999999999999"})
        self.assertAlmostEqual(len(drawn) / found["rows"], 0.2, delta=0.05)
        self.assertEqual(self.run_rein(model, LOG, "--budget", "dollars=60", "--explore", "0.3"),
                         self.run_rein(model, LOG, "--budget", "dollars=60", "--explore", "0.3"))

    def test_what_does_not_fit_is_refused_by_name(self):
        model = self.model()
        bad = self.path("bad.csv", "x_recency,region\n1,north\n")
        for words, message in (
                ([bad], "needs the column visits, and the header has x_recency, region"),
                ([LOG, "--budget", "euros=3"], "and NAME is dollars"),
                ([LOG, "--budget", "dollars=-1"], "the cheapest action of every row costs"),
                ([LOG, "--budget", "dollars=20", "--explore", "1"], "alone spends"),
                ([self.path("e.csv", "recency,visits,region\n0.1,many,north\n")], 'line 2: visits: found "many"'),
                ([LOG, "--out", LOG], "is read by this command")):
            with self.subTest(words=words):
                self.assertIn(message, self.run_rein(model, *words, code=2))
        self.assertIn("not a model", self.run_rein(LOG, LOG, code=1))

    def test_the_policy_of_a_curve_is_kept_and_does_what_was_valued(self):
        kept, words = self.path("half.rein"), ("--budget", "dollars=0.01:0.09", "--count", "5")
        said = subprocess.run([PROGRAM, "whatif", LOG, *words, "--save-policy", kept, "--save-at", "dollars=0.05"],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("expects to spend dollars 0.05 per round", said.stdout)
        found = json.loads(self.run_rein(kept, LOG, "--budget", "dollars=45", "--json"))
        self.assertAlmostEqual(found["total"]["dollars"], 45, delta=0.5)
        values = subprocess.run([PROGRAM, "evaluate", LOG, "--policy", f"logged,file({kept})", "--json"],
                                capture_output=True, text=True, timeout=120)
        logged, policy = json.loads(values.stdout)["policies"]
        self.assertEqual(policy["policy"], f"file({kept})")
        by_name = {each["estimator"]: each["heads"] for each in policy["estimates"]}
        spent = by_name[policy["recommended"]]["dollars"]
        self.assertAlmostEqual(spent["value"], 0.05, delta=4 * spent["error"])
        again = subprocess.run([PROGRAM, "whatif", LOG, *words, "--save-policy", kept], capture_output=True, text=True,
                               timeout=120)
        self.assertEqual(again.returncode, 2)
        self.assertIn("exists; accepted: another name, or --force", again.stderr)

    def test_unused_columns_are_told(self):
        more = self.path("more.csv", "region,visits,city,recency\nnorth,0.2,Oslo,0.1\n")
        done = subprocess.run([PROGRAM, "assign", self.model(), more], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0)
        self.assertIn("does not use the columns city", done.stderr)


if __name__ == "__main__":
    unittest.main()
