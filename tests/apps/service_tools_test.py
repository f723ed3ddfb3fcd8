"""inspect, replay, verify-journal and export, on the folder of a service that was stopped."""

import csv
import io
import json
import os
import pathlib
import shutil
import signal
import sys
import tempfile
import time
import typing
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "serve"))
from service_process import Service, tool

PLAIN = {"actions": ["small", "large"], "context": 2, "costs": {"dollars": 2, "seconds": 9}, "reward": [0, 1],
         "seed": 3,
         "budgets": [{"name": "day", "cost": "dollars", "amount": 50, "hard": True, "per": "day"},
                     {"name": "time", "cost": "seconds", "amount": 100000, "per": "day"}],
         "largest_costs": {"small": {"dollars": 1, "seconds": 9}, "large": {"dollars": 2, "seconds": 9}}}
NAMED = {"actions": 3, "context": {"age": "number(scale=none)", "country": "category(most=2)"}, "action_features": 2,
         "costs": {"dollars": 1}, "reward": [0, 1], "seed": 4,
         "budgets": [{"name": "day", "cost": "dollars", "amount": 50, "per": "day"}]}


class Recorded:
    """A service that ran for a while: what it was asked, and what it answered."""

    def __init__(self, data):
        self.data, self.decided, self.states = data, {}, {}
        service = Service(data, snapshot_every=100)
        self.client = service.client()
        for name, document in (("plain", PLAIN), ("named", NAMED)):
            status, _, answer = self.client.ask("PUT", f"/v1/models/{name}", document)
            assert status == 201, answer
        self.plain_traffic()
        self.named_traffic()
        service.kill()
        # A snapshot that is being made would add its entries after the answers.
        service = Service(data, snapshot_every=1_000_000)
        self.client = service.client()
        for name in ("plain", "named"):
            self.states[name] = self.ask("GET", f"/v1/models/{name}/state?hash=1")
        service.kill()

    def ask(self, method, path, body=None, expect=200):
        status, _, answer = self.client.ask(method, path, body)
        assert status == expect, (path, status, answer)
        return json.loads(answer)

    def decide(self, model, body):
        answer = self.ask("POST", f"/v1/models/{model}/decide", body)
        self.decided[answer["id"]] = {**answer, "asked": body}
        return answer["id"]

    def outcome(self, model, name, **parts):
        self.ask("POST", f"/v1/models/{model}/outcome", {"id": name, **parts})

    def plain_traffic(self):
        ids = [self.decide("plain", {"context": [number / 100, 1]}) for number in range(20)]
        self.settled, self.partly, self.silent, self.cancelled = ids[:10], ids[10], ids[11:15], ids[15]
        for place, name in enumerate(self.settled):
            self.outcome("plain", name, reward=place % 2)
            self.outcome("plain", name, costs={"dollars": place / 100})
            self.outcome("plain", name, costs={"seconds": 2.5})
            self.outcome("plain", name, reward=place % 2)  # again
        self.outcome("plain", self.partly, costs={"dollars": 0.125})
        self.ask("POST", "/v1/models/plain/cancel", {"id": self.cancelled})
        for _ in range(300):  # enough for snapshots
            self.outcome("plain", self.decide("plain", {"context": [0, 1]}), reward=1, costs=[0.0, 1])

    def named_traffic(self):
        rows = [{"age": 30, "country": "DE"}, {"age": 41.5, "country": "FR"}, {"age": 8, "country": "IT"}]
        actions = [{"id": 0, "features": [1, 0]}, {"id": 2, "features": [0.5, 2]}]
        self.rows = [self.decide("named", {"context": row, "actions": actions}) for row in rows]
        self.outcome("named", self.rows[0], reward=0.5, costs=0.25)
        # The others expire, and the first one could not before it had its outcome.
        self.ask("PATCH", "/v1/models/named", {"expire_after": 1})
        end = time.monotonic() + 120
        while self.ask("GET", "/v1/models/named/state")["open"] > 0:
            assert time.monotonic() < end, "they never expired"
            time.sleep(0.1)
        self.outcome("named", self.rows[1], costs=0.75)  # a late bill


