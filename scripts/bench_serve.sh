#!/usr/bin/env bash
# Builds and runs bench/serve.py, then LiteLLM's budget router beside rein in one process. Arguments go to
# bench/serve.py: --seconds 120 --rate 10000.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset bench > /dev/null
cmake --build build-bench --target rein_app constant_server
python3 bench/serve.py build-bench/rein build-bench/bench/constant_server "$@"
scripts/python.sh
scripts/python.sh tests
cmake --preset release -DREIN_PYTHON=ON -DPython_EXECUTABLE="$PWD/build-python/venv/bin/python" > /dev/null
cmake --build build --target _rein
scripts/pip_install.sh build build-python/venv
build-python/venv/bin/python bench/litellm_budget.py
