#!/bin/sh
# Makes the tables of docs/lab/offpolicy.md about truth. A stopped run goes on where it was.
#
#     scripts/bench_offpolicy.sh DATA [LOGS] [CURVE_LOGS]
set -eu
data=$1
logs=${2:-1000}
curve_logs=${3:-200}
out=out/offpolicy
mkdir -p "$out"
cmake --preset release -DREIN_BENCH=ON > "$out/cmake.txt"
cmake --build build --target offpolicy_truth
build/bench/offpolicy_truth batch "$out/batch.jsonl" "$data" "$logs"
build/bench/offpolicy_truth curve "$out/curve.jsonl" "$data" "$curve_logs"
/usr/bin/python3 bench/offpolicy_tables.py "$out/batch.jsonl" "$out/curve.jsonl" --into docs/lab/offpolicy.md
