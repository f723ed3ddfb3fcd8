#!/usr/bin/env bash
# Debian packages in dist/: rein (program, unit, manual pages, completion) and librein-dev; a bill of materials
# (CycloneDX) and checksums. Unpacks them afterwards in an empty folder, where the program must run. From contrib/debian; make deb calls this.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -nE 's/^project\(rein VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || { echo "deb.sh: CMakeLists.txt has no version" >&2; exit 1; }
trap 'rm -rf debian' EXIT
rm -rf debian
cp -r contrib/debian debian
cat > debian/changelog << CHANGES
rein ($version) unstable; urgency=medium

  * CHANGELOG.md has what changed.

 -- rein maintainers <maintainers@users.noreply.github.com>  $(git log -1 --format=%cD 2> /dev/null || date -R)
CHANGES
{
  echo "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/"
  echo
  echo "Files: *"
  echo "Copyright: the authors of rein"
  echo "License: Apache-2.0"
  echo " On Debian systems, the text of the license is in /usr/share/common-licenses/Apache-2.0."
} > debian/copyright
mkdir -p dist
dpkg-buildpackage -b -us -uc -d > build/deb.log 2>&1 || { tail -n 40 build/deb.log >&2; exit 1; }
for package in rein librein-dev; do
  mv "../${package}_${version}_$(dpkg --print-architecture).deb" dist/
done
rm -f ../rein_"${version}"_*.buildinfo ../rein_"${version}"_*.changes ../rein-dbgsym_"${version}"_*.deb

# What is in them, unpacked in an empty folder.
root=$(mktemp -d)
trap 'rm -rf debian "$root"' EXIT
for package in dist/rein_"$version"_*.deb dist/librein-dev_"$version"_*.deb; do dpkg-deb -x "$package" "$root"; done
"$root/usr/bin/rein" --version | grep -qF "$version"
for file in usr/share/man/man1/rein.1.gz usr/share/man/man1/rein-serve.1.gz usr/share/fish/vendor_completions.d/rein.fish \
  usr/share/bash-completion/completions/rein usr/share/zsh/vendor-completions/_rein usr/include/rein/rein.h \
  usr/share/doc/rein/examples/rein.toml; do
  [ -s "$root/$file" ] || { echo "deb.sh: the packages lack /$file" >&2; exit 1; }
done
find "$root" -name rein.service -path '*systemd/system*' | grep -q . || { echo "deb.sh: no unit" >&2; exit 1; }
"$root/usr/bin/rein" serve --check --config "$root/usr/share/doc/rein/examples/rein.toml"
scripts/sbom.py "$root/usr/bin/rein" "$version" > "dist/rein_$version.cdx.json"
(cd dist && sha256sum ./*.deb ./*.cdx.json $(ls -- *.whl 2> /dev/null || true) > SHA256SUMS && sha256sum -c --quiet SHA256SUMS)
ls -l dist
