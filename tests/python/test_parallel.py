"""parallel=: the same numbers whoever plays, on any backend of joblib, Ray and Dask among them."""

import importlib.util
import os
import pathlib
import secrets
import signal
import subprocess
import sys
import tempfile
import threading

import joblib
import numpy as np
import pytest
from contract import checked, without_time
from hypothesis import given
from hypothesis import strategies as st

import rein
from rein import _parallel

ROOT = pathlib.Path(os.environ.get("REIN_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
WORLD, POLICIES = "linear(k=4,d=3,costs=positive,rate=0.2)", "ccb,squarecb,uniform"
OPTIONS = dict(rounds=300, seeds=5, first_seed=3, grid={"gamma_scale": [0.5, 2.0]}, all_pairs=True)
PLAYS = 5 * 7  # seeds, settings


def sweep(**more):
    return rein.compare(WORLD, POLICIES, **OPTIONS, **more)


def numbers(found):
    """Everything but measured CPU time, to the bit."""
    report = without_time(checked(found.to_json()))
    curves = [(spec, [{key: line.tobytes() for key, line in seed.items()} for seed in seeds])
              for spec, seeds in found._plain["curves"]]
    return report, curves, [row.rpartition(",")[0] for row in found.to_csv().splitlines()]


@pytest.fixture(scope="module")
def alone():
    return numbers(sweep())


@pytest.mark.parametrize("parallel", [2, 1, True, "threading", "multiprocessing", joblib.Parallel(n_jobs=2)], ids=str)
def test_the_numbers_do_not_depend_on_the_backend(alone, parallel):
    found = sweep(parallel=parallel)
    assert numbers(found) == alone
    assert sum(found.workers.values()) == PLAYS


def test_they_are_the_command_lines(program):
    words = [program, "compare", "--world", WORLD, "--policies", POLICIES, "--rounds", "300", "--seeds", "5",
             "--first-seed", "3", "--grid", "gamma_scale=0.5,2", "--all-pairs", "--csv"]
    there = subprocess.check_output(words, text=True).splitlines()
    assert numbers(sweep(parallel=2))[2] == [row.rpartition(",")[0] for row in there]


def test_what_joblib_is_set_to_is_used(alone):
    with joblib.parallel_config(backend="threading", n_jobs=3):
        found = sweep(parallel=True)
    assert numbers(found) == alone and [worker.split(":")[1] for worker in found.workers] == [str(os.getpid())]
    with joblib.parallel_config(backend="threading"):
        others = sweep(parallel="loky")
    assert str(os.getpid()) not in [worker.split(":")[1] for worker in others.workers]


def test_a_run_goes_the_same_way():
    options = dict(rounds=200, seeds=3, delay=5, references=True)
    here = rein.run(WORLD, ["uniform", "ccb"], **options)
    there = rein.run(WORLD, ["uniform", "ccb"], parallel=2, **options)
    assert numbers(there) == numbers(here) and sum(there.workers.values()) == 6 and not here.workers


@given(st.integers(1, 40), st.integers(1, 12), st.integers(1, 16))
def test_chunks_hold_every_play_once_and_one_seed_each(seeds, policies, workers):
    plays = [(f"policy{p}", seed) for seed in range(seeds) for p in range(policies)]
    chunks = list(_parallel.split(plays, workers))
    assert sorted(play for chunk in chunks for play in chunk) == sorted(plays)
    assert all(len({seed for _, seed in chunk}) == 1 for chunk in chunks)
    assert len(chunks) >= min(seeds * policies, 4 * workers)


def test_progress_counts_rounds_of_all_workers():
    told = []
    sweep(parallel="threading", progress=lambda done, every: told.append((done, every)))
    assert told == sorted(told) and told[-1] == (PLAYS * 300, PLAYS * 300) and len(told) > 3


class Enough(Exception):
    """Somebody stopped it."""


@pytest.mark.filterwarnings("ignore:.*tasks have been successfully executed")
def test_a_stopped_sweep_goes_on_anywhere(alone, tmp_path):
    def stop(done, every):
        if done > every / 3:
            raise Enough

    kept = tmp_path / "kept.jsonl"
    with pytest.raises(Enough):
        sweep(parallel=2, resume=kept, progress=stop)
    lines = kept.read_text().splitlines()
    assert PLAYS / 3 < len(lines) - 1 < PLAYS
    found = sweep(parallel="threading", resume=kept)
    assert found.restored == len(lines) - 1 and sum(found.workers.values()) == PLAYS - found.restored
    assert numbers(found) == alone
    for parallel in (None, 2):
        again = sweep(resume=kept, parallel=parallel)
        assert again.restored == PLAYS and numbers(again) == alone and not again.workers


def test_live_budgets_and_parts_go_along():
    options = dict(rounds=200, seeds=4, missing={"reward": 0.3}, late={"cost": 3}, ticks=2, expire=9, keys={"user": 2},
                   budgets=rein.Budget("each user", "cost", 20, per="100 ticks", scope="user"))
    world = "linear(k=3,d=3,costs=positive)"
    one, two = rein.run(world, **options), rein.run(world, parallel=2, **options)
    assert without_time(one.summary) == without_time(two.summary)


@pytest.mark.parametrize("parallel", [None, 1, 2, "threading"])
def test_ctrl_c_ends_it_and_the_program_lives_on(parallel):
    """In a program of its own, since what goes wrong here goes wrong when a program ends."""
    lines = ["import os, signal, threading, rein",
             "interrupt = lambda done, every: os.kill(os.getpid(), signal.SIGINT)" if parallel != 2 else
             "interrupt = None; threading.Timer(2.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()",
             "try:",
             f"    rein.compare('linear', 'ccb,uniform', rounds=100_000, seeds=200, parallel={parallel!r}, "
             "progress=interrupt)",
             "except KeyboardInterrupt:",
             "    print('interrupted')"]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=60,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert (done.stdout, done.returncode) == ("interrupted\n", 0), done.stderr


def own_pieces():
    """Made here and not at the top: what is in a module is sent by name, and workers need not know this one."""
    class Means:
        def __init__(self, shape):
            self.sum, self.count = np.zeros((shape.heads, shape.actions)), np.ones(shape.actions)

        def predict(self, round):
            return (self.sum / self.count)[:, round.ids]

        def learn(self, round, action, outcomes):
            self.sum[:, round.ids[action]] += outcomes
            self.count[round.ids[action]] += 1

    def coins(rng, rounds):
        for _ in range(rounds):
            p = rng.random(3)
            yield rein.Scene(reward=rng.random(3) < p, costs=[0.0, 0.2, 0.4], context=p)

    world = rein.World(coins, actions=3, context=3, costs={"dollars": 1.0}, reward=(0, 1))
    return dict(world=world, oracles={"means": Means}, policies=["ccb(rate=0.1,oracle=own(name=means))", "uniform"])


@pytest.mark.parametrize("parallel", [2, "threading", "multiprocessing"])
def test_worlds_and_oracles_of_ones_own_go_along(parallel):
    pieces = own_pieces()
    here = rein.compare(**pieces, rounds=150, seeds=3)
    assert numbers(rein.compare(**pieces, rounds=150, seeds=3, parallel=parallel)) == numbers(here)


def test_what_cannot_be_sent_says_so():
    lock = threading.Lock()

    def locked(rng, rounds):
        with lock:
            yield rein.Scene(reward=[0.0, 1.0])

    with pytest.raises(rein.Error, match="cannot be sent to workers.*lock.*accepted"):
        rein.run(rein.World(locked, actions=2), "uniform", rounds=1, parallel=2)


@pytest.mark.parametrize("parallel", [2, "threading"])
def test_what_goes_wrong_there_is_raised_here(parallel):
    def short(rng, rounds):
        yield rein.Scene(reward=[0.0, 1.0])

    with pytest.raises(rein.Error, match="ended after 1 rounds"):
        rein.run(rein.World(short, actions=2), "uniform", rounds=5, seeds=3, parallel=parallel)
    with pytest.raises(rein.Error, match="unknown"):
        rein.compare("linear", "cbb", rounds=5, parallel=parallel)
    assert rein.run("linear", "uniform", rounds=5, parallel=parallel).workers


@pytest.mark.parametrize("parallel", ["nonsense", 0])
def test_what_is_no_backend_is_refused(parallel):
    with pytest.raises(rein.Error, match="accepted: a number of workers"):
        sweep(parallel=parallel)


def test_without_joblib_it_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(ImportError, match="pip install joblib"):
        sweep(parallel=2)


def test_workers_have_the_same_version():
    with pytest.raises(rein.Error, match="has rein .*, the caller 0.0.0; accepted: the same"):
        _parallel.play_chunk(_parallel.Chunk("0.0.0", "a", "linear", b"", [("uniform", 1)], {"rounds": 1}))


def test_dask_gives_the_same_numbers(alone):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None):
        found = sweep(parallel="dask")
    assert numbers(found) == alone
    assert len(found.workers) == 2


@pytest.fixture(scope="module")
def ray_cluster():
    """Two nodes with one worker each, in processes of this machine; nothing of it stays."""
    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed: pip install ray")
    # Sockets need short paths.
    short = tempfile.TemporaryDirectory(prefix="ray", dir="/tmp", ignore_cleanup_errors=True)
    with short as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_AUTH_MODE", "token")  # a token of our own; otherwise Ray leaves one in the home folder
        patch.setenv("RAY_AUTH_TOKEN", secrets.token_hex(32))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_TMPDIR", folder)
        import ray
        from ray.cluster_utils import Cluster

        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
        try:
            cluster.add_node(num_cpus=1)
            ray.init(address=cluster.address, log_to_driver=False)
            yield ray
        finally:
            ray.shutdown()
            cluster.shutdown()


def test_a_ray_cluster_gives_the_same_numbers(ray_cluster, alone):
    assert sum(node["Alive"] for node in ray_cluster.nodes()) == 2
    found = sweep(parallel="ray")
    assert numbers(found) == alone
    assert len(found.workers) == 2 and str(os.getpid()) not in [worker.split(":")[1] for worker in found.workers]
    pieces = own_pieces()
    here = rein.run(**pieces, rounds=100, seeds=4)
    assert numbers(rein.run(**pieces, rounds=100, seeds=4, parallel="ray")) == numbers(here)


@pytest.mark.long
def test_the_example_runs_on_the_cluster(ray_cluster, capsys):
    spec = importlib.util.spec_from_file_location("sweep_on_ray", ROOT / "examples" / "python" / "sweep_on_ray.py")
    assert spec and spec.loader
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    found = example.main()
    assert len(found.workers) == 2
    assert "the same numbers as here: True" in capsys.readouterr().out
