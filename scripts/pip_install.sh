#!/usr/bin/env bash
# Installs the Python package into build-python/venv as a user would, but in the tree that has just
# been built: nothing is compiled again.
set -euo pipefail
cd "$(dirname "$0")/.."
build-python/venv/bin/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  --force-reinstall --config-settings=build-dir=build --config-settings=cmake.define.REIN_TESTS=ON \
  --config-settings=cmake.define.REIN_PROGRAMS=ON .
