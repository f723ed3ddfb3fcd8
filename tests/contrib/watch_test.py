"""Alerts and dashboard over the metrics of the real program: each alert fires when it should (promtool), and
Prometheus answers every query of every panel and rule while the demo runs."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

ROOT = os.environ["REIN_SOURCE_DIR"]
REIN = os.environ["REIN_PROGRAM"]
PATIENCE = 120  # seconds until something counts as hung
# What only some services have. Their queries must be answered, and may have no results.
ONLY_NODES = re.compile(r"rein_cluster_\w+|rein_snapshot_timestamp_seconds")  # snapshots: after 50 000 entries


def place(*parts):
    return os.path.join(ROOT, *parts)


def text_of(*parts):
    with open(place(*parts), encoding="utf-8") as file:
        return file.read()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fetched(url):
    with urllib.request.urlopen(url, timeout=PATIENCE) as answer:
        return answer.read().decode()


def soon(done):
    end = time.monotonic() + PATIENCE
    while True:
        try:
            found = done()
            if found:
                return found
        except OSError:
            pass
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.2)


def panels():
    return json.loads(text_of("contrib", "grafana", "rein.json"))["panels"]


def panel_queries():
    return [(panel["title"], target["expr"].replace("$model", ".*")) for panel in panels() for target in panel["targets"]]


def rules():
    """Name and expression of each rule, as Prometheus reads them."""
    found = re.findall(r"- alert: (\w+)\n(.*?)(?=\n      - alert|\Z)", text_of("contrib", "prometheus", "alerts.yaml"), re.S)
    assert len(found) > 10
    return [(name, re.search(r"expr: (?:>-\n)?(.*?)\n        (?:for|labels)", body, re.S).group(1)) for name, body in found]


class Alerts(unittest.TestCase):
    def test_each_alert_fires_when_it_should_and_not_before(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(place("contrib", "prometheus", "alerts.yaml"), folder)
            shutil.copy(place("tests", "contrib", "alerts_test.yaml"), folder)
            done = subprocess.run(["promtool", "test", "rules", "alerts_test.yaml"], cwd=folder, text=True,
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        tests = text_of("tests", "contrib", "alerts_test.yaml")
        for name, _ in rules():
            self.assertRegex(tests, rf"alertname: {name}, exp_alerts: \[\]", "it is quiet when all is well")
            self.assertRegex(tests, rf"alertname: {name}\n        exp_alerts:\n          - exp_labels", "and fires")

    def test_the_page_says_what_to_do_about_each(self):
        page = text_of("docs", "operations.md")
        for name, _ in rules():
            self.assertIn(f"`{name}`", page)

    def test_the_example_of_a_configuration_is_accepted(self):
        done = subprocess.run(["promtool", "check", "config", place("contrib", "prometheus", "prometheus.yml")],
                              text=True, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Queries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.started = []
        ports = [free_port(), free_port(), free_port()]
        clean = {key: value for key, value in os.environ.items() if not key.startswith("REIN_")}
        # One with traffic, in memory; one with a folder on a disk.
        cls.start([REIN, "serve", "--demo", "--port", str(ports[0])], clean)
        cls.start([REIN, "serve", "--port", str(ports[1]), "--data", os.path.join(cls.folder.name, "data")], clean)
        config = os.path.join(cls.folder.name, "prometheus.yml")
        with open(config, "w", encoding="utf-8") as file:
            file.write("global: {scrape_interval: 1s}\n"
                       f"rule_files: [{json.dumps(place('contrib', 'prometheus', 'alerts.yaml'))}]\n"
                       "scrape_configs:\n  - job_name: rein\n    static_configs:\n"
                       f"      - targets: ['127.0.0.1:{ports[0]}', '127.0.0.1:{ports[1]}']\n")
        cls.start(["prometheus", f"--config.file={config}", f"--web.listen-address=127.0.0.1:{ports[2]}",
                   f"--storage.tsdb.path={cls.folder.name}/tsdb", "--log.level=error"], clean)
        cls.prometheus = f"http://127.0.0.1:{ports[2]}"
        cls.pages = [fetched(f"http://127.0.0.1:{port}/metrics") for port in ports[:2]
                     if soon(lambda port=port: fetched(f"http://127.0.0.1:{port}/readyz"))]
        # Rates need two scrapes, and outcomes of the demo take a moment.
        soon(lambda: cls.results("rate(rein_outcomes_total[5m]) > 0 and count_over_time(rein_outcomes_total[5m]) > 5"))

    @classmethod
    def start(cls, words, environment):
        cls.started.append(subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    @classmethod
    def tearDownClass(cls):
        for process in cls.started:
            process.terminate()
        for process in cls.started:
            process.wait(PATIENCE)
        cls.folder.cleanup()

    @classmethod
    def results(cls, query):
        words = urllib.parse.urlencode({"query": query})
        answer = json.loads(fetched(f"{cls.prometheus}/api/v1/query?{words}"))
        assert answer["status"] == "success", (query, answer)
        return answer["data"]["result"]

    def test_every_panel_shows_something(self):
        for title, query in panel_queries():
            with self.subTest(panel=title, query=query):
                found = self.results(query)
                if not ONLY_NODES.search(query):
                    self.assertTrue(found, "no results")

    def test_every_rule_is_answered_and_names_metrics_that_exist(self):
        names = set(re.findall(r"^# TYPE (\w+)", "".join(self.pages), re.M))
        source = text_of("src", "cluster", "shown.cc")
        for name, query in rules():
            with self.subTest(rule=name):
                self.results(query)
                for metric in re.findall(r"\brein_\w+", query):
                    known = metric.removesuffix("_bucket") in names or f'"{metric}"' in source
                    self.assertTrue(known, metric)

    def test_prometheus_has_the_rules_and_they_are_well(self):
        found = soon(lambda: [group["rules"] for group in
                              json.loads(fetched(self.prometheus + "/api/v1/rules"))["data"]["groups"]])
        self.assertEqual(sorted(rule["name"] for rule in found[0]), sorted(name for name, _ in rules()))
        self.assertEqual([rule["name"] for rule in found[0] if rule["health"] == "err"], [])

    def test_panels_do_not_lie_over_each_other(self):
        seen = set()
        for panel in panels():
            at = panel["gridPos"]
            cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
            self.assertFalse(seen & cells, panel["title"])
            self.assertLessEqual(at["x"] + at["w"], 24)
            seen |= cells


if __name__ == "__main__":
    if not shutil.which("promtool"):
        sys.exit("watch_test.py: there is no promtool (on Debian: apt-get install prometheus)")
    unittest.main()
