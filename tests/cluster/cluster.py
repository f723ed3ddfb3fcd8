"""Three nodes, PostgreSQL with a synchronous standby and a load balancer on this machine, traffic, and faults.

    python3 tests/cluster/cluster.py                a story: what clients see when a node, the database, ... dies
    python3 tests/cluster/cluster.py --kills 100    many faults, and what must be true after them

The ledger of the clients is outside of the service. At the end every acknowledged decision and outcome must be there,
once, the money must be exact, and every node must have the same state.
"""

import argparse
import os
import random
import signal
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from cluster_clients import Client, Ledger, document  # noqa: E402
from cluster_process import Cluster, soon  # noqa: E402

CAP = 60  # dollars of the model `capped`: reached within seconds, and never passed
MODELS = {"busy": 1_000_000, "calm": 1_000_000, "capped": CAP}


def served(cluster, model):
    """Some node answers for the model."""
    return any(node.ask("GET", f"/v1/models/{model}/state", timeout=2)[0] == 200 for node in cluster.alive()[:1])


def kill_node(cluster, owner):
    node = (cluster.owner("busy") if owner else None) or random.choice(cluster.alive())
    node.signal(signal.SIGKILL)
    return f"kill -9 of node {node.name}" + (", the owner" if owner else ""), node.start


def pause_node(cluster, _owner):
    node = cluster.owner("busy") or cluster.alive()[0]
    node.signal(signal.SIGSTOP)
    return f"node {node.name}, the owner, stands still for 4 s", lambda: (time.sleep(4), node.signal(signal.SIGCONT))


def end_node(cluster, _owner):
    node = cluster.owner("busy") or cluster.alive()[0]
    node.signal(signal.SIGTERM)
    return f"node {node.name}, the owner, is ended (SIGTERM)", lambda: (node.process.wait(), node.start())


def move_model(cluster, _owner):
    owner = cluster.owner("busy")
    to = next(node for node in cluster.alive() if node is not owner)
    to.ask("POST", "/v1/models/busy/move", {"to": to.name})
    return f"the model moves to node {to.name} by hand", lambda: to.ask("POST", "/v1/models/busy/move", {"to": None})


def kill_database(cluster, _owner):
    guard = cluster.database.guard()
    os.kill(cluster.database.pid(), signal.SIGKILL)

    def mend():
        guard.wait()
        time.sleep(3)
        cluster.database.new_standby()

    return "kill -9 of the primary of the database", mend


def hang_database(cluster, _owner):
    guard = cluster.database.guard()
    cluster.database.hang()

    def mend():
        guard.wait()
        time.sleep(3)
        cluster.database.new_standby()

    return "the primary of the database hangs (SIGSTOP)", mend


def fault(cluster, ledger, make, owner=True):
    soon(lambda: cluster.owner("busy") is not None, "the model has an owner")
    start = time.monotonic()
    what, mend = make(cluster, owner)
    mend()
    soon(lambda: served(cluster, "busy"), "the model is served", 90)
    time.sleep(1.5)
    gap = ledger.longest_gap("busy", start, time.monotonic())
    print(f"  {what}: at most {gap:.2f} s between two answers", flush=True)
    return gap


