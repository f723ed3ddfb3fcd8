#!/usr/bin/env bash
# cmake --install, then a project elsewhere finds rein, builds the example and runs it.
set -euo pipefail
source_dir=$1 build_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build_dir" --prefix "$work/prefix" > /dev/null
cmake -S "$source_dir/tests/install" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DLOOP_SOURCE="$source_dir/examples/loop.cc" > /dev/null
cmake --build "$work/build" > /dev/null
"$work/build/loop" | grep -q '^reward [0-9]*, spent [0-9]* dollars$'
"$work/prefix/bin/rein" list > /dev/null
# One version: of the sources, the program and the CMake package.
version=$(sed -n 's/^project(rein VERSION \([0-9.]*\).*/\1/p' "$source_dir/CMakeLists.txt")
test "$("$work/prefix/bin/rein" --version)" = "rein $version"
grep -q "set(PACKAGE_VERSION \"$version\")" "$work/prefix"/lib*/cmake/rein/rein-config-version.cmake
