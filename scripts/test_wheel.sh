#!/usr/bin/env bash
# Installs dist/*.whl as a user does: in a new virtual environment, without a compiler, wheels only.
# Then checks where its shared libraries come from, and runs the Python tests.
#
#     scripts/test_wheel.sh          without the tests that need coba, Ray, Dask or mypy
#     scripts/test_wheel.sh all      all, with everything of tests/python/*.txt, and litellm
#     PYTHON=python3.12 scripts/test_wheel.sh
set -euo pipefail
cd "$(dirname "$0")/.."
wheel=$(ls dist/rein_bandits-*.whl 2> /dev/null) ||
  { echo "test_wheel.sh: no wheel in dist/; make wheel builds one" >&2; exit 2; }
case "${1:-some}" in
  some) needs=(pytest hypothesis jsonschema pandas matplotlib scikit-learn tqdm)
        tests=(agent batch client given numpy budgets own package processes run save) ;;
  all) needs=(-r tests/python/requirements.txt -r tests/python/litellm.txt) tests=() ;;
  *) echo "test_wheel.sh: found \"$1\"; accepted: nothing, or all" >&2; exit 2 ;;
esac

venv=build-wheel/clean-venv
rm -rf "$venv"
"${PYTHON:-/usr/bin/python3}" -m venv "$venv"
# No system program is on the PATH: no compiler, no cmake, no patchelf.
export PATH="$PWD/$venv/bin"
if command -v cc c++ gcc g++ clang cmake > /dev/null; then
  echo "test_wheel.sh: a compiler is still on the PATH" >&2
  exit 1
fi
pip install --quiet --disable-pip-version-check --only-binary :all: "$wheel"
echo "wheel: installed $wheel without a compiler"

# Libraries that rein loads must come from the wheel, except for the C and C++ runtime and zlib.
# Libraries that Python loads for its own modules do not count.
python - <<'END'
import bz2, ctypes, hashlib, lzma, numpy, re, sqlite3, ssl, sys, uuid  # noqa: E401

def loaded():
    with open("/proc/self/maps", encoding="utf-8") as maps:
        return {line.split()[-1] for line in maps if ".so" in line}

before = loaded()
import rein

found = rein.run("heavy(d=4,k=6)", ["ccb", "squarecb"], rounds=200, seeds=2)
assert found.totals, "a run has no totals"
ours = sorted(path for path in loaded() - before if "/rein" in path)
system = re.compile(r"/lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|z)[.-][^/]*$")
strangers = sorted(path for path in loaded() - before if sys.prefix not in path and "/python3" not in path
                   and not system.search(path))
print(f"wheel: {len(ours)} shared libraries of its own; from elsewhere: {strangers or 'only the C and C++ runtime'}")
sys.exit(1 if strangers or len(ours) < 2 else 0)
END

pip install --quiet --disable-pip-version-check --only-binary :all: "${needs[@]}"
[ "${1:-some}" = some ] || pip install --quiet --disable-pip-version-check --no-deps litellm==1.108.4  # scripts/python.sh
export REIN_SOURCE_DIR="$PWD"
files=("${tests[@]/%/.py}")
files=("${files[@]/#/$PWD/tests/python/test_}")
[ ${#tests[@]} -gt 0 ] || files=("$PWD/tests/python")
cd "$venv"
python -m pytest -q -p no:cacheprovider "${files[@]}"
