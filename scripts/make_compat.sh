#!/usr/bin/env bash
# Makes tests/compat/VERSION with the program of this tree: the files that later versions must read. And
# tests/compat/unknown_policy, whose state is in the form of now.
# Run it before a release, and again if a saved form changes before that; never for a version that is out.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^project(rein VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
scripts/python.sh
cmake --preset release -DREIN_TESTS=ON -DREIN_PYTHON=ON -DPython_EXECUTABLE="$PWD/build-python/venv/bin/python" > /dev/null
cmake --build --preset release --target rein_app _rein tools_test
scripts/pip_install.sh build build-python/venv
REIN_PROGRAM=build/rein build-python/venv/bin/python tests/compat/make.py "tests/compat/$version"
REIN_UNKNOWN_POLICY=tests/compat/unknown_policy build/tests/tools_test \
  --gtest_filter='Migrate.WorksWhereTheOracleIsUnknown' > /dev/null
du -sh "tests/compat/$version"
