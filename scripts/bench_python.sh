#!/usr/bin/env bash
# What Python costs over C++, and other packages beside rein (docs/python_speed.md), in a virtual environment of
# their own in build-bench.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out
scripts/python.sh
builder=$PWD/build-python/venv/bin/python
cmake --preset bench -DREIN_PYTHON=ON -DPython_EXECUTABLE="$builder" > /dev/null
cmake --build --preset bench --target engine_cost _rein
# The wheel is made in the tree that has just been built: nothing is compiled again.
rm -rf build-bench/wheel
"$builder" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps -w build-bench/wheel \
  --config-settings=build-dir=build-bench --config-settings=cmake.define.REIN_BENCH=ON \
  --config-settings=cmake.define.REIN_PROGRAMS=ON .

venv=build-bench/python-venv
[ -x "$venv/bin/python" ] || /usr/bin/python3 -m venv "$venv"
pip=("$venv/bin/pip" install --quiet --disable-pip-version-check)
"${pip[@]}" numpy nanobind-backend
"${pip[@]}" --force-reinstall --no-deps build-bench/wheel/*.whl
for package in 'vowpalwabbit==9.11.*' 'contextualbandits==0.3.*' 'mabwiser==2.7.*'; do
  "${pip[@]}" "$package" || echo "bench: $package could not be installed, and has no row"
done

"$venv/bin/python" bench/python_cost.py build-bench/bench/engine_cost | tee out/python_cost.txt
"$venv/bin/python" bench/python_side.py | tee out/python_side.txt
