"""Files of every earlier version (tests/compat), read by today's program: models, logs, plays."""

import csv
import io
import json
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "serve"))
from service_process import Service, tool

COMPAT = HERE.parent / "compat"
VERSIONS = sorted(path.name for path in COMPAT.iterdir() if (path / "models").is_dir())
MODELS = ("money", "late", "plain")
COMPARE = ("compare", "--world", "linear(k=3,d=3)", "--policy", "ccb", "--policy", "greedy", "--rounds", "300",
           "--seeds", "2", "--threads", "1")


class EveryVersion(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)

    def done(self, *words):
        result = tool(*map(str, words))
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def each_version(self):
        for version in VERSIONS:
            with self.subTest(version=version):
                work = self.work / version
                shutil.copytree(COMPAT / version, work)
                yield work, json.loads((work / "figures.json").read_text(encoding="utf-8"))

    def test_the_first_one_is_there(self):
        self.assertIn("0.1.0", VERSIONS)

    def test_tools_read_its_models(self):
        for work, figures in self.each_version():
            found = json.loads(self.done("inspect", work / "models", "--json"))
            for model in found["models"]:
                then = figures["models"][model["name"]]
                self.assertEqual(model["state"]["hash"], then["state"]["hash"])
                self.assertEqual([(each["name"], each["spent"], each["held"]) for each in model["budgets"]],
                                 [(each["name"], each["spent"], each["held"]) for each in then["budgets"]])
            for name in MODELS:
                self.assertIn("sound", self.done("verify-journal", work / "models" / name))
                self.assertIn(figures["models"][name]["state"]["hash"], self.done("replay", work / "models" / name))
                rows = self.done("export", work / "models" / name, "--format", "jsonl")
                self.assertEqual(rows, (work / f"{name}.jsonl").read_text(encoding="utf-8"))

    def test_the_service_goes_on_with_its_models(self):
        for work, figures in self.each_version():
            service = Service(str(work / "models"))
            client = service.client()
            for name in MODELS:
                status, _, answer = client.ask("GET", f"/v1/models/{name}")
                origin = json.loads(answer)["policy"]
                self.assertEqual(origin["asked"], figures["models"][name]["document"].get("policy", "ccb"))
                status, _, answer = client.ask("GET", f"/v1/models/{name}/open?most=1")
                waits = json.loads(answer)["open"][0]["id"] if json.loads(answer)["open"] else None
                if waits and name != "late":
                    status, _, answer = client.ask("POST", f"/v1/models/{name}/outcome", {"id": waits, "reward": 0.25})
                    self.assertEqual(status, 200, answer)
            service.kill()
            for name in MODELS:
                self.assertIn("sound", self.done("verify-journal", work / "models" / name))

    def test_another_policy_takes_its_models_over(self):
        for work, figures in self.each_version():
            before = (work / "models" / "money" / "journal").read_bytes()
            said = self.done("migrate", work / "models" / "money", "--to", work / "new" / "money", "--policy",
                             "ccb(oracle=vaw)")
            self.assertEqual((work / "models" / "money" / "journal").read_bytes(), before)
            found = json.loads(self.done("inspect", work / "new" / "money", "--json"))["models"][0]
            self.assertIn(found["state"]["hash"], said)
            self.assertEqual(found["document"]["policy"], "ccb(oracle=vaw)")
            then = figures["models"]["money"]
            for key in ("decided", "open", "learned", "expired", "cancelled", "billed"):
                self.assertEqual(found["state"][key], then["state"][key], key)
            self.assertEqual([(each["name"], each["spent"], each["held"]) for each in found["budgets"]],
                             [(each["name"], each["spent"], each["held"]) for each in then["budgets"]])

    def test_its_logs_have_the_rows_they_had(self):
        for work, _ in self.each_version():
            if not (work / "log.rlog").exists():
                continue  # it has models only
            self.done("convert", work / "log.rlog", work / "again.csv", "--quiet")
            self.assertEqual((work / "again.csv").read_bytes(), (work / "log.csv").read_bytes())

    def test_its_plays_are_read_and_none_is_added(self):
        for work, figures in self.each_version():
            if not (work / "plays.jsonl").exists():
                continue
            plays = (work / "plays.jsonl").read_bytes()
            found = self.done(*COMPARE, "--resume", work / "plays.jsonl", "--csv")
            # Later versions have more columns; those that it had are as they were, to the letter.
            then = list(csv.DictReader(io.StringIO((work / "plays.csv").read_text(encoding="utf-8"))))
            rows = list(csv.DictReader(io.StringIO(found)))
            self.assertEqual([{key: row[key] for key in then[0]} for row in rows], then)
            self.assertLess(0, len(then))
            if figures["version"] == self.done("--version").split()[1]:
                continue
            more = tool(*COMPARE, "--policy", "uniform", "--resume", str(work / "plays.jsonl"))
            self.assertEqual(more.returncode, 2)
            self.assertIn(f"plays of rein {figures['version']}", more.stderr)
            self.assertEqual((work / "plays.jsonl").read_bytes(), plays)


