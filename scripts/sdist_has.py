#!/usr/bin/env python3
"""Checks that a source distribution has every file of this folder that a tree was compiled from, with the same bytes.

    scripts/sdist_has.py TREE ARCHIVE"""

import os
import subprocess
import sys
import tarfile


def compiled_from(tree):
    """Files of this folder that the objects of the extension and the program depend on, as ninja knows them."""
    root = os.getcwd() + os.sep
    text = subprocess.run(["ninja", "-C", tree, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    found, wanted = set(), False
    for line in text.splitlines():
        if line and not line.startswith(" "):
            parts = line.split(":")[0].split("/")
            wanted = "tests" not in parts and "bench" not in parts and "examples" not in parts
        elif wanted and line.strip():
            path = os.path.normpath(os.path.join(tree, line.strip()))
            path = path if os.path.isabs(path) else os.path.join(root, path)
            if path.startswith(root) and not path[len(root):].startswith("build"):
                found.add(path[len(root):])
    return found


def main(tree, archive):
    files = compiled_from(tree)
    assert len(files) > 500, len(files)
    with tarfile.open(archive) as packed:
        inside = {member.name.split("/", 1)[1]: member for member in packed if member.isfile()}
        for path in sorted(files):
            if path not in inside:
                sys.exit(f"sdist_has.py: {archive} lacks {path}")
            with open(path, "rb") as file:
                if packed.extractfile(inside[path]).read() != file.read():
                    sys.exit(f"sdist_has.py: {archive} has another {path}")
    print(f"sdist: has the {len(files)} files that {tree} was compiled from")


if __name__ == "__main__":
    main(*sys.argv[1:])
