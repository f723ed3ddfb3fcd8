"""Starts the program `rein` that comes with the package: the console script `rein` and `python -m rein`.

It is a module of its own, because importing the package `rein` loads NumPy and the extension, which the
program does not need. It replaces this process, so signals and exit codes are those of the program.
"""

import os
import sys


def main() -> None:
    program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "rein", "bin", "rein")
    try:
        os.execv(program, ["rein", *sys.argv[1:]])
    except OSError as failure:
        sys.exit(f"rein: {program} cannot be started: {failure.strerror}. This package was built without the "
                 "program (REIN_PROGRAMS=OFF), or its files were moved")
