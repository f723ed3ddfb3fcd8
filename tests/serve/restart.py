"""How long a service takes to come back: a snapshot and a journal of 100 000 entries after it, and the
replay of everything. Prints figures, and checks that both end in one state.

    restart.py [--entries 100000]
"""

import argparse
import json
import os
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service_process import Service, tool

PATH = "/v1/models/m"
DOCUMENT = {"actions": ["small", "large"], "context": 4, "costs": {"dollars": 1}, "reward": [0, 1],
            "budgets": [{"name": "day", "cost": "dollars", "amount": 1e6, "per": "day"}]}


def work(client, entries, chance):
    for _ in range(entries // 2000):
        rounds = [{"context": [round(chance.random(), 6) for _ in range(4)]} for _ in range(1000)]
        status, _, answer = client.ask("POST", PATH + "/decide", {"rounds": rounds})
        assert status == 200, answer
        outcomes = [{"id": one["id"], "reward": chance.random(), "costs": chance.random()}
                    for one in json.loads(answer)["decisions"]]
        status, _, answer = client.ask("POST", PATH + "/outcome", {"outcomes": outcomes})
        assert status == 200, answer


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--entries", type=int, default=100_000)
    given = words.parse_args()
    base, chance = tempfile.mkdtemp(prefix="rein-restart-"), random.Random(1)
    data = os.path.join(base, "data")
    service = Service(data, snapshot_every=10**9)
    assert service.client().ask("PUT", PATH, DOCUMENT)[0] == 201
    work(service.client(), given.entries, chance)
    service.terminate()  # writes a snapshot
    service = Service(data, snapshot_every=10**9)
    work(service.client(), given.entries, chance)
    service.kill()
    began = time.monotonic()
    service = Service(data)
    took = time.monotonic() - began
    status, _, answer = service.client().ask("GET", PATH + "/state?hash=1")
    assert status == 200, answer
    state = json.loads(answer)
    service.kill()
    print(f"ready after {took:.2f} s: a snapshot and {given.entries} entries after it")
    done = tool("replay", os.path.join(data, "m"), "--to", str(state["entries"]))
    assert done.returncode == 0 and state["hash"] in done.stdout, done.stdout + done.stderr
    print(done.stdout.strip())
    shutil.rmtree(base)


if __name__ == "__main__":
    main()
