#!/usr/bin/env bash
# Installs the packages of dist/ in a new minimal Debian (debootstrap) with apt-get, as a user does, and uses them:
#     scripts/rehearse_deb.sh ROOT VERSION
# Needs root. The new system is made in ROOT, and kept. What was tested is printed in lines that begin with "tested".
set -euo pipefail
cd "$(dirname "$0")/.."
root=$1 version=$2 arch=$(dpkg --print-architecture)
mirror=http://deb.debian.org/debian
[ -x "$root/usr/bin/apt-get" ] || debootstrap --variant=minbase bookworm "$root" "$mirror"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir -p "$root/packages"
cp dist/*_"$version"_*.deb scripts/use_installed.py examples/loop.cc "$root/packages/"
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
inside apt-get update -qq
inside apt-get install -y -qq --no-install-recommends ./packages/rein_"$version"_"$arch".deb
inside apt-get install -y -qq --no-install-recommends python3  # for the script that follows, not for rein
inside python3 /packages/use_installed.py /usr/bin/rein "$version"
inside test -s /usr/share/man/man1/rein-serve.1.gz
inside rein serve --check --config /usr/share/doc/rein/examples/rein.toml
unit=$(inside dpkg -L rein | grep 'systemd/system/rein.service$')
inside test -s "$unit"
echo "tested rein: installed by apt-get in a new Debian 12; program and service used, unit, manual and example there"

inside apt-get install -y -qq --no-install-recommends ./packages/librein-dev_"$version"_"$arch".deb g++ cmake make
mkdir -p "$root/packages/own"
cat > "$root/packages/own/CMakeLists.txt" << 'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(own CXX)
set(CMAKE_CXX_STANDARD 20)
find_package(rein REQUIRED)
add_executable(loop ../loop.cc)
target_link_libraries(loop PRIVATE rein::rein)
CMAKE
inside cmake -S /packages/own -B /packages/own/build
inside cmake --build /packages/own/build
inside /packages/own/build/loop | grep -q '^reward [0-9]'
echo "tested librein-dev: installed there; an example compiled by find_package(rein), and run"
inside apt-get purge -y -qq rein librein-dev
inside sh -c '! command -v rein'
