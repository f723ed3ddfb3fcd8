#!/usr/bin/env bash
# All tests: everything in release, the Python package too, then the tests labelled unit again under
# ASan and UBSan.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python.sh
python=$PWD/build-python/venv/bin/python
cmake --preset release -DREIN_TESTS=ON -DREIN_PYTHON=ON -DPython_EXECUTABLE="$python" > /dev/null
cmake --build --preset release
# As a user installs it, but in the tree that has just been built: nothing is compiled again.
"$python" -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  --force-reinstall --config-settings=build-dir=build --config-settings=cmake.define.REIN_TESTS=ON \
  --config-settings=cmake.define.REIN_PROGRAMS=ON .
ctest --preset release -j "$(nproc)"
cmake --preset dev > /dev/null
cmake --build --preset dev
ctest --preset dev -j "$(nproc)"
