"""Latency and answers per second of one node with PostgreSQL, beside a folder with SQLite, in the same minutes.

    python3 tests/cluster/figures.py [ROUNDS]

PostgreSQL has a synchronous standby on the same machine. Each round runs both, one after the other, so that other work
of the machine meets both alike; the figures are middles over rounds. Decisions and outcomes come from `rein load`.
"""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from cluster_process import REIN, Database, free_ports, soon  # noqa: E402

SECONDS = 4


def cpu_of(*pids):
    """Processor seconds of these processes and of their children, those that have ended too."""
    ticks, parents = 0, {str(pid) for pid in pids}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
                fields = stat.read().rsplit(") ", 1)[1].split()
        except OSError:  # it has ended meanwhile
            continue
        if pid in parents or fields[1] in parents:
            ticks += sum(map(int, fields[11:15] if pid in parents else fields[11:13]))
    return ticks / os.sysconf("SC_CLK_TCK")


def load(port, rate, models):
    """Latencies of decisions in ms, and answers per second of all models together."""
    runs = [subprocess.Popen([REIN, "load", "--port", str(port), "--rate", str(rate), "--seconds", str(SECONDS),
                              "--model", f"m{number}"], stdout=subprocess.PIPE, text=True) for number in range(models)]
    good, p50, p99 = 0.0, [], []
    for run in runs:
        text = run.communicate()[0]
        decide = re.search(r"^decide +\d+ +([\d.]+) +[\d.]+ +([\d.]+)", text, re.M)
        p50.append(float(decide.group(1)))
        p99.append(float(decide.group(2)))
        good += int(re.search(r"; (\d+) of \d+ requests due were answered 200", text).group(1)) / SECONDS
    return statistics.median(p50), statistics.median(p99), good


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    folder = tempfile.mkdtemp(prefix="rein_figures_")
    os.chmod(folder, 0o755)
    database = Database(os.path.join(folder, "pg"))
    ports = free_ports(2)
    with open(os.path.join(folder, "log"), "wb") as log:
        services = {
            "SQLite": subprocess.Popen([REIN, "serve", "--data", os.path.join(folder, "data"), "--port", str(ports[0])],
                                       stdout=log, stderr=log),
            "PostgreSQL": subprocess.Popen([REIN, "serve", "--journal", database.url, "--node", "a", "--listen",
                                            f"127.0.0.1:{ports[1]}"], stdout=log, stderr=log)}
    try:
        for port in ports:
            soon(lambda port=port: subprocess.run(["curl", "-sf", f"http://127.0.0.1:{port}/readyz"], check=False,
                                                  stdout=subprocess.DEVNULL).returncode == 0, "it is ready")
        time.sleep(2)
        print(f"{rounds} rounds of {SECONDS} s each; machine load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores")
        servers = [database.pid(), database.pid("standby")]
        for rate, models in ((100, 1), (300, 1), (1000, 1), (500, 2), (250, 4), (3000, 1), (1500, 2), (750, 4)):
            found = {name: [] for name in services}
            for _ in range(rounds):
                for (name, service), port in zip(services.items(), ports, strict=True):
                    before, before_servers = cpu_of(service.pid), cpu_of(*servers)
                    p50, p99, good = load(port, rate, models)
                    answers = max(good, 1.0) * (SECONDS + 1)  # with the second in which `rein load` warms up
                    found[name].append((p50, p99, good, (cpu_of(service.pid) - before) / answers * 1e6,
                                        (cpu_of(*servers) - before_servers) / answers * 1e6))
            for name, runs in found.items():
                p50, p99, good, cpu, servers_cpu = (statistics.median(column) for column in zip(*runs, strict=True))
                print(f"  {models} models, {rate} decisions/s each, {name}: p50 {p50:.2f} ms, p99 {p99:.1f} ms, "
                      f"{good:.0f} answers/s, {cpu:.0f} us of CPU per answer"
                      + (f" and {servers_cpu:.0f} us of the database" if name == "PostgreSQL" else ""), flush=True)
    finally:
        for service in services.values():
            service.terminate()
            service.wait()
        database.run("remove")


if __name__ == "__main__":
    main()
