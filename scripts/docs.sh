#!/usr/bin/env bash
# Builds the documentation as a site with search, which works from disk:
#
#     scripts/docs.sh PROGRAM SITE        such as: build/rein out/docs
set -euo pipefail
cd "$(dirname "$0")/.."
program=$1 site=$2
venv=build-python/docs-venv
tools=(mkdocs-material==9.*)
if [ "$(cat "$venv/made" 2> /dev/null)" != "${tools[*]}" ]; then
  echo "docs: installing ${tools[*]} into $venv"
  [ -x "$venv/bin/pip" ] || /usr/bin/python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "${tools[@]}"
  echo "${tools[*]}" > "$venv/made"
fi
"$venv/bin/python" scripts/make_docs.py "$program" build-docs "$site"
# A broken link, or a page that is not in the index, is an error.
NO_MKDOCS_2_WARNING=1 "$venv/bin/mkdocs" build --quiet --strict --config-file build-docs/mkdocs.yml
scripts/playground.py "$site/playground"
# The theme loads one script from elsewhere, for search from disk; ours replaces it.
find "$site" -name '*.html' -printf '%P\n' | while read -r page; do
  up=$(dirname "$page" | sed 's|[^/.][^/]*|..|g')
  sed -i "s|https://unpkg.com/iframe-worker/shim|$up/worker.js|" "$site/$page"
done
if grep -rlE '<(script|link|img)[^>]*(src|href)="https?:' --include='*.html' "$site"; then
  echo "docs: the pages above fetch something from elsewhere" >&2
  exit 1
fi
echo "docs: $(find "$site" -name '*.html' | wc -l) pages; open $site/index.html"
