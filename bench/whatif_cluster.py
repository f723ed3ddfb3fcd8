"""What-if of one log in this process and on local clusters of Dask and Ray: time, memory per process, and whether the
answers are the same bytes.

    python bench/whatif_cluster.py [--rows 1000000] [--workers 1 2 3] [--ray 2] [--log FILE.rlog]

Without --log it makes one: 20 features, 4 actions, two costs.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

import rein

BUDGET = {"dollars": (0.1, 0.6)}


def make_log(path: str, rows: int) -> None:
    import pyarrow
    import pyarrow.csv

    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, 20)).round(4)
    score = 0.15 * x @ rng.normal(size=(20, 4))
    p = np.exp(score - score.max(axis=1, keepdims=True))
    p = 0.8 * p / p.sum(axis=1, keepdims=True) + 0.05
    a = np.minimum((p.cumsum(axis=1) < rng.random((rows, 1))).sum(axis=1), 3)
    each = np.arange(rows)
    columns = {f"x_{j}": x[:, j] for j in range(20)} | {
        "a": a, "p": p[each, a], "r": (0.2 + 0.2 * a + 0.05 * x[each, a] + 0.1 * rng.normal(size=rows)).round(5),
        "c_dollars": (np.array([0.05, 0.2, 0.4, 0.7])[a] * (1 + 0.1 * x[:, 5]) + 0.02 * rng.normal(size=rows)).round(5),
        "c_quality": (0.5 + 0.1 * a + 0.1 * rng.normal(size=rows)).round(5)}
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "log.csv")
        pyarrow.csv.write_csv(pyarrow.table(columns), name)
        rein.convert(name, path)


def megabytes() -> int:
    """Peak memory of this process. Not ru_maxrss, which a process inherits from the one that started it."""
    with open("/proc/self/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM")) // 1024


def answer(log: str, parallel: object) -> tuple[float, str]:
    begin = time.perf_counter()
    found = rein.whatif(log, budget=BUDGET, parallel=parallel)
    seconds = time.perf_counter() - begin
    if str(os.getpid()) in [who.split(":")[1] for who in found.workers]:
        print("(joblib ran it in the caller)")
    return seconds, hashlib.sha256(found.to_json().encode()).hexdigest()[:16]


def show(where: str, seconds: float, of_workers: str, digest: str) -> None:
    print(f"| {where} | {seconds:.1f} | {megabytes()} | {of_workers} | {digest} |", flush=True)


def on_dask(log: str, workers: int) -> None:
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, \
            Client(cluster) as client:
        before = client.run(megabytes).values()
        seconds, digest = answer(log, "dask")
        after = client.run(megabytes).values()
        show(f"Dask, workers: {workers}", seconds, f"{max(after)} (idle: {max(before)})", digest)


def on_ray(log: str, workers: int) -> None:
    import ray

    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    seconds, digest = answer(log, "ray")
    used = ray.get([ray.remote(megabytes).remote() for _ in range(4 * workers)])
    show(f"Ray, workers: {workers}", seconds, str(max(used)), digest)
    ray.shutdown()


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--rows", type=int, default=1_000_000)
    words.add_argument("--workers", type=int, nargs="*", default=[1, 2, 3])
    words.add_argument("--ray", type=int, default=0, help="workers of Ray; 0: none")
    words.add_argument("--log", default="")
    words.add_argument("--one", choices=["alone", "dask", "ray"], help="one measurement, in this process")
    given = words.parse_args()
    if given.one == "alone":
        seconds, digest = answer(given.log, None)
        show("one process, all threads", seconds, "", digest)
        return
    if given.one:
        (on_dask if given.one == "dask" else on_ray)(given.log, given.workers[0])
        return
    with tempfile.TemporaryDirectory() as folder:
        log = given.log or os.path.join(folder, "log.rlog")
        if not given.log:
            make_log(log, given.rows)
        print("| where | seconds | MB, caller | MB, largest worker | answer |\n|---|---|---|---|---|", flush=True)
        runs = [("alone", 0), *(("dask", n) for n in given.workers), *([("ray", given.ray)] if given.ray else [])]
        for one, workers in runs:  # each in a process of its own, so that peak memory is its own
            subprocess.run([sys.executable, __file__, "--log", log, "--one", one, "--workers", str(workers)],
                           check=True)


if __name__ == "__main__":
    main()
