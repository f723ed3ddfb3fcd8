#!/usr/bin/env bash
# The source distribution of the Python package in dist/, and unpacked in build-wheel/source, from where
# `scripts/wheel.sh build-wheel/source` builds the wheel: so a wheel that was built shows that the archive is complete.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python.sh
mkdir -p dist build-wheel
rm -f dist/rein_bandits-*.tar.gz
build-python/venv/bin/python - << 'END'
import os
import tarfile

from scikit_build_core.build import build_sdist

name = build_sdist("dist")
print(f"sdist: dist/{name} ({os.path.getsize('dist/' + name) // 1024} kB)")
# Only files that changed are written, so that a build goes on where it was.
kept = set()
with tarfile.open("dist/" + name) as archive:
    for member in archive:
        if not member.isfile():
            continue
        path = os.path.join("build-wheel", "source", *member.name.split("/")[1:])
        data = archive.extractfile(member).read()
        kept.add(path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if os.path.exists(path) and open(path, "rb").read() == data:
            continue
        with open(path, "wb") as file:
            file.write(data)
for folder, _, files in os.walk(os.path.join("build-wheel", "source")):
    for file in files:
        if os.path.join(folder, file) not in kept:
            os.remove(os.path.join(folder, file))
END
