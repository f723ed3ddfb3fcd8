#!/usr/bin/env bash
# cmake --install, then projects elsewhere find rein, build the examples and run them.
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
# A policy from outside the tree: examples/own_policy, a project with one file.
cmake -S "$source_dir/examples/own_policy" -B "$work/own" -DCMAKE_PREFIX_PATH="$work/prefix" > /dev/null
cmake --build "$work/own" > /dev/null
"$work/own/own_policy" > "$work/own.txt"
grep -q '^own(name=frugal) *reward *[0-9]*, spent *[0-9]* of 400$' "$work/own.txt"
grep -q '^restored: the same state$' "$work/own.txt"
# One version: of the sources, the program and the CMake package.
version=$(sed -n 's/^project(rein VERSION \([0-9.]*\).*/\1/p' "$source_dir/CMakeLists.txt")
test "$("$work/prefix/bin/rein" --version)" = "rein $version"
grep -q "set(PACKAGE_VERSION \"$version\")" "$work/prefix"/lib*/cmake/rein/rein-config-version.cmake
