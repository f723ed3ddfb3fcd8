#!/usr/bin/env bash
# The time of Python over C++, and other packages beside rein (docs/python_speed.md), in a virtual
# environment in build-bench.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out
scripts/python.sh
cmake --preset bench -DREIN_PYTHON=ON -DPython_EXECUTABLE="$PWD/build-python/venv/bin/python" > /dev/null
cmake --build --preset bench --target engine_cost rein_app _rein
venv=build-bench/python-venv
scripts/pip_install.sh build-bench "$venv"
for package in 'vowpalwabbit==9.11.*' 'contextualbandits==0.3.*' 'mabwiser==2.7.*'; do
  "$venv/bin/pip" install --quiet --disable-pip-version-check "$package" ||
    echo "bench: $package could not be installed, and has no row"
done

"$venv/bin/python" bench/python_cost.py build-bench | tee out/python_cost.txt
"$venv/bin/python" bench/python_side.py | tee out/python_side.txt
