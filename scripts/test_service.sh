#!/usr/bin/env bash
# Runs all tests of the service: unit tests of its rooms, the tests through its door (label `service`), and
# schemathesis against a running one.
#
#     scripts/test_service.sh CASES SEED        cases per operation of docs/openapi.json
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python.sh
scripts/python.sh service &  # downloads, while the compiler works
downloads=$!
cmake --preset release -DREIN_TESTS=ON > /dev/null
cmake --build --preset release
wait "$downloads"
ctest --preset release -L service -j "$(nproc)"
for room in http serve tools; do build/tests/${room}_test --gtest_brief=1; done
REIN_PROGRAM=$PWD/build/rein REIN_SOURCE_DIR=$PWD PYTHONDONTWRITEBYTECODE=1 CASES=$1 SEED=$2 \
  /usr/bin/python3 tests/serve/schemathesis_test.py
