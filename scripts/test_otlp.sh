#!/usr/bin/env bash
# The program's spans as OpenTelemetry reads them: its protobuf messages (PyPI), and its collector, which is built from
# the Go module proxy where go is (some minutes, once). The program is built (make test-otlp).
set -euo pipefail
cd "$(dirname "$0")/.."
home=build/otlp
if [ ! -e "$home/venv/made" ]; then
  /usr/bin/python3 -m venv "$home/venv"
  "$home/venv/bin/pip" install --quiet --disable-pip-version-check opentelemetry-proto==1.*
  touch "$home/venv/made"
fi
version=v0.115.0
if [ ! -x "$home/collector/otelcol" ] && command -v go > /dev/null; then
  echo "test_otlp.sh: building the collector $version"
  cat > "$home/collector.yaml" << YAML
dist: {name: otelcol, output_path: $PWD/$home/collector}
receivers: [{gomod: "go.opentelemetry.io/collector/receiver/otlpreceiver $version"}]
exporters: [{gomod: "github.com/open-telemetry/opentelemetry-collector-contrib/exporter/fileexporter $version"}]
YAML
  GOBIN=$PWD/$home go install "go.opentelemetry.io/collector/cmd/builder@$version" > "$home/log" 2>&1 &&
    "$home/builder" --config "$home/collector.yaml" >> "$home/log" 2>&1 || { tail -n 20 "$home/log" >&2; exit 1; }
fi
[ ! -x "$home/collector/otelcol" ] || export REIN_OTELCOL=$PWD/$home/collector/otelcol
export REIN_PROGRAM=$PWD/build/rein PYTHONDONTWRITEBYTECODE=1
"$home/venv/bin/python" tests/serve/otlp_test.py -v
