"""What the documentation shows in Python is run: all blocks of a page, one after the other.

Where "It prints" follows a block, it prints what the page shows next.
"""

import os
import pathlib
import re
import textwrap

import matplotlib
import pytest

matplotlib.use("Agg")
ROOT = pathlib.Path(os.environ.get("REIN_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
PAGES = sorted(str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
               if "```python" in path.read_text())


SHOWN = re.compile(r"\n+It prints\n\n(?:```text\n(?P<fenced>.*?)```|(?P<indented>(?: {4}[^\n]*\n)+))", re.DOTALL)


def blocks(page):
    """The blocks of a page, each with what it prints, or None."""
    text = (ROOT / page).read_text()
    for block in re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        shown = SHOWN.match(text, block.end())
        yield block[1], shown and (shown["fenced"] or textwrap.dedent(shown["indented"]))


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_the_page_runs(page, program, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.path.dirname(program), prepend=os.pathsep)
    found = list(blocks(page))
    assert found
    names = {"__name__": "page"}
    for block, shown in found:
        capsys.readouterr()
        exec(compile(block, page, "exec"), names)
        if shown is not None:
            assert capsys.readouterr().out.split() == shown.split()


def test_some_pages_show_what_is_printed():
    assert sum(shown is not None for page in PAGES for _, shown in blocks(page)) > 10
