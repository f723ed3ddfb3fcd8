#!/usr/bin/env bash
# The Python package: built, installed by pip into a virtual environment, and tested there.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python.sh
python=$PWD/build-python/venv/bin/python
cmake --preset release -DREIN_TESTS=ON -DREIN_PYTHON=ON -DPython_EXECUTABLE="$python" > /dev/null
cmake --build --preset release --target rein rein_app _rein
# As a user installs it, but in the tree that has just been built: nothing is compiled again.
"$python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  --force-reinstall --config-settings=build-dir=build --config-settings=cmake.define.REIN_TESTS=ON \
  --config-settings=cmake.define.REIN_PROGRAMS=ON .
ctest --preset release -L python
