#!/usr/bin/env python3
"""Makes a package index (PEP 503) of a folder of wheels, for pip install --index-url.

    scripts/index_of.py WHEELS INDEX"""

import hashlib
import html
import os
import re
import shutil
import sys


def main(wheels, index):
    projects = {}
    for name in sorted(os.listdir(wheels)):
        project = re.sub(r"[-_.]+", "-", name.split("-")[0]).lower()
        projects.setdefault(project, []).append(name)
    for project, names in projects.items():
        folder = os.path.join(index, "simple", project)
        os.makedirs(folder)
        links = []
        for name in names:
            shutil.copy(os.path.join(wheels, name), folder)
            with open(os.path.join(folder, name), "rb") as file:
                digest = hashlib.sha256(file.read()).hexdigest()
            links.append(f'<a href="{html.escape(name)}#sha256={digest}">{html.escape(name)}</a><br>')
        with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
            file.write("<!DOCTYPE html>\n" + "\n".join(links) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
