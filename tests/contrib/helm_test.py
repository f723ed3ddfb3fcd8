"""The chart of contrib/helm/rein as helm renders it: kubeconform knows every field, what cannot work is refused with a
sentence, and the program starts with the settings and the environment that a pod gets, and answers its probes.

Needs helm, kubeconform and REIN_KUBE_SCHEMAS, the folder that scripts/kube_schemas.py makes (make test-helm)."""

import base64
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request

import yaml

ROOT = os.environ["REIN_SOURCE_DIR"]
REIN = os.environ["REIN_PROGRAM"]
SCHEMAS = os.environ["REIN_KUBE_SCHEMAS"]
CHART = os.path.join(ROOT, "contrib", "helm", "rein")
TOKEN = "0123456789abcdef0123456789abcdef"
DIGEST = "sha256:" + "1" * 64
PATIENCE = 60  # seconds until something counts as hung
WITH_VOLUME = {"token": {"value": TOKEN}}
NODES = {"token": {"existingSecret": "mine"}, "replicas": 3, "journal": {"existingSecret": "database"},
         "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                                        "whenUnsatisfiable": "ScheduleAnyway"}]}
EVERYTHING = {
    "token": {"value": TOKEN, "key": "secret"}, "journal": {"value": "postgres://rein:word@db/rein"}, "replicas": 2,
    "tokens": [{"name": "shop", "digest": DIGEST, "roles": ["decide"], "models": ["routing"]}], "apply": True,
    "hosts": ["rein"], "env": [{"name": "REIN_LOG", "value": "requests"}],
    "settings": "[service]\nstrict = true\n\n[models.routing]\nactions = 2\n",
    "image": {"repository": "registry.example/rein", "tag": "1"}, "imagePullSecrets": [{"name": "registry"}],
    "service": {"type": "LoadBalancer", "port": 80, "annotations": {"a": "b"}},
    "ingress": {"enabled": True, "className": "nginx", "host": "rein.example.com", "tlsSecret": "tls",
                "annotations": {"nginx.ingress.kubernetes.io/proxy-buffering": "off"}},
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}, "tokenSecret": "reader"},
    "podAnnotations": {"a": "b"}, "podLabels": {"team": "a"}, "nodeSelector": {"disk": "ssd"},
    "tolerations": [{"key": "only", "operator": "Exists"}], "affinity": {"nodeAffinity": {}},
    "resources": {"requests": {"cpu": 2, "memory": "1Gi"}}, "podDisruptionBudget": {"maxUnavailable": "50%"},
}
CLAIM = {"token": {"value": TOKEN}, "storage": {"existingClaim": "old"}, "podDisruptionBudget": {"enabled": False}}


def helm(values, *words):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(values, file)
        file.flush()
        return subprocess.run(["helm", *words, CHART, "--kube-version", "1.31.0", "-f", file.name], text=True,
                              capture_output=True, check=False)


def rendered(values):
    done = helm(values, "template", "rein", "--namespace", "shop")
    assert done.returncode == 0, done.stderr
    return done.stdout


def objects(values):
    found = {}
    for each in yaml.safe_load_all(rendered(values)):
        if each:
            assert each["kind"] not in found, each["kind"]
            found[each["kind"]] = each
    return found


def container(values):
    return objects(values)["StatefulSet"]["spec"]["template"]["spec"]["containers"][0]


def environment(values, fields):
    """The variables that a pod gets; secrets as they are in the chart's own, fields as given."""
    found = {}
    secret = objects(values).get("Secret", {"data": {}})["data"]
    for each in container(values)["env"]:
        origin = each.get("valueFrom", {})
        if "secretKeyRef" in origin:
            key = origin["secretKeyRef"]["key"]
            found[each["name"]] = base64.b64decode(secret[key]).decode()
        elif "fieldRef" in origin:
            found[each["name"]] = fields[origin["fieldRef"]["fieldPath"]]
        else:
            found[each["name"]] = re.sub(r"\$\((\w+)\)", lambda name: found[name.group(1)], each["value"])
    return found


def conform(text):
    return subprocess.run(["kubeconform", "-strict", "-summary", "-output", "json", "-schema-location",
                           SCHEMAS + "/{{ .ResourceKind }}{{ .KindSuffix }}.json"], input=text, text=True,
                          capture_output=True, check=False)


