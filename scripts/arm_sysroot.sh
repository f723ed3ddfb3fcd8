#!/usr/bin/env bash
# Unpacks Debian's arm64 libraries, which the library and its tests link, into build-arm/sysroot.
# Nothing is installed: apt downloads into that folder, with its own package lists.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD/build-arm
[ -e "$root/sysroot/complete" ] && exit 0
packages=(libc6-dev libstdc++-12-dev libfmt-dev coinor-libclp-dev coinor-libcoinutils-dev zlib1g-dev
          libsimdjson-dev libxxhash-dev libhowardhinnant-date-dev libcli11-dev libsqlite3-dev
          libboost1.81-dev libtomlplusplus-dev libgtest-dev libgmock-dev librapidcheck-dev)
mkdir -p "$root"/apt/lists/partial "$root"/apt/cache/archives/partial "$root/sysroot"
apt=(apt-get -qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64
     -o "Dir::State::lists=$root/apt/lists" -o "Dir::Cache=$root/apt/cache"
     -o Dir::State::status=/dev/null -o Debug::NoLocking=1)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "downloading arm64 libraries: ${packages[*]}"
if ! { "${apt[@]}" update &&
       "${apt[@]}" install --download-only --no-install-recommends -y "${packages[@]}"; } > "$log" 2>&1; then
  cat "$log" >&2
  echo "arm_sysroot.sh: apt-get could not download the arm64 libraries" >&2
  exit 1
fi
for package in "$root"/apt/cache/archives/*.deb; do dpkg -x "$package" "$root/sysroot"; done
# Links that start at / would point outside the sysroot.
find "$root/sysroot" -type l -lname '/*' | while read -r link; do
  ln -sfn "$root/sysroot$(readlink "$link")" "$link"
done
# CLP needs BLAS and LAPACK, which Debian puts in place by its alternatives.
for folder in blas lapack; do
  ln -sfn -t "$root/sysroot/usr/lib/aarch64-linux-gnu" "$folder"/lib"$folder".so "$folder"/lib"$folder".so.3
done
touch "$root/sysroot/complete"