class Tools(unittest.TestCase):
    folder: str
    data: str
    seen: Recorded

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="rein-tools-")
        cls.data = os.path.join(cls.folder, "data")
        cls.seen = Recorded(cls.data)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def run_tool(self, *words, code=0):
        done = tool(*words)
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        return done.stdout if code == 0 else done.stderr

    def model(self, name):
        return os.path.join(self.data, name)

    def copy(self):
        path = os.path.join(self.folder, "copy")
        shutil.copytree(self.data, path)
        self.addCleanup(shutil.rmtree, path)
        return path

    def test_help_teaches(self):
        for verb in ("inspect", "replay", "verify-journal", "export"):  # renew: below
            text = self.run_tool(verb, "--help")
            for word in (f"rein {verb} rein-data", "stopped, or a copy", "Exit code 1"):
                self.assertIn(word, text)
            self.assertIn(verb, self.run_tool("--help"))

    def test_inspect(self):
        models = json.loads(self.run_tool("inspect", self.data, "--json"))["models"]
        self.assertEqual([one["name"] for one in models], ["named", "plain"])
        plain = models[1]
        self.assertEqual(plain["document"], PLAIN)
        # The price is that of the last decision since the start, so a journal does not have it.
        self.assertEqual({**plain["state"], "price": None}, {**self.seen.states["plain"], "price": None})
        self.assertEqual((plain["first"], plain["last"]), (1, plain["state"]["entries"]))
        self.assertLessEqual(plain["first_at"], time.time())
        self.assertTrue(1 <= len(plain["snapshots"]) <= 2)
        self.assertTrue(all(one["intact"] for one in plain["snapshots"]))
        self.assertEqual((plain["budgets"][0]["name"], plain["budgets"][0]["limit"]), ("day", 50))
        self.assertEqual(json.loads(self.run_tool("inspect", self.model("named"), "--json"))["models"][0], models[0])
        text = self.run_tool("inspect", self.model("plain"))
        for word in ("320 decided, 9 open, 310 learned, 0 expired, 1 cancelled", "of 50 dollars spent",
                     plain["state"]["hash"], "snapshot   at entry"):
            self.assertIn(word, text)

    def test_nothing_is_changed(self):
        def content():
            found = {}
            for folder, _, names in os.walk(self.data):
                for name in names:
                    with open(os.path.join(folder, name), "rb") as file:
                        found[os.path.join(folder, name)] = file.read()
            return found
        before = content()
        self.run_tool("inspect", self.data)
        self.run_tool("replay", self.model("plain"), "--snapshot")
        self.run_tool("verify-journal", self.model("plain"))
        self.run_tool("export", self.model("plain"))
        self.assertEqual(content(), before)

    def test_replay_ends_in_the_state_of_the_service(self):
        for name, state in self.seen.states.items():
            found = json.loads(self.run_tool("replay", self.model(name), "--json"))
            self.assertEqual((found["last"], found["hash"]), (state["entries"], state["hash"]))
        position = json.loads(self.run_tool("inspect", self.model("plain"), "--json"))["models"][0]["snapshots"][-1]
        for words in (["--snapshot"], ["--from", str(position["position"])]):
            found = json.loads(self.run_tool("replay", self.model("plain"), "--json", *words))
            self.assertEqual(found["hash"], self.seen.states["plain"]["hash"])
            self.assertLess(found["entries"], found["last"])
        text = self.run_tool("replay", self.model("plain"))
        self.assertIn("per second", text)
        self.assertIn(self.seen.states["plain"]["hash"], text)

    def test_usage(self):
        self.assertIn("it has 2 models", self.run_tool("replay", self.data, code=2))
        self.assertIn("no such folder", self.run_tool("inspect", self.data + "/nothing", code=2))
        self.assertIn("it has no model", self.run_tool("inspect", os.path.dirname(__file__), code=2))
        self.assertIn("accepted: 1 to", self.run_tool("replay", self.model("plain"), "--to", "999999", code=2))
        self.assertIn("accepted: csv, jsonl, dsjson", self.run_tool("export", self.data, "--format", "xml", code=2))
        self.assertIn("one of them", self.run_tool("replay", self.model("plain"), "--snapshot", "--from", "3", code=2))

    def test_verify_says_where_the_damage_is(self):
        text = self.run_tool("verify-journal", self.model("plain"))
        self.assertIn("sound", text)
        self.assertIn("the same state as the journal", text)
        copy = os.path.join(self.copy(), "plain")
        for name in sorted(os.listdir(copy)):
            if not name.startswith("snapshot-"):
                continue
            path = os.path.join(copy, name)
            with open(path, "r+b") as file:
                file.truncate(os.path.getsize(path) - 1)
            text = self.run_tool("verify-journal", copy, code=1)
            self.assertIn(f"{name} is damaged: its state should have", text)

    def test_a_flipped_entry_is_found_by_its_number(self):
        copy = self.copy()
        Service(copy).terminate()  # commits of the WAL move into the file
        path = os.path.join(copy, "plain", "journal")
        with open(path, "rb") as file:
            content = file.read()
        # One bit of this id, wherever it is: pages that are no longer used have it too.
        name = int(self.seen.settled[5], 16).to_bytes(8, "little")
        self.assertIn(name, content)
        with open(path, "wb") as file:
            file.write(content.replace(name, bytes([name[0] ^ 1]) + name[1:]))
        text = self.run_tool("verify-journal", os.path.join(copy, "plain"), code=1)
        self.assertRegex(text, r"entry \d+ is damaged: its checksum does not match")
        number = int(text.split("entry ")[1].split()[0])
        self.assertRegex(self.run_tool("replay", os.path.join(copy, "plain"), code=1), rf"entry {number} is damaged")
        self.assertRegex(self.run_tool("export", os.path.join(copy, "plain"), code=1), rf"entry {number} is damaged")

    def test_a_renewed_journal_goes_on_with_the_same_state(self):
        old, seen = os.path.join(self.copy(), "plain"), self.seen
        files = {path.name: path.read_bytes() for path in pathlib.Path(old).iterdir()}
        data = os.path.join(self.folder, "renewed")
        self.addCleanup(shutil.rmtree, data)
        self.assertIn(seen.states["plain"]["hash"], self.run_tool("renew", old, "--serve", f"{data}/plain"),
                      "nothing of the state is lost")
        self.assertIn("it has a model", self.run_tool("renew", old, "--serve", f"{data}/plain", code=2))
        self.assertEqual({path.name: path.read_bytes() for path in pathlib.Path(old).iterdir()}, files)
        service = Service(data)

        def ask(method, path, body=None):
            status, _, answer = service.client().ask(method, f"/v1/models/plain/{path}", body)
            return status, json.loads(answer)

        state, before = ask("GET", "state")[1], seen.states["plain"]
        known = set(state) - {"entries", "now", "snapshot"}
        self.assertEqual({key: state[key] for key in known}, {key: before[key] for key in known})
        self.assertLess(state["entries"], 3, "the last state, and time that has passed")
        opened = {one["id"] for one in ask("GET", "open")[1]["open"]}
        self.assertTrue({seen.partly, *seen.silent} < opened)
        told = ask("POST", "outcome", {"id": seen.partly, "reward": 1, "costs": {"seconds": 1}})[1]
        self.assertEqual(told["result"], "applied")
        self.assertEqual(ask("POST", "outcome", {"id": seen.settled[1], "reward": 1})[1]["result"], "duplicate")
        self.assertEqual(ask("POST", "outcome", {"id": seen.settled[1], "reward": 0})[0], 409)
        new = ask("POST", "decide", {"context": [0, 1]})[1]["id"]
        service.terminate()
        lines = self.run_tool("export", f"{data}/plain", "--format", "jsonl").splitlines()
        rows = {row["id"]: row for row in map(json.loads, lines)}
        self.assertEqual(set(rows), opened | {new}, "what was open then, and what was decided since")
        partly = rows[seen.partly]
        self.assertEqual((partly["state"], partly["reward"], partly["costs"]),
                         ("settled", 1, {"dollars": 0.125, "seconds": 1}))
        self.assertEqual(partly["context"], seen.decided[seen.partly]["asked"]["context"])
        self.assertEqual(rows[new]["state"], "open")

    def test_a_renewed_journal_keeps_the_mode_and_what_waits_and_forgets_requests(self):
        data = os.path.join(self.folder, "waiting")
        client: typing.Any = None
        self.addCleanup(shutil.rmtree, data)

        def ask(method, path, body=None):
            status, headers, answer = client.ask(method, f"/v1/models/m{path}", body)
            self.assertLess(status, 300, answer)
            return json.loads(answer), headers.get("rein-repeated")

        service = Service(data)
        client = service.client()
        ask("PUT", "", {**PLAIN, "baseline": "small"})
        shown, never = (ask("POST", "/decide", {"context": [0, 1], "activate": False})[0]["id"] for _ in range(2))
        ask("POST", "/activate", {"id": shown})
        ask("PATCH", "", {"mode": "shadow"})
        order = {"context": [0, 1], "request_id": "order 7"}
        first = ask("POST", "/decide", order)[0]
        self.assertEqual(ask("POST", "/decide", order), (first, "1"))
        service.terminate()
        self.check_would(f"{data}/m", first)
        os.rename(f"{data}/m", f"{data}/.old")
        self.assertIn("1 request ids are forgotten", self.run_tool("renew", f"{data}/.old", "--serve", f"{data}/m"))
        service = Service(data)
        self.addCleanup(service.end, signal.SIGKILL)
        client = service.client()
        again, repeated = ask("POST", "/decide", order)
        self.assertEqual((again["id"] == first["id"], repeated, again["mode"]), (False, None, "shadow"))
        self.assertEqual(ask("GET", "/state")[0]["deferred"], 1)
        self.assertEqual([ask("POST", "/activate", {"id": one})[0]["result"] for one in (shown, never)],
                         ["duplicate", "applied"])

    def check_would(self, model, answer):
        """Exports have what the policy would have played in shadow mode."""
        lines = self.run_tool("export", model, "--format", "jsonl").splitlines()
        found = {row["id"]: row.get("would") for row in map(json.loads, lines)}
        self.assertEqual(found.pop(answer["id"]), answer["would"])
        self.assertEqual(set(found.values()), {None})
        rows = csv.DictReader(io.StringIO(self.run_tool("export", model, "--format", "csv")))
        for row in rows:
            would = answer["would"] if row["id"] == answer["id"] else {"action": "", "probability": ""}
            self.assertEqual((row["would"], row["would_probability"]), (would["action"], str(would["probability"])))

    def test_export_jsonl_has_what_was_answered_and_reported(self):
        rows = {row["id"]: row for row in map(json.loads, self.run_tool(
            "export", self.model("plain"), "--format", "jsonl").splitlines())}
        self.assertEqual(len(rows), 320)
        for name, row in rows.items():
            told = self.seen.decided[name]
            for key in ("action", "probability", "probabilities", "actions"):
                self.assertEqual(row[key], told[key], key)
            self.assertEqual(row["context"], told["asked"]["context"])
        for place, name in enumerate(self.seen.settled):
            row = rows[name]
            self.assertEqual((row["state"], row["reward"], row["costs"]),
                             ("settled", place % 2, {"dollars": place / 100, "seconds": 2.5}))
        partly = rows[self.seen.partly]
        self.assertEqual((partly["state"], partly["reward"], partly["costs"]),
                         ("open", None, {"dollars": 0.125, "seconds": None}))
        self.assertEqual(rows[self.seen.cancelled]["state"], "cancelled")
        self.assertEqual({rows[name]["state"] for name in self.seen.silent}, {"open"})

    def test_export_names_the_columns_of_a_schema(self):
        rows = [json.loads(line) for line in self.run_tool(
            "export", self.model("named"), "--format", "jsonl").splitlines()]
        by_id = {row["id"]: row for row in rows}
        first, second, third = (by_id[name] for name in self.seen.rows)
        self.assertEqual((first["context"]["age"], second["context"]["age"]), (30, 41.5))
        self.assertEqual((first["context"]["country=DE"], first["context"]["country=FR"]), (1, 0))
        self.assertEqual(second["context"]["country=FR"], 1)
        self.assertEqual(first["features"], [[1, 0], [0.5, 2]])
        self.assertEqual(first["actions"], [0, 2])
        self.assertEqual((first["state"], second["state"], third["state"]), ("settled", "expired", "expired"))
        self.assertEqual((second["reward"], second["costs"]), (None, {"dollars": 0.75}))
        self.assertEqual(third["costs"], {"dollars": None})
        table = list(csv.DictReader(io.StringIO(self.run_tool("export", self.model("named")))))
        self.assertEqual(len(table), 3)
        for cells in table:
            row = by_id[cells["id"]]
            self.assertEqual(cells["state"], row["state"])
            self.assertEqual(float(cells["context.age"]), row["context"]["age"])
            self.assertEqual(float(cells["context.country=DE"]), row["context"]["country=DE"])
            self.assertEqual(json.loads(cells["features"]), row["features"])
            self.assertEqual(json.loads(cells["probabilities"]), row["probabilities"])
            self.assertEqual(cells["reward"], "" if row["reward"] is None else str(row["reward"]))
            self.assertEqual(cells["cost.dollars"],
                             "" if row["costs"]["dollars"] is None else str(row["costs"]["dollars"]))

    def test_export_dsjson(self):
        lines = [json.loads(line) for line in self.run_tool(
            "export", self.model("named"), "--format", "dsjson").splitlines()]
        line = next(one for one in lines if one["EventId"] == self.seen.rows[0])
        told = self.seen.decided[self.seen.rows[0]]
        chosen = told["actions"].index(told["action"])
        self.assertEqual((line["_label_cost"], line["_labelIndex"], line["_label_Action"]), (-0.5, chosen, chosen + 1))
        self.assertEqual(line["_label_probability"], told["probability"])
        self.assertEqual(line["_costs"], {"dollars": 0.25})
        self.assertEqual(line["a"], [chosen + 1, 2 - chosen])
        self.assertEqual(line["p"], [told["probabilities"][chosen], told["probabilities"][1 - chosen]])
        self.assertEqual([one["Action"] for one in line["c"]["_multi"]],
                         [{"id": "0", "f0": 1, "f1": 0}, {"id": "2", "f0": 0.5, "f1": 2}])
        self.assertEqual(line["c"]["Context"]["age"], 30)
        self.assertRegex(line["Timestamp"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(line["Version"], "1")
        late = next(one for one in lines if one["EventId"] == self.seen.rows[1])
        self.assertNotIn("_label_cost", late)
        self.assertEqual(late["_costs"], {"dollars": 0.75})
        plain = [json.loads(one) for one in self.run_tool(
            "export", self.model("plain"), "--format", "dsjson").splitlines()]
        self.assertEqual(sum("_skipLearn" in one for one in plain), 1)
        zero = next(one for one in plain if one["EventId"] == self.seen.settled[0])
        self.assertEqual(str(zero["_label_cost"]), "0")

    def test_export_to_a_file(self):
        path = os.path.join(self.folder, "out.csv")
        words = ("export", self.model("plain"), "--out", path)
        self.assertIn("320 decisions", self.run_tool(*words))
        with open(path, encoding="utf-8") as file:
            before = file.read()
        self.assertEqual(before, self.run_tool("export", self.model("plain")))
        self.assertIn("--force", self.run_tool(*words, "--format", "jsonl", code=2))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), before)
        self.run_tool(*words, "--format", "jsonl", "--force")
        with open(path, encoding="utf-8") as file:
            self.assertEqual(len([json.loads(line) for line in file]), 320)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith(".rein")], [])


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # connections that nobody closes
