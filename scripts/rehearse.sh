#!/usr/bin/env bash
# Installs every artefact of dist/ where nothing else of rein is, and uses it. What was tested of each is in
# build/rehearsal/tested.md, and printed at the end. Nothing is uploaded.
#
#     scripts/rehearse.sh                    everything that this machine can do; what it cannot is said
#     REIN_ROOT=/a/folder scripts/rehearse.sh   with a new system that debootstrap made there before
#     REIN_QUICK=1 scripts/rehearse.sh       without compiling the source archive, and without the longer Python tests
set -euo pipefail
cd "$(dirname "$0")/.."
dist=$PWD/dist home=$PWD/build/rehearsal
version=$(sed -nE 's/^project\(rein VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
rm -rf "$home"
mkdir -p "$home"
tested="$home/tested.md"
printf '| artefact | kB | tested |\n|---|---|---|\n' > "$tested"
note() { printf '| %s | %s | %s |\n' "$1" "$(du -k "$dist/$1" | cut -f1)" "$2" | tee -a "$tested" >&2; }
fail() { echo "rehearse.sh: $*" >&2; exit 1; }

(cd "$dist" && sha256sum --quiet -c SHA256SUMS) || fail "a checksum is wrong"
[ "$(ls "$dist" | grep -cv SHA256SUMS)" = "$(wc -l < "$dist/SHA256SUMS")" ] || fail "SHA256SUMS does not name every file"

# Bills of materials, against the schema of CycloneDX.
/usr/bin/python3 -m venv "$home/tools"
"$home/tools/bin/pip" install --quiet --disable-pip-version-check 'cyclonedx-python-lib[json-validation]'
for bill in "$dist"/*.cdx.json; do
  "$home/tools/bin/python" - "$bill" << 'END'
import sys

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

wrong = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1], encoding="utf-8").read())
sys.exit(f"{sys.argv[1]}: {wrong}" if wrong else 0)
END
  note "$(basename "$bill")" "valid by the schema of CycloneDX 1.5"
done

# The wheel, as pip finds it in an index: served here, with what it needs, and nothing else can be reached.
wheel=$(ls "$dist"/rein_bandits-"$version"-*x86_64.whl)
"$home/tools/bin/pip" download --quiet --disable-pip-version-check --only-binary :all: -d "$home/house" "$wheel"
/usr/bin/python3 scripts/index_of.py "$home/house" "$home/index"
/usr/bin/python3 -m http.server --bind 127.0.0.1 --directory "$home/index" 0 > "$home/index.log" 2>&1 &
server=$!
trap 'kill $server 2> /dev/null || true' EXIT
for _ in $(seq 100); do
  port=$(sed -nE 's/.* port ([0-9]+) .*/\1/p' "$home/index.log")
  [ -n "$port" ] && break
  sleep 0.1
done
/usr/bin/python3 -m venv "$home/clean"
env -i PATH="$home/clean/bin" "$home/clean/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir \
  --index-url "http://127.0.0.1:$port/simple/" rein-bandits
kill $server
env -i PATH="$home/clean/bin" HOME="$home" "$home/clean/bin/python" scripts/use_installed.py "$home/clean/bin/rein" "$version"
what="installed by pip from a local index; program, Python and service used"
if [ -z "${REIN_QUICK:-}" ]; then
  scripts/test_wheel.sh > "$home/wheel.log" 2>&1 || { tail -n 30 "$home/wheel.log" >&2; fail "the tests of the wheel"; }
  what="$what; $(grep -oE '[0-9]+ passed' "$home/wheel.log") of the Python tests"
fi
note "$(basename "$wheel")" "$what"
what="the wheel was built from it"
[ -z "${REIN_QUICK:-}" ] || what="has every file that the wheel was compiled from; the wheel was not built from it"
note "rein_bandits-$version.tar.gz" "$what"

# Debian packages in a new system of its own.
packages="rein_${version}_$(dpkg --print-architecture).deb librein-dev_${version}_$(dpkg --print-architecture).deb"
if [ "$(id -u)" = 0 ] && command -v debootstrap > /dev/null; then
  scripts/rehearse_deb.sh "${REIN_ROOT:-$home/root}" "$version" > "$home/deb.log" 2>&1 || { tail -n 30 "$home/deb.log" >&2; fail "the Debian packages"; }
  for package in $packages; do note "$package" "$(sed -n "s/^tested ${package%%_*}: //p" "$home/deb.log")"; done
else
  for package in $packages; do note "$package" "unpacked; not installed: this needs root and debootstrap"; done
fi

# The source archive.
mkdir "$home/source"
tar -xzf "$dist/rein-$version.tar.gz" -C "$home/source" --strip-components=1
(cd "$home/source" && find . -type f -o -type l | sed 's|^\./||' | LC_ALL=C sort) > "$home/files"
git ls-files | LC_ALL=C sort | diff - "$home/files" > "$home/diff" || { cat "$home/diff" >&2; fail "the source archive"; }
what="every file of the repository"
if [ -z "${REIN_QUICK:-}" ]; then
  make -C "$home/source" build > "$home/build.log" 2>&1 || { tail -n 30 "$home/build.log" >&2; fail "make build in the source archive"; }
  "$home/source/build/rein" --version | grep -qF "$version"
  what="$what; make build, and the program runs"
fi
note "rein-$version.tar.gz" "$what"

# The chart.
helm=$(PATH=$PATH:$PWD/build/go command -v helm || true)
what="unpacked"
tar -xzf "$dist/rein-chart-$version.tgz" -C "$home"
diff -r contrib/helm/rein "$home/rein" > /dev/null || fail "the chart"
if [ -n "$helm" ]; then
  "$helm" template rein "$dist/rein-chart-$version.tgz" --kube-version 1.31.0 --set token.value=0123456789abcdef | grep -q StatefulSet
  what="rendered by helm"
fi
note "rein-chart-$version.tgz" "$what"
echo "Not made here: wheels for aarch64, musl, macOS and Windows." >> "$tested"
cat "$tested"
