#!/usr/bin/env bash
# Installs the missing Debian packages for the given needs: scripts/install.sh build test
# Prints nothing if nothing is missing. Without root it names the missing packages and the command.
set -euo pipefail

python="python3 python3-dev python3-venv"
declare -A packages_for=(
  [build]="g++ cmake ninja-build pkg-config libfmt-dev libcli11-dev coinor-libclp-dev
           coinor-libcoinutils-dev zlib1g-dev libsimdjson-dev libxxhash-dev libhowardhinnant-date-dev
           libsqlite3-dev libpq-dev libssl-dev libboost1.81-dev libtomlplusplus-dev
           node-d3-scale node-d3-shape node-d3-selection node-d3-axis"  # a few small files; no node
  [python]="$python"
  [test]="$python libgtest-dev libgmock-dev librapidcheck-dev chromium-headless-shell
          python3-jsonschema postgresql"  # tests start servers of their own, in temporary folders
  [cluster]="$python postgresql nginx-light procps"
  [contrib]="$python python3-yaml prometheus"
  [playground]="clang-19 lld-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32"
  [deb]="dpkg-dev debhelper fakeroot"
  [kafka]="librdkafka-dev maven default-jre-headless"
  [bench]="$python libbenchmark-dev"
  [lint]="$python clang-tidy-19"
  [clang]="clang libclang-rt-dev"  # the second has the sanitizers and libFuzzer
  [arm]="g++-aarch64-linux-gnu qemu-user"
)

wanted=()
for need in "$@"; do
  if [ -z "${packages_for[$need]:-}" ]; then
    echo "install.sh: found \"$need\"; accepted: ${!packages_for[*]}" >&2
    exit 2
  fi
  wanted+=(${packages_for[$need]})
done

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
  echo "These packages are missing: ${missing[*]}" >&2
  echo "Install them with:" >&2
  echo "  sudo apt-get update && sudo apt-get install -y ${missing[*]}" >&2
  exit 1
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } \
    > "$log" 2>&1; then
  cat "$log" >&2
  echo "install.sh: apt-get could not install: ${missing[*]}" >&2
  exit 1
fi
