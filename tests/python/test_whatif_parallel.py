"""whatif with parallel=: the bytes of one process, whoever sums what, from files that no process holds."""

import json
import os
import pickle

import numpy as np
import pandas
import pytest

import rein
from rein import _log_parts, _whatif_parallel

ROWS = 40_000  # three shards
BUDGET = {"dollars": (0.15, 0.6)}


def frame(rows=ROWS, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3)).round(3)
    p = np.full((rows, 3), 0.25)
    p[np.arange(rows), rng.integers(0, 3, rows)] += 0.25
    a = (p.cumsum(axis=1) > rng.random((rows, 1))).argmax(axis=1)
    reward = (0.3 * a + 0.1 * x[np.arange(rows), a] + 0.1 * rng.normal(size=rows)).round(4)
    reward[::501] = np.nan
    return pandas.DataFrame({
        **{f"x_{j}": x[:, j] for j in range(3)}, "a": np.array(["small", "mid", "large"])[a],
        "p": p[np.arange(rows), a], "r": reward,
        "c_dollars": (0.1 + 0.3 * a + 0.02 * rng.normal(size=rows)).round(4),
        "c_quality": (0.5 + 0.1 * a + 0.1 * rng.normal(size=rows)).round(4)})


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    rows = frame()
    rows.to_csv(folder / "all.csv", index=False)
    rein.convert(folder / "all.csv", folder / "all.rlog")
    rows.to_parquet(folder / "all.parquet", row_group_size=7000)
    cuts = [0, 5_000, 5_001, 30_000, ROWS]
    for i in range(4):
        rows[cuts[i]:cuts[i + 1]].to_csv(folder / f"part{i}.csv", index=False)
    rein.convert(folder / "part0.csv", folder / "part0.rlog")
    rows[30_000:].to_parquet(folder / "part3.parquet")
    many = [folder / f"part{i}.csv" for i in range(4)]
    mixed = [folder / "part0.rlog", *many[1:3], folder / "part3.parquet"]
    return {"csv": folder / "all.csv", "rlog": folder / "all.rlog", "parquet": folder / "all.parquet", "many": many,
            "mixed": mixed, "frames": [rows[:9_000], rows[9_000:]], "frame": rows}


@pytest.fixture(scope="module")
def alone(logs):
    return rein.whatif(logs["csv"], budget=BUDGET)


@pytest.mark.parametrize("kind", ["csv", "rlog", "parquet", "many", "mixed", "frames", "frame"])
def test_files_and_frames_give_the_bytes_of_one_process(logs, alone, kind):
    found = rein.whatif(logs[kind], budget=BUDGET, parallel="threading")
    assert found.to_json() == alone.to_json()
    assert sum(found.workers.values()) == 4 * 3 and not alone.workers


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_the_number_of_workers_changes_no_bit(logs, alone, workers):
    found = rein.whatif(logs["rlog"], budget=BUDGET, parallel=workers)
    assert found.to_json() == alone.to_json()
    assert workers == 1 or str(os.getpid()) not in [who.split(":")[1] for who in found.workers]


@pytest.mark.parametrize("asked", [
    dict(budget=BUDGET, at_least={"quality": 0.58}, seed=5),
    dict(budget={"dollars": (0.2, 0.6), "quality": (0.5, 0.7)}, grid=True, count=3),
    dict(budget={"dollars": 0.4}, adaptive=True, folds=7),
    dict(budget={"dollars": [0.2, 0.4]}, title="ours"),
], ids=["limit", "grid", "adaptive", "list"])
def test_every_question_has_the_same_answer(logs, asked):
    assert rein.whatif(logs["many"], parallel="threading", **asked).to_json() == \
        rein.whatif(logs["csv"], **asked).to_json()


@pytest.mark.parametrize("some", [False, True], ids=["all", "some"])
def test_lists_of_the_actions_offered_change_no_bit(logs, tmp_path, some):
    rows, every = logs["frame"], ["small", "mid", "large"]
    short = some & (rows["a"] != "large") & (np.arange(ROWS) > 35_000)  # in the last shard alone
    rows = rows.assign(actions=[json.dumps(every[:2] if each else every) for each in short])
    rows.to_csv(tmp_path / "log.csv", index=False)
    alone = rein.whatif(tmp_path / "log.csv", budget=BUDGET, count=3)
    assert rein.whatif(tmp_path / "log.csv", budget=BUDGET, count=3, parallel="threading").to_json() == alone.to_json()
    assert rein.whatif(rows, budget=BUDGET, count=3).to_json() == alone.to_json()


