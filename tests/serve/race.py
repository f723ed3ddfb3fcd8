"""Sixty-four calls at once against one small hard budget: exactly those that fit are let through."""

import json
import os
import shutil
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service_process import Service

CALLERS, FITTING = 64, 10


def document(per, scope=None):
    budget = {"name": "cap", "cost": "dollars", "amount": 0.1 * FITTING, "hard": True, "per": per}
    if scope:
        budget["scope"] = scope
    return {"policy": "squarecb", "actions": ["call"], "costs": {"dollars": [0, 1]}, "reward": [0, 1],
            "budgets": [budget], "largest_costs": {"call": 0.1}}


class Race(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="rein-race-")
        cls.service = Service(os.path.join(cls.folder, "data"))

    @classmethod
    def tearDownClass(cls):
        cls.service.kill()
        shutil.rmtree(cls.folder)

    def ask(self, method, path, body=None):
        client = self.service.client()
        status, headers, answer = client.ask(method, path, body)
        client.close()
        return status, headers, json.loads(answer)

    def all_at_once(self, path, bodies):
        """Sends all bodies at the same moment, each over a connection of its own."""
        barrier, answers = threading.Barrier(len(bodies)), [None] * len(bodies)

        def call(place):
            client = self.service.client()
            client.ask("GET", "/healthz")
            barrier.wait()
            status, headers, answer = client.ask("POST", path, bodies[place])
            answers[place] = (status, headers, json.loads(answer))
            client.close()

        threads = [threading.Thread(target=call, args=(place,)) for place in range(len(bodies))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def check(self, answers, fitting, retry):
        good = [answer for status, _, answer in answers if status == 200]
        refused = [(status, headers, answer) for status, headers, answer in answers if status != 200]
        self.assertEqual(len(good), fitting)
        for status, headers, answer in refused:
            self.assertEqual((status, answer["error"]["code"]), (429, "budget"))
            self.assertEqual("retry-after" in headers, retry)
            if retry:
                self.assertTrue(1 <= int(headers["retry-after"]) <= 86_400, headers)
        return [answer["id"] for answer in good]

    def cap(self, path, query=""):
        _, _, answer = self.ask("GET", path + "/budgets" + query)
        return next(one for one in answer["budgets"] if one["name"] == "cap")

    def race(self, name, per, retry):
        path = f"/v1/models/{name}"
        self.assertEqual(self.ask("PUT", path, document(per))[0], 201)
        ids = self.check(self.all_at_once(path + "/decide", [{}] * CALLERS), FITTING, retry)
        cap = self.cap(path)
        self.assertEqual((cap["spent"], cap["held"], cap["left"]), (0, 1, 0))
        # The bills are lower: 10 x 0.03 = 0.3 comes back, and three more fit.
        outcomes = [{"id": one, "reward": 1, "costs": {"dollars": 0.07}} for one in ids]
        for status, _, answer in self.all_at_once(path + "/outcome", outcomes):
            self.assertEqual((status, answer["result"]), (200, "applied"))
        self.check(self.all_at_once(path + "/decide", [{}] * CALLERS), 3, retry)
        cap = self.cap(path)
        self.assertEqual((cap["spent"], cap["held"], cap["left"], cap["over_holds"]), (0.7, 0.3, 0, 0))

    def test_budget_of_the_whole_run(self):
        for attempt in range(5):
            self.race(f"run{attempt}", "run", retry=False)

    def test_budget_per_day_says_when_to_come_back(self):
        self.race("day", "day", retry=True)

    def test_every_key_has_its_own(self):
        path = "/v1/models/keys"
        self.assertEqual(self.ask("PUT", path, document("day", "tenant"))[0], 201)
        bodies = [{"scopes": {"tenant": f"t{place % 2}"}} for place in range(CALLERS)]
        self.check(self.all_at_once(path + "/decide", bodies), 2 * FITTING, retry=True)
        for tenant in ("t0", "t1"):
            self.assertEqual(self.cap(path, f"?tenant={tenant}")["held"], 1)

    def test_one_request_id_sent_by_all_is_one_decision(self):
        path = "/v1/models/same"
        self.assertEqual(self.ask("PUT", path, document("run"))[0], 201)
        answers = self.all_at_once(path + "/decide", [{"request_id": "r1"}] * CALLERS)
        self.assertEqual({status for status, _, _ in answers}, {200})
        self.assertEqual(len({answer["id"] for _, _, answer in answers}), 1)
        self.assertEqual(sum("rein-repeated" not in headers for _, headers, _ in answers), 1)
        self.assertEqual(self.cap(path)["held"], 0.1)


if __name__ == "__main__":
    unittest.main(warnings="ignore")  # connections that nobody closes
