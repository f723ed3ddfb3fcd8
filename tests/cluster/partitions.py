"""Nodes whose networks are cut: each node is in a network namespace of its own.

    python3 tests/cluster/partitions.py       about a minute; `make test-cluster` runs it first

A node has two links, one to the database and one to callers and other nodes. A link that is cut drops everything
without a word, as a switch that lost its power. Where namespaces may not be made (no root), it says so and succeeds.
"""

import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

INSIDE = "REIN_PARTITIONS_INSIDE"
if INSIDE in os.environ:  # nodes listen on other addresses than loopback
    os.environ["REIN_TOKEN"] = "a-token-of-the-partitions"
    os.environ["REIN_HOSTS"] = "127.0.0.1"
    os.environ["REIN_SNAPSHOT_EVERY"] = "500"  # so that entries move to the archive within a minute

import cluster as story  # noqa: E402
from cluster_clients import Client, Ledger, document  # noqa: E402
from cluster_process import Cluster, soon  # noqa: E402

CUT_SECONDS = 6


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Network:
    """A bridge to the database and one to callers, and a namespace per node with a link to each."""

    database = "10.77.1.1"

    def __init__(self, names):
        self.numbers = {name: number for number, name in enumerate(names, 2)}
        ip("link", "set", "lo", "up")
        for bridge in (1, 2):
            ip("link", "add", f"bridge{bridge}", "type", "bridge")
            ip("addr", "add", f"10.77.{bridge}.1/24", "dev", f"bridge{bridge}")
            ip("link", "set", f"bridge{bridge}", "up")
        for name, number in self.numbers.items():
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
            for bridge in (1, 2):
                link, inner = f"{name}{bridge}", f"link{bridge}"
                ip("link", "add", link, "type", "veth", "peer", "name", inner, "netns", name)
                ip("link", "set", link, "master", f"bridge{bridge}")
                ip("link", "set", link, "up")
                ip("-n", name, "addr", "add", f"10.77.{bridge}.{number}/24", "dev", inner)
                ip("-n", name, "link", "set", inner, "up")

    def host(self, name):
        return f"10.77.2.{self.numbers[name]}"

    @staticmethod
    def command(name):
        return ["ip", "netns", "exec", name]

    @staticmethod
    def cut(node, links):
        for link in links:
            ip("link", "set", f"{node.name}{link}", "down")

        def mend():
            time.sleep(CUT_SECONDS)
            for link in links:
                ip("link", "set", f"{node.name}{link}", "up")

        return mend


def owner(cluster):
    return cluster.owner("busy")


def from_all(cluster, _):
    node = owner(cluster)
    return f"the owner, {node.name}, is cut off for {CUT_SECONDS} s", Network.cut(node, (1, 2))


def from_database(cluster, _):
    node = owner(cluster)
    return f"the owner, {node.name}, loses the database, and callers still reach it", Network.cut(node, (1,))


def from_callers(cluster, _):
    node = owner(cluster)
    return f"the owner, {node.name}, loses callers and nodes, and still has the database", Network.cut(node, (2,))


def follower_from_all(cluster, _):
    node = next(each for each in cluster.alive() if each is not owner(cluster))
    return f"a follower, {node.name}, is cut off", Network.cut(node, (1, 2))


def refused():
    """Why namespaces cannot be made here; empty: they can."""
    trial = "mount -t tmpfs none /run/netns && ip netns add trial && ip link add type veth"
    tried = subprocess.run(["unshare", "-m", "-n", "sh", "-c", "mkdir -p /run/netns && " + trial],
                           capture_output=True, text=True, check=False)
    return tried.stderr.strip() if tried.returncode else ""


def main():
    if INSIDE not in os.environ:
        if why := refused():
            print(f"skipped: network namespaces cannot be made here ({why})")
            return
        here = " ".join(["mount -t tmpfs none /run/netns && exec", sys.executable, os.path.abspath(__file__)])
        os.execvpe("unshare", ["unshare", "-m", "-n", "sh", "-c", here], os.environ | {INSIDE: "1"})
    network = Network("abc")
    cluster, ledger = Cluster("abc", network), Ledger()
    for model, cap in story.MODELS.items():
        soon(lambda model=model, cap=cap: cluster.nodes[0].ask("PUT", f"/v1/models/{model}", document(cap))[0] in (200, 201),
             f"model {model} is made")
    clients = [Client(number, model, cluster.port, ledger)
               for number, model in enumerate(["busy"] * 6 + ["calm", "capped"])]
    for client in clients:
        client.start()
    time.sleep(2)
    print("What clients saw:", flush=True)
    for make in (from_all, from_database, from_callers, follower_from_all):
        story.fault(cluster, ledger, make)
    for client in clients:
        client.ends = True
    for client in clients:
        client.join(60)
    wrong = story.check(cluster, ledger)
    for each in wrong[:20]:
        print("WRONG:", each)
    print(f"{len(ledger.decided)} decisions, {len(ledger.costs)} outcomes: "
          + ("0 lost, 0 twice, money exact, states equal" if not wrong else f"{len(wrong)} wrong"))
    cluster.end()
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
