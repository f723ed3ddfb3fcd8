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


ENTRIES = Path(__file__).parents[2] / "examples" / "python" / "benchmark_entries.py"


def test_policies_of_the_literature_enter_by_the_same_door():
    made = runpy.run_path(str(ENTRIES))
    mine = [made[name] for name in ("LinUcbPaced", "ThompsonPaced", "Port")]
    found = rein.benchmark(["uniform", *mine], profile="small")
    table = found.to_pandas()
    assert len(table) == 4 * len(found.summary["problems"]) and not table.refused.any()
    for each in mine:
        assert found.score(each.__name__) > found.score("uniform")
    assert rein.benchmark(["uniform", *mine], profile="small").summary["result_hash"] == found.summary["result_hash"]


def test_real_tables_are_problems_and_their_contents_part_of_the_protocol(tmp_path):
    def written(rows):
        lines = ["x_0,r0,r1,c0,c1", *(f"{i % 7 / 7:.3f},{i % 2},{(i + 1) % 2},0,0.5" for i in range(rows))]
        (tmp_path / "letter.csv").write_text("\n".join(lines) + "\n")
        return rein.benchmark("uniform", profile="small", tables=tmp_path).summary

    found, other = written(400), written(401)
    assert [each["name"] for each in found["problems"]][-1] == "letter"
    assert found["problems"][-1]["world"].startswith('table(file="letter.csv"')
    plain = rein.benchmark("uniform", profile="small").summary
    assert len({each["protocol_hash"] for each in (found, other, plain)}) == 3
    assert found["policies"][0]["problems"][:-1] == plain["policies"][0]["problems"]
    (tmp_path / "letter.csv").unlink()
    with pytest.raises(rein.Error, match="has no table; accepted: letter.csv, pendigits.csv, bank.csv"):
        rein.benchmark("uniform", profile="small", tables=tmp_path)


def test_the_script_of_the_tables_reads_raw_data_and_refuses_other_data(tmp_path):
    script = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "benchmark_tables.py"), run_name="script")
    rows = list(script["letter"]("T,2,8,3,5,1,8,13,0,6,6,10,8,0,8,0,8\nA,1,1,3,2,1,8,2,2,2,8,2,8,1,6,2,7\n"))
    text = script["table_of"](rows, 26)
    header, first, second = text.splitlines()
    assert header.startswith("x_0,") and header.endswith(",c25") and first.startswith("0.133333,0.533333,0.2,")
    assert list(script["rows_of_table"](text))[1][1] == 0 and second.count(",") == first.count(",")
    [(x, digit)] = script["pendigits"](" 47,100, 27, 81, 57, 37, 26,  0,  0, 23, 56, 53,100, 90, 40, 98, 8\n")
    assert (x[:3], digit) == ([0.47, 1.0, 0.27], 8)
    with pytest.raises(SystemExit, match="letter: its table has the SHA-256"):
        script["write"](tmp_path, "letter", text, script["CLASSES"]["letter"][4])
    assert not list(tmp_path.iterdir())
