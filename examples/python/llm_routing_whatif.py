"""Language models behind `rein serve`: the journal of the service answers what another budget would have earned.

    python examples/python/llm_routing_whatif.py [--out FOLDER] [--prompts 6000]

An application routes prompts to a small, a medium or a large model. It starts the decision service, asks it for every
prompt, and reports whether the answer was good and what it cost. Then the service is stopped, `rein export` writes its
journal as a log, and `rein whatif` reads that log: the share of good answers for other budgets per prompt, with bands.

The policy is ccb(least=0.1): every model keeps a probability of at least 0.1, so that the log can say something about
all of them. The prompts are made up here, with a seed; so the true curve is known and is drawn beside the estimate.

`rein` is looked for in $REIN_PROGRAM, then in the PATH, then in build/.
"""

import argparse
import contextlib
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rein

MODELS = ["small", "medium", "large"]
PRICE = np.array([0.002, 0.01, 0.05])  # dollars per 1000 tokens
BUDGET = 0.012  # dollars per prompt, on average
DOCUMENT = {"policy": f"ccb(least=0.1,rate={BUDGET})", "actions": MODELS, "seed": 5, "reward": [0, 1],
            "context": {"length": "number", "code": "bool", "math": "number"}, "costs": {"dollars": 0.2}}


def program():
    built = pathlib.Path(__file__).parents[2] / "build" / "rein"
    found = os.environ.get("REIN_PROGRAM") or shutil.which("rein") or str(built)
    if not os.path.exists(found):
        raise SystemExit("rein is not built; run `make build`, or set REIN_PROGRAM")
    return found


def prompts(count, seed=1):
    """What is known of each prompt; the chance that each model answers it well, and what it charges."""
    rng = np.random.default_rng(seed)
    length, code, sums = rng.random(count), rng.random(count) < 0.4, rng.random(count)
    hard = 0.5 * sums + 0.3 * code + 0.2 * length
    good = np.clip(np.stack([0.85 - 0.8 * hard, 0.9 - 0.45 * hard, 0.94 - 0.1 * hard], axis=1), 0.02, 0.98)
    dollars = PRICE * (0.3 + 1.4 * length)[:, None]
    rows = [{"length": round(float(a), 3), "code": bool(b), "math": round(float(c), 3)}
            for a, b, c in zip(length, code, sums)]
    return rows, good, dollars, rng


class Service:
    """A decision service of its own on a free port of this machine."""

    def __init__(self, data):
        self.process = subprocess.Popen([program(), "serve", "--data", data, "--port", "0"], stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("rein serves at "):
            raise SystemExit("the service did not start")
        self.url = line.split()[-1]

    def __enter__(self):
        return self.url

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.process.stdout.close()


def serve(data, count):
    """Routes the prompts: what the service earned and spent per prompt."""
    rows, good, dollars, rng = prompts(count)
    luck = rng.random(good.shape) < good
    with Service(data) as url, contextlib.closing(rein.Client("router", url=url)) as client:
        client.create(DOCUMENT)

        def route(i):
            d = client.decide(rows[i])
            model = MODELS.index(d.action)
            client.outcome(d, reward=float(luck[i, model]), costs={"dollars": float(dollars[i, model])})
            return luck[i, model], dollars[i, model]

        with ThreadPoolExecutor(8) as pool:
            seen = np.array(list(pool.map(route, range(count))))
    return seen.mean(axis=0)


def best_known(budget, good, dollars):
    """What a policy that knows the chances would earn: the true curve's upper limit, by its price per dollar."""
    low, high = 0.0, 1e4
    for _ in range(60):
        price = 0.5 * (low + high)
        chosen = np.argmax(good - price * dollars, axis=1)
        low, high = (price, high) if dollars[np.arange(len(chosen)), chosen].mean() > budget else (low, price)
    chosen = np.argmax(good - high * dollars, axis=1)
    return good[np.arange(len(chosen)), chosen].mean()


def draw(found, path, good, dollars, seen):
    budgets = [point["budget"] for point in found["points"] if point["possible"]]
    reward = [point["values"]["reward"] for point in found["points"] if point["possible"]]
    figure, axes = plt.subplots(figsize=(7, 4.5))
    ends = [[math.nan if value[end] is None else value[end] for value in reward] for end in ("band_low", "band_high")]
    axes.fill_between(budgets, *ends, alpha=0.25, label="95 % band, all budgets together")
    axes.plot(budgets, [value["value"] for value in reward], label="estimate from the journal")
    axes.plot(budgets, [best_known(budget, good, dollars) for budget in budgets], "k:", label="best with known chances")
    axes.plot(seen[1], seen[0], "o", color="tab:red", label="what the service did")
    axes.set(xlabel="dollars per prompt", ylabel="share of good answers", ylim=(0.4, 1.0))
    axes.legend(loc="lower right")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default=".", type=pathlib.Path)
    parser.add_argument("--prompts", default=6000, type=int)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seen = serve(os.path.join(folder, "data"), given.prompts)
        log = os.path.join(folder, "journal.jsonl")
        subprocess.run([program(), "export", os.path.join(folder, "data", "router"), "--format", "jsonl", "--out", log],
                       check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run([program(), "whatif", log, "--budget", "dollars=0.004:0.04", "--count", "10", "--json"],
                              check=True, capture_output=True, text=True)
    found = json.loads(done.stdout)
    _, good, dollars, _ = prompts(given.prompts)
    draw(found, given.out / "llm_routing_whatif.png", good, dollars, seen)
    print(f"the service: {seen[0]:.3f} good answers for {seen[1]:.4f} dollars per prompt\n")
    print("budget    good   low  high  best")
    for point in found["points"]:
        if not point["possible"]:
            print(f"{point['budget']:.4f}    cannot be met")
            continue
        value = point["values"]["reward"]
        ends = [value["band_low"], value["band_high"]]
        band = " ".join("    -" if end is None else f"{end:.3f}" for end in ends)
        print(f"{point['budget']:.4f}   {value['value']:.3f} {band} {best_known(point['budget'], good, dollars):.3f}")
    for line in found["verdict"] + found["warnings"]:
        print(line)


if __name__ == "__main__":
    main()
