#!/usr/bin/env bash
# Runs libFuzzer with ASan and UBSan on every target of tests/fuzz, SECONDS for each (60 by
# default). The corpus it builds stays in build-fuzz/corpus. An input that fails is stored in
# build-fuzz/found and named at the end.
#   scripts/fuzz.sh [TARGET...]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${SECONDS_EACH:-60}
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(spec options table result record snapshot policy schema
                                     snapshot_file journal http_request body document settings event model_snapshot
                                     log_csv log_jsonl log_dsjson log_vw log_columns)
cmake --preset fuzz > /dev/null
programs=()
for target in "${targets[@]}"; do programs+=("fuzz_$target"); done
cmake --build --preset fuzz --target fuzz_test "${programs[@]}"
mkdir -p build-fuzz/found
failed=0
for target in "${targets[@]}"; do
  corpus=build-fuzz/corpus/$target
  mkdir -p "$corpus"
  cp -n tests/fuzz/corpus/"$target"/* "$corpus"/ 2> /dev/null || true
  REIN_SEEDS="$corpus" build-fuzz/tests/fuzz_test --gtest_filter="*Seeds*/$target" > /dev/null
  echo "== $target: $seconds s"
  if ! build-fuzz/tests/"fuzz_$target" -max_total_time="$seconds" -rss_limit_mb=2048 -max_len=8192 -timeout=20 \
      -artifact_prefix="build-fuzz/found/$target-" -print_final_stats=1 "$corpus" \
      > "build-fuzz/$target.log" 2>&1; then
    failed=1
    tail -n 30 "build-fuzz/$target.log"
  fi
  grep -E 'stat::number_of_executed_units|^#[0-9]+.*DONE' "build-fuzz/$target.log" | tail -n 2 || true
done
[ "$failed" -eq 0 ] || { echo "inputs that broke a promise: "; ls build-fuzz/found; }
exit "$failed"