def check(cluster, ledger):
    """What is lost, and what was done twice."""
    asking = Client(-1, "busy", cluster.port, ledger)
    wrong = list(ledger.wrong)
    for (model, decision), cost in ledger.costs.items():
        asking.model = model
        status, text = asking.ask("outcome", {"id": decision, "costs": cost / 1e6})
        if status != 200 or not any(word in text for word in (b"duplicate", b"forgotten")):
            wrong.append(f"lost: outcome of {decision} of {model}: {status} {text}")
    for model, cap in MODELS.items():
        decided = sum(1 for key in ledger.decided if key[0] == model)
        paid = sum(cost for key, cost in ledger.costs.items() if key[0] == model)
        hashes, states = set(), []
        for node in cluster.nodes:
            node.ask("POST", f"/v1/models/{model}/move", {"to": node.name})
            soon(lambda name=node.name, model=model: (cluster.owner(model) or node).name == name
                 and cluster.owner(model) is not None, "the model moved")
            soon(lambda node=node, model=model: node.ask("GET", f"/v1/models/{model}/state")[0] == 200, "it answers")
            status, state = node.ask("GET", f"/v1/models/{model}/state?hash=1")
            hashes.add(state["hash"])
            archived, first = node.metrics(model, "rein_archive_entries", "rein_journal_first_entry")
            if archived != first - 1:
                wrong.append(f"{model}: its journal begins with entry {first}, and the archive has {archived}")
            states.append(state)
        status, budgets = cluster.nodes[0].ask("GET", f"/v1/models/{model}/budgets")
        spent = round(budgets["budgets"][0]["spent"] * 1e6)
        if len(hashes) != 1:
            wrong.append(f"{model}: the states of the nodes differ: {hashes}")
        if states[0]["decided"] != decided:
            wrong.append(f"{model}: {decided} decisions were acknowledged, {states[0]['decided']} are there")
        if spent != paid or spent > cap * 1e6:
            wrong.append(f"{model}: clients paid {paid}, the budget of {cap} says {spent} micro-units")
        print(f"  model {model}: {decided} decisions, {states[0]['decided']} in the journal, {archived} entries of "
              f"it in the archive; paid {paid / 1e6:.6f}, booked {spent / 1e6:.6f} of {cap}; the same state on {len(states)} nodes: {len(hashes) == 1}")
    return wrong


def story(cluster, ledger):
    time.sleep(4)
    rate, middle, late = ledger.rate(time.monotonic() - 3, time.monotonic())
    print(f"16 clients through nginx: {rate:.0f} answers/s, p50 {middle * 1e3:.1f} ms, p99 {late * 1e3:.1f} ms\n"
          f"What clients saw:", flush=True)
    for make in (move_model, end_node, kill_node, pause_node, kill_database, hang_database):
        fault(cluster, ledger, make)


def many(cluster, ledger, kills, seed):
    """Mostly nodes, any of them; every 20th time the database."""
    random.seed(seed)
    gaps = {}
    for number in range(1, kills + 1):
        makes = ([kill_database, hang_database][number // 20 % 2] if number % 20 == 0 else
                 random.choice([kill_node, kill_node, kill_node, pause_node, end_node]))
        gaps.setdefault(makes.__name__, []).append(fault(cluster, ledger, makes, random.random() < 0.5))
        if ledger.wrong:
            break
    for name, times in sorted(gaps.items()):
        times.sort()
        print(f"  {name}: {len(times)} times; without an answer: middle {times[len(times) // 2]:.2f} s, "
              f"longest {times[-1]:.2f} s")


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--kills", type=int, default=0)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--clients", type=int, default=16)
    given = words.parse_args()
    print("Starting PostgreSQL with a standby, three nodes and nginx ...", flush=True)
    cluster, ledger = Cluster(), Ledger()
    print(f"  live page http://127.0.0.1:{cluster.port}/, cluster http://127.0.0.1:{cluster.port}/v1/cluster")
    for model, cap in MODELS.items():
        soon(lambda model=model, cap=cap: cluster.nodes[0].ask("PUT", f"/v1/models/{model}", document(cap))[0] in (200, 201),
             f"model {model} is made")
    kinds = ["busy"] * (given.clients - 2) + ["calm", "capped"]
    clients = [Client(number, model, cluster.port, ledger) for number, model in enumerate(kinds)]
    for client in clients:
        client.start()
    if given.kills:
        many(cluster, ledger, given.kills, given.seed)
    else:
        story(cluster, ledger)
    for client in clients:
        client.ends = True
    for client in clients:
        client.join(60)
    print("The ledger of the clients against the journals:", flush=True)
    wrong = check(cluster, ledger)
    print(f"  requests that clients had to send again, by status (0: no answer): {ledger.refused}; "
          f"refused by the cap: {ledger.capped}")
    for each in wrong[:20]:
        print("WRONG:", each)
    print(f"{len(ledger.decided)} decisions, {len(ledger.costs)} outcomes: "
          + ("0 lost, 0 twice, money exact, states equal" if not wrong else f"{len(wrong)} wrong"))
    cluster.end()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
