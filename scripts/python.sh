#!/usr/bin/env bash
# Makes a virtual environment in build-python/venv with the tools that build the Python package.
# `python.sh tests` adds what its tests need, `python.sh service` what checks the service from outside. Each step is done once, and again if its list has
# changed. Prints nothing if there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build-python/venv

install() {  # install WHAT pip-argument...: skipped if the same arguments were installed before
  local what=$1 made
  shift
  made=$({ echo "$@"; [ "$what" = builds ] || cat tests/python/*.txt; } | sha256sum)
  [ "$(cat "$venv/$what" 2> /dev/null)" = "$made" ] && return
  echo "Python: installing what $what the package into $venv"
  [ -x "$venv/bin/pip" ] || /usr/bin/python3 -m venv "$venv"
  # Python compiles what is imported. That is a small part of what is installed here.
  "$venv/bin/pip" install --quiet --disable-pip-version-check --no-compile "$@"
  echo "$made" > "$venv/$what"
}

install builds scikit-build-core nanobind nanobind-backend numpy
[ "${1:-}" = service ] && install service schemathesis==4.32.5
[ "${1:-}" = tests ] || exit 0
install tests -r tests/python/requirements.txt -r tests/python/litellm.txt
# litellm 1.108 asks for a certifi that is newer than some package indexes have, and pip then installs
# nothing. Its tests use mock responses and open no TLS connection, so they run with any certifi.
install tries --no-deps litellm==1.108.4
