"""What stands before the models: metrics, health, events, pages, hosts, settings, logs."""

import concurrent.futures
import http.client
import json
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import jsonschema

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from api_test import PLAIN, Case
from serving import DOCUMENT, PATIENCE, REIN, ROOT, Model, Serving, check, parsed, resolved, soon

SAMPLE = re.compile(r'^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?(?:[0-9.]+(?:e[+-]?[0-9]+)?|Inf|NaN|\+Inf))$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)')


def metrics_of(text):
    """Prometheus text as {(name, labels): value} and {name: type}. Refuses what Prometheus would."""
    values, types, helped = {}, {}, set()
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            helped.add(line.split(" ", 3)[2])
        elif line.startswith("# TYPE "):
            _, _, name, kind = line.split(" ")
            assert kind in ("counter", "gauge", "histogram") and name in helped and name not in types, line
            types[name] = kind
        else:
            name, labels, value = SAMPLE.match(line).groups()
            pairs = LABEL.findall(labels or "")
            assert ",".join(f'{key}="{text}"' for key, text in pairs) == (labels or ""), line
            base = name if name in types else re.sub("_(bucket|sum|count)$", "", name)
            assert types.get(base) in (("histogram",) if base != name else ("counter", "gauge")), line
            key = (name, tuple(sorted(pairs)))
            assert key not in values, f"twice: {line}"
            values[key] = float(value)
    return values, types


class Door(Case):
    def test_metrics_are_prometheus_text(self):
        model = self.model()
        name = model.path.rsplit("/", 1)[1]
        for n in range(3):
            model.outcome(id=model.decide(context=[1, n])["id"], reward=1, costs=0.05)
        model.ask("POST", "decide", {"context": [1]})
        answer = self.serving.ask("GET", "/metrics")
        self.assertTrue(answer.headers["Content-Type"].startswith("text/plain; version=0.0.4"))
        values, types = metrics_of(answer.body)

        def mine(metric, **labels):
            return values[(metric, tuple(sorted({"model": name, **labels}.items())))]

        self.assertEqual((mine("rein_decisions_total"), mine("rein_outcomes_total"), mine("rein_refused_total")), (3,
                                                                                                                   3,
                                                                                                                   1))
        self.assertAlmostEqual(mine("rein_billed_total", cost="dollars"), 0.15)
        self.assertAlmostEqual(mine("rein_budget_spent", budget="day"), 0.15)
        self.assertEqual(mine("rein_request_seconds_count", verb="decide"), 4)
        self.assertEqual(mine("rein_request_seconds_bucket", verb="decide", le="+Inf"), 4)
        limits = sorted((float(dict(labels)["le"]), value) for (metric, labels), value in values.items()
                        if metric == "rein_commit_seconds_bucket" and dict(labels)["model"] == name)
        self.assertEqual([value for _, value in limits], sorted(value for _, value in limits), "buckets are cumulative")
        counts = [values]
        for _ in range(2):
            self.serving.ask("GET", "/healthz", headers={"Host": "evil.example"})
            counts.append(metrics_of(self.serving.ask("GET", "/metrics").body)[0])
        self.assertGreater(values[("rein_http_requests_total", ())], 7)
        for metric, more in (("rein_http_requests_total", 2), ("rein_http_refused_total", 1)):
            found = [one[(metric, ())] for one in counts]
            self.assertEqual([b - a for a, b in zip(found, found[1:])], [more, more], metric)
        for metric, kind in types.items():
            self.assertEqual(metric.endswith("_total"), kind == "counter", metric)

    def test_health_document_and_unknown_paths(self):
        self.assertEqual(self.serving.good("GET", "/healthz"), {"ok": True})
        self.assertEqual(self.serving.good("GET", "/readyz"), {"ready": True})
        self.assertEqual(self.serving.good("GET", "/openapi.json"), DOCUMENT)
        answer = self.serving.ask("GET", "/v1/nothing")
        self.assertEqual((answer.status, answer.error["code"]), (404, "unknown"))
        answer = self.serving.ask("DELETE", "/v1/models/any")
        self.assertEqual(answer.status, 404, "models come before methods")
        answer = self.serving.ask("POST", "/metrics", "{}")
        self.assertEqual((answer.status, answer.headers["Allow"]), (405, "GET"))

    def events(self, path, count):
        connection = http.client.HTTPConnection(self.serving.address, timeout=PATIENCE)
        connection.request("GET", path)
        response = connection.getresponse()
        self.assertEqual((response.status, response.headers["Content-Type"].split(";")[0]), (200, "text/event-stream"))
        found, before = [], ""
        while len(found) < count:
            line = response.readline().decode()
            if line.startswith("data: "):
                found.append(parsed(line[6:]))
                self.assertEqual(before, "event: live\n")
            before = line
        connection.close()
        return found

    def test_events_follow_the_model(self):
        model = self.model()
        model.decide(context=[1, 2])
        for live in self.events(model.path + "/events", 2):
            check(live, {"$ref": "#/components/schemas/Live"}, "an event")
            self.assertEqual(live["counts"]["decided"], 1)
        for live in self.events("/v1/events", 2):
            check(live, {"$ref": "#/components/schemas/LiveAll"}, "an event of all")
            self.assertIn(model.path.rsplit("/", 1)[1], [one["model"] for one in live["models"]])
        self.assertEqual(self.serving.ask("GET", "/v1/models/none/events").status, 404)

    def test_pages_have_a_strict_policy(self):
        for path, kind in (("/", "text/html"), ("/models/any", "text/html"), ("/assets/live.js", "text/javascript"),
                           ("/assets/live.css", "text/css")):
            answer = self.serving.ask("GET", path)
            self.assertEqual((answer.status, answer.kind), (200, kind))
            policy = answer.headers["Content-Security-Policy"]
            self.assertIn("default-src 'none'", policy)
            self.assertNotIn("unsafe", policy)
            self.assertNotRegex(answer.body if kind == "text/html" else "",
                                r"https?://|<script>|<style|style=|\son\w+=")

    def test_foreign_hosts_and_origins_are_refused(self):
        for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}):
            answer = self.serving.ask("GET", "/v1/models", headers=headers)
            self.assertEqual((answer.status, answer.error["code"]), (403, "host"), headers)
        for headers in ({"Host": "localhost:1"}, {"Origin": "http://" + self.serving.address}):
            self.assertEqual(self.serving.ask("GET", "/v1/models", headers=headers).status, 200, headers)

    def test_bodies_must_be_json_by_type_and_small_enough(self):
        model = self.model()
        plain = model.ask("POST", "decide", '{"context":[1,2]}', headers={"Content-Type": "text/plain"})
        self.assertEqual((plain.status, plain.error["code"]), (415, "type"))
        large = model.ask("POST", "decide", '{"context":[%s]}' % ",".join(["1"] * 600_000))
        self.assertEqual((large.status, large.error["code"]), (413, "too_large"))

    def test_head_has_no_body(self):
        answer = self.serving.raw("HEAD", "/healthz")
        self.assertEqual((answer.status, answer.body), (200, ""))