class UnknownPolicy(unittest.TestCase):
    """A model whose oracle "onz" no program has (tests/tools/migrate_test.cc made it)."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        shutil.copytree(COMPAT / "unknown_policy", self.work / "data" / "model")
        self.model = str(self.work / "data" / "model")

    def test_reading_tools_need_no_policy_and_say_so(self):
        shown = tool("inspect", self.model)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("12 decided, 4 open, 8 learned", shown.stdout)
        self.assertIn('unknown name "onz"', shown.stdout)
        self.assertNotIn("damage", shown.stdout)
        found = json.loads(tool("inspect", self.model, "--json").stdout)["models"][0]
        self.assertIn("onz", found["unknown_policy"])
        self.assertEqual(found["state"]["open"], 4)
        exported = tool("export", self.model, "--format", "jsonl")
        self.assertEqual(exported.returncode, 0, exported.stderr)
        self.assertEqual(len(exported.stdout.splitlines()), 12)
        self.assertIn("onz", exported.stderr)

    def test_the_service_serves_the_others_and_names_what_it_does_not_know(self):
        shutil.copytree(COMPAT / VERSIONS[0] / "models" / "plain", self.work / "data" / "plain")
        service = Service(str(self.work / "data"))
        client = service.client()
        models = {one["name"]: one for one in json.loads(client.ask("GET", "/v1/models")[2])["models"]}
        self.assertEqual(models["model"]["status"], "stopped")
        for word in ("unknown name", "rein migrate"):
            self.assertIn(word, models["model"]["why"])
            self.assertIn(word, service.tail())
        self.assertNotEqual(models["plain"]["status"], "stopped")
        self.assertEqual(client.ask("GET", "/v1/models/plain/state")[0], 200)
        self.assertEqual(json.loads(client.ask("GET", "/readyz")[2]), {"ready": True, "stopped": ["model"]})
        # The model is not open, so another policy can take it over while the others are served.
        done = tool("migrate", self.model, "--to", str(self.work / "new" / "model"), "--policy", "ccb")
        self.assertEqual(done.returncode, 0, done.stderr)
        shutil.move(self.model, self.work / "old")
        shutil.move(self.work / "new" / "model", self.model)
        self.assertEqual(client.ask("POST", "/v1/models/model/reopen", {})[0], 200)
        self.assertEqual(json.loads(client.ask("GET", "/v1/models/model/state")[2])["open"], 4)
        self.assertEqual(json.loads(client.ask("GET", "/readyz")[2]), {"ready": True})
        service.kill()

    def test_tools_that_need_the_policy_say_what_is_unknown_and_what_to_do(self):
        renewed = str(self.work / "new" / "model")
        for words in (("replay", self.model), ("verify-journal", self.model), ("renew", self.model, "--serve", renewed)):
            done = tool(*words)
            self.assertEqual(done.returncode, 1, done.stdout)
            for word in (self.model, 'unknown name "onz"', "Nothing is damaged", f"rein migrate {self.model} --to"):
                self.assertIn(word, done.stderr)
        self.assertIn("checksums  all right", tool("verify-journal", self.model).stdout)
        self.assertFalse(os.path.exists(renewed))
        # Damage is still damage.
        journal = self.work / "data" / "model" / "journal"
        journal.write_bytes(journal.read_bytes().replace(b"onz", b"onx"))
        damaged = tool("verify-journal", self.model)
        self.assertNotIn("all right", damaged.stdout)
        self.assertNotIn("Nothing is damaged", damaged.stderr)

    def test_a_strict_service_does_not_start(self):
        started = tool("serve", "--data", str(self.work / "data"), "--port", "0", "--strict", timeout=60)
        self.assertEqual(started.returncode, 1)
        self.assertIn("unknown name", started.stderr)
        self.assertIn("rein migrate", started.stderr)

    def test_migrate_takes_it_on(self):
        done = tool("migrate", self.model, "--to", str(self.work / "new" / "model"), "--policy", "ccb")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("learned    8 rounds again", done.stdout)
        found = json.loads(tool("inspect", str(self.work / "new"), "--json").stdout)["models"][0]
        self.assertEqual((found["state"]["open"], found["state"]["learned"], found["state"]["warm"]), (4, 8, 8))


if __name__ == "__main__":
    unittest.main()
