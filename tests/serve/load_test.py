"""`rein load`: what it prints, its ledger, and what it says when it cannot send."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serving import PATIENCE, REIN, Serving


def run(*words):
    return subprocess.run([REIN, *words], capture_output=True, text=True, timeout=PATIENCE)


class Load(unittest.TestCase):
    def setUp(self):
        self.serving = Serving()
        self.addCleanup(self.serving.close)
        self.port = self.serving.address.rsplit(":", 1)[1]

    def load(self, *words):
        return run("load", "--port", self.port, "--rate", "200", "--seconds", "0.5", "--warm-up", "0.1", *words)

    def test_the_ledger_has_what_the_journal_has(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "ledger")
            done = self.load("--ledger", path, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(path, encoding="utf-8") as file:
                lines = [line.split() for line in file]
        told = {verb: sorted(id for what, id in lines if what == verb) for verb in ("decide", "outcome")}
        self.assertEqual(self.serving.stop(), 0)
        rows = [json.loads(line) for line in
                run("export", os.path.join(self.serving.folder.name, "data"), "--format", "jsonl").stdout.splitlines()]
        self.assertGreater(len(rows), 50)
        self.assertEqual(told["decide"], sorted(row["id"] for row in rows))
        self.assertEqual(told["outcome"], sorted(row["id"] for row in rows if row["state"] == "settled"))
        report = json.loads(done.stdout)
        # A machine that is busy with other things may have too much work waiting for a moment (429).
        self.assertLessEqual(set(report["statuses"]), {"200", "429"})
        self.assertEqual(sum(report["statuses"].values()), report["due"])
        self.assertEqual(report["statuses"]["200"], report["good"])
        self.assertEqual(report["outcome_statuses"], {"200": report["outcome_ms"]["count"]})
        for part in ("decide_ms", "outcome_ms"):
            found = report[part]
            self.assertEqual(sum(one["count"] for one in found["histogram"]), found["count"])
            ends = [one["up_to"] for one in found["histogram"]]
            self.assertEqual(ends, sorted(ends))
            self.assertTrue(ends[-1] / 2 <= found["max"] <= ends[-1], found)
            self.assertTrue(found["p50"] <= found["p90"] <= found["p99"] <= found["p99.9"], found)
        self.assertEqual(report["decide_ms"]["count"] + report["outcome_ms"]["count"], report["due"])

    def test_a_table_for_people(self):
        done = self.load("--address", "localhost")
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in ("200 decisions and 200 outcomes per second were due for 0.5 s", "p99.9", "up to ms", " x 200"):
            self.assertIn(text, done.stdout)

    def test_a_port_out_of_range_is_refused(self):
        done = subprocess.run([os.environ["REIN_PROGRAM"], "load", "--port", "99999"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--port: Value 99999 not in range 1 to 65535", done.stderr)

    def test_what_it_cannot_do_is_said(self):
        for words, says in ((("--ledger", "/nowhere/ledger"), "--ledger /nowhere/ledger: No such file"),
                            (("--address", "no.such.host.invalid"), "address \"no.such.host.invalid\": "),
                            (("--address", "127.0.0.2"), "127.0.0.2:" + self.port)):
            with self.subTest(words=words):
                done = self.load(*words)
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                self.assertIn(says, done.stderr)
        if os.path.exists("/dev/full"):
            self.assertIn("No space left", self.load("--ledger", "/dev/full").stderr)


if __name__ == "__main__":
    unittest.main()
