"""kill -9 under load, again and again. Sixteen clients decide and report outcomes in parts, repeat
requests, and send again what was not answered; one more tops up a budget. Nothing that was
acknowledged may be lost or applied twice, a request_id keeps its decision, no hard budget is passed,
and the state is the fold of the journal.

    crash.py --kills 200 [--seed 1] [--folder DIR]
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
from crash_checks import check_all, check_state_hash
from service_process import Gone, Service, tool

CLIENTS = 16
TENANTS = ["acme", "bold", "cube", "dash"]
LARGEST = {"small": 1_000, "large": 10_000}  # micro-dollars
AMOUNT, AMOUNT_PER_TENANT, TICKS = 1_000_000, 350_000, 5
DOCUMENT = {
    "actions": list(LARGEST), "context": 2, "costs": {"dollars": 0.01, "seconds": 10}, "reward": [0, 1],
    "budgets": [
        {"name": "burst", "cost": "dollars", "amount": AMOUNT / 1e6, "hard": True, "per": f"{TICKS} ticks"},
        {"name": "each", "cost": "dollars", "amount": AMOUNT_PER_TENANT / 1e6, "hard": True,
         "per": f"{TICKS} ticks", "scope": "tenant"},
        {"name": "time", "cost": "seconds", "amount": 1e9, "per": "day"}],
    "largest_costs": {name: {"dollars": micros / 1e6, "seconds": 10} for name, micros in LARGEST.items()},
    "expire_after": 30, "most_open": 1_000_000, "remember": 100_000}
PATH = "/v1/models/m"
# A second model, whose budget is topped up: each request_id counts once.
PAID_PATH = "/v1/models/paid"
PAID = {"policy": "squarecb", "actions": 2, "costs": {"dollars": 1}, "reward": [0, 1], "largest_costs": [1, 1],
        "budgets": [{"name": "all", "cost": "dollars", "amount": 10, "hard": True}]}


class Ledger:
    """What one client knows. Merged at the end."""

    def __init__(self):
        self.decisions = {}    # id -> {"action", "probability", "tenant", "body", "answer"}
        self.parts = {}        # id -> {"reward", "dollars", "seconds"}: acknowledged
        self.late = {}         # id -> the same: acknowledged after the decision expired
        self.rewards = set()   # ids whose reward was acknowledged as applied
        self.unanswered = 0    # decide without request_id whose answer never came
        self.cancelled = set()
        self.open_ids = []     # decisions whose outcome is not all reported
        self.values = {}       # id -> what will be reported
        self.named = []        # ids of decisions with a request_id
        self.counts = {}

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1


class Worker(threading.Thread):
    """One client. `pending` survives kills: what was sent and not answered is sent again."""

    def __init__(self, number, seed, ledger, again):
        super().__init__(daemon=True)
        self.number, self.random, self.ledger, self.again = number, random.Random(seed), ledger, again
        self.client, self.stop, self.wrong = None, threading.Event(), []

    def run(self):
        try:
            for request in self.again[:]:  # in the order in which they were sent
                self.send(request)
                self.again.remove(request)
            self.repeat_last()
            while not self.stop.is_set():
                self.one()
        except Gone:
            pass
        except Exception as error:
            self.wrong.append(f"client {self.number}: {error!r}")
        self.client.close()

    def one(self):
        open_ones, draw = self.ledger.open_ids, self.random.random()
        if draw < 0.45 or not open_ones:
            self.ask(self.new_decide())
        elif draw < 0.90:
            self.ask(self.new_outcome(open_ones))
        elif draw < 0.92:
            self.ask(("cancel", open_ones[-1], None))
        else:
            self.repeat_last()

    def ask(self, request):
        self.again.append(request)
        self.send(request)
        self.again.remove(request)

    def new_decide(self):
        tenant = self.random.choice(TENANTS)
        body = {"context": [round(self.random.random(), 3), 1.0], "scopes": {"tenant": tenant}}
        if self.random.random() < 0.6:
            body["request_id"] = f"{self.number}-{self.random.getrandbits(64):x}"
        return ("decide", tenant, json.dumps(body).encode())

    def new_outcome(self, open_ones):
        place = self.random.randrange(len(open_ones))
        name = open_ones[place]
        values = self.ledger.values.setdefault(name, self.draw_values(name))
        left = [part for part in values if part not in self.ledger.parts.get(name, {})]
        self.random.shuffle(left)
        parts = left[:self.random.randint(1, 3)]
        if len(parts) == len(left):
            open_ones[place] = open_ones[-1]
            open_ones.pop()
        return ("outcome", name, {part: values[part] for part in parts})

    def draw_values(self, name):
        most = LARGEST[self.ledger.decisions[name]["action"]]
        return {"reward": self.random.choice([0, 1]), "dollars": self.random.randint(0, most) / 1e6,
                "seconds": round(self.random.random() * 10, 3)}

    def send(self, request):
        kind, about, body = request
        if kind == "decide":
            self.send_decide(about, body)
        elif kind == "outcome":
            self.send_outcome(about, body)
        else:
            status, _, answer = self.client.ask("POST", PATH + "/cancel", {"id": about})
            code = json.loads(answer).get("error", {}).get("code")
            if status == 200:
                self.ledger.cancelled.add(about)
            elif code not in ("conflict", "unknown", "expired"):
                raise AssertionError(f"cancel {about}: {status} {answer}")
            if about in self.ledger.open_ids:
                self.ledger.open_ids.remove(about)
            self.ledger.count("cancel")

    def ask_decide(self, body):
        """A busy machine refuses decisions before anything is done: then the same again, as clients do."""
        while True:
            status, headers, answer = self.client.ask("POST", PATH + "/decide", body)
            if status != 429 or json.loads(answer)["error"]["code"] != "rate":
                return status, headers, answer
            self.ledger.count("told to wait")
            time.sleep(int(headers["retry-after"]))

    def send_decide(self, tenant, body):
        named = b"request_id" in body
        try:
            status, headers, answer = self.ask_decide(body)
        except Gone:
            if not named:  # nobody can ask again for it
                self.ledger.unanswered += 1
                self.again.remove(("decide", tenant, body))
            raise
        if status == 429:
            found = json.loads(answer)["error"]["code"]
            assert found == "budget" and 1 <= int(headers["retry-after"]) <= TICKS, (answer, headers)
            self.ledger.count("refused")
            return
        assert status == 200, (status, answer)
        found = json.loads(answer)
        assert found["id"] not in self.ledger.decisions, f"{found['id']} came twice"
        self.ledger.decisions[found["id"]] = {
            "action": found["action"], "probability": found["probability"], "tenant": tenant,
            "body": body if named else None, "answer": answer}
        if named:
            self.ledger.named.append(found["id"])
        if self.random.random() < 0.95:  # of the others nobody hears again
            self.ledger.open_ids.append(found["id"])
        self.ledger.count("repeated after a kill" if "rein-repeated" in headers else "decided")

    def send_outcome(self, name, parts):
        body = {"id": name}
        if "reward" in parts:
            body["reward"] = parts["reward"]
        costs = {part: value for part, value in parts.items() if part != "reward"}
        if costs:
            body["costs"] = costs
        for _ in range(self.random.choice([1, 1, 1, 2])):
            status, _, answer = self.client.ask("POST", PATH + "/outcome", body)
            found = json.loads(answer)
            if status == 404 and found["error"]["code"] in ("expired", "unknown"):
                self.ledger.count(found["error"]["code"])
                return
            assert status == 200, (status, answer)
            if found["result"] == "late":
                self.ledger.late.setdefault(name, {}).update(costs)
            else:
                known = self.ledger.parts.setdefault(name, {})
                if all(part in known for part in parts):
                    assert found["result"] == "duplicate", (name, parts, answer)
                known.update(parts)
                if found["result"] == "applied" and "reward" in parts:
                    self.ledger.rewards.add(name)
            self.ledger.count(found["result"])

    def repeat_last(self):
        """The same request_id gives the same bytes, and a reported part is a duplicate."""
        for name in self.ledger.named[-2:]:
            known = self.ledger.decisions[name]
            status, headers, answer = self.ask_decide(known["body"])
            assert (status, answer) == (200, known["answer"]), (name, status, answer, known["answer"])
            assert headers.get("rein-repeated") == "1"
            self.ledger.count("repeated")
        for name in list(self.ledger.parts)[-2:]:
            if name in self.ledger.late:
                continue
            parts = self.ledger.parts[name]
            body = {"id": name, "costs": {part: value for part, value in parts.items() if part != "reward"}}
            if "reward" in parts:
                body["reward"] = parts["reward"]
            status, _, answer = self.client.ask("POST", PATH + "/outcome", body)
            assert status == 200 and json.loads(answer)["result"] == "duplicate", (name, parts, answer)
            self.ledger.count("duplicate")


class Payer(threading.Thread):
    """Tops up a budget, and asks again under the same request_id when no answer came."""

    def __init__(self, paid, chance):
        super().__init__(daemon=True)
        self.paid, self.random, self.client = paid, chance, None
        self.stop, self.wrong = threading.Event(), []

    def run(self):
        try:
            while not self.stop.is_set():
                if not self.paid["waiting"]:
                    micros, number = self.random.randint(1, 999), len(self.paid["done"])
                    body = {"budget": "all", "top_up": micros / 1e6, "request_id": f"top-up {number}"}
                    self.paid["waiting"].append((micros, json.dumps(body).encode()))
                micros, body = self.paid["waiting"][0]
                first = self.pay(body)
                assert self.pay(body) == first, "another answer to the same request"
                self.paid["done"].append(micros)
                self.paid["waiting"].clear()
        except Gone:
            pass
        except Exception as error:
            self.wrong.append(f"payer: {error!r}")
        self.client.close()

    def pay(self, body):
        status, _, answer = self.client.ask("PATCH", PAID_PATH + "/budgets", body)
        assert status == 200, (status, answer)
        return answer


def check_paid(copy, paid):
    done = tool("inspect", os.path.join(copy, "paid"), "--json")
    assert done.returncode == 0, done.stderr
    limit = round(json.loads(done.stdout)["models"][0]["budgets"][0]["limit"] * 1e6) - 10_000_000
    expected = sum(paid["done"])
    assert limit in (expected, expected + sum(micros for micros, _ in paid["waiting"])), (limit, expected)


def life(data, workers_of, kill_after, variables):
    """Starts, works, kills. Returns the state that the service reported at some moment."""
    service = Service(data, **variables)
    workers = workers_of(service.client)
    for worker in workers:
        worker.start()
    time.sleep(kill_after / 2)
    status, _, answer = service.client().ask("GET", PATH + "/state?hash=1")
    assert status == 200, answer
    time.sleep(kill_after / 2)
    service.kill()
    for worker in workers:
        worker.stop.set()
    for worker in workers:
        worker.join(60)
        assert not worker.is_alive(), "a client hangs"
    wrong = [text for worker in workers for text in worker.wrong]
    assert not wrong, wrong
    return json.loads(answer)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--kills", type=int, default=5)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--longest", type=float, default=0.8, help="seconds between a start and its kill")
    words.add_argument("--check-every", type=int, default=25, help="kills between two checks of everything")
    words.add_argument("--folder", help="default: a temporary one")
    given = words.parse_args()
    chance = random.Random(given.seed)
    base = tempfile.mkdtemp(prefix="rein-crash-", dir=given.folder)
    data = os.path.join(base, "data")
    variables = {"snapshot_every": 500}
    first = Service(data, **variables)
    for path, document in ((PATH, DOCUMENT), (PAID_PATH, PAID)):
        status, _, answer = first.client().ask("PUT", path, document)
        assert status == 201, answer
    first.kill()
    ledgers = [Ledger() for _ in range(CLIENTS)]
    again = [[] for _ in range(CLIENTS)]
    paid = {"done": [], "waiting": []}
    began = time.monotonic()
    for kill in range(1, given.kills + 1):
        def workers_of(client):
            made: list[Worker | Payer] = [
                Worker(i, chance.getrandbits(60), ledgers[i], again[i]) for i in range(CLIENTS)]
            made.append(Payer(paid, random.Random(chance.getrandbits(60))))
            for worker in made:
                worker.client = client()
            return made
        state = life(data, workers_of, chance.uniform(0.02, given.longest), variables)
        if kill % given.check_every == 0 or kill == given.kills:
            copy = os.path.join(base, "copy")
            shutil.copytree(data, copy)
            check_state_hash(copy, state)
            rows = check_all(copy, ledgers, again, LARGEST, AMOUNT, AMOUNT_PER_TENANT, TICKS)
            check_paid(copy, paid)
            shutil.rmtree(copy)
            print(f"{kill} kills: {rows} decisions, none lost, none twice, "
                  f"{time.monotonic() - began:.0f} s", flush=True)
    total = {"top-ups": len(paid["done"])}
    for ledger in ledgers:
        for what, count in ledger.counts.items():
            total[what] = total.get(what, 0) + count
    print(json.dumps(dict(sorted(total.items()))))
    shutil.rmtree(base)


if __name__ == "__main__":
    main()
