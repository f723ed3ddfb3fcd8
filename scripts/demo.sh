#!/usr/bin/env bash
# The main demonstration: an adversary that adapts to what is played, against ccb with its defaults,
# ccb with the theorem's constants, and plain SquareCB.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p out
command=(build/rein run --world 'linear(k=4,d=4,order=adaptive)'
         --policy ccb --policy 'ccb(tuning=theory)' --policy squarecb --rounds 20000 --seeds 8)
printf '$'; printf ' %q' "${command[@]}"; printf '\n\n'
"${command[@]}" --save out/demo
