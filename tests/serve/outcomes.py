"""Many outcomes, each part sent one to five times, shuffled, in batches, across kill -9. Each part is
applied once.

    outcomes.py --outcomes 1000000 [--kills 20] [--seed 1]
"""

import argparse
import json
import os
import queue
import random
import shutil
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from crash_checks import check_state_hash, micros, rows_of
from service_process import Gone, Service, tool

PATH = "/v1/models/m"
BATCH, POOL, SENDERS = 1000, 50_000, 4
DOCUMENT = {"actions": ["small", "large"], "context": 1, "costs": {"dollars": 1, "seconds": 10}, "reward": [0, 1],
            "most_open": 200_000, "remember": 1_000_000,
            "budgets": [{"name": "day", "cost": "dollars", "amount": 1e6, "per": "day"},
                        {"name": "time", "cost": "seconds", "amount": 1e7, "per": "day"}]}


class Run:
    """A service that is killed and started again, and those who send to it meanwhile."""

    def __init__(self, data, chance):
        self.data, self.chance, self.kills, self.acknowledged = data, chance, 0, 0
        self.service = Service(data, snapshot_every=20_000)
        self.applied = {}  # (id, part) -> times that "applied" was acknowledged for it
        self.lock = threading.Lock()
        self.wrong = []

    def send(self, client, path, body):
        """Sends until an answer comes. Who sends a batch again does not know what was applied."""
        end = time.monotonic() + 120
        while True:
            assert time.monotonic() < end, "nobody answers"
            try:
                status, _, answer = client.ask("POST", PATH + path, body)
            except Gone:
                time.sleep(0.01)
                client.port = self.service.port
                continue
            if status == 503 and json.loads(answer)["error"]["code"] == "busy":
                time.sleep(0.01)  # it is being recovered
                continue
            assert status == 200, (status, answer[:300])
            return json.loads(answer)

    def kill_until(self, done, kills, messages):
        """Kills at moments that are spread over all messages."""
        for kill in range(kills):
            moment = (kill + self.chance.random()) / (kills + 1) * messages
            while self.acknowledged < moment:
                if done.wait(0.005):
                    return
            try:
                self.service.kill()
            except AssertionError as ended:
                self.wrong.append(str(ended))
                return
            self.service = Service(self.data, wait=False, snapshot_every=20_000)
            self.kills += 1

    def decide(self, count):
        client, ids = self.service.client(), []
        while len(ids) < count:
            rounds = [{"context": [self.chance.random()]} for _ in range(min(BATCH, count - len(ids)))]
            answer = self.send(client, "/decide", {"rounds": rounds})
            ids += [one["id"] for one in answer["decisions"]]
        return ids

    def report(self, batches):
        try:
            self.report_all(batches)
        except Exception as error:
            self.wrong.append(repr(error))

    def report_all(self, batches):
        client = self.service.client()
        while True:
            try:
                batch = batches.get_nowait()
            except queue.Empty:
                return
            answer = self.send(client, "/outcome", {"outcomes": [body for body, _ in batch]})
            with self.lock:
                self.acknowledged += len(batch)
                for (body, parts), one in zip(batch, answer["results"]):
                    assert one["status_code"] == 200 and one["id"] == body["id"], one
                    key = (body["id"], parts)
                    self.applied[key] = self.applied.get(key, 0) + (one["result"] == "applied")


def values_of(chance):
    return {"reward": chance.choice([0, 1]), "dollars": chance.randint(0, 1_000_000) / 1e6,
            "seconds": chance.randint(0, 10_000) / 1e3}


def messages_of(name, values, chance):
    """The outcome cut into one, two or three messages; each is sent one to five times."""
    cuts = chance.choice([[["reward", "dollars", "seconds"]], [["reward"], ["dollars", "seconds"]],
                          [["reward", "seconds"], ["dollars"]], [["reward"], ["dollars"], ["seconds"]]])
    for parts in cuts:
        body = {"id": name}
        if "reward" in parts:
            body["reward"] = values["reward"]
        costs = {part: values[part] for part in parts if part != "reward"}
        if costs:
            body["costs"] = costs
        for _ in range(chance.randint(1, 5)):
            yield body, "+".join(parts)


def check(run, values):
    copy = run.data + ".copy"
    status, _, answer = run.service.client().ask("GET", PATH + "/state?hash=1")
    state = json.loads(answer)
    assert status == 200 and (state["learned"], state["open"]) == (len(values), state["decided"] - len(values)), state
    run.service.kill()
    shutil.copytree(run.data, copy)
    check_state_hash(copy, state)
    rows = {row["id"]: row for row in rows_of(copy)}
    for name, expected in values.items():
        row = rows[name]
        assert {"reward": row["reward"], **row["costs"]} == expected, (row, expected)
    billed = sum(micros(one["dollars"]) for one in values.values())
    assert abs(state["billed"]["dollars"] * 1e6 - billed) < 0.5, (state["billed"], billed)
    assert state["reward"] == sum(one["reward"] for one in values.values())
    twice = [key for key, times in run.applied.items() if times > 1]
    assert not twice, twice[:5]
    done = tool("replay", os.path.join(copy, "m"))
    print(done.stdout.strip())
    shutil.rmtree(copy)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--outcomes", type=int, default=20_000)
    words.add_argument("--kills", type=int, default=5)
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    chance = random.Random(given.seed)
    base = tempfile.mkdtemp(prefix="rein-outcomes-")
    run = Run(os.path.join(base, "data"), chance)
    status, _, answer = run.service.client().ask("PUT", PATH, DOCUMENT)
    assert status == 201, answer
    done, began, values, sent = threading.Event(), time.monotonic(), {}, 0
    messages = 6 * given.outcomes  # about: two per outcome, each sent three times
    killer = threading.Thread(target=run.kill_until, args=(done, given.kills, messages), daemon=True)
    killer.start()
    while len(values) < given.outcomes:
        ids = run.decide(min(POOL, given.outcomes - len(values)))
        pool = {name: values_of(chance) for name in ids}
        bodies = [message for name in ids for message in messages_of(name, pool[name], chance)]
        chance.shuffle(bodies)
        batches = queue.Queue()
        for at in range(0, len(bodies), BATCH):
            batches.put(bodies[at:at + BATCH])
        senders = [threading.Thread(target=run.report, args=(batches,)) for _ in range(SENDERS)]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        assert not run.wrong, run.wrong
        values.update(pool)
        sent += len(bodies)
    done.set()
    killer.join()
    run.service.wait_until_ready()
    assert run.kills >= given.kills * 3 // 4, run.kills
    check(run, values)
    print(f"{len(values)} outcomes in {sent} messages over {run.kills} kills, each applied once, "
          f"{time.monotonic() - began:.0f} s")
    shutil.rmtree(base)


if __name__ == "__main__":
    main()
