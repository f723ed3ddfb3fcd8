"""Clients of a cluster, and their ledger: what was answered, outside of the service."""

import http.client
import json
import random
import threading
import time

from cluster_process import HEADERS

LARGEST = {"small": 0.5, "large": 2.0}
DOCUMENT = {"actions": list(LARGEST), "context": 2, "costs": ["dollars"], "reward": [0, 1],
            "largest_costs": [LARGEST["small"], LARGEST["large"]], "most_open": 200_000,
            "budgets": [{"name": "cap", "cost": "dollars", "amount": 1_000_000, "rounds": 100_000_000, "hard": True}]}


def document(cap):
    return DOCUMENT | {"budgets": [DOCUMENT["budgets"][0] | {"amount": cap}]}


class Ledger:
    def __init__(self):
        self.lock = threading.Lock()
        self.decided = {}  # request id: the answer
        self.costs = {}  # decision id: micro-units that were acknowledged
        self.answers = []  # (time, seconds that the call took with its retries, model)
        self.refused = {}  # statuses and failures that clients met, and retried
        self.wrong = []
        self.capped = 0

    def longest_gap(self, model, since, until):
        with self.lock:
            times = sorted(at for at, _, name in self.answers if name == model and since - 1 <= at <= until)
        gaps = [b - a for a, b in zip(times, times[1:], strict=False) if b >= since]
        return max(gaps, default=until - since)

    def rate(self, since, until):
        with self.lock:
            taken = sorted(seconds for at, seconds, _ in self.answers if since <= at <= until)
        if not taken:
            return 0.0, 0.0, 0.0
        return len(taken) / (until - since), taken[len(taken) // 2], taken[len(taken) * 99 // 100]


class Client(threading.Thread):
    """Decides and reports. Sends again until it is answered."""

    def __init__(self, number, model, port, ledger, pause=0.0):
        super().__init__(daemon=True)
        self.number, self.model, self.port, self.ledger, self.pause = number, model, port, ledger, pause
        self.random = random.Random(number)
        self.connection = None
        self.ends = False

    def run(self):
        count = 0
        while not self.ends:
            count += 1
            body = {"context": [self.random.random(), 1], "request_id": f"{self.model}-{self.number}-{count}"}
            status, text = self.ask("decide", body)
            if status == 429:
                self.ledger.capped += 1
                time.sleep(0.05)
            if status == 200:
                self.decided(body, text)
            time.sleep(self.pause)

    def decided(self, body, text):
        answer = json.loads(text)
        with self.ledger.lock:
            self.ledger.decided[self.model, body["request_id"]] = text
        if self.random.random() < 0.1:  # the same request again must get the same answer
            status, again = self.ask("decide", body)
            if (status, again) != (200, text):
                self.ledger.wrong.append(f"{body['request_id']}: first {text}, then {status} {again}")
        cost = self.random.randrange(1, int(LARGEST[answer["action"]] * 1000)) * 1000  # micro-units
        status, text = self.ask("outcome", {"id": answer["id"], "reward": self.random.random(), "costs": cost / 1e6})
        if status == 200:
            with self.ledger.lock:
                self.ledger.costs[self.model, answer["id"]] = cost
        else:
            self.ledger.wrong.append(f"outcome of {answer['id']}: {status} {text}")

    def ask(self, verb, body):
        """Repeats until there is an answer that is one."""
        start = time.monotonic()
        while True:
            status, text = self.once(verb, body)
            final = status == 200 or 400 <= status < 500
            if status == 429 and b'"budget"' not in text:
                final = False
            if final:
                with self.ledger.lock:
                    self.ledger.answers.append((time.monotonic(), time.monotonic() - start, self.model))
                return status, text
            with self.ledger.lock:
                self.ledger.refused[status] = self.ledger.refused.get(status, 0) + 1
            time.sleep(0.03)

    def once(self, verb, body):
        try:
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=8)
            self.connection.request("POST", f"/v1/models/{self.model}/{verb}", json.dumps(body),
                                    HEADERS)
            response = self.connection.getresponse()
            return response.status, response.read()
        except (OSError, http.client.HTTPException):
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            return 0, b""