class Load(unittest.TestCase):
    def test_too_many_at_once_are_told_to_come_again(self):
        serving = Serving(REIN_MOST_WAITING="1")
        self.addCleanup(serving.close)
        model = Model(serving, "m", {"actions": 2, "context": 2})  # no budget that could refuse
        made, refused = [], []
        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            for _ in range(20):  # until some have met
                for answer in pool.map(lambda n: model.ask("POST", "decide", {"context": [1, n]}), range(400)):
                    (made if answer.status == 200 else refused).append(answer)
                if made and refused:
                    break
        self.assertTrue(made and refused, (len(made), len(refused)))
        why = {(one.status, one.error["code"], one.headers["Retry-After"]) for one in refused}
        self.assertEqual(why, {(429, "rate", "1")})
        self.assertEqual(model.state()["decided"], len(made), "each was made or refused, never both")
        self.assertEqual(len({one.json["id"] for one in made}), len(made))


class Settings(unittest.TestCase):
    def serve(self, *words, **environment):
        return subprocess.run([REIN, "serve", *words], capture_output=True, text=True, timeout=PATIENCE,
                              env={**os.environ, **environment})

    def test_the_example_is_accepted(self):
        done = self.serve("--check", "--config", os.path.join(ROOT, "contrib", "rein.toml"))
        self.assertEqual((done.returncode, done.stdout), (0, "The settings are valid: 2 models.\n"), done.stderr)

    def test_the_container_is_built_without_what_git_ignores(self):
        def names(file):
            with open(os.path.join(ROOT, file), encoding="utf-8") as lines:
                return {line.strip().strip("/").replace("**/", "") for line in lines if line[:1] not in "#\n"}

        self.assertEqual(names(".gitignore") - names(".dockerignore"), set(),
                         "a build folder of the host has paths that the container does not have")

    @unittest.skipUnless(shutil.which("systemd-analyze"), "there is no systemd-analyze")
    def test_the_unit_is_accepted_by_systemd(self):
        with tempfile.TemporaryDirectory() as folder, open(os.path.join(ROOT, "contrib", "rein.service")) as file:
            path = os.path.join(folder, "rein.service")
            with open(path, "w") as copy:
                copy.write(file.read().replace("/usr/bin/rein", REIN))
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True,
                                  timeout=PATIENCE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_wrong_settings_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rein.toml")
            with open(path, "w") as file:
                file.write("[service]\nport = 8080\n\n[models.routing]\nactions = []\n")
            done = self.serve("--check", "--config", path)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("models.routing: ", done.stderr)
        done = self.serve("--check", REIN_PORT="http")
        self.assertIn("variable REIN_PORT: found \"http\"; accepted: 0 to 65535", done.stderr)
        done = self.serve("--check", "--config", "/nowhere/rein.toml")
        self.assertIn("/nowhere/rein.toml", done.stderr)

    def test_what_cannot_be_served_does_not_pass_the_check(self):
        for words, environment, says in (
                ((), {"REIN_ADDRESS": "0.0.0.0"}, "no token is set"),
                ((), {"REIN_ADDRESS": "rein.example.com"}, "is not an IP address"),
                ((), {"REIN_TOKEN": "two\nlines"}, "variable REIN_TOKEN: found one that no header can have"),
                ((), {"REIN_ADDRESS": "0.0.0.0", "REIN_TOKEN": "t"}, "at least 16 (make one with: openssl rand"),
                ((), {"REIN_MOST_BODY_BYTES": "67108864"}, "memory for at least 8 such bodies"),
                ((), {"REIN_TOKEN": "secret "}, "variable REIN_TOKEN: found one that no header can have"),
                (("--port", "70000"), {}, "--port"), (("--port", "-5"), {}, "--port")):
            with self.subTest(words=words, environment=environment):
                done = self.serve("--check", *words, **environment)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(says, done.stderr)
                self.assertNotIn("secret", done.stderr)
        done = self.serve("--check", REIN_ADDRESS="0.0.0.0", REIN_TOKEN="correct horse battery")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_other_addresses_need_a_token(self):
        done = self.serve("--port", "0", REIN_ADDRESS="0.0.0.0", REIN_DATA=tempfile.gettempdir() + "/rein-none")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("token", done.stderr)

    def test_models_of_the_file_are_there_and_one_service_has_the_folder(self):
        serving = Serving("--config", os.path.join(ROOT, "contrib", "rein.toml"), REIN_TOKEN="t",
                          REIN_ADDRESS="127.0.0.1")
        self.addCleanup(serving.close)
        serving.headers = {"Authorization": "Bearer t"}
        names = [one["name"] for one in serving.good("GET", "/v1/models")["models"]]
        self.assertEqual(names, ["news", "routing"])
        second = self.serve("--port", "0", "--data", os.path.join(serving.folder.name, "data"))
        self.assertNotEqual(second.returncode, 0)
        self.assertIn("data", second.stderr)
        self.assertEqual(oct(os.stat(os.path.join(serving.folder.name, "data")).st_mode & 0o777), "0o700")

    def test_logs_are_json_lines_with_the_traceparent(self):
        serving = Serving(REIN_LOG="requests", REIN_TOKEN="very secret")
        self.addCleanup(serving.close)
        trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        serving.ask("PUT", "/v1/models/m", PLAIN, headers={"Authorization": "Bearer very secret", "traceparent": trace})
        self.assertEqual(serving.stop(), 0)
        events = [line["event"] for line in serving.told]
        self.assertIn("ready", events)  # a request may be answered before it is logged
        self.assertEqual(events[-1], "ended")
        request = next(line for line in serving.told if line["event"] == "request" and line["method"] == "PUT")
        self.assertEqual((request["status"], request["path"], request["traceparent"]), (201, "/v1/models/m", trace))
        self.assertNotIn("very secret", json.dumps(serving.told))

    def test_wrong_tokens_are_in_the_log_with_their_address_and_not_by_the_thousand(self):
        serving = Serving(REIN_LOG="requests", REIN_TOKEN="very secret")
        self.addCleanup(serving.close)
        for _ in range(30):
            serving.raw("GET", "/v1/models")
        wrong = {"Authorization": "Bearer guess-one"}
        self.assertEqual(serving.raw("GET", "/v1/models", headers=wrong).status, 401)
        self.assertEqual(serving.stop(), 0)
        refused = [line for line in serving.told if line["event"] == "refused"]
        self.assertGreaterEqual(len(refused), 1)
        self.assertLessEqual(len(refused), 31)
        self.assertEqual({(line["status"], line["code"], line["path"], line["from"]) for line in refused},
                         {(401, "token", "/v1/models", "127.0.0.1")})
        self.assertNotIn("guess-one", json.dumps(serving.told))

    def test_idle_connections_leave_descriptors_for_models(self):
        limit = 400
        serving = Serving(prepare=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        self.addCleanup(serving.close)
        host, port = serving.address.split(":")
        idle = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(limit + 100)]
        self.addCleanup(lambda: [one.close() for one in idle])
        for one in idle[40:]:
            one.close()
        del idle[40:]

        def has_room():  # it has seen that they are closed; until then it answers 503, or closes at once
            try:
                found = re.search(r"^rein_http_connections (\d+)$", serving.raw("GET", "/metrics").body, re.MULTILINE)
                return found and int(found.group(1)) < 60
            except OSError:
                return False
        soon(has_room)
        for name in ("a", "b", "c"):
            model = Model(serving, name, PLAIN)
            model.decide(context=[0.1, 0.2])
        serving.kill()
        self.assertEqual(serving.told[0]["event"], "fewer connections")
        self.assertLess(serving.told[0]["now"], limit)
        serving.start()
        self.assertEqual(len(serving.good("GET", "/v1/models")["models"]), 3)

    def test_models_are_refused_when_no_descriptors_are_left_for_them(self):
        serving = Serving(prepare=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300)))
        self.addCleanup(serving.close)
        made = 0
        while (answer := serving.ask("PUT", f"/v1/models/m{made}", PLAIN)).status == 201:
            made += 1
        self.assertEqual((answer.status, answer.error["code"]), (503, "full"))
        self.assertIn("file descriptors", answer.error["message"])
        self.assertGreater(made, 5)
        for i in range(made):
            serving.good("POST", f"/v1/models/m{i}/decide", {"context": [0.1, 0.2]})


