"""rein whatif on the command line: slices, a grid, a page, threads, progress, Ctrl-C, and what it refuses."""

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
        self.assertIn(f"{100 * found['half_of_logged']['share']:.1f} %", found["verdict"][1])
        self.assertTrue(found["at_logged"]["possible"])

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
            ((*one, *one, "--grid"), "the second cost of the grid is 1"),
            (("--budget", "dolars=0.1:0.3"), '--budget: the log has no cost "dolars"; accepted: dollars, seconds'),
            (("--budget", "dollars=0.3:0.1"), "accepted: LOW below HIGH"),
            ((*one, "--report", LOG), "are the same file; accepted: two files"),
        ]:
            with self.subTest(words=words):
                done = rein(LOG, *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(said, done.stderr)

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
        self.assertEqual(subprocess.run(words, capture_output=True, check=True).stderr, b"")


if __name__ == "__main__":
    unittest.main(verbosity=1)
