#!/usr/bin/env bash
# Renders contrib/helm/rein and checks it. helm, kubeconform and the schemas of Kubernetes come from the Go module
# proxy, into build/go and build/kube_schemas, where they are missing. The program is built (make test-helm).
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PATH:$PWD/build/go
fetch() {
  command -v "$1" > /dev/null && return
  command -v go > /dev/null || { echo "test_helm.sh: needs $1, or go to make it: https://go.dev/dl" >&2; exit 2; }
  echo "test_helm.sh: making $1"
  GOBIN=$PWD/build/go go install "$2"
}
fetch helm helm.sh/helm/v3/cmd/helm@v3.17.3
fetch kubeconform github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7
[ -s build/kube_schemas/servicemonitor-monitoring-v1.json ] || /usr/bin/python3 scripts/kube_schemas.py build/kube_schemas
export REIN_SOURCE_DIR=$PWD REIN_PROGRAM=$PWD/build/rein REIN_KUBE_SCHEMAS=$PWD/build/kube_schemas
export PYTHONDONTWRITEBYTECODE=1
/usr/bin/python3 tests/contrib/chart_test.py
/usr/bin/python3 tests/contrib/helm_test.py
