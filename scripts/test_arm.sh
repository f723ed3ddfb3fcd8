#!/usr/bin/env bash
# Tests the library on aarch64: cross-compiled, with its unit tests and golden traces under
# qemu-user. Checks for the same bits as on this machine: equal state hashes, equal `rein run
# --json`.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/arm_sysroot.sh
cmake --preset release -DREIN_TESTS=OFF > /dev/null
cmake --build --preset release
cmake --preset arm > /dev/null
cmake --build --preset arm
ctest --preset arm -j "$(nproc)"

arm() { qemu-aarch64 -L build-arm/sysroot "build-arm/build/$1" "${@:2}"; }
here() { "build/$1" "${@:2}"; }
differ=0
same() {  # same PROGRAM ARGUMENT...: compares the output on both machines, except for speed
  local speed='s/"cpu_seconds":{[^}]*}//g'
  if diff <(here "$@" | sed "$speed") <(arm "$@" | sed "$speed") > /dev/null; then
    echo "the same bits: $*"
  else
    echo "OTHER BITS: $*"
    differ=1
  fi
}
same examples/example_engine
for policy in ccb 'ccb(tuning=theory)' squarecb lagrange aupd optimistic3 \
              'ccb(oracle=kernel)' 'ccb(oracle=forest)' 'ccb(oracle=mlp)' 'ccb(oracle=ons)'; do
  same rein run --world 'linear(k=4,d=4,m=2,costs=positive,rate=[0.2,0.3])' --policy "$policy" \
    --rounds 1500 --seeds 2 --json
done
same rein run --world 'heavy(d=4,k=6,rate=0.05)' --policy ccb --rounds 2000 --seeds 2 --json
exit "$differ"
