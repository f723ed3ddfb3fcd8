#!/usr/bin/env bash
# Rounds per CPU second over a grid, a fit of their growth, and a comparison with Vowpal Wabbit.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out
cmake --preset bench > /dev/null
cmake --build --preset bench
build-bench/bench/rounds_bench --benchmark_min_time=0.2 --benchmark_out=out/rounds.json \
  --benchmark_out_format=json --benchmark_counters_tabular=true
/usr/bin/python3 bench/fit.py out/rounds.json | tee out/fit.txt
build-bench/bench/tuning_cost | tee out/tuning_cost.txt

venv=build-bench/venv
if [ ! -x "$venv/bin/python" ] || ! "$venv/bin/python" -c 'import vowpalwabbit' 2> /dev/null; then
  /usr/bin/python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check 'vowpalwabbit==9.11.*'
fi
"$venv/bin/python" bench/versus_vw.py build-bench/bench/versus | tee out/versus_vw.txt
