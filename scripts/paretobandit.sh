#!/usr/bin/env bash
# ParetoBandit from PyPI beside rein (docs/lab/paretobandit.md), in a virtual environment in build-bench.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python.sh
cmake --preset bench -DREIN_PYTHON=ON -DPython_EXECUTABLE="$PWD/build-python/venv/bin/python" > /dev/null
cmake --build --preset bench --target rein_app _rein
venv=build-bench/paretobandit-venv
scripts/pip_install.sh build-bench "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check 'paretobandit==0.1.1'
"$venv/bin/python" bench/paretobandit.py "$@"
