"""The benchmark from Python: an entry from outside stands beside ours, with the numbers of the command line."""

import json
import runpy
import subprocess
from pathlib import Path

import pytest

import rein
from rein._benchmark import SEALED

EXAMPLE = Path(__file__).parents[2] / "examples" / "python" / "enter_benchmark.py"


def test_an_entry_from_outside_gets_a_score(tmp_path, program):
    thrifty = runpy.run_path(str(EXAMPLE))["Thrifty"]
    found = rein.benchmark(["ccb", thrifty], profile="small")
    assert 0 < found.score("Thrifty") < found.score("ccb") <= 100
    table = found.to_pandas()
    assert len(table) == 2 * len(found.summary["problems"]) and not table.refused.any()
    found.save(tmp_path / "result.json")
    assert json.loads((tmp_path / "result.json").read_text())["result_hash"] == found.summary["result_hash"]
    with pytest.raises(rein.Error, match="found no policy 'greedy'; it has"):
        found.score("greedy")
    shown = subprocess.run([program, "benchmark", "--profile", "small", "--policies", "ccb", "--json"], check=True,
                           capture_output=True, text=True).stdout
    here = rein.benchmark("ccb", profile="small").summary
    assert json.loads(shown)["result_hash"] == here["result_hash"] and here["sealed_number"] == SEALED
