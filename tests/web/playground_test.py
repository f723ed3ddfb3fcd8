"""The playground in a real browser, opened from disk: the library as WebAssembly gives the same bits as on this
machine, and the page plays.

REIN_PLAYGROUND is the folder that scripts/playground.py made, REIN_PLAYGROUND_NATIVE the same program for this machine."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from browser import Browser

PAGE = os.path.join(os.environ["REIN_PLAYGROUND"], "index.html")
NATIVE = os.environ["REIN_PLAYGROUND_NATIVE"]
READY = "document.documentElement?.dataset.ready === 'yes'"
POLICIES = ["ccb", "squarecb", "pacer"]
LINEAR = "linear(k=4,d=4,costs=positive,rate={},noise=gaussian,sd={})"
HEAVY = "heavy(k=6,d=4,rate={},noise=gaussian,sd={})"
# World, seed, rounds, delay: ten runs.
RUNS = [(LINEAR.format(0.15, 0.2), 1, 3000, 0), (LINEAR.format(0.05, 0.05), 2, 2000, 0), (LINEAR.format(0.5, 0.6), 3, 2000, 50),
        (LINEAR.format(0.3, 0.35), 4, 2000, 1000), (LINEAR.format(0.15, 0.2), 5, 2000, 10), (HEAVY.format(0.15, 0.2), 1, 2000, 0),
        (HEAVY.format(0.05, 0.6), 6, 2000, 100), (HEAVY.format(0.5, 0.05), 7, 2000, 0), (HEAVY.format(0.2, 0.1), 8, 2000, 500),
        ("nonlinear", 9, 1000, 0)]


class Playground(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.page = cls.browser.open(PAGE, ready=READY)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()

    def test_ten_runs_have_the_bits_of_this_machine(self):
        lines = set()
        for world, seed, rounds, delay in RUNS:
            with self.subTest(world=world, seed=seed, delay=delay):
                here = subprocess.run([NATIVE, world, "\n".join(POLICIES), str(seed), str(rounds), str(delay)], text=True,
                                      capture_output=True, check=True).stdout.split("\n")[:-1]
                there = self.page.value(f"reinBits({json.dumps(world)}, {json.dumps(POLICIES)}, {seed}, {rounds}, {delay})")
                self.assertEqual(len(here), 10)
                self.assertEqual(there, here)
                lines.update(here)
        self.assertEqual(len(lines), 10 * len(RUNS), "the runs differ")

    def test_it_plays_to_the_end_and_the_budget_holds(self):
        page = self.browser.open(PAGE, ready=READY)
        page.value("document.querySelector('#play').click()")
        page.wait("/^10.?000 of/.test(document.querySelector('#rounds').textContent)")
        rows = page.value("[...document.querySelectorAll('.sum tbody tr')].map((r) => [r.dataset.policy, ...[...r.cells].map((c) => c.textContent)])")
        self.assertEqual([row[0] for row in rows], POLICIES)
        spent = {row[0]: float(row[4].replace("%", "").replace("\u202f", "").replace("\u2009", "")) for row in rows}
        self.assertLess(spent["ccb"], 102)
        self.assertGreater(spent["squarecb"], 110, "it knows no budget")
        self.assertEqual(page.value("document.querySelectorAll('[data-chart] svg path.line').length"), 3 + 4 + 3)
        self.assertEqual(page.complaints(), [])

    def test_sliders_begin_anew(self):
        page = self.browser.open(PAGE, ready=READY)
        page.value("(() => { const e = document.querySelector('#budget'); e.value = 0.4; e.dispatchEvent(new Event('input')); return 1; })()")
        self.assertEqual(page.value("document.querySelector('#budget_value').textContent"), "0.4")
        self.assertTrue(page.value("document.querySelector('#rounds').textContent").startswith("0 of"))

    def test_a_refusal_is_said(self):
        spec = json.dumps('table(file="a.csv")')
        why = self.page.value(f"(() => {{ try {{ reinBits({spec}, ['ccb'], 1, 10, 0); return ''; }} catch (e) {{ return e.message; }} }})()")
        self.assertIn("reads a file", why)

    def test_nothing_comes_from_elsewhere(self):
        urls = {event["request"]["url"].split(":")[0] for event in self.page.events("Network.requestWillBeSent")}
        self.assertLessEqual(urls, {"file", "data"})


if __name__ == "__main__":
    unittest.main()
