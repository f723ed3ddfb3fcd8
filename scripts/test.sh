#!/usr/bin/env bash
# All tests: everything in release, then the tests labelled unit again under ASan and UBSan.
set -euo pipefail
cd "$(dirname "$0")/.."
cmake --preset release -DREIN_TESTS=ON > /dev/null
cmake --build --preset release
ctest --preset release -j "$(nproc)"
cmake --preset dev > /dev/null
cmake --build --preset dev
ctest --preset dev -j "$(nproc)"
