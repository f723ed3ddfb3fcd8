"""rein benchmark: the same bits twice, a score that overspending cannot buy, and a file that resumes."""

import json
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from verb_case import VerbCase


class Benchmark(VerbCase):
    verb = "benchmark"

    def scores(self, *words):
        return json.loads(self.run_rein("--profile", "small", "--json", *words))

    def test_twice_the_same_bits_whatever_the_threads_and_after_a_stop(self):
        kept = self.path("plays.jsonl")
        first = self.scores("--policies", "ccb,uniform", "--threads", "1", "--resume", kept)
        with open(kept, encoding="utf-8") as file:
            lines = file.readlines()
        with open(kept, "w", encoding="utf-8") as file:
            file.writelines(lines[:20])  # stopped on the way
        for words in (["--threads", "3"], ["--resume", kept]):
            self.assertEqual(self.scores("--policies", "ccb,uniform", *words), first)
        more = self.scores("--policies", "ccb,uniform,greedy")
        self.assertEqual(more["protocol_hash"], first["protocol_hash"])
        self.assertNotEqual(more["result_hash"], first["result_hash"])

    def test_overspending_earns_more_and_scores_less(self):
        found = {each["policy"]: each for each in self.scores("--policies", "ccb,squarecb")["policies"]}
        def mean(policy, key):
            cells = found[policy]["problems"]
            return sum(cell[key] for cell in cells) / len(cells)
        self.assertGreater(mean("squarecb", "spend"), 2)
        self.assertGreater(mean("squarecb", "reward"), mean("ccb", "reward"))
        self.assertLess(mean("squarecb", "score"), mean("ccb", "score"))
        self.assertLessEqual(mean("ccb", "spend"), 1.05)

    def test_a_policy_that_does_not_fit_scores_nothing_and_says_why(self):
        found = self.scores("--policies", "ccb(setting=slater,tuning=theory),safe(action=0,cost=0)")["policies"]
        self.assertTrue(any(cell["refused"] for each in found for cell in each["problems"]))
        for each in found:
            for cell in each["problems"]:
                if cell["refused"]:
                    self.assertEqual(set(cell["scores"]), {0})
        self.assertIn('accepted: full, small', self.run_rein("--profile", "tiny", code=2))

    def test_the_sealed_number_changes_the_sealed_seeds_alone(self):
        one, two = (self.scores("--policies", "uniform", "--sealed", number)["policies"][0] for number in ("1", "2"))
        self.assertEqual(one["open"], two["open"])
        self.assertNotEqual(one["sealed"], two["sealed"])


if __name__ == "__main__":
    unittest.main()
