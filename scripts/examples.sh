#!/usr/bin/env bash
# Runs the worked examples as a user does: in a virtual environment with the
# package, matplotlib, litellm and paretobandit, whose data one of them uses. Plots and output go to
# out/examples.
#
#     scripts/examples.sh [NAME ...]        llm_routing routing_year dosing coupons
#                                           coupons_by_day quality_floor warm_start email_campaign
#                                           litellm_router llm_routing_whatif; all by default
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/python.sh
cmake --preset release -DREIN_PYTHON=ON -DPython_EXECUTABLE="$PWD/build-python/venv/bin/python" > /dev/null
cmake --build --preset release --target rein rein_app _rein

venv=build-python/examples-venv
made=$(cat scripts/examples.sh build/python/rein/_rein.*.so python/rein/*.py* | sha256sum)
if [ "$(cat "$venv/made" 2> /dev/null)" != "$made" ]; then
  echo "examples: installing the package and what they need into $venv"
  rm -rf "$venv"
  scripts/pip_install.sh build "$venv" plot
  "$venv/bin/pip" install --quiet --disable-pip-version-check paretobandit==0.1.1 -r tests/python/litellm.txt
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps litellm==1.108.4  # see scripts/python.sh
  echo "$made" > "$venv/made"
fi

mkdir -p out/examples
names=("$@")
[ $# -gt 0 ] || names=(llm_routing routing_year dosing coupons coupons_by_day quality_floor warm_start
                         email_campaign litellm_router llm_routing_whatif)
for name in "${names[@]}"; do
  echo "== $name"
  "$venv/bin/python" "examples/python/$name.py" --out out/examples | tee "out/examples/$name.txt"
done
