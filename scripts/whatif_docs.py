#!/usr/bin/env python3
"""Rewrites what docs/whatif.md shows of `rein whatif` with what the program prints.

    python3 scripts/whatif_docs.py [PROGRAM]        default: build/rein
"""

import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).parents[1]
PAGE = ROOT / "docs" / "whatif.md"
SHOWN = re.compile(r"(^```sh\nrein (whatif (?:.|\\\n)+)\n```\n\n)((?:(?:    .*)?\n)+)", re.MULTILINE)
WIDTH = 96


def printed(words):
    program = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "rein").resolve()
    words = [word for word in words.replace("\\\n", " ").split() if word not in ("--report", "whatif.html")]
    return subprocess.run([program, *words], capture_output=True, text=True, check=True, cwd=ROOT).stdout.rstrip()


def block(match):
    text = printed(match[2])
    if "--grid" in match[2]:  # the table of the grid alone
        text = text.split("(-: cannot be met)\n")[1].split("\n\n")[0]
    lines = []
    for line in text.splitlines():  # sentences are wrapped, tables are not
        lines += [line] if "  " in line or len(line) <= WIDTH else textwrap.wrap(line, WIDTH)
    return match[1] + "".join(f"    {line}".rstrip() + "\n" for line in lines) + "\n"


def main():
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(SHOWN.sub(block, text), encoding="utf-8")


if __name__ == "__main__":
    main()
