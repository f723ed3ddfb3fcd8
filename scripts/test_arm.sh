#!/usr/bin/env bash
# Tests the library on aarch64: cross-compiled, with its unit tests and golden traces under
# qemu-user. Checks for the same bits as on this machine: equal state hashes, equal `rein run
# --json`.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/arm_sysroot.sh
# Everything except what watches threads, opens a browser or calls another program.
rooms=(base money solve estimate price explore tuning policy log engine offpolicy world evaluate fuzz)
cmake --preset release > /dev/null
cmake --build build --target rein_app example_engine
cmake --preset arm > /dev/null
cmake --build build-arm/build --target rein_app example_engine "${rooms[@]/%/_test}"

# Left out, because they take minutes under qemu or measure memory, which qemu uses too.
left_out='FalsifyTest.*:Delivery.*:Realizable.*:Curved.*:Auto.HoldsSigned*:Sweep.*:CertifiedU.*'
left_out+=':WhatifReport.Interval*:Whatif.BandCovers*:Replay.BothEstimates*:Adaptive.Stabilized*'
left_out+=':Adagrad.SixteenMillion*:Snapshots.AForged*:Snapshots.TreesTake*'
unit() {
  RC_PARAMS=seed=1 REIN_OPERATIONS=6000 qemu-aarch64 -L build-arm/sysroot "build-arm/build/tests/$1_test" --gtest_brief=1 \
    --gtest_filter="-$2" > "build-arm/$1.log" 2>&1 && echo "passed: $1_test ($(tail -n 1 "build-arm/$1.log"))" ||
    { cat "build-arm/$1.log"; echo "FAILED: $1_test"; return 1; }
}
export -f unit
printf '%s\n' "${rooms[@]}" | xargs -P "$(nproc)" -I{} bash -c 'unit "$1" "$2"' _ {} "$left_out"

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
# Not the long-term comparator of several costs: CLP's last digit depends on the machine.
for policy in ccb 'ccb(tuning=theory)' squarecb lagrange aupd optimistic3 \
              'ccb(oracle=kernel)' 'ccb(oracle=forest)' 'ccb(oracle=mlp)' 'ccb(oracle=ons)'; do
  same rein run --world 'linear(k=4,d=4,m=2,costs=positive,rate=[0.2,0.3])' --policy "$policy" \
    --rounds 1500 --seeds 2 --no-long-term --json
done
same rein run --world 'heavy(d=4,k=6,rate=0.05)' --policy ccb --rounds 2000 --seeds 2 --json
same rein run --world nonlinear --policy ccb --rounds 2000 --seeds 2 --json  # curves play
exit "$differ"
