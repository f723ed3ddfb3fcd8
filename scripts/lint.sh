#!/usr/bin/env bash
# Finds mistakes without running the code: ruff and mypy for Python, clang-tidy for C++.
#
#     scripts/lint.sh                 everything (some 20 minutes of CPU time, most of it clang-tidy)
#     scripts/lint.sh --since REF     C++ files that differ from a commit, such as HEAD or main
#     scripts/lint.sh python          ruff and mypy alone
#     scripts/lint.sh FILE.cc ...     clang-tidy over these files alone
#
# What is checked: pyproject.toml ([tool.ruff], [tool.mypy]) and .clang-tidy, with reasons.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build-python/lint-venv
tools=(ruff==0.17.* mypy==2.* numpy pytest)

python_tools() {  # installed once, and again when the list changes
  [ "$(cat "$venv/made" 2> /dev/null)" = "${tools[*]}" ] && return
  echo "lint: installing ${tools[*]} into $venv"
  [ -x "$venv/bin/pip" ] || /usr/bin/python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "${tools[@]}"
  echo "${tools[*]}" > "$venv/made"
}

lint_python() {
  local failed=0
  python_tools
  echo "== ruff"
  "$venv/bin/ruff" check --quiet --cache-dir build-python/ruff . || failed=1
  echo "== mypy: the package"
  "$venv/bin/mypy" --cache-dir build-python/mypy python/rein python/rein_program.py || failed=1
  # Tests pass wrong types on purpose, so they are checked without the types of the package. A value
  # that may be None makes a test fail if it is None.
  echo "== mypy: tests, benchmarks, scripts"
  "$venv/bin/mypy" --cache-dir build-python/mypy-tests --config-file= --python-version 3.11 \
    --check-untyped-defs --ignore-missing-imports --disable-error-code=union-attr \
    --disable-error-code=var-annotated \
    $(git ls-files 'bench/*.py' 'scripts/*.py' 'tests/*.py' ':!tests/web') || failed=1
  return $failed
}

# A tree that is configured but never built: clang-tidy needs the flags of each file, and cannot
# read the precompiled headers of g++.
configure() {
  scripts/python.sh
  cmake --preset release -B build-lint -DREIN_TESTS=ON -DREIN_BENCH=ON -DREIN_PYTHON=ON -DREIN_GROUPS=OFF \
    -DPython_EXECUTABLE="$PWD/build-python/venv/bin/python" \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON > /dev/null
}

# One unit: files that are looked at together (scripts/lint_units.py). If they do not compile as one,
# each is looked at alone. A line is printed when it is finished, with the findings below it.
# Tests need not be fast, and there a whole division is meant.
tidy() {  # BUILD FILE FIRST_FILE
  local checks=-bugprone-suspicious-include
  case "$3" in tests/*) checks+=,-performance-*,-bugprone-integer-division ;; esac
  clang-tidy-19 -p "$1" --quiet --checks="$checks" "$2" 2> /dev/null
}
tidy_unit() {
  local out file failed=0
  out=$(tidy build-lint/units "$1" "$(head -n 1 "${1%.cc}.files")") || failed=1
  if grep -q clang-diagnostic-error <<< "$out"; then
    out='' failed=0
    while read -r file; do
      out+=$(tidy build-lint "$file" "$file")$'\n' || failed=1
    done < "${1%.cc}.files"
  fi
  paste -sd ' ' "${1%.cc}.files"
  [ $failed = 0 ] || printf '%s\n' "$out"
  return $failed
}
export -f tidy tidy_unit

lint_cpp() {  # FILE...
  [ $# -gt 0 ] || { echo "== clang-tidy: no C++ file to look at"; return; }
  configure
  rm -rf build-lint/units
  local log failed=0
  log=$(mktemp)
  echo "== clang-tidy: $# files"
  /usr/bin/python3 scripts/lint_units.py build-lint "$@" |
    nice xargs -P "$(nproc)" -I{} bash -c 'tidy_unit "$1"' _ {} | tee "$log" || failed=1
  if [ $failed = 1 ]; then  # prints each finding once: those of a header come with every unit
    echo "== clang-tidy found:"
    grep -hE '(warning|error): ' "$log" | sed "s|$PWD/||" | sort -u
  fi
  rm -f "$log"
  return $failed
}

# The C++ files among the names on standard input. Without libfuzzer.cc, which compiles only with the
# name of a target (cmake --preset fuzz).
sources() { grep -E '^(src|apps|examples|tests|bench|python/bind)/.*\.cc$' | grep -v libfuzzer.cc || true; }

failed=0
case "${1:-all}" in
  python) lint_python || failed=1 ;;
  --since)
    lint_python || failed=1
    mapfile -t files < <({ git diff --name-only --diff-filter=d "${2:-HEAD}"
                           git ls-files --others --exclude-standard; } | sources)
    lint_cpp "${files[@]}" || failed=1 ;;
  all)
    lint_python || failed=1
    mapfile -t files < <(git ls-files | sources)
    lint_cpp "${files[@]}" || failed=1 ;;
  *) lint_cpp "$@" || failed=1 ;;
esac
if [ $failed = 1 ]; then
  echo "lint: found what is listed above" >&2
  exit 1
fi
echo "lint: nothing found"
