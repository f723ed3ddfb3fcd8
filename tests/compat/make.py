"""Makes the files of tests/compat/VERSION with one program: models with their journals and snapshots, a saved
agent, a log in columns, plays and results. Later programs must read them and go on: tests/serve/compat_test.cc,
tests/apps/compat_test.py, tests/python/test_compat.py. scripts/make_compat.sh runs it.

    REIN_PROGRAM=build/rein PYTHONPATH=build/python python3 tests/compat/make.py tests/compat/0.2.0

What the program itself says of its files is kept beside them in figures.json: hashes, counts, money.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "serve"))
from service_process import REIN, Service

AGENT_ROW, AGENT_SCOPES = {"age": 40, "country": "FR"}, {"user": "acme"}
TENANTS = ["acme", "bolt", "cask"]
COUNTRIES = ["DE", "FR", "IT"]

# Budgets of every kind of window, for everybody and per tenant, with and without carry, hard and steered, and the
# default policy. Decisions stay open.
MONEY = {"actions": ["small", "large", "huge"], "context": {"age": "number", "country": "category(most=3)"},
         "costs": {"dollars": [0, 2], "tokens": [0, 100]}, "reward": [0, 1], "rounds": 5000, "seed": 7,
         "largest_costs": {"small": {"dollars": 0.1, "tokens": 10}, "large": {"dollars": 1, "tokens": 50},
                           "huge": {"dollars": 2, "tokens": 100}},
         "safe_action": "small", "most_open": 500, "remember": 200, "most_keys": 50,
         "budgets": [
             {"name": "all", "cost": "dollars", "amount": 2000, "per": "run", "rounds": 5000},
             {"name": "tokens", "cost": "tokens", "amount": 200000, "per": "run", "rounds": 5000, "hard": True},
             {"name": "rounds", "cost": "dollars", "amount": 60, "per": "50 rounds", "hard": True, "carry": True},
             {"name": "day", "cost": "dollars", "amount": 500, "per": "day", "zone": "Europe/Berlin", "hard": True},
             {"name": "rolling", "cost": "dollars", "amount": 400, "per": "last 24 hours", "hard": True},
             {"name": "ticks", "cost": "dollars", "amount": 300, "per": "24 hours", "hard": True, "carry": True},
             {"name": "tenant", "cost": "dollars", "amount": 150, "per": "6 hours", "scope": "tenant", "hard": True,
              "carry": True},
             {"name": "tenant_run", "cost": "tokens", "amount": 20000, "per": "run", "rounds": 2000,
              "scope": "tenant"}]}

# The default policy without budgets; numbered actions with features of their own; decisions that wait.
PLAIN = {"actions": 4, "context": 3, "action_features": 2, "reward": [0, 1], "seed": 11, "most_open": 300}

# Decisions expire at once, so that bills are late.
LATE = {"policy": "ccb(oracle=vaw(memory=auto))", "actions": ["a", "b"], "context": 2, "costs": {"dollars": 1},
        "reward": [0, 1], "expire_after": 1, "default_outcome": {"reward": 0}, "seed": 13,
        "largest_costs": {"a": 0.5, "b": 1},
        "budgets": [{"name": "day", "cost": "dollars", "amount": 100, "per": "day", "hard": True}]}


class Maker:
    def __init__(self, out):
        self.out, self.random, self.figures = out, random.Random(1), {}
        self.work = tempfile.TemporaryDirectory()
        self.data = os.path.join(self.work.name, "models")

    def run(self, *words, **options):
        return subprocess.run([REIN, *words], check=True, capture_output=True, text=True, **options).stdout

    def ask(self, method, path, body=None, expect=(200, 201)):
        status, _, answer = self.client.ask(method, "/v1/models/" + path, body)
        assert status in expect, (path, body, status, answer)
        return json.loads(answer)

    def number(self):
        return round(self.random.random(), 3)

    # -- models

    def models(self):
        service = Service(self.data)
        self.client = service.client()
        for name, document in (("money", MONEY), ("late", LATE)):
            self.ask("PUT", name, document)
        self.money()
        self.late()
        service.terminate()  # writes a last snapshot
        service = Service(self.data)
        self.client = service.client()
        self.ask("PUT", "plain", PLAIN)
        self.plain()
        self.decide_money(5)  # entries after the snapshot
        service.kill()  # its journals have write-ahead logs
        for name in ("money", "late", "plain"):
            folder = self.out / "models" / name
            folder.mkdir(parents=True)
            for file in sorted(os.listdir(os.path.join(self.data, name))):
                if not file.endswith(("-shm", ".lock", "lock")):
                    shutil.copy(os.path.join(self.data, name, file), folder)
        shown = json.loads(self.run("inspect", self.data, "--json"))
        self.figures["models"] = {model["name"]: model for model in shown["models"]}
        for name in ("money", "late", "plain"):
            rows = self.run("export", os.path.join(self.data, name), "--format", "jsonl")
            (self.out / f"{name}.jsonl").write_text(rows, encoding="utf-8")

    def decide_money(self, count):
        ids = []
        for _ in range(count):
            row = {"age": self.random.randint(18, 80), "country": self.random.choice(COUNTRIES)}
            scopes = {"tenant": self.random.choice(TENANTS)}
            ids.append(self.ask("POST", "money/decide", {"context": row, "scopes": scopes}))
        return ids

    def money(self):
        for answer in self.decide_money(90):
            fate = self.random.random()
            cost = {"small": 0.05, "large": 0.6, "huge": 1.2}[answer["action"]]
            bill = {"dollars": round(cost * (0.5 + self.random.random()), 6), "tokens": self.random.randint(1, 9)}
            if fate < 0.1:
                continue  # stays open
            if fate < 0.15:
                self.ask("POST", "money/cancel", {"id": answer["id"]})
            elif fate < 0.3:
                self.ask("POST", "money/outcome", {"id": answer["id"], "costs": {"dollars": bill["dollars"]}})
            else:
                self.ask("POST", "money/outcome", {"id": answer["id"], "reward": self.number(), "costs": bill})
        self.ask("PATCH", "money/budgets", {"budget": "rolling", "top_up": 12.5})
        self.ask("PATCH", "money/budgets", {"budget": "tenant", "top_up": 3.25, "scopes": {"tenant": "acme"}})
        self.ask("PATCH", "money/budgets", {"budget": "day", "amount": 480})
        self.ask("POST", "money/actions", {"name": "spare", "largest_costs": {"dollars": 1.5, "tokens": 20}})
        self.ask("DELETE", "money/actions/huge")
        for answer in self.decide_money(30)[:20]:
            self.ask("POST", "money/outcome", {"id": answer["id"], "reward": self.number(), "costs": [0.04, 3]})

    def plain(self):
        rounds = [{"context": [self.number() for _ in range(3)], "action": self.random.randrange(4),
                   "actions": [{"id": place, "features": [self.number(), 1]} for place in range(4)],
                   "reward": self.number()} for _ in range(10)]
        self.ask("POST", "plain/warm_start", {"rounds": rounds})
        ids = []
        for number in range(30):
            actions = [{"id": place, "features": [self.number(), 1]} for place in range(4) if place != number % 5]
            body = {"context": [self.number() for _ in range(3)], "actions": actions, "request_id": f"order-{number}"}
            if number % 10 == 9:
                body["activate"] = False
            ids.append(self.ask("POST", "plain/decide", body)["id"])
        for number, one in enumerate(ids[:22]):
            if number % 10 == 9:
                self.ask("POST", "plain/activate", {"id": one})
            self.ask("POST", "plain/outcome", {"id": one, "reward": self.number()})

    def late(self):
        ids = [self.ask("POST", "late/decide", {"context": [self.number(), 1]})["id"] for _ in range(30)]
        for one in ids[:20]:
            self.ask("POST", "late/outcome", {"id": one, "reward": self.number(), "costs": [self.number() / 2]})
        time.sleep(3)
        self.ask("POST", "late/decide", {"context": [0, 1]})
        for one in ids[20:25]:
            self.ask("POST", "late/outcome", {"id": one, "costs": [0.25]})

    # -- files

    def files(self):
        log = str(self.out / "money.jsonl")
        self.run("convert", log, str(self.out / "log.rlog"), "--quiet")
        self.run("convert", str(self.out / "log.rlog"), str(self.out / "log.csv"), "--quiet")
        plays = str(self.out / "plays")
        self.run("compare", "--world", "linear(k=3,d=3)", "--policy", "ccb", "--policy", "greedy", "--rounds", "300",
                 "--seeds", "2", "--threads", "1", "--save", plays)

    def agent(self):
        import rein

        agent = rein.Agent("ccb", actions=["small", "large"], context={"age": "number", "country": "category(most=3)"},
                           costs={"dollars": (0, 2)}, reward=(0, 1), seed=5, largest_costs=[0.5, 2],
                           budgets=[rein.Budget("all", "dollars", 100, rounds=1000, hard=True),
                                    rein.Budget("user", "dollars", 20, per="100 ticks", scope="user")])
        waiting = []
        for number in range(80):
            agent.tick(number)
            row = {"age": self.random.randint(18, 80), "country": self.random.choice(COUNTRIES)}
            decision = agent.decide(row, scopes={"user": self.random.choice(TENANTS)})
            if number % 8 == 0:
                waiting.append(str(decision.id))
            else:
                agent.learn(decision.id, self.number(), {"dollars": self.number() / 2})
        agent.save(self.out / "agent.rein")
        next_one = agent.look(AGENT_ROW, scopes=AGENT_SCOPES)
        self.figures["agent"] = {"hash": f"{agent.state_hash():016x}", "open": waiting, "next": next_one.action,
                                 "probabilities": [float(each) for each in next_one.probabilities],
                                 "spent": {name: each.spent_micros for name, each in agent.budgets(AGENT_SCOPES).items()},
                                 "held": {name: each.held_micros for name, each in agent.budgets(AGENT_SCOPES).items()}}

    def all(self):
        self.models()
        self.files()
        self.agent()
        self.figures["version"] = self.run("--version").split()[1]
        text = json.dumps(self.figures, indent=1, sort_keys=True)
        (self.out / "figures.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    Maker(target).all()
