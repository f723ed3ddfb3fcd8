"""Folders and disks that do not do what a service needs: in use, read-only, full, damaged. And the end
of a service under load, by a signal."""

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service_process import REIN, Gone, Service, soon, tool

PATH = "/v1/models/m"
DOCUMENT = {"actions": ["small", "large"], "context": 2, "costs": {"dollars": 1}, "reward": [0, 1],
            "most_open": 1_000_000, "budgets": [{"name": "day", "cost": "dollars", "amount": 1000, "per": "day"}]}


def decide(client, rounds=1, **more):
    bodies = [{"context": [0.25, 1.0], **more} for _ in range(rounds)]
    status, _, answer = client.ask("POST", PATH + "/decide", {"rounds": bodies})
    assert status == 200, answer
    return [one["id"] for one in json.loads(answer)["decisions"]]


class Disk(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rein-disk-")
        os.chmod(self.folder, 0o755)
        self.data = os.path.join(self.folder, "data")
        self.model = os.path.join(self.data, "m")

        self.addCleanup(shutil.rmtree, self.folder)  # after the cleanups that tests add

    def made(self, **more):
        """A service with the model, running."""
        service = Service(self.data, **more)
        status, _, answer = service.client().ask("PUT", PATH, DOCUMENT)
        self.assertEqual(status, 201, answer)
        return service

    def refused(self, *words, user=None):
        """What a start says that must fail."""
        done = subprocess.run([REIN, "serve", "--data", self.data, "--port", "0", *words], capture_output=True, text=True,
                              timeout=120, user=user)
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def stopped(self):
        """Why the model has stopped, in a service that was started on its folder and is ready."""
        service = Service(self.data, wait=False)
        client = service.client()
        soon(lambda: client.ask("GET", "/v1/models")[0] == 200)
        model = json.loads(client.ask("GET", "/v1/models")[2])["models"][0]
        self.assertEqual((model["name"], model["status"]), ("m", "stopped"))
        self.assertIn('"level":"error","event":"stopped","model":"m"', service.tail())
        status, _, answer = client.ask("GET", "/readyz")
        self.assertEqual((status, json.loads(answer)["error"]["code"]), (503, "stopped"))
        self.assertEqual(client.ask("PUT", PATH, DOCUMENT)[0], 503)
        self.assertEqual(service.terminate(), 0)
        return model["why"]

    def state(self, service):
        status, _, answer = service.client().ask("GET", PATH + "/state?hash=1")
        self.assertEqual(status, 200, answer)
        return json.loads(answer)

    def ids(self):
        done = tool("export", self.model, "--format", "jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line)["id"] for line in done.stdout.splitlines()]

    def test_second_service_on_a_folder_is_refused(self):
        service = self.made()
        said = self.refused()
        self.assertIn("lock is locked", said)
        self.assertIn("stop the service", said)
        decide(service.client())  # the first one goes on
        for verb in ("inspect", "replay", "verify-journal", "export"):
            done = tool(verb, self.model)
            self.assertEqual(done.returncode, 1, done.stdout)
            self.assertIn("stop the service that has it, or read a copy", done.stderr)
        service.kill()

    @unittest.skipUnless(os.getuid() == 0, "root may write everywhere, so another user is needed")
    def test_read_only_folder_is_refused(self):
        self.made().terminate()
        os.chmod(self.data, 0o555)
        said = self.refused(user=65534)
        self.assertIn(self.data, said)
        self.assertIn("Permission denied", said)

    def fill(self, service):
        """Decides until the disk is full and the model stops. Returns the ids that were acknowledged."""
        client, known = service.client(), []
        bodies = [{"context": [0.25, 1.0]}] * 100
        for _ in range(100_000):
            status, headers, answer = client.ask("POST", PATH + "/decide", {"rounds": bodies})
            answer = json.loads(answer)
            if status != 200:
                break
            known += [one["id"] for one in answer["decisions"]]
        self.assertEqual((status, answer["error"]["code"]), (503, "stopped"), answer)
        self.assertIn("retry-after", headers)
        self.assertIn('"level":"error","event":"stopped","model":"m"', service.tail())
        self.assertIsNone(service.process.poll(), "the process goes on")
        self.assertGreater(len(known), 1000)
        return known

    def comes_back(self, service, known):
        """There is room again: the model goes on in the same process, with all that was acknowledged."""
        status, _, answer = service.client().ask("POST", PATH + "/reopen", {})
        self.assertEqual(status, 200, answer)  # or it has opened the model by itself by now
        decided = self.state(service)["decided"]
        self.assertLessEqual(len(known), decided)
        self.assertLessEqual(decided, len(known) + 100)
        decide(service.client(), 10)
        self.assertEqual(json.loads(service.client().ask("POST", PATH + "/reopen", {})[2])["reopened"], False)
        self.assertEqual(service.terminate(), 0)
        found = self.ids()
        self.assertEqual(len(set(found)), len(found))
        self.assertEqual(len(found), decided + 10)
        self.assertEqual(set(known) - set(found), set())
        self.assertEqual(tool("verify-journal", self.model).returncode, 0)

    def test_a_model_whose_file_is_too_large_stops_alone_and_comes_back(self):
        limit = 3 << 20
        service = self.made(prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY)))
        client = service.client()
        self.assertEqual(client.ask("PUT", "/v1/models/other", DOCUMENT)[0], 201)
        known = self.fill(service)
        # It says so wherever one looks, and the other model is served.
        status, _, answer = client.ask("GET", "/readyz")
        self.assertEqual((status, json.loads(answer)), (200, {"ready": True, "stopped": ["m"]}))
        models = {one["name"]: one for one in json.loads(client.ask("GET", "/v1/models")[2])["models"]}
        self.assertEqual(models["m"]["status"], "stopped")
        self.assertNotEqual(models["m"]["why"], "")
        self.assertEqual(models["other"]["status"], "ok")
        metrics = client.ask("GET", "/metrics")[2].decode()
        self.assertIn('rein_model_stopped{model="m"} 1\n', metrics)
        self.assertIn('rein_model_stopped{model="other"} 0\n', metrics)
        self.assertEqual(client.ask("PUT", PATH, DOCUMENT)[0], 503)
        self.assertEqual(client.ask("GET", PATH + "/state")[0], 503)
        for _ in range(3):
            self.assertEqual(client.ask("POST", "/v1/models/other/decide", {"context": [0.25, 1.0]})[0], 200)
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        self.comes_back(service, known)

    def test_a_model_that_stopped_is_opened_again_by_itself(self):
        limit = 3 << 20
        service = self.made(prepare=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY)))
        known = self.fill(service)
        resource.prlimit(service.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        client = service.client()
        soon(lambda: client.ask("GET", PATH + "/state")[0] != 503)
        self.assertIn('"event":"opened again","model":"m"', service.tail())
        self.comes_back(service, known)

    @unittest.skipUnless(os.getuid() == 0, "threads are counted per user, so another user is needed")
    def test_a_model_without_a_thread_stops_alone_and_comes_back(self):
        user = 60_000 + os.getpid() % 5000  # nobody else's
        os.chown(self.folder, user, user)
        service = Service(self.data, user=user)
        for name in "abc":
            self.assertEqual(service.client().ask("PUT", f"/v1/models/{name}", DOCUMENT)[0], 201)
        self.assertEqual(service.terminate(), 0)
        service = Service(self.data, user=user)
        soon(lambda: len(os.listdir(f"/proc/{service.process.pid}/task")) == 8)  # five, and one per model
        self.assertEqual(service.terminate(), 0)

        def stopped():
            models = json.loads(service.client().ask("GET", "/v1/models")[2])["models"]
            return {one["name"]: one["why"] for one in models if one["status"] == "stopped"}

        others = [subprocess.Popen(["sleep", "600"], user=user) for _ in range(4)]
        self.addCleanup(lambda: [one.kill() or one.wait() for one in others])
        few = 7 + len(others)  # room for two of the three, once they have been opened
        service = Service(self.data, user=user,
                          prepare=lambda: resource.setrlimit(resource.RLIMIT_NPROC, (few, few)))
        soon(lambda: len(stopped()) == 1)
        why = stopped()
        self.assertIn("cannot start a thread", *why.values())
        for name in set("abc") - set(why):  # their end marks are synced without a thread
            self.assertEqual(service.client().ask("POST", f"/v1/models/{name}/decide", {"context": [0, 1]})[0], 200)
        status, headers, answer = service.client().ask("PUT", "/v1/models/new", DOCUMENT)
        self.assertEqual((status, json.loads(answer)["error"]["code"]), (503, "busy"))
        self.assertIn("retry-after", headers)
        for one in others:
            one.kill()
            one.wait()
        soon(lambda: not stopped())
        self.assertEqual(service.client().ask("PUT", "/v1/models/new", DOCUMENT)[0], 200, "its journal was made")
        for name in ("a", "b", "c", "new"):
            self.assertEqual(service.client().ask("POST", f"/v1/models/{name}/decide", {"context": [0, 1]})[0], 200)
        self.assertEqual(service.terminate(), 0)

    @unittest.skipUnless(os.getuid() == 0, "only root can mount a small disk")
    def test_full_disk_stops_the_model_and_room_brings_it_back(self):
        os.mkdir(self.data)
        mount = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", self.data]
        if subprocess.run(mount, capture_output=True).returncode != 0:
            self.skipTest("tmpfs cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", "-l", self.data], check=True)
        service = self.made()
        known = self.fill(service)
        service.kill()
        # On a full disk the model cannot be opened, or stops at its first commit. Neither does harm.
        full = Service(self.data, wait=False)
        try:
            full.wait_until_ready()
            while True:
                known += decide(full.client(), 100)
        except (RuntimeError, AssertionError, Gone):
            pass
        if full.process.poll() is None:
            full.kill()
        self.assertEqual(set(known) - set(self.ids()), set())
        subprocess.run(["mount", "-o", "remount,size=64m", self.data], check=True)
        self.comes_back(Service(self.data), known)

    def test_sigterm_under_load_answers_and_writes_a_snapshot(self):
        service = self.made()
        known, gone = [], []

        def load():
            client = service.client()
            while True:
                try:
                    known.extend(decide(client))
                except Gone:
                    return
                except AssertionError as refused:  # 429 or 503 while it ends
                    gone.append(str(refused))
                    return

        threads = [threading.Thread(target=load) for _ in range(8)]
        for thread in threads:
            thread.start()
        soon(lambda: len(known) > 20)
        self.assertEqual(service.terminate(), 0)
        for thread in threads:
            thread.join(120)
        found = self.ids()
        self.assertEqual(set(known) - set(found), set())
        self.assertEqual(len(found), len(known), "a decision was made, and nobody got its answer")
        about = json.loads(tool("inspect", self.model, "--json").stdout)["models"][0]
        self.assertEqual([one["position"] for one in about["snapshots"]], [about["last"]])
        self.assertEqual(tool("verify-journal", self.model).returncode, 0)

    def test_a_start_that_reads_much_leaves_a_snapshot(self):
        service = self.made(snapshot_every=1_000_000)
        for _ in range(10):
            decide(service.client(), 50)
        expected = self.state(service)
        service.kill()
        service = Service(self.data, snapshot_every=100)
        shown = dict(line.rsplit(" ", 1) for line in service.client().ask("GET", "/metrics")[2].decode().splitlines())
        self.assertGreater(int(shown['rein_snapshot_timestamp_seconds{model="m"}']), 0, "it was written since the start")
        self.assertGreater(float(shown['rein_snapshot_seconds{model="m"}']), 0)
        service.kill()  # before any decision
        files = [name for name in os.listdir(self.model) if name.startswith("snapshot-")]
        self.assertEqual(len(files), 1)
        service = Service(self.data, snapshot_every=1_000_000)
        self.assertIn('"from_snapshot":%d' % int(files[0].split("-")[1].split(".")[0]), service.tail())
        self.assertEqual(self.state(service)["decided"], expected["decided"])
        service.kill()
        self.assertEqual(tool("verify-journal", self.model).returncode, 0)

    def test_damaged_snapshots_cost_time_only(self):
        service = self.made(snapshot_every=100)
        client = service.client()
        for _ in range(20):
            decide(client, 50)
        soon(lambda: any(name.startswith("snapshot-") for name in os.listdir(self.model)))
        decide(client, 50)
        service.terminate()
        after = Service(self.data)
        expected = self.state(after)
        after.kill()
        files = sorted(name for name in os.listdir(self.model) if name.startswith("snapshot-"))
        self.assertEqual(len(files), 2)
        for count in (1, 2):  # the newest, then both
            with open(os.path.join(self.model, files[-count]), "r+b") as file:
                file.seek(100)
                byte = file.read(1)
                file.seek(100)
                file.write(bytes([byte[0] ^ 1]))
            done = tool("verify-journal", self.model)
            self.assertEqual(done.returncode, 1)
            self.assertIn(files[-count], done.stderr)
            replayed = json.loads(tool("replay", self.model, "--to", str(expected["entries"]), "--json").stdout)
            self.assertEqual(replayed["hash"], expected["hash"])
            again = Service(self.data)
            self.assertIn("snapshot skipped", again.tail())
            self.assertEqual(self.state(again)["decided"], expected["decided"])
            again.kill()

    def test_a_damaged_journal_stops_its_model_with_its_place(self):
        service = self.made()
        decide(service.client(), 500)
        service.kill()
        for name in os.listdir(self.model):  # also where the last commits are
            if name in ("journal", "journal-wal"):
                path = os.path.join(self.model, name)
                with open(path, "rb") as file:
                    content = bytearray(file.read())
                places = range(len(content) // 2, len(content), 4096)
                for place in places:
                    content[place] ^= 0x10
                with open(path, "wb") as file:
                    file.write(content)
        before = tool("verify-journal", self.model)
        self.assertEqual(before.returncode, 1)
        self.assertIn("journal", before.stderr)
        self.assertIn(self.model, self.stopped())
        self.assertIn(self.model, self.refused("--strict"))

    def test_a_lost_log_stops_its_model_and_is_recovered_by_a_person(self):
        service = self.made()
        known = decide(service.client(), 50)
        service.terminate()
        service = Service(self.data)
        lost = decide(service.client(), 20)
        service.kill()
        os.remove(os.path.join(self.model, "journal-wal"))
        said = self.stopped()
        self.assertIn("are lost", said)
        self.assertIn("rein recover " + self.model, said)
        report = tool("recover", self.model)
        self.assertEqual(report.returncode, 1, report.stdout)
        self.assertIn("lost       entries", report.stdout)
        self.assertEqual(self.stopped(), said)  # looking has changed nothing
        accepted = tool("recover", self.model, "--accept-loss")
        self.assertEqual(accepted.returncode, 0, accepted.stderr)
        self.assertTrue(os.path.exists(os.path.join(self.model, "damaged-1", "journal-end")))
        self.assertEqual(tool("recover", self.model).returncode, 0)
        again = Service(self.data)
        self.assertEqual(set(decide(again.client(), 5)) & set(lost), set(), "a lost decision has its id for good")
        status, _, answer = again.client().ask("POST", PATH + "/outcome", {"id": lost[0], "reward": 1})
        self.assertEqual(status, 404, answer)
        again.terminate()
        found = self.ids()
        self.assertEqual(len(found), len(known) + 5)
        self.assertEqual(set(known) - set(found), set())
        self.assertEqual(tool("verify-journal", self.model).returncode, 0)

    def test_crash_while_a_model_is_made_leaves_nothing_behind(self):
        service = self.made()
        ids = decide(service.client(), 5)
        service.kill()
        other = os.path.join(self.data, "half")
        os.mkdir(other)
        open(os.path.join(other, "journal"), "w").close()
        self.assertEqual([one["name"] for one in json.loads(tool("inspect", self.data, "--json").stdout)["models"]],
                         ["m"])
        after = Service(self.data)
        status, _, answer = after.client().ask("GET", "/v1/models")
        self.assertEqual([one["name"] for one in json.loads(answer)["models"]], ["m"], status)
        self.assertEqual(self.state(after)["decided"], len(ids))
        self.assertEqual(after.client().ask("PUT", "/v1/models/half", DOCUMENT)[0], 201)
        self.assertEqual(after.terminate(), 0)
        self.assertEqual(tool("verify-journal", other).returncode, 0)

    def test_models_that_were_acknowledged_survive_kills(self):
        made = []

        def make(client):
            while True:
                name = f"m{len(made)}"
                try:
                    status, _, answer = client.ask("PUT", f"/v1/models/{name}", DOCUMENT)
                except Gone:
                    return
                self.assertIn(status, (200, 201), answer)  # 200: it was made, and nobody was told
                made.append(name)

        for life in range(80):
            if life >= 8 and len(made) > 8:
                break
            service = Service(self.data)
            status, _, answer = service.client().ask("GET", "/v1/models")
            found = [one["name"] for one in json.loads(answer)["models"]]
            self.assertEqual(set(made) - set(found), set(), status)
            self.assertLessEqual(len(found), len(made) + 1)
            thread = threading.Thread(target=make, args=(service.client(),))
            thread.start()
            time.sleep(0.05 + life * 0.037)
            service.kill()
            thread.join(120)
        self.assertGreater(len(made), 8)
        for name in made:
            self.assertEqual(tool("verify-journal", os.path.join(self.data, name)).returncode, 0)

    def test_end_before_it_is_ready(self):
        self.made().kill()
        service = Service(self.data, wait=False)
        self.assertEqual(service.end(signal.SIGTERM), 0)


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # connections that nobody closes
