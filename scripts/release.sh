#!/usr/bin/env bash
# Everything that a release consists of, in dist/, with checksums and bills of materials; then a rehearsal that installs
# each artefact where nothing else of rein is (scripts/rehearse.sh). make release calls this.
#
#     REIN_QUICK=1 scripts/release.sh    the wheel comes from the folder build/, and less is tested; for trying it out
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -nE 's/^project\(rein VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || { echo "release.sh: CMakeLists.txt has no version" >&2; exit 1; }
[ -z "$(git status --porcelain)" ] || echo "release.sh: warning: what is not committed is not in the source archive"
rm -rf dist
mkdir -p dist

echo "release: source archive and chart"
git archive --format=tar --prefix="rein-$version/" HEAD | gzip -n9 > "dist/rein-$version.tar.gz"
tar -c -C contrib/helm --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct)" rein |
  gzip -n9 > "dist/rein-chart-$version.tgz"
echo "release: Python packages"
scripts/sdist.sh
if [ -n "${REIN_QUICK:-}" ]; then
  REIN_TREE=build scripts/wheel.sh
  build-python/venv/bin/python scripts/sdist_has.py build dist/rein_bandits-"$version".tar.gz
  cmake --preset release -DREIN_POSTGRES=auto -DREIN_KAFKA=auto > /dev/null  # the wheel has neither
  cmake --build build --target rein rein_app
else
  scripts/wheel.sh build-wheel/source
fi
/usr/bin/python3 scripts/sbom.py dist/rein_bandits-"$version"-*.whl "$version" > "dist/rein_bandits-$version.cdx.json"
echo "release: Debian packages"
scripts/deb.sh > build/release-deb.log || { tail -n 20 build/release-deb.log >&2; exit 1; }
rm -f dist/SHA256SUMS  # of the Debian packages alone
(cd dist && sha256sum -- * > ../build/SHA256SUMS && mv ../build/SHA256SUMS .)
scripts/rehearse.sh