class Rendered(unittest.TestCase):
    def test_kubernetes_knows_every_field(self):
        for name, values, number in (("volume", WITH_VOLUME, 4), ("nodes", NODES, 3), ("everything", EVERYTHING, 7),
                                     ("claim", CLAIM, 3)):
            with self.subTest(name):
                done = conform(rendered(values))
                summary = json.loads(done.stdout)["summary"]
                self.assertEqual(summary, {"valid": number, "invalid": 0, "errors": 0, "skipped": 0}, done.stdout)

    def test_a_field_that_kubernetes_does_not_know_is_found(self):
        text = rendered(EVERYTHING)
        for right, wrong in (("readinessProbe:", "readynessProbe:"), ("maxUnavailable:", "maxUnavailible:"),
                             ("interval: 15s", "intervall: 15s"), ("port: 80\n", 'port: "eighty"\n')):
            self.assertIn(right, text)
            self.assertNotEqual(conform(text.replace(right, wrong)).returncode, 0, wrong)

    def test_lint_finds_nothing(self):
        done = subprocess.run(["helm", "lint", "--strict", CHART, "--set", f"token.value={TOKEN}"], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_what_cannot_work_is_refused(self):
        for values, why in (({}, "token: found none"), ({"token": {"value": "short"}}, "fewer than 16 bytes"),
                            ({**WITH_VOLUME, "replicas": 2}, "more than 1 without journal"),
                            ({**WITH_VOLUME, "ingress": {"enabled": True}}, "ingress.host: found none"),
                            ({**WITH_VOLUME, "replica": 2}, "replica"),
                            ({**WITH_VOLUME, "storage": {"size": "much"}}, "size"),
                            ({**WITH_VOLUME, "tokens": [{"name": "a", "digest": DIGEST, "roles": ["own"]}]}, "roles")):
            done = helm(values, "template", "rein")
            self.assertNotEqual(done.returncode, 0, values)
            self.assertIn(why, done.stderr)

    def test_a_volume_holds_the_journals_and_several_nodes_have_none(self):
        one = objects(WITH_VOLUME)["StatefulSet"]["spec"]
        self.assertEqual(one["volumeClaimTemplates"][0]["metadata"]["name"], "data")
        self.assertEqual(container(WITH_VOLUME)["volumeMounts"][0], {"name": "data", "mountPath": "/data"})
        self.assertNotIn("volumeClaimTemplates", objects(NODES)["StatefulSet"]["spec"])
        claimed = objects(CLAIM)["StatefulSet"]["spec"]["template"]["spec"]["volumes"][0]
        self.assertEqual(claimed["persistentVolumeClaim"]["claimName"], "old")

    def test_secrets_of_others_are_named_and_not_copied(self):
        self.assertNotIn("Secret", objects(NODES))
        origins = {each["name"]: each["valueFrom"]["secretKeyRef"] for each in container(NODES)["env"]
                   if "secretKeyRef" in each.get("valueFrom", {})}
        self.assertEqual(origins, {"REIN_TOKEN": {"name": "mine", "key": "token"},
                                   "REIN_JOURNAL": {"name": "database", "key": "journal"}})
        for text in (TOKEN, "rein:word"):
            self.assertNotIn(text, rendered(EVERYTHING))

    def test_the_monitor_and_the_budget_find_the_pods(self):
        all_of = objects(EVERYTHING)
        pods = all_of["StatefulSet"]["spec"]["template"]["metadata"]["labels"].items()
        self.assertLessEqual(all_of["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"].items(), pods)
        self.assertLessEqual(all_of["Service"]["spec"]["selector"].items(), pods)
        self.assertLessEqual(all_of["ServiceMonitor"]["spec"]["selector"]["matchLabels"].items(),
                             all_of["Service"]["metadata"]["labels"].items())
        self.assertEqual(all_of["ServiceMonitor"]["spec"]["endpoints"][0]["authorization"]["credentials"]["name"],
                         "reader")

    def test_a_change_of_settings_starts_the_pods_anew(self):
        notes = [objects({**WITH_VOLUME, "settings": text})["StatefulSet"]["spec"]["template"]["metadata"]["annotations"]
                 for text in ("[models.a]\nactions = 2\n", "[models.b]\nactions = 2\n")]
        self.assertNotEqual(notes[0], notes[1])


class Started(unittest.TestCase):
    """The program with what a pod gets, on this machine: another port, another folder."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def words(self, values):
        words = [REIN, *container(values).get("args", [])]
        if "/etc/rein/rein.toml" in words:
            path = os.path.join(self.folder.name, "rein.toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(objects(values)["ConfigMap"]["data"]["rein.toml"])
            words[words.index("/etc/rein/rein.toml")] = path
        return words

    def test_settings_of_several_nodes_are_accepted(self):
        given = environment(EVERYTHING, {"metadata.name": "rein-1", "status.podIP": "10.0.0.7"})
        self.assertEqual((given["REIN_NODE"], given["REIN_ADVERTISE"]), ("rein-1", "10.0.0.7:8080"))
        self.assertEqual(json.loads(given["REIN_TOKENS"])[0]["name"], "shop")
        words = self.words(EVERYTHING)
        self.assertIn("--apply", words)
        done = subprocess.run([*words, "--check"], env={**os.environ, **given}, text=True, capture_output=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_probes_are_answered_and_callers_by_name_are_known(self):
        values = {**WITH_VOLUME, "settings": "[models.routing]\nactions = 2\n"}
        pod = container(values)
        given = environment(values, {})
        self.assertTrue(given["REIN_DATA"].startswith(pod["volumeMounts"][0]["mountPath"] + "/"))
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        given.update(REIN_DATA=os.path.join(self.folder.name, "rein"), REIN_PORT=str(port), REIN_ADDRESS="127.0.0.1")
        service = subprocess.Popen(self.words(values), env={**os.environ, **given}, stdout=subprocess.DEVNULL)
        try:
            for probe in ("livenessProbe", "readinessProbe"):
                self.soon_answered(port, pod[probe]["httpGet"]["path"])
            named = {"Authorization": f"Bearer {TOKEN}", "Host": "rein.shop.svc.cluster.local"}
            self.assertEqual(self.answer(port, "/metrics", named), 200)
            self.assertEqual(self.answer(port, "/metrics", {"Host": "rein.shop"}), 401)
            self.assertEqual(self.answer(port, "/metrics", {**named, "Host": "other.shop"}), 403)
        finally:
            service.send_signal(signal.SIGTERM)
            self.assertEqual(service.wait(timeout=PATIENCE), 0)

    def answer(self, port, path, headers=None):
        try:
            asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers or {})
            with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
                return answer.status
        except urllib.error.HTTPError as refused:
            return refused.code

    def soon_answered(self, port, path):
        end = time.monotonic() + PATIENCE
        while True:
            try:
                if self.answer(port, path) == 200:
                    return
            except OSError:
                pass
            self.assertLess(time.monotonic(), end, path)
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
