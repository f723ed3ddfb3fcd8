"""rein evaluate: the table and the JSON, targets from files, the same digits with any number of threads, Ctrl-C."""

import json
import math
import os
import random
import signal
import subprocess
import sys
import time
import unittest

from verb_case import PROGRAM, VerbCase

LOG = os.path.join(os.environ["REIN_SOURCE_DIR"], "examples", "data", "answers.csv")


def lines_of_log():
    with open(LOG, encoding="utf-8") as file:
        return file.readlines()


def rows_of_log():
    header, *rows = [line.strip() for line in lines_of_log()]
    return [dict(zip(header.split(","), row.split(","))) for row in rows]


class Evaluate(VerbCase):
    verb = "evaluate"

    def answer(self, *words):
        return json.loads(self.run_rein(*words, "--json"))

    def test_ips_of_an_action_is_the_sum_by_hand(self):
        rows = rows_of_log()
        weights = [1 / float(row["p"]) if row["a"] == "large" else 0.0 for row in rows]
        found = self.answer(LOG, "--policy", "action(large)")["policies"][0]
        heads = {each["estimator"]: each["heads"] for each in found["estimates"]}
        for head, column in (("reward", "r"), ("dollars", "c_dollars")):
            total = sum(w * float(row[column]) for w, row in zip(weights, rows))
            self.assertAlmostEqual(heads["ips"][head]["value"], total / len(rows), places=9)
            self.assertAlmostEqual(heads["snips"][head]["value"], total / sum(weights), places=9)
        self.assertAlmostEqual(found["overlap"]["effective_size"], sum(weights)**2 / sum(w * w for w in weights), 6)

    def test_policies_may_be_one_list(self):
        apart = self.run_rein(LOG, "--policy", "logged", "--policy", "mix(small=0.5,large=0.5)", "--policy", "uniform")
        self.assertEqual(self.run_rein(LOG, "--policies", "logged, mix(small=0.5,large=0.5),uniform"), apart)
        self.assertIn("expected a name", self.run_rein(LOG, "--policy", "logged,", code=2))
        log = self.path("names.csv", 'a,p,r\n' + '"f(x",0.5,1\n"g,h",0.5,0\n' * 300)
        for name in ("f(x", "g,h"):  # brackets and commas in names of actions
            found = self.answer(log, "--policy", f"action({name})")["policies"]
            self.assertEqual([each["policy"] for each in found], [f"action({name})"])

    def test_a_learner_that_was_not_noticed_is_asked_for(self):
        note = "The log is taken as made by a policy that did not learn. If it learned, say --adaptive yes.\n"
        self.assertIn(note, self.run_rein(LOG, "--policy", "uniform"))
        for said in ("yes", "no"):
            self.assertNotIn("did not learn", self.run_rein(LOG, "--policy", "uniform", "--adaptive", said))
        lot = self.path("lot.csv", "a,p,r\n" + "u,0.4,1\nv,0.6,0\n" * 300)  # no learner plays by lot
        self.assertNotIn("did not learn", self.run_rein(lot, "--policy", "uniform"))

    def test_a_target_file_is_the_policy_that_it_holds(self):
        count = len(rows_of_log())
        target = self.path("mine.csv", "large,pi_medium,note,small\n" + "0.75,0.25,x,0\n" * count)
        found = self.answer(LOG, "--policy", "mix(medium=0.25,large=0.75)", "--target", target)
        first, second = found["policies"]
        self.assertEqual((second["policy"], second["kind"]), (target, "given"))
        self.assertEqual(first["estimates"], second["estimates"])
        self.assertEqual(second["difference"]["heads"]["reward"]["value"], 0)

    def test_probabilities_in_the_log_itself_skip_rows_that_were_refused(self):
        lines = ["x_0,a,p,r,c,pi_u,pi_v"]
        generator = random.Random(4)
        for i in range(600):
            action = generator.choice("uv")
            p = 0 if i % 50 == 7 else 0.5
            lines.append(f"{i % 3},{action},{p},{generator.random() < 0.5:d},0.1,{i % 2},{1 - i % 2}")
        log = self.path("log.csv", "\n".join(lines) + "\n")
        done = subprocess.run([PROGRAM, "evaluate", log, "--target", log, "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("588 rows kept, 12 refused", done.stderr)
        kept = [line.split(",") for line in lines[1:] if line.split(",")[2] != "0"]
        ips = sum(float(row[3]) / 0.5 for row in kept if row[5 if row[1] == "u" else 6] == "1") / len(kept)
        found = json.loads(done.stdout)["policies"][0]
        self.assertAlmostEqual(found["estimates"][0]["heads"]["reward"]["value"], ips, places=9)

    def test_threads_change_no_digit_and_seeds_do(self):
        words = (LOG, "--policy", "logged", "--policy", "squarecb", "--policy", "uniform", "--json")
        one, two = self.run_rein(*words, "--threads", "1"), self.run_rein(*words, "--threads", "2")
        self.assertEqual(one, two)
        self.assertNotEqual(one, self.run_rein(*words, "--seed", "2"))

    def test_a_learner_is_told_apart_from_a_frozen_policy(self):
        learning = self.answer(LOG, "--policy", "ccb", "--budget", "dollars=0.2")["policies"][0]
        self.assertEqual(learning["kind"], "learning")
        replay = learning["replay"]
        self.assertEqual(replay["least"], 0.15)
        self.assertEqual(replay["horizon"], int(600 - 2 * math.sqrt(600)))
        self.assertEqual(replay["accepted"], replay["horizon"])
        self.assertLess(replay["rejection"]["heads"]["dollars"]["value"], 0.25)
        frozen = self.answer(LOG, "--policy", "squarecb", "--frozen", "--train", "0.25")
        self.assertEqual((frozen["first"], frozen["policies"][0]["kind"]), (1000, "frozen"))

    def test_the_report_is_a_page_with_the_numbers(self):
        page = self.path("page.html")
        words = (LOG, "--policy", "action(small),logged")
        found = json.loads(self.run_rein(*words, "--report", page, "--title", "Who pays?", "--json"))
        self.assertEqual((found["title"], found["command"].split()[:2]), ("Who pays?", ["rein", "evaluate"]))
        with open(page, encoding="utf-8") as file:
            text = file.read()
        start = text.index('id="data">') + len('id="data">')
        self.assertEqual(json.loads(text[start:text.index("</script>", start)]), found)
        plain = self.answer(*words)
        self.assertNotIn("title", plain)
        self.assertEqual({key: found[key] for key in plain}, plain)
        self.assertIn("are the same file", self.run_rein(*words, "--report", LOG, code=2))

    def test_the_table_says_what_it_cannot_know(self):
        text = self.run_rein(LOG, "--policy", "logged", "--policy", "action(small)", "--at-most", "dollars=0.1")
        self.assertIn("minus the first", text)
        self.assertNotIn("Mean of [played] / propensity", text)
        alone = self.run_rein(LOG, "--policy", "action(small)")
        self.assertRegex(alone, r"mean weight 0\.9\d\d|mean weight 1\.0\d\d")
        self.assertRegex(alone, r"should be 1: \w+ [01]\.\d+ \+- 0\.0\d+, \w+ [01]")
        self.assertIn("action(small): the whole region keeps dollars at most 0.1", text)
        blind = self.path("blind.csv", "".join(
            ",".join(line.split(",")[:3] + line.split(",")[4:]) for line in lines_of_log()))
        text = self.run_rein(blind, "--policy", "action(large)")
        self.assertIn("warning: the log has no propensities", text)
        self.assertIn("sensitivity", text)
        few = self.path("few.csv", "".join(lines_of_log()[:301]))
        self.assertIn("no interval: the effective sample size", self.run_rein(few, "--policy", "action(small)"))

    def test_sequences_hold_the_interval(self):
        found = self.answer(LOG, "--policy", "action(medium)", "--sequence", "--range", "reward=0:1")["policies"][0]
        best = next(each for each in found["estimates"] if each["estimator"] == found["recommended"])["heads"]["reward"]
        sequence = found["sequence"]["reward"]
        self.assertLess(sequence["low"], best["value"])
        self.assertGreater(sequence["high"], best["value"])
        self.assertGreater(sequence["high"] - sequence["low"], best["high"] - best["low"])

    def test_help_has_examples_that_run(self):
        text = self.run_rein("--help")
        self.assertIn("Examples:", text)
        self.assertIn("learns while it is replayed", text)

    def test_ctrl_c_ends_it_cleanly(self):
        header, *rows = lines_of_log()
        log = self.path("long.csv", header + "".join(rows * 30))
        policies = [word for _ in range(32) for word in ("--policy", "ccb(least=0.05)")]
        process = subprocess.Popen([PROGRAM, "evaluate", log, *policies, "--budget", "dollars=0.2"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(40):  # until it catches Ctrl-C
            time.sleep(0.05)
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                caught = next(line.split()[1] for line in status if line.startswith("SigCgt"))
            if int(caught, 16) >> (signal.SIGINT - 1) & 1:
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(err, "rein: evaluate: stopped; nothing was written\n")
        self.assertEqual(out, "")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
