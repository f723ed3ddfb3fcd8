#!/usr/bin/env bash
# Tests only the Python package: builds it, installs it with pip, and runs its tests, also those that
# take long.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python.sh tests
cmake --preset release -DREIN_TESTS=ON -DREIN_PYTHON=ON \
  -DPython_EXECUTABLE="$PWD/build-python/venv/bin/python" > /dev/null
cmake --build --preset release --target rein rein_app _rein
scripts/pip_install.sh build build-python/venv
ctest --preset release -L python
