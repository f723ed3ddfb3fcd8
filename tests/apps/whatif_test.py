"""rein whatif on the command line: slices, a grid, a page, threads, progress, Ctrl-C, and what it refuses."""

import gzip
import json
import os
import pty
import random
import re
import select
import signal
import subprocess
import tempfile
import unittest

REIN = os.environ["REIN_PROGRAM"]
ROOT = os.environ["REIN_SOURCE_DIR"]
LOG = os.path.join(ROOT, "examples", "data", "routing_log.csv")


def rein(*words, **options):
    return subprocess.run([REIN, "whatif", *words], capture_output=True, text=True, timeout=300, **options)


def answer(*words):
    done = rein(*words, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Whatif(unittest.TestCase):
    folder: "tempfile.TemporaryDirectory[str]"
    large: str

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.large = os.path.join(cls.folder.name, "large.csv")
        rng = random.Random(1)
        with open(cls.large, "w", encoding="utf-8") as file:
            file.write(",".join(f"x_{j}" for j in range(10)) + ",a,p,r,c\n")
            for _ in range(60_000):
                x = [rng.random() for _ in range(10)]
                a = rng.randrange(4)
                file.write(",".join(f"{v:.3f}" for v in x) + f",{a},0.25,{x[a]:.3f},{a * x[5] / 4:.3f}\n")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_threads_change_no_byte(self):
        words = (LOG, "--budget", "dollars=0.05:0.35", "--count", "5", "--json")
        texts = {rein(*words, "--threads", str(n)).stdout.replace(f"--threads {n}", "") for n in (1, 2, 7)}
        self.assertEqual(len(texts), 1)
        self.assertIn('"kind":"whatif"', texts.pop())

    def test_a_learner_that_was_not_noticed_is_asked_for(self):
        words = (LOG, "--budget", "dollars=0.2")
        self.assertIn("If it learned, say --adaptive yes.\n", rein(*words).stdout)
        self.assertNotIn("did not learn", rein(*words, "--adaptive", "no").stdout)

    def test_the_verdict_is_in_text_and_json(self):
        words = (LOG, "--budget", "dollars=0.05:0.3", "--count", "3")
        found, text = answer(*words), rein(*words).stdout
        half = found["half_of_last"]
        self.assertEqual((half["budget"], half["of"]), (0.15, 0.3))
        self.assertTrue(half["low"] < half["share"] < half["high"] < 1)
        sentence = (f"At half the budget, dollars 0.15 per round instead of 0.3, priced policies earn "
                    f"{100 * half['share']:.1f} % [{100 * half['low']:.1f}, {100 * half['high']:.1f}] of the reward.")
        self.assertEqual(found["verdict"][0], sentence)
        self.assertIn(sentence, text)
        self.assertIn(f"{100 * found['half_of_logged']['share']:.1f} %", found["verdict"][2])
        self.assertTrue(found["at_logged"]["possible"])

    def test_half_of_the_money_stands_beside_the_cheapest_choice(self):
        words = (LOG, "--budget", "dollars=0.05:0.3", "--count", "3")
        found, text = answer(*words), rein(*words).stdout
        least = found["cheapest"]
        self.assertEqual(least["action"], "small")
        self.assertEqual(found["actions"][0], "small")
        keeps = least["half_of_gain"]
        self.assertAlmostEqual(keeps["share"], least["half"]["value"] / least["last"]["value"], 12)
        self.assertTrue(keeps["low"] < keeps["share"] < keeps["high"])
        self.assertLess(keeps["share"], found["half_of_last"]["share"])
        sentence = (f"small for everybody, dollars {least['spend']:.4g} per round, has {100 * least['share']['share']:.1f} % "
                    f"[{100 * least['share']['low']:.1f}, {100 * least['share']['high']:.1f}] of the reward already. Of what "
                    f"more money adds to that, half of the money keeps {100 * keeps['share']:.1f} % "
                    f"[{100 * keeps['low']:.1f}, {100 * keeps['high']:.1f}].")
        self.assertEqual(found["verdict"][1], sentence)
        self.assertIn(sentence, text)
        self.assertEqual(found["total"], 0)

    def test_totals_are_over_the_rows_that_are_asked_for(self):
        words = (LOG, "--budget", "dollars=0.05:0.3", "--count", "3")
        found, plain = answer(*words, "--total", "10000"), answer(*words)
        self.assertEqual(found["total"], 10000)
        self.assertEqual(found["points"], plain["points"])
        [line] = [each for each in found["verdict"] if each.startswith("In 10000 rows: ")]
        self.assertIn("half of the dollars, 1500, earns ", line)
        self.assertIn("all of the dollars, 3000, earns ", line)
        self.assertEqual([each for each in found["verdict"] if each != line], plain["verdict"])
        for wrong in ("0", "-3", "many"):
            self.assertEqual(rein(*words, "--total", wrong).returncode, 2)

    def test_segments_are_groups_in_words(self):
        words = (LOG, "--budget", "dollars=0.05:0.3", "--count", "3")
        found, text = answer(*words, "--segments", "3"), rein(*words, "--segments", "3", "--total", "1000").stdout
        whom = found["segments"]
        self.assertEqual((whom["cost"], whom["cheapest"]), ("dollars", "small"))
        self.assertAlmostEqual(whom["budget"], 0.15)
        self.assertEqual(whom["grown"] + whom["valued"], 3000)
        self.assertIn(len(whom["segments"]), (2, 3))
        self.assertAlmostEqual(sum(each["share"] for each in whom["segments"]), 1)
        for each in whom["segments"]:
            self.assertIn(each["words"], text)
            self.assertAlmostEqual(sum(each["actions"].values()), 1)
            self.assertTrue(each["conditions"])
        self.assertIn("more in 1000 rows", text)
        self.assertEqual(found["points"], answer(*words)["points"])  # and nothing else changes
        self.assertNotIn("segments", answer(*words))
        four = answer(*words, "--segments", "--segments-at", "dollars=0.1")["segments"]
        self.assertEqual(four["budget"], 0.1)
        self.assertLessEqual(len(four["segments"]), 4)

    def test_segments_that_cannot_be_are_refused(self):
        one = ("--budget", "dollars=0.1:0.3")
        for words, said in [
            ((*one, "--segments", "1"), "--segments: found \"1\"; accepted: a whole number from 2 to 16"),
            ((*one, "--segments-at", "dollars=0.1"), "--segments-at: found no --segments; accepted: with --segments"),
            ((*one, "--segments", "--at-most", "seconds=2"), "--segments: found a limit; accepted: without --at-least"),
            ((*one, "--segments", "--segments-at", "dollars=0.0001"), "cannot be met"),
        ]:
            with self.subTest(words=words):
                done = rein(LOG, *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)

    def test_the_documentation_shows_what_is_printed(self):
        with open(os.path.join(ROOT, "docs", "whatif.md"), encoding="utf-8") as file:
            page = file.read().replace("\\\n", "")
        shown = re.findall(r"^```sh\nrein whatif (.+)\n```\n\n((?:(?:    .*)?\n)+)", page, re.MULTILINE)
        self.assertEqual(len(shown), 2)
        for line, block in shown:
            words = line.replace("examples/data/routing_log.csv", LOG).replace(" --report whatif.html", "").split()
            printed = " ".join(rein(*words).stdout.split())
            self.assertIn(" ".join(block.split()), printed)

    def test_a_grid_has_a_row_per_limit(self):
        words = (LOG, "--budget", "dollars=0.05:0.35", "--budget", "seconds=0.3:2.2", "--count", "4")
        found, text = answer(*words, "--grid"), rein(*words, "--grid").stdout
        self.assertEqual([curve["cost"] for curve in found["curves"]], ["dollars", "seconds"])
        grid = found["grid"]
        self.assertEqual((grid["cost"], grid["other"], len(grid["rows"])), ("dollars", "seconds", 4))
        self.assertFalse(any(point["possible"] for point in grid["rows"][0]["points"]))  # nobody answers in 0.3 s
        limit = grid["limits"][2]
        alone = answer(*words[:3], "--count", "4", "--at-most", f"seconds={limit!r}")
        self.assertEqual(alone["points"], grid["rows"][2]["points"])
        _, table = text.split("Reward per round at both budgets (-: cannot be met)")
        row = next(line for line in table.splitlines() if line.startswith(f"{limit:.4g} "))
        self.assertEqual(row.split()[1:], [f"{point['values']['reward']['value']:.4g}" if point["possible"] else "-"
                                           for point in grid["rows"][2]["points"]])
        self.assertIsNone(answer(*words)["grid"])

    def test_wrong_words_are_refused(self):
        one, two = ("--budget", "dollars=0.1:0.3"), ("--budget", "seconds=1:2")
        for words, said in [
            ((*one, "--grid"), "--grid: found 1 --budget; accepted: two, of two costs"),
            ((*one, *two, "--grid", "--at-least", "seconds=1"), "--grid: found a limit; accepted: without --at-least"),
            ((*one, *one, "--grid"), "--grid: found dollars twice; accepted: two, of two costs"),
            (("--budget", "dolars=0.1:0.3"), '--budget: the log has no cost "dolars"; accepted: dollars, seconds'),
            (("--budget", "dollars=0.3:0.1"), "accepted: LOW below HIGH"),
            ((*one, "--report", LOG), "are the same file; accepted: two files"),
            (("--budget", "dollars=nan"), '--budget: found "nan"; accepted: a finite number'),
            (("--budget", "dollars=0.1:"), '--budget: found ""; accepted: a finite number'),
            (("--budget", "dollars=0.1 per day"),
             '--budget: found "0.1 per day"; accepted: a finite number, or one followed by "per round"'),
            ((*one, "--at-least", "dollars=0.1"), "--at-least: dollars has the budget; accepted: another cost"),
            ((*one, "--vw", "bag"), 'vw: found "bag"; accepted: auto, adf, cb'),
        ]:
            with self.subTest(words=words):
                done = rein(LOG, *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)

    def path(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_the_log_may_come_last_and_amounts_are_per_round(self):
        words = ("--count", "3", "--json")
        usual = rein(LOG, "--budget", "dollars=0.1:0.3", *words).stdout
        last = rein("--budget", "dollars=0.1:0.3", *words, LOG)
        self.assertEqual(json.loads(last.stdout)["points"], json.loads(usual)["points"])
        one = answer(LOG, "--budget", "dollars=0.2")["points"]
        self.assertEqual(answer(LOG, "--budget", "dollars=0.2", "per", "round")["points"], one)
        self.assertEqual(answer(LOG, "--budget", "dollars=0.2 per round")["points"], one)

    def test_columns_may_have_other_names(self):
        with open(LOG, encoding="utf-8") as file:
            header, rest = file.read().split("\n", 1)
        names = {"a": "model", "p": "prob", "r": "solved", "c_dollars": "bill_dollars", "c_seconds": "bill_seconds"}
        columns = [name.removeprefix("x_") for name in header.split(",") if name.startswith("x_")]
        other = self.path("other.csv", ",".join(names.get(name, name.removeprefix("x_"))
                                                for name in header.split(",")) + "\n" + rest)
        words = ("--budget", "dollars=0.1:0.3", "--count", "3")
        told = ("--action", "model", "--propensity", "prob", "--reward", "solved", "--cost", "bill", "--columns",
                ",".join(columns))
        self.assertEqual(answer(other, *words, *told)["points"], answer(LOG, *words)["points"])
        done = rein(other, *words, *told[:-4], "--cost", "price")
        self.assertEqual(done.returncode, 1)
        self.assertIn('found no column "price_NAME" for the costs', done.stderr)

    def test_what_was_unusual_in_the_log_is_told(self):
        with open(LOG, encoding="utf-8") as file:
            lines = file.read().splitlines()
        mixed = self.path("mixed.csv", "\r\n".join(lines[:900]) + "\n" + "\n".join(lines[900:]) + "\n")
        done = rein(mixed, "--budget", "dollars=0.2")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"mixed.csv: 3000 rows kept, 0 refused\n  line 900: lines end in more than")
        few = self.path("few.csv", "\n".join(lines[:3]) + "\n")
        self.assertIn("found 2 rows; accepted: at least 5, one for each of --folds",
                      rein(few, "--budget", "dollars=0.2").stderr)

    def test_actions_of_vowpal_wabbit_are_known_by_their_features(self):
        dsjson = os.path.join(self.folder.name, "log.dsjson")
        subprocess.run([REIN, "convert", LOG, dsjson, "--quiet"], check=True, timeout=60)
        words = ("--budget", "dollars=0.1:0.3", "--count", "3")
        done = rein(dsjson, *words, "--json")
        self.assertIn("actions are named by their features, 3 in all", done.stderr)
        found, usual = json.loads(done.stdout), answer(LOG, *words)
        self.assertEqual(found["actions"], usual["actions"])
        for one, two in zip(found["points"], usual["points"], strict=True):
            self.assertAlmostEqual(one["values"]["reward"]["value"], two["values"]["reward"]["value"], 9)

    def test_many_actions_give_few_warnings(self):
        rng = random.Random(3)
        rows = "".join(f"{rng.random():.3f},{i % 40},{0.025 if i % 40 == 0 else 0.002},{i % 2},{i % 40}\n"
                       for i in range(1200))
        found = answer(self.path("many.csv", "x_u,a,p,r,c\n" + rows), "--budget", "cost=5:30", "--count", "3")
        self.assertLess(len(found["warnings"]), 12)
        self.assertIn("the same for 36 more actions", found["warnings"])  # 39 propensities are visibly wrong
        few = self.path("rare.csv", "x_u,a,p,r,c\n" + "".join(
            f"{rng.random():.3f},{i % 70 if i % 70 < 40 else 99},{1 / 70 if i % 70 < 40 else 3 / 7},{i % 2},{i % 70}\n"
            for i in range(700)))
        warnings = answer(few, "--budget", "cost=5:30", "--count", "3")["warnings"]
        self.assertEqual(sum("fewer than 20 times" in line for line in warnings), 3)

    def test_a_limit_that_nobody_keeps_is_said_in_words(self):
        verdict = answer(LOG, "--budget", "dollars=0.1:0.3", "--count", "3", "--at-least", "seconds=100")["verdict"]
        self.assertIn("No budget can be met: no priced policy keeps the limit.", verdict)
        self.assertNotIn("nan", " ".join(verdict))

    def test_a_damaged_file_is_a_failure_and_not_wrong_usage(self):
        cut = os.path.join(self.folder.name, "cut.csv.gz")
        with open(LOG, "rb") as file, open(cut, "wb") as out:
            out.write(gzip.compress(file.read())[:20_000])
        done = rein(cut, "--budget", "dollars=0.2")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"line \d+: the gzip data is cut off")

    def test_the_page_is_written_beside_the_text(self):
        page = os.path.join(self.folder.name, "page.html")
        done = rein(LOG, "--budget", "dollars=0.1:0.3", "--count", "3", "--report", page, "--title", "<b>Ours")
        self.assertIn(f"report: {page}", done.stdout)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("\\u003cb>Ours", text)
        self.assertIn("default-src 'none'", text)

    def test_ctrl_c_stops_cleanly(self):
        page = os.path.join(self.folder.name, "stopped.html")
        words = [REIN, "whatif", self.large, "--budget", "cost=0.02:0.3", "--budget", "cost=0.02:0.3", "--budget",
                 "cost=0.02:0.3", "--budget", "cost=0.02:0.3", "--count", "200", "--threads", "2", "--report", page]
        sent = False
        printed = b""
        for out, seen, running in self.watched(words):
            printed += out
            if b" %" in seen and not sent:  # the bar has begun; a second signal would end it at once
                sent = True
                running.send_signal(signal.SIGINT)
        self.assertEqual((running.returncode, printed), (130, b""))
        self.assertTrue(seen.endswith(b"rein: whatif: stopped; nothing was written\r\n"), seen)
        self.assertFalse(os.path.exists(page))

    def watched(self, words):
        """Runs a command whose errors go to a terminal: yields after each part that it saw, and at the end."""
        main, side = pty.openpty()
        running = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=side)
        os.close(side)
        seen = b""
        while select.select([main], [], [], 120)[0]:
            try:
                part = os.read(main, 4096)
            except OSError:  # the other end is closed
                break
            seen += part
            yield b"", seen, running
        out, _ = running.communicate(timeout=60)
        os.close(main)
        yield out, seen, running

    def test_a_terminal_sees_a_bar_and_a_pipe_does_not(self):
        words = [REIN, "whatif", self.large, "--budget", "cost=0.02:0.3", "--count", "100"]
        *_, (_, seen, running) = self.watched(words)
        self.assertEqual(running.returncode, 0)
        self.assertRegex(seen.decode(), r"\[=+ *\] +\d+ %.* rounds/s .* left")
        self.assertRegex(seen.decode(), r"\[=* *\] +\d+ % +[\d.e+]+ MB/s ")  # while it reads
        self.assertEqual(subprocess.run(words, capture_output=True, check=True).stderr, b"")


if __name__ == "__main__":
    unittest.main(verbosity=1)
