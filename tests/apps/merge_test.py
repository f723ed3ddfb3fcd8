"""rein compare --shard and rein merge: parts from many machines give the bits of one run."""

import json
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from verb_case import PROGRAM, VerbCase

WORDS = ["--world", "linear(k=3,d=3,costs=positive,rate=0.3)", "--policies", "ccb,squarecb", "--grid", "gamma_scale=1,4",
         "--rounds", "200", "--references", "--all-pairs"]


def without_times(text):
    found = json.loads(text, object_pairs_hook=lambda pairs: {key: value for key, value in pairs if key != "cpu_seconds"})
    found.pop("command")
    return json.dumps(found)


class Merge(VerbCase):
    verb = "merge"

    def part(self, number, of, *words):
        done = subprocess.run([PROGRAM, "compare", *WORDS, *words, "--shard", f"{number}/{of}", "--save",
                               self.path(f"part{number}")], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"part {number} of {of}: ", done.stdout)
        return self.path(f"part{number}.json")

    def whole(self, *words):
        return subprocess.run([PROGRAM, "compare", *WORDS, *words, "--json"], capture_output=True, text=True, check=True,
                              timeout=120).stdout

    def test_the_bits_are_those_of_one_run(self):
        parts = [self.part(k, 3, "--seeds", "5", "--threads", "1") for k in (3, 1, 2)]
        self.assertEqual(without_times(self.run_rein(*parts, "--json")), without_times(self.whole("--seeds", "5")))
        self.assertIn("Paired differences", self.run_rein(*parts, "--report", self.path("page.html")))
        self.assertGreater(os.path.getsize(self.path("page.html")), 10_000)

    def test_few_seeds_are_split_by_policy(self):
        parts = [self.part(k, 4, "--seeds", "1") for k in (1, 2, 3, 4)]
        self.assertEqual(without_times(self.run_rein(*parts, "--json")), without_times(self.whole("--seeds", "1")))

    def test_what_does_not_fit_together_is_refused(self):
        one, two = (self.part(k, 2, "--seeds", "2") for k in (1, 2))
        self.assertIn("of 2 parts, these are missing: 2", self.run_rein(one, code=2))
        self.assertIn("are both part 1 of 2", self.run_rein(one, one, code=2))
        self.assertIn("accepted: a file that rein compare --shard", self.run_rein(self.path("a.json", "{}\n"), code=2))
        with open(two, encoding="utf-8") as file:
            lines = file.readlines()
        short = self.path("short.json", "".join(lines[:-1]))
        self.assertIn("1 plays are in no part", self.run_rein(one, short, code=1))
        other = self.path("other.json", "".join(lines).replace('"200"', '"201"', 1))
        self.assertIn("parts of different comparisons", self.run_rein(one, other, code=2))
        done = subprocess.run([PROGRAM, "compare", "--shard", "3/2", "--save", self.path("x")], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--shard", done.stderr)


if __name__ == "__main__":
    unittest.main()
