#!/usr/bin/env bash
# Everything under contrib/ that can run here. The program is built (make test-contrib).
set -euo pipefail
cd "$(dirname "$0")/.."
export REIN_SOURCE_DIR=$PWD REIN_PROGRAM=$PWD/build/rein PYTHONDONTWRITEBYTECODE=1
echo "alerts and dashboard"
/usr/bin/python3 tests/contrib/watch_test.py
echo "workflows, compose, image"
if command -v go > /dev/null && ! command -v actionlint > /dev/null; then
  GOBIN=$PWD/build/go go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.7
fi
PATH=$PATH:$PWD/build/go /usr/bin/python3 tests/contrib/files_test.py
echo "settings and unit"
build/rein serve --check --config contrib/rein.toml
if command -v systemd-analyze > /dev/null; then
  sed "s|/usr/bin/rein|$REIN_PROGRAM|" contrib/rein.service > "${TMPDIR:-/tmp}/rein-check.service"
  systemd-analyze verify "${TMPDIR:-/tmp}/rein-check.service"
  rm "${TMPDIR:-/tmp}/rein-check.service"
fi
