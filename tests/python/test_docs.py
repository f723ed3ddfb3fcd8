"""What the documentation shows in Python is run: all blocks of a page, one after the other."""

import os
import pathlib
import re
import shutil

import matplotlib
import pytest

matplotlib.use("Agg")
ROOT = pathlib.Path(os.environ.get("REIN_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
PAGES = sorted(str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
               if "```python" in path.read_text())


def blocks(page):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_the_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if program := os.environ.get("REIN_PROGRAM"):
        monkeypatch.setenv("PATH", os.path.dirname(program), prepend=os.pathsep)
    found = blocks(page)
    assert found
    if any('"rein"' in block for block in found) and not shutil.which("rein"):
        pytest.skip("the page calls the program rein, which a wheel does not hold")
    names = {"__name__": "page"}
    for block in found:
        exec(compile(block, page, "exec"), names)
