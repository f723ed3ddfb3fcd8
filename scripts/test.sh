#!/usr/bin/env bash
# Runs all tests: of the library (unit tests a second time under ASan and UBSan), the program, the
# report pages, the documentation, and the Python package as pip installs it.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python.sh
scripts/python.sh tests &  # downloads, while the compiler works
downloads=$!
cmake --preset release -DREIN_TESTS=ON -DREIN_TWIN=ON -DREIN_PYTHON=ON \
  -DPython_EXECUTABLE="$PWD/build-python/venv/bin/python" > /dev/null
cmake --build --preset release
wait "$downloads"
scripts/pip_install.sh build build-python/venv
ctest --preset release -LE long -j "$(($(nproc) + 1))"  # some tests wait more than they compute
