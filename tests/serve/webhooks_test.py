"""Webhooks: every notice arrives at least once, signed, across kill -9 of the service and failures of the receiver."""

import hashlib
import hmac
import http.server
import json
import os
import random
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service_process import Gone, Service, soon, tool

SECRET = "a secret of the receiver"
MODEL = {"policy": "ccb", "actions": ["a", "b"], "costs": {"dollars": 0.25}, "seed": 3, "callers": {"by": "tenant"},
         "budgets": [{"name": "tenants", "cost": "dollars", "amount": 1, "per": "day", "hard": True, "scope": "tenant",
                      "named": True, "notices": [0.25, 0.5, 0.75, 1]}]}


class Receiver:
    """An HTTP server that checks signatures, refuses some messages, and remembers the others."""

    def __init__(self, seed=1):
        self.got, self.order, self.wrong, self.tries, self.fails, self.luck = {}, [], [], 0, 0.0, random.Random(seed)
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(receiver.take(self.path, self.headers, body))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.lock = threading.Lock()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def take(self, path, headers, body):
        with self.lock:
            self.tries += 1
            time_text = headers["Rein-Timestamp"]
            wanted = hmac.new(SECRET.encode(), f"{time_text}.".encode() + body, hashlib.sha256).hexdigest()
            told = json.loads(body)
            right = hmac.compare_digest(headers["Rein-Signature"], f"v1={wanted}") and path == "/hook" and \
                headers["Rein-Id"] == told["id"] and abs(int(time_text) - time.time()) < 60
            if not right or self.got.get(told["id"], body) != body:
                self.wrong.append((dict(headers), body))
            if self.luck.random() < self.fails:
                return 500
            if told["id"] not in self.got:
                self.order.append(told["id"])
            self.got[told["id"]] = body
            return 200

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def hooks(port, **more):
    return json.dumps([{"name": "ops", "url": f"http://127.0.0.1:{port}/hook", "secret": SECRET, **more}])


class Webhooks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.data, self.receiver = os.path.join(self.folder.name, "data"), Receiver()

    def tearDown(self):
        self.receiver.close()
        self.folder.cleanup()

    def make(self, service):
        status, _, body = service.client().ask("PUT", "/v1/models/m", MODEL)
        self.assertIn(status, (200, 201), body)

    @staticmethod
    def spend(client, tenant, cost=0.25):
        status, _, body = client.ask("POST", "/v1/models/m/decide", {"scopes": {"tenant": tenant}})
        if status != 200:
            return
        made = json.loads(body)
        client.ask("POST", "/v1/models/m/outcome", {"id": made["id"], "reward": 1, "costs": cost})

    @staticmethod
    def notices(service):
        return json.loads(service.client().ask("GET", "/v1/models/m/notices?most=1000")[2])["notices"]

    def test_every_notice_arrives_across_kills(self):
        kills, self.receiver.fails, luck = int(os.environ.get("KILLS", "12")), 0.1, random.Random(5)
        service = Service(self.data, webhooks=hooks(self.receiver.port))
        self.make(service)
        tenant = 0
        for _ in range(kills):
            until = time.monotonic() + luck.uniform(0.05, 0.4)
            threading.Timer(until - time.monotonic(), service.process.kill).start()
            client = service.client()
            try:
                for _ in range(10_000):
                    for _ in range(3):
                        self.spend(client, f"t{tenant}")
                    tenant += 1
                    time.sleep(0.01)
            except Gone:
                pass
            service.process.wait(60)
            service.end(0)
            service = Service(self.data, webhooks=hooks(self.receiver.port))
        self.receiver.fails = 0.0
        told = self.notices(service)
        self.assertGreater(len(told), kills)
        self.assertEqual([each["number"] for each in told], list(range(1, len(told) + 1)))
        once = {(each["key"], each["share"]) for each in told}
        self.assertEqual(len(once), len(told), "a threshold was told twice in one window")
        soon(lambda: {each["id"] for each in told} <= set(self.receiver.got))
        self.assertEqual(self.receiver.wrong, [])
        for each in told:
            self.assertEqual(json.loads(self.receiver.got[each["id"]]), each)
        self.assertEqual(set(self.receiver.got), {each["id"] for each in told}, "nothing is told that is not durable")
        service.terminate()
        checked = tool("verify-journal", self.data)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_what_was_told_is_not_told_again_after_a_restart(self):
        service = Service(self.data, webhooks=hooks(self.receiver.port))
        self.make(service)
        for _ in range(3):
            self.spend(service.client(), "acme")
        soon(lambda: len(self.receiver.got) == 3)
        soon(lambda: b'rein_webhook_waiting{webhook="ops"} 0' in service.client().ask("GET", "/metrics")[2])
        service.terminate()
        tries = self.receiver.tries
        service = Service(self.data, webhooks=hooks(self.receiver.port))
        self.spend(service.client(), "acme")
        soon(lambda: len(self.receiver.got) == 4)
        self.assertEqual(self.receiver.tries, tries + 1)
        self.assertEqual(self.receiver.order, [each["id"] for each in self.notices(service)])
        service.terminate()

    def test_a_decision_does_not_wait_for_a_receiver_that_is_away(self):
        with Away() as port:
            service = Service(self.data, webhooks=hooks(port))
            self.make(service)
            client = service.client()
            for n in range(40):
                self.spend(client, f"t{n}")
            status, _, _ = client.ask("POST", "/v1/models/m/decide", {"scopes": {"tenant": "x"}})
            self.assertEqual(status, 200)
            self.assertEqual(len(self.notices(service)), 40)
            service.terminate()  # and it does not wait for the receiver either
        service = Service(self.data, webhooks=hooks(self.receiver.port))
        soon(lambda: len(self.receiver.got) == 40)
        service.terminate()

    def test_only_what_it_is_for(self):
        service = Service(self.data, webhooks=hooks(self.receiver.port, on=["paused"]))
        self.make(service)
        self.spend(service.client(), "acme")
        service.client().ask("POST", "/v1/models/m/pause", {"why": "night"})
        soon(lambda: self.receiver.got)
        self.assertEqual([json.loads(body)["what"] for body in self.receiver.got.values()], ["paused"])
        service.terminate()

    def test_a_model_that_stopped_is_told(self):
        service = Service(self.data, webhooks=hooks(self.receiver.port))
        self.make(service)
        service.terminate()
        with open(os.path.join(self.data, "m", "journal"), "r+b") as journal:
            journal.truncate(100)
        service = Service(self.data, wait=False, webhooks=hooks(self.receiver.port))
        soon(lambda: self.receiver.got)
        told = json.loads(next(iter(self.receiver.got.values())))
        self.assertEqual((told["what"], told["model"]), ("stopped", "m"))
        service.terminate()

    def test_wrong_settings_are_refused(self):
        good = {"url": "http://127.0.0.1:9/x", "secret": SECRET}
        for wrong in [{"url": "https://example.com/x"}, {"url": "ftp://h/x"}, {"url": "http://h:0/x"}, {"url": "http://"},
                      {"secret": "short"}, {"on": ["song"]}, {"name": "a b"}, {"retries": 3}]:
            text = json.dumps([good | wrong])
            with self.subTest(**wrong):
                os.environ["REIN_WEBHOOKS"] = text
                try:
                    done = tool("serve", "--check")
                finally:
                    del os.environ["REIN_WEBHOOKS"]
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("accepted: ", done.stderr)


class Away:
    """A port that takes connections and never answers."""

    def __enter__(self):
        import socket
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        return self.socket.getsockname()[1]

    def __exit__(self, *_):
        self.socket.close()


if __name__ == "__main__":
    unittest.main()
