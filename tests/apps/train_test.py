"""rein train: a model from a log, for Python and C++ (a snapshot) and for the service (a folder); counts, refusals."""

import gzip
import json
import os
import stat
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "serve"))
from service_process import Service
from verb_case import PROGRAM, VerbCase

ROOT = os.environ.get("REIN_SOURCE_DIR", os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
LOG = os.path.join(ROOT, "examples", "data", "decisions.csv")
CSV = "x_age,a,p,r,c_dollars\n30,email,0.5,1,0.02\n40,none,0.5,0,0\n50,none,0,0,0\n60,none,0.5,,\n"


class Train(VerbCase):
    verb = "train"

    def test_a_snapshot_that_only_the_owner_can_read(self):
        model = self.path("model.rein")
        out = self.run_rein(LOG, "--policy", "ccb(rate=0.05)", "--save", model)
        for words in ("900 rows kept, 0 refused", "learned 900 rows, left out 0", "actions   none, catalog, short",
                      "context   recency number, visits number, region category(most=3)", "costs     dollars",
                      f'rein.Agent.load("{model}")'):
            self.assertIn(words, out)
        self.assertEqual(stat.S_IMODE(os.stat(model).st_mode), 0o600)
        self.assertGreater(os.path.getsize(model), 1000)

    def test_a_policy_without_a_budget_gets_what_the_log_spent(self):
        out = self.run_rein(LOG, "--policy", "ccb", "--save", self.path("model.rein"))
        self.assertRegex(out, r"policy    ccb\(rate=0\.\d+\)")
        self.assertIn("rate      what the log spent per decision; say rate= for another", out)
        self.assertIn("works in units of the range", self.run_rein(LOG, "--policy", "squarecb", "--save",
                                                                   self.path("m"), code=2))
        self.run_rein(LOG, "--policy", "squarecb", "--range", "reward=0:1", "--range", "dollars=0:1", "--save",
                      self.path("m"))

    def test_counts_rows_refused_and_left_out(self):
        found = json.loads(self.run_rein(self.path("a.csv", CSV), "--save", self.path("m"), "--json"))
        self.assertEqual((found["kept"], found["refused"], found["learned"], found["left_out"]), (3, 1, 2, 1))
        whats = {note["what"]: note for note in found["notes"]}
        self.assertIn("found probability 0; accepted: above 0 and at most 1", whats)
        self.assertEqual(whats["no reward and no cost came"]["first"], 5)
        self.assertEqual(found["context"], {"age": "number"})

    def test_every_format_teaches_the_same(self):
        start = self.path("a.csv", "".join(CSV.splitlines(True)[:3]))
        hashes = set()
        for name in ("b.jsonl", "b.rlog", "b.csv.gz"):
            subprocess.run([PROGRAM, "convert", start, self.path(name), "--quiet"], check=True, timeout=60)
            found = json.loads(self.run_rein(self.path(name), "--save", self.path(name + ".model"), "--json"))
            self.assertEqual(found["learned"], 2, name)
            hashes.add(json.dumps(found["context"]))
        self.assertEqual(len(hashes), 1)

    def test_vowpal_wabbit_text_with_features_of_actions_hashed(self):
        text = "shared |User age:3\n|Action f:1\n0:-1:0.5 |Action g:1\n\n" * 30
        log = self.path("a.vw", text)
        out = self.run_rein(log, "--policy", "ccb", "--save", self.path("m1"))
        self.assertIn("context   User^age number(scale=none)", out)
        self.assertIn("features  Action^f, Action^g", out)
        self.assertIn("actions   0, 1\n", out)
        out = self.run_rein(log, "--save", self.path("m2"), "--bits", "18", "--vw-quadratic", "UA")
        self.assertIn("features  209188, ", out)
        self.assertIn("254669", out)  # User^age*Action^f, as Vowpal Wabbit numbers it

    def test_a_model_of_the_service(self):
        data = self.path("data")
        out = self.run_rein(LOG, "--policy", "ccb", "--serve", os.path.join(data, "mail"), "--document",
                            '{"budgets":[{"name":"day","cost":"dollars","amount":5,"per":"day"}]}')
        self.assertIn(f"rein serve --data {data}", out)
        self.assertIn("it has a model; accepted: another name",
                      self.run_rein(LOG, "--serve", os.path.join(data, "mail"), code=2))
        service = Service(data)
        try:
            client = service.client()
            status, _, body = client.ask("POST", "/v1/models/mail/decide",
                                         {"context": {"recency": 0.1, "visits": 0.9, "region": "west"}})
            self.assertEqual(status, 200, body)
            self.assertIn(json.loads(body)["action"], ("none", "short", "catalog"))
            self.assertTrue(4.0 < json.loads(body)["left"]["day"] <= 5.0)
            state = json.loads(client.ask("GET", "/v1/models/mail/state")[2])
            self.assertIn('"warm":900', json.dumps(state, separators=(",", ":")))
            document = json.loads(client.ask("GET", "/v1/models/mail")[2])
            self.assertIn("category(most=3)", json.dumps(document))
            # A service that runs owns its folder.
            self.assertIn("lock", self.run_rein(LOG, "--serve", os.path.join(data, "other"), code=1))
            client.close()
        finally:
            service.terminate()
        checked = subprocess.run([PROGRAM, "verify-journal", os.path.join(data, "mail")], capture_output=True,
                                 text=True, timeout=60)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_refusals(self):
        model = self.path("m")
        self.assertIn("accepted: --save FILE, --serve DATA/NAME", self.run_rein(LOG, code=2))
        self.assertIn("is the log", self.run_rein(self.path("a.csv", CSV), "--save", self.path("a.csv"), code=2))
        self.assertIn("exists; accepted: another name, or --force",
                      self.run_rein(LOG, "--save", self.path("old", ""), code=2))
        self.run_rein(LOG, "--save", self.path("old"), "--force")
        self.assertIn("unknown name", self.run_rein(LOG, "--policy", "cbb", "--save", model, code=2))
        self.assertIn("NAME=LOW:HIGH", self.run_rein(LOG, "--range", "reward", "--save", model, code=2))
        self.assertIn('no column "solved" for the reward',
                      self.run_rein(LOG, "--reward", "solved", "--save", model, code=1))
        self.assertIn('no cost "euros"; accepted: reward, dollars',
                      self.run_rein(LOG, "--range", "euros=0:1", "--save", model, code=2))
        self.assertIn("accepted: ", self.run_rein(LOG, "--document", '{"budget":1}', "--save", model, code=2))
        self.assertIn("cannot be read", self.run_rein(LOG, "--document", "none.json", "--save", model, code=2))
        self.assertIn("no_such", self.run_rein(self.path("no_such.csv"), "--save", model, code=1))
        cut = self.path("cut.csv.gz")
        with open(cut, "wb") as file:
            file.write(gzip.compress(CSV.encode() * 50)[:60])
        self.run_rein(cut, "--save", model, code=1)
        self.assertFalse(os.path.exists(model))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
