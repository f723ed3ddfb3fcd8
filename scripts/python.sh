#!/usr/bin/env bash
# A virtual environment in build-python/venv with what builds and tests the Python package. Made
# once, and again when what it needs has changed. Says nothing when there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build-python/venv
wanted=(scikit-build-core nanobind nanobind-backend numpy -r tests/python/requirements.txt)
made=$(cat scripts/python.sh tests/python/requirements.txt | sha256sum)
[ "$(cat "$venv/made" 2> /dev/null)" = "$made" ] && exit 0
echo "Python: installing what builds and tests the package into $venv"
rm -rf "$venv"
/usr/bin/python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check "${wanted[@]}"
echo "$made" > "$venv/made"
