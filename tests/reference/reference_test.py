"""The reference program agrees with the kept traces, notices a wrong number, and the library agrees
with traces that the reference program writes anew."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import ccb

POLICY_TEST = os.environ.get("REIN_POLICY_TEST", "")

# One line per file: every setting, and what the kept traces have only once.
NEW_TRACES = [
    "--setting expectation --v-scale 0.05 --gamma-scale 2 --costs 2 --seed 101",
    "--setting slater --varying --v-scale 0.05 --reg 0.5 --costs 3 --seed 102",
    "--setting almost_sure --lambda-scale 200 --costs 2 --delay 5 --seed 103",
    "--setting knapsack --budget 20,5 --lambda-scale 400 --varying --seed 104",
    "--setting linear_constraints --budget 6,8 --v-scale 0.05 --delay 3 --seed 105",
    "--setting knapsack --budget 9 --actions 1 --features 1 --rounds 40 --seed 106",
]


def write(path, line):
    subprocess.run([sys.executable, ccb.__file__, "--write", path, *line.split()], check=True)


class Reference(unittest.TestCase):
    def test_every_kept_trace_agrees(self):
        names = sorted(name for name in os.listdir(ccb.GOLDEN) if name.endswith(".jsonl"))
        self.assertGreaterEqual(len(names), 9)
        for name in names:
            with self.subTest(trace=name):
                self.assertIsNone(ccb.check(os.path.join(ccb.GOLDEN, name)))

    def test_a_number_off_by_1e_8_is_noticed(self):
        with open(os.path.join(ccb.GOLDEN, "delayed.jsonl"), encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        for name in ("Q_before", "f_hat", "g_hat", "price", "z", "gamma", "p"):
            with self.subTest(name=name), tempfile.TemporaryDirectory() as folder:
                changed = json.loads(json.dumps(lines))
                last = changed[-1]
                if isinstance(last[name], float):
                    last[name] += 2e-8 * max(1.0, last[name])
                else:
                    row = last[name][0] if isinstance(last[name][0], list) else last[name]
                    row[0] += 2e-8 * max(1.0, abs(row[0]))
                path = os.path.join(folder, "changed.jsonl")
                with open(path, "w", encoding="utf-8") as file:
                    file.writelines(json.dumps(line) + "\n" for line in changed)
                self.assertIn(f"round 150 {name}", ccb.check(path) or "")

    def test_the_same_seed_writes_the_same_trace(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in ("one", "two", "other_seed")]
            for path, seed in zip(paths, (1, 1, 2)):
                write(path, f"--rounds 20 --seed {seed}")
            texts = []
            for path in paths:
                with open(path, encoding="utf-8") as file:
                    texts.append(file.read())
            self.assertEqual(texts[0], texts[1])
            self.assertNotEqual(texts[0], texts[2])

    @unittest.skipUnless(POLICY_TEST, "REIN_POLICY_TEST names the library's golden test program")
    def test_the_library_agrees_with_new_traces(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, line in enumerate(NEW_TRACES):
                path = os.path.join(folder, f"{number}.jsonl")
                write(path, line)
                self.assertIsNone(ccb.check(path))
            done = subprocess.run([POLICY_TEST, "--gtest_filter=Golden.EveryTrace*"], text=True,
                                  env={**os.environ, "REIN_GOLDEN_DIR": folder},
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("[  PASSED  ] 1 test", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
