"""What the documentation shows in Python is run: all blocks of a page, one after the other."""

import os
import pathlib
import re

import matplotlib
import pytest

matplotlib.use("Agg")
ROOT = pathlib.Path(os.environ.get("REIN_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
PAGES = ["README.md", "docs/start.md", "docs/quality_floor.md", "docs/python.md", "docs/own.md",
         "docs/neighbours.md", "docs/parallel.md", "docs/estimate/pair.md",
         "docs/price/own.md"]


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = blocks(page)
    assert found
    names = {"__name__": "page"}
    for block in found:
        exec(compile(block, page, "exec"), names)
