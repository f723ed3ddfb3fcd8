#!/usr/bin/env bash
# Kills the service under load: crash.sh KILLS OUTCOMES. Then sends that many outcomes one to five
# times across kills, races for a hard budget, and measures a restart.
set -euo pipefail
cd "$(dirname "$0")/.."
kills=${1:-200}
outcomes=${2:-50000}
cmake --preset release > /dev/null
cmake --build build --target rein_app
export REIN_PROGRAM="$PWD/build/rein" PYTHONDONTWRITEBYTECODE=1
python3 tests/serve/race.py
python3 tests/serve/disk.py
python3 tests/serve/restart.py
python3 tests/serve/agent_runs.py --kills "$kills" --seed "${SEED:-1}"
python3 tests/serve/outcomes.py --outcomes "$outcomes" --kills "$((outcomes / 10000))"
python3 tests/serve/crash.py --kills "$kills" --seed "${SEED:-1}" --check-every "$((kills / 10 + 1))"