class Document(unittest.TestCase):
    """docs/openapi.json itself."""

    def test_schemas_are_schemas_and_examples_keep_them(self):
        examples = 0
        for name, schema in DOCUMENT["components"]["schemas"].items():
            with self.subTest(schema=name):
                jsonschema.Draft202012Validator.check_schema(schema)
                for example in schema.get("examples", []):
                    check(example, {"$ref": f"#/components/schemas/{name}"}, "an example")
                    examples += 1
        self.assertGreater(examples, 15)

    def test_references_resolve_and_operations_differ(self):
        text = json.dumps(DOCUMENT)
        for reference in set(re.findall(r'"\$ref": "#/([^"]+)"', text)):
            part = DOCUMENT
            for key in reference.split("/"):
                part = part[key]
        names = re.findall(r'"operationId": "(\w+)"', text)
        self.assertEqual(len(set(names)), len(names))
        used = set(re.findall(r"#/components/schemas/(\w+)", text))
        self.assertEqual(set(DOCUMENT["components"]["schemas"]) - used, {"Live", "LiveAll"} - used,
                         "schemas that nothing uses")

    def test_paths_name_their_parameters(self):
        for path, item in DOCUMENT["paths"].items():
            for method, operation in item.items():
                if method == "parameters":
                    continue
                given = [resolved(one) for one in item.get("parameters", []) + operation.get("parameters", [])]
                named = {one["name"] for one in given if one["in"] == "path"}
                self.assertEqual(named, set(re.findall(r"\{(\w+)\}", path)), f"{method} {path}")
                self.assertIn("default", operation["responses"])


