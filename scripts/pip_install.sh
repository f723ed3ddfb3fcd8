#!/usr/bin/env bash
# Installs the Python package and its dependencies into a virtual environment, as a user would. It
# uses a wheel from a tree that has just been built, so nothing is compiled again.
#
#     scripts/pip_install.sh TREE VENV [EXTRA]        such as: build build-python/examples-venv plot
set -euo pipefail
cd "$(dirname "$0")/.."
tree=$1 venv=$2 extra=${3:-}
keep=()  # the choices of the tree, which those of the package would override
for option in REIN_TESTS REIN_BENCH REIN_PROGRAMS; do
  keep+=("--config-settings=cmake.define.$option=$(sed -n "s/^$option:BOOL=//p" "$tree/CMakeCache.txt")")
done
rm -rf "$tree/wheel"
build-python/venv/bin/pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  -w "$tree/wheel" --config-settings=build-dir="$tree" "${keep[@]}" .
wheel=$(echo "$tree"/wheel/*.whl)
[ -x "$venv/bin/pip" ] || /usr/bin/python3 -m venv "$venv"
pip=("$venv/bin/pip" install --quiet --disable-pip-version-check)
"${pip[@]}" --force-reinstall --no-deps "$wheel"
"${pip[@]}" "$wheel${extra:+[$extra]}"
