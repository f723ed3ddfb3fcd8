"""The decision service under load, on this machine: latency, rates and processor time.

    python3 bench/serve.py PROGRAM CONSTANT_SERVER [--seconds 120] [--rate 10000] [--data FOLDER] [--into PAGE]

PROGRAM is build/rein. Rows, each measured by `rein load` (open loop, single requests over open
connections; the sender runs on the same cores):

    the asked rate       decisions and outcomes, each committed to the journal before its answer
    lower rates          the highest of them whose p99 is at most 5 ms is marked
    three times the rate what an overloaded service does (1500 connections, so that requests do wait in it)
    a constant           the same HTTP server without a model behind it, at the asked rate

Latencies in milliseconds, from the time a request was due to its answer; less is better."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

TARGET_P50, TARGET_P99 = 1.0, 5.0


class Server:
    """A program that prints its address on its first line."""

    def __init__(self, words):
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.port = int(re.findall(r":(\d+)", self.process.stdout.readline())[0])
        time.sleep(0.5)

    def cpu(self):
        """Processor seconds so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            return int(re.findall(r"VmRSS:\s+(\d+)", file.read())[0]) / 1024

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=60)


def measure(program, server, rate, seconds, connections=64):
    before, start = server.cpu(), time.monotonic()
    sender = subprocess.Popen([program, "load", "--port", str(server.port), "--rate", str(rate), "--seconds",
                               str(seconds), "--connections", str(connections), "--json"], stdout=subprocess.PIPE,
                              text=True)
    time.sleep(1 + seconds / 4)
    early = server.memory()
    out, _ = sender.communicate()
    if sender.returncode != 0:
        sys.exit(f"rein load ended with {sender.returncode}")
    found = json.loads(out)
    found["server_cpu"] = (server.cpu() - before) / (time.monotonic() - start)
    found["early_memory"], found["memory"] = early, server.memory()
    return found


def row(name, found):
    decide, outcome = found["decide_ms"], found["outcome_ms"]
    goodput = found["good"] / found["seconds"]
    return (f"| {name} | {goodput:.0f} | {decide['p50']:.2f} / {outcome['p50']:.2f} | {decide['p99']:.2f} / "
            f"{outcome['p99']:.2f} | {decide['p99.9']:.1f} / {outcome['p99.9']:.1f} | {found['server_cpu']:.2f} | "
            f"{found['cpu_share']:.2f} | {found['early_memory']:.0f}, {found['memory']:.0f} |")


def meets(found):
    both = (found["decide_ms"], found["outcome_ms"])
    fast = all(one["p50"] <= TARGET_P50 and one["p99"] <= TARGET_P99 for one in both)
    return fast and found["good"] == found["due"]


def refusals(found):
    return ", ".join(f"{count} x {status}" for status, count in sorted(found["statuses"].items()))


def disk_of(folder):
    out = subprocess.run(["findmnt", "-no", "SOURCE,FSTYPE", "-T", folder], capture_output=True, text=True, check=False)
    return " ".join(out.stdout.split()) or "unknown"


def played(program, constant, folder, rate, seconds):
    """The rows of the table, and notes."""
    rows, notes = [], []
    best, service_cpu = None, None
    for share in (1.0, 0.8, 0.6, 0.4, 0.2):
        shutil.rmtree(folder, ignore_errors=True)
        server = Server([program, "serve", "--port", "0", "--data", folder])
        try:
            at = rate * share
            found = measure(program, server, at, seconds if share == 1.0 else min(seconds, 20))
            rows.append(row(f"{at:.0f} + {at:.0f} per second", found))
            print(rows[-1], flush=True)
            service_cpu = service_cpu or found["server_cpu"]
            if meets(found):
                best = at
                break
        finally:
            server.end()
    notes.append(f"Highest rate tried with p50 <= {TARGET_P50:g} ms and p99 <= {TARGET_P99:g} ms: "
                 f"{best:.0f} decisions and as many outcomes per second." if best else
                 f"No rate tried had p50 <= {TARGET_P50:g} ms and p99 <= {TARGET_P99:g} ms.")
    shutil.rmtree(folder, ignore_errors=True)
    server = Server([program, "serve", "--port", "0", "--data", folder])
    try:
        found = measure(program, server, 3 * rate, min(seconds, 20), connections=1500)
        rows.append(row("three times the rate, 1500 connections", found))
        outcomes = refusals({"statuses": found["outcome_statuses"]})
        notes.append(f"At three times the rate: {refusals(found)}, of these to outcomes {outcomes}; "
                     f"{100 * found['good'] / found['due']:.1f} % of what was due was answered 200.")
    finally:
        server.end()
    server = Server([constant, "0"])
    try:
        found = measure(program, server, rate, min(seconds, 20))
        rows.append(row("a constant, at the rate", found))
        ratio = service_cpu / found["server_cpu"]
        notes.append(f"Processor time of the service at the rate: {ratio:.2f} times that of the constant.")
    finally:
        server.end()
    return rows, notes


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("constant")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--rate", type=float, default=10000)
    parser.add_argument("--data", default=os.path.join(tempfile.gettempdir(), "rein-bench-serve"))
    parser.add_argument("--into", help="replace the table between <!-- load --> marks of this page")
    given = parser.parse_args()
    os.makedirs(given.data, exist_ok=True)
    where = disk_of(given.data)
    rows, notes = played(given.program, given.constant, os.path.join(given.data, "journal"), given.rate, given.seconds)
    lines = ["| requests due | answered 200 per second | p50 | p99 | p99.9 | service, cores | sender, cores "
             "| MiB early, at the end |",
             "|---|---|---|---|---|---|---|---|", *rows, "", *notes, f"Disk: {where}."]
    print("\n".join(lines))
    if given.into:
        with open(given.into, encoding="utf-8") as file:
            page = file.read()
        marks = re.compile(r"(<!-- load -->\n).*?(<!-- /load -->)", re.DOTALL)
        if not marks.search(page):
            sys.exit(f"{given.into}: found no <!-- load --> and <!-- /load -->")
        with open(given.into, "w", encoding="utf-8") as file:
            file.write(marks.sub(lambda found: found[1] + "\n".join(lines) + "\n" + found[2], page))
    shutil.rmtree(given.data, ignore_errors=True)


if __name__ == "__main__":
    main()
