#!/usr/bin/env bash
# A virtual environment in build-python/venv: with what builds the Python package, and after
# `python.sh tests` also with what its tests need. Each is done once, and again when its list has
# changed. Says nothing when there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build-python/venv

install() {  # install WHAT pip-argument...: unless these very arguments were installed before
  local what=$1 made
  shift
  made=$({ echo "$@"; [ "$what" = builds ] || cat tests/python/requirements.txt; } | sha256sum)
  [ "$(cat "$venv/$what" 2> /dev/null)" = "$made" ] && return
  echo "Python: installing what $what the package into $venv"
  [ -x "$venv/bin/pip" ] || /usr/bin/python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "$@"
  echo "$made" > "$venv/$what"
}

install builds scikit-build-core nanobind nanobind-backend numpy
[ "${1:-}" = tests ] || exit 0
install tests -r tests/python/requirements.txt
