#!/usr/bin/env bash
# The experiments of docs/peers.md: scripts/peers.sh REIN_PROGRAM TABLE_FOLDER OUT_FOLDER
# Each prints its tables, also to OUT_FOLDER/*.txt, and continues where it was stopped.
# OUT_FOLDER/tables.md has those of the pages; docs/lab/peers_tables.md has the command that puts them there.
set -euo pipefail
program=$1 tables=$2 out=$3
mkdir -p "$out"
here=$(cd "$(dirname "$0")/../bench" && pwd)
python=/usr/bin/python3
show() { echo; echo "== $1"; }
show tables; $python "$here/peers.py" "$program" "$tables" --out "$out" | tee "$out/tables.txt"
show orders; $python "$here/orders.py" "$program" --out "$out" | tee "$out/orders.txt"
show traps; $python "$here/traps.py" "$program" --out "$out" | tee "$out/traps.txt"
show squarecbwk
$python "$here/squarecbwk.py" --rein "$program" --policy 'squarecbwk(null=0)' \
  --policy 'squarecbwk(gamma_scale=32,null=0)' --policy 'squarecbwk(gamma_scale=1024,null=0)' \
  --policy 'stop(null=0,of=ccb(tuning=theory))' --policy 'stop(null=0,of=ccb)' --svg "$out/squarecbwk.svg" |
  tee "$out/squarecbwk.txt"
show pendigits; $python "$here/pendigits.py" "$program" "$tables" --out "$out" | tee "$out/pendigits.txt"
$python "$here/peers_tables.py" "$out" >"$out/tables.md"
