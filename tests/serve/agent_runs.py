"""Runs nested three deep under 64 concurrent callers and kill -9. Every request has a request_id and is sent until it
is answered. Then every run has spent exactly what its callers were billed, holds nothing, and never passed its cap;
no request_id made two runs; the state is the fold of the journal.

    agent_runs.py --kills 20 [--seed 1] [--folder DIR]
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from crash_checks import check_state_hash
from service_process import Gone, Service

CALLERS, TASKS = 64, 8
LARGEST = {"small": 1_000, "large": 10_000}  # micro-dollars
CAPS = {"task": 2_000_000, "part": 300_000, "step": 40_000}
PATH = "/v1/models/m"
DOCUMENT = {"policy": "uniform", "actions": list(LARGEST), "costs": {"dollars": 0.01}, "reward": [0, 1],
            "largest_costs": {name: micros / 1e6 for name, micros in LARGEST.items()},
            "budgets": [{"name": "all", "cost": "dollars", "amount": 1e6, "hard": True}],
            "expire_after": 0, "most_open": 100_000, "remember": 200_000}


class Known:
    """What all callers know. Every bill is counted here once, when its decision is made: it is sent until it is answered."""

    def __init__(self):
        self.lock = threading.Lock()
        self.runs = {}      # id -> {"parent", "cap", "spent", "decisions", "closed"}
        self.tasks = []     # ids of the runs that new parts are opened in, the newest last
        self.by_request = {}
        self.decided = set()
        self.refused = 0

    def opened(self, name, answer, parent, cap):
        with self.lock:
            first = self.by_request.setdefault(name, answer["run"])
            assert first == answer["run"], f"{name} made two runs"
            self.runs.setdefault(answer["run"], {"parent": parent, "cap": cap, "spent": 0, "decisions": 0, "closed": False})
        return answer["run"]

    def billed(self, run, micros):
        with self.lock:
            while run is not None:
                self.runs[run]["spent"] += micros
                run = self.runs[run]["parent"]

    def made(self, run, decision):
        with self.lock:
            assert decision not in self.decided, f"{decision} was made twice"
            self.decided.add(decision)
            while run is not None:
                self.runs[run]["decisions"] += 1
                run = self.runs[run]["parent"]


class Caller(threading.Thread):
    """Works on one step of one part of a task at a time."""

    def __init__(self, number, seed, known, address, stop):
        super().__init__(daemon=True)
        self.number, self.random, self.known, self.address, self.stop = number, random.Random(seed), known, address, stop
        self.client, self.port, self.wrong, self.count = None, None, None, 0

    def ask(self, method, path, body=None):
        """Sends until an answer comes, across kills."""
        while True:
            port = self.address["port"]
            if port is None:
                time.sleep(0.01)
                continue
            if port != self.port:
                self.client, self.port = self.address["service"].client(), port
            try:
                status, _, answer = self.client.ask(method, PATH + path, body)
            except Gone:
                time.sleep(0.01)
                continue
            if status == 503:
                time.sleep(0.02)
                continue
            return status, json.loads(answer)

    def name(self):
        self.count += 1
        return f"{self.number}-{self.count}"

    def open(self, kind, parent):
        name = self.name()
        body = {"amounts": {"dollars": CAPS[kind] / 1e6}, "expire_after": 86_400, "request_id": name}
        if parent is not None:
            body["parent"] = parent
        status, answer = self.ask("POST", "/runs", body)
        if status == 404 and parent is not None:
            return None  # somebody closed the run around it
        assert status == 200, (status, answer)
        if self.random.random() < 0.1:  # the same again
            assert self.ask("POST", "/runs", body) == (200, answer)
        return self.known.opened(name, answer, parent, CAPS[kind])

    def close(self, run, own=True):
        """Nobody else works in a run of its own, so all of its bills came: it must say exactly these."""
        status, answer = self.ask("DELETE", f"/runs/{run}")
        if status == 404 and answer["error"]["code"] == "expired":
            return  # the run around it was closed, and it is forgotten since
        assert status == 200 and not answer["open"], (status, answer)
        if own:
            with self.known.lock:
                one = dict(self.known.runs[run])
            money = answer["costs"]["dollars"]
            found = (round(1e6 * money["spent"]), money["held"], answer["waiting"], answer["decisions"])
            assert found == (one["spent"], 0, 0, one["decisions"]), (run, found, one)
            assert one["spent"] <= one["cap"], one

    def run(self):
        try:
            while not self.stop.is_set():
                self.part()
        except Exception as error:
            self.wrong = f"caller {self.number}: {error!r}"

    def part(self):
        with self.known.lock:
            task = self.random.choice(self.known.tasks[-TASKS:]) if self.known.tasks else None
        if task is None or self.random.random() < 0.02:
            task = self.open("task", None)
            with self.known.lock:
                self.known.tasks.append(task)
        part = self.open("part", task)
        for _ in range(4):
            step = part and self.open("step", part)
            if step is None:
                return
            full = not self.work(step)
            self.close(step)
            if full or self.stop.is_set():
                break
        self.close(part)
        if self.random.random() < 0.02:
            self.close(task, own=False)
            with self.known.lock:
                self.known.tasks[:] = [one for one in self.known.tasks if one != task]

    def work(self, step):
        """Decides and is billed. False: the money of a run is spent."""
        late = []
        for _ in range(12):
            status, answer = self.ask("POST", "/decide", {"run": step, "request_id": self.name()})
            if status in (404, 429):  # closed with the run around it, or no money
                with self.known.lock:
                    self.known.refused += 1
                self.bill(step, late)
                return False
            assert status == 200, (status, answer)
            self.known.made(step, answer["id"])
            late.append((answer["id"], self.random.randint(0, LARGEST[answer["action"]])))
            if self.random.random() < 0.7:
                self.bill(step, [late.pop(self.random.randrange(len(late)))])
        self.bill(step, late)
        return True

    def bill(self, step, bills):
        for decision, micros in bills:
            body = {"id": decision, "costs": {"dollars": micros / 1e6}, "reward": 1}
            for again in range(1 + (self.random.random() < 0.2)):
                status, answer = self.ask("POST", "/outcome", body)
                assert status == 200 and answer["result"] in ("applied", "duplicate"), (status, answer, again)
            self.known.billed(step, micros)


def check(client, known):
    """Every run, and the budget, against what the callers know."""
    forgotten = 0
    for run, one in known.runs.items():
        status, _, answer = client.ask("GET", f"{PATH}/runs/{run}")
        found = json.loads(answer)
        if status == 404:
            assert found["error"]["code"] == "expired", found
            forgotten += 1
            continue
        money = {name: round(1e6 * value) for name, value in found["costs"]["dollars"].items()}
        assert money["spent"] == one["spent"], (run, money, one)
        assert money["held"] == 0 and found["waiting"] == 0 and found["decisions"] == one["decisions"], (found, one)
        assert money["limit"] == one["cap"] and money["spent"] <= one["cap"], (money, one)
        assert found["parent"] == one["parent"], (found, one)
    status, _, answer = client.ask("GET", f"{PATH}/state")
    assert json.loads(answer)["decided"] == len(known.decided), "a decision was lost, or made twice"
    status, _, answer = client.ask("GET", f"{PATH}/budgets")
    budget = json.loads(answer)["budgets"][0]
    spent = sum(one["spent"] for one in known.runs.values() if one["parent"] is None)
    assert (round(1e6 * budget["spent"]), budget["held"]) == (spent, 0), (budget, spent)
    return forgotten


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--kills", type=int, default=20)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--longest", type=float, default=0.5, help="seconds between a start and its kill")
    words.add_argument("--folder", help="default: a temporary one")
    given = words.parse_args()
    chance = random.Random(given.seed)
    base = tempfile.mkdtemp(prefix="rein-runs-", dir=given.folder)
    data, copy = os.path.join(base, "data"), os.path.join(base, "copy")
    service = Service(data, snapshot_every=500)
    assert service.client().ask("PUT", PATH, DOCUMENT)[0] == 201
    known, stop = Known(), threading.Event()
    address = {"port": service.port, "service": service}
    callers = [Caller(i, chance.getrandbits(60), known, address, stop) for i in range(CALLERS)]
    for caller in callers:
        caller.start()
    for _ in range(given.kills):
        time.sleep(chance.uniform(0.05, given.longest))
        address["port"] = None
        service.kill()
        service = Service(data, snapshot_every=500)
        address.update(service=service, port=service.port)
    time.sleep(0.2)
    stop.set()
    for caller in callers:
        caller.join(120)
        assert not caller.is_alive(), "a caller hangs"
    wrong = [caller.wrong for caller in callers if caller.wrong]
    assert not wrong, wrong[:5]
    forgotten = check(service.client(), known)
    status, _, answer = service.client().ask("GET", f"{PATH}/state?hash=1")
    assert status == 200, answer
    service.kill()
    shutil.copytree(data, copy)
    check_state_hash(copy, json.loads(answer))
    assert known.refused > 0, "no cap was ever reached"
    print(f"{given.kills} kills, {CALLERS} callers: {len(known.runs)} runs ({forgotten} forgotten since), "
          f"{len(known.decided)} decisions, {known.refused} refused by a cap; none lost, none twice")
    shutil.rmtree(base)


if __name__ == "__main__":
    main()