class Page(unittest.TestCase):
    """The commands on docs/service.md are run, and print what it says."""

    def commands(self):
        with open(os.path.join(ROOT, "docs", "service.md"), encoding="utf-8") as file:
            blocks = re.findall(r"^```console\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
        for block in blocks:
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                lines = part.rstrip("\n").split("\n")
                yield "\n".join(lines[:-1]), lines[-1]

    @unittest.skipUnless(shutil.which("curl"), "there is no curl")
    def test_every_command_prints_what_the_page_says(self):
        serving = Serving()
        self.addCleanup(serving.close)
        there, here, count = "", "", 0
        for command, printed in self.commands():
            command = command.replace("127.0.0.1:8080", serving.address).replace(there or "\0", here)
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True,
                                  timeout=PATIENCE)
            self.assertEqual(done.returncode, 0, done.stderr)
            if not here and '"id":"' in printed:  # ids are secret, so they differ
                there, here = (re.search(r'"id":"(\w{16})"', text).group(1) for text in (printed, done.stdout))
            self.assertEqual(done.stdout.strip().replace(here or "\0", there), printed)
            count += 1
        self.assertGreaterEqual(count, 5)

    def test_the_document_for_rank_calls_makes_a_model(self):
        with open(os.path.join(ROOT, "docs", "service.md"), encoding="utf-8") as file:
            documents = re.findall(r"^```json\n(.*?)^```", file.read(), re.MULTILINE | re.DOTALL)
        serving = Serving()
        self.addCleanup(serving.close)
        self.assertEqual(len(documents), 1)
        model = Model(serving, "news", json.loads(documents[0]))
        self.assertEqual(model.ask("POST", "personalizer/v1.0/rank", {"actions": [{"id": "a"}]}).status, 201)

    def test_every_setting_is_on_the_page(self):
        with open(os.path.join(ROOT, "docs", "service.md"), encoding="utf-8") as file:
            told = set(re.findall(r"^\| `(\w+)` \| `(REIN_\w+)` \|", file.read(), re.MULTILINE))
        with open(os.path.join(ROOT, "src", "serve", "settings.cc"), encoding="utf-8") as file:
            known = set(re.findall(r'\{"(\w+)", "(REIN_\w+)"', file.read()))
        self.assertEqual(told, known)

    def test_every_metric_that_pages_name_is_there(self):
        serving = Serving()
        self.addCleanup(serving.close)
        model = Model(serving, "m", PLAIN)
        model.decide(context=[0.1, 0.2], scopes={"tenant": "acme"}, request_id="one")
        values, types = metrics_of(serving.ask("GET", "/metrics").body)
        for page in ("service.md", "service_tools.md", "limits.md", "budgets.md", "live.md"):  # others are of clusters
            with open(os.path.join(ROOT, "docs", page), encoding="utf-8") as file:
                for name in re.findall(r"`(rein_[a-z_]+)`", file.read()):
                    self.assertIn(name, types, page)
        one = {name: value for (name, labels), value in values.items() if dict(labels).get("model") == "m"}
        for name, value in (("rein_open_decisions", 1), ("rein_request_ids", 1), ("rein_keys", 1), ("rein_keys_in_use", 1),
                            ("rein_clock_lag_seconds", 0), ("rein_snapshot_failures_total", 0)):
            self.assertEqual(one[name], value, name)
        for name in ("rein_open_decisions_limit", "rein_open_bytes", "rein_open_bytes_limit", "rein_request_ids_limit",
                     "rein_keys_limit", "rein_journal_bytes", "rein_journal_wal_bytes", "rein_journal_entries"):
            self.assertGreater(one[name], 0, name)
        self.assertIn("rein_snapshot_timestamp_seconds", one)
        self.assertIn("rein_snapshot_seconds", one)

    def test_the_tables_name_every_code_and_verb(self):
        with open(os.path.join(ROOT, "docs", "service.md"), encoding="utf-8") as file:
            page = file.read()
        codes = DOCUMENT["components"]["schemas"]["Error"]["properties"]["error"]["properties"]["code"]["enum"]
        for code in codes:
            self.assertIn(f"`{code}`", page)
        for path in (path for path in DOCUMENT["paths"] if not path.startswith("/assets/")):
            last = re.sub(r"/\{\w+\}$", "", path).rsplit("/", 1)[1]
            self.assertIn(last, page, path)
        for key in DOCUMENT["components"]["schemas"]["Document"]["properties"]:
            self.assertIn(f"`{key}`", page, "a key of the document")


if __name__ == "__main__":
    unittest.main()