def test_a_worker_reads_only_its_rows(logs):
    """No process holds all rows: a chunk names few of them, and its bytes are few."""
    with _whatif_parallel.parted(logs["rlog"], "threading", None, "auto") as parts:
        parts.count = 2
        chunks = [parts._chunk(first, last, [b""]) for first, last in parts._split(3)]
        assert [(piece.first, piece.last) for chunk in chunks for piece in chunk.pieces] == \
            [(0, 16_384), (16_384, 32_768), (32_768, ROWS)]
        assert max(len(pickle.dumps(chunk)) for chunk in chunks) < 2_000
        assert len(_log_parts.read(chunks[2].pieces, parts.found.actions)[0]) == ROWS - 32_768


def test_progress_counts_shards_of_all_passes(logs):
    told = []
    rein.whatif(logs["rlog"], budget=BUDGET, parallel="threading", progress=lambda *each: told.append(each))
    assert told == [(i, 12) for i in range(1, 13)]


def test_rows_that_cannot_be_used_are_counted_or_refused(logs, tmp_path):
    bad = frame(200)
    bad.loc[7, "p"] = 0.0
    bad.to_csv(tmp_path / "bad.csv", index=False)
    files = [tmp_path / "bad.csv", logs["many"][0]]
    found = rein.whatif(files, budget=BUDGET, parallel="threading")
    assert found.curves[0]["rows"] + found.curves[0]["missing"] == 199 + 5_000
    assert "bad.csv" in found.refused and "1 refused" in found.refused
    bad.to_parquet(tmp_path / "bad.parquet")
    with pytest.raises(rein.Error, match=r"(?s)bad\.parquet: rows from 0 on cannot be used.*accepted with parallel="):
        rein.whatif(tmp_path / "bad.parquet", budget=BUDGET, parallel="threading")


def test_what_does_not_fit_is_refused(logs, tmp_path):
    def asked(log, match, **more):
        with pytest.raises(rein.Error, match=match):
            rein.whatif(log, **(dict(budget=BUDGET, parallel="threading") | more))

    frame(300).drop(columns="p").to_csv(tmp_path / "none.csv", index=False)
    asked(tmp_path / "none.csv", "no propensities; accepted in parts")
    frame(300).drop(columns="x_2").to_csv(tmp_path / "other.csv", index=False)
    asked([logs["csv"], tmp_path / "other.csv"], "other columns.*accepted: the same in all")
    asked([], "empty list")
    asked(logs["csv"], "predictions, columns, sensitivity, segments or unit", predictions=np.zeros(3))
    asked(logs["csv"], "predictions, columns, sensitivity, segments or unit", sensitivity=1.5)
    asked(logs["csv"], "no cost 'euros'", budget={"euros": 1.0})
    asked(logs["csv"], "it has action 'large'", actions=["small", "mid"])
    asked(tmp_path / "absent.rlog", "absent.rlog")
    (tmp_path / "log.parquet").write_text("nothing")
    asked(tmp_path / "log.parquet", "log.parquet")
    (tmp_path / "cb.vw").write_text("0:1:0.5 | a b\n" * 30)
    asked(tmp_path / "cb.vw", "sparse features; accepted in parts", budget={"cost": 1.0})


def test_workers_have_the_same_version():
    with pytest.raises(rein.Error, match=r"has rein .*, the caller 0\.0\.0; accepted: the same"):
        _whatif_parallel.sum_chunk(_whatif_parallel.Chunk("0.0.0", 0, 1, [], [], b""))


def test_dask_gives_the_same_bytes(logs, alone):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")
    with distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None):
        found = rein.whatif(logs["rlog"], budget=BUDGET, parallel="dask")
    assert found.to_json() == alone.to_json()
    assert str(os.getpid()) not in [who.split(":")[1] for who in found.workers]
