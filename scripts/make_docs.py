#!/usr/bin/env python3
"""Gathers the pages of the site: the documentation as it is, and a reference made from the program.

    python3 scripts/make_docs.py PROGRAM FOLDER SITE

Writes FOLDER/pages and FOLDER/mkdocs.yml; mkdocs then builds SITE from them (scripts/docs.sh does
both). The order of the site is that of docs/README.md. The reference has one page per kind of spec
(from `rein list --json`), one for the command line (from --help), one per public header (its
comments and declarations) and one for the Python package (its docstrings).
"""

import ast
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import reference_pages as reference

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Pages outside docs/, and their place on the site.
OUTSIDE = {"README.md": "overview.md", "ARCHITECTURE.md": "architecture.md", "CHANGELOG.md": "changes.md",
           "CONTRIBUTING.md": "contributing.md", "HACKING.md": "hacking.md", "SECURITY.md": "security.md"}
# Kinds of `rein list --json`, and the folder with one page per entry.
FOLDERS = {"policies": "policy", "oracles": "estimate", "pricers": "price", "explorers": "explore",
           "worlds": "world", "gains": ""}
LANGUAGES = {".py": "python", ".cc": "cpp", ".h": "cpp", ".sh": "bash", ".cmake": "cmake"}


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Site:
    """Pages by their place in the site; `place` knows where a file of the repository went."""

    def __init__(self, folder):
        self.folder = folder
        self.place = dict(OUTSIDE)
        self.written = set()
        for path in sorted(glob.glob(os.path.join(ROOT, "docs", "**", "*.*"), recursive=True)):
            name = os.path.relpath(path, ROOT)
            self.place[name] = os.path.relpath(name, "docs")
        self.place["docs/README.md"] = "index.md"

    def write(self, place, text):
        path = os.path.join(self.folder, place)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        self.written.add(place)

    def source_page(self, name):
        """A file of the sources that a page links to becomes a page of its own."""
        place = f"source/{name}.md"
        if place not in self.written:
            language = LANGUAGES.get(os.path.splitext(name)[1], "text")
            self.write(place, f"---\nsearch:\n  exclude: true\n---\n# {name}\n\n````{language}\n{read(name)}````\n")
        return place

    def link(self, page, place, target):
        """Where a link of a repository's page leads to in the site, or None if it has no place."""
        path, hash_sign, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return target
        name = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if name in self.place:
            found = self.place[name]
        elif os.path.isdir(os.path.join(ROOT, name)):
            kinds = {f"docs/{folder}": kind for kind, folder in FOLDERS.items() if folder}
            if name not in kinds:
                return None
            found = f"reference/{kinds[name]}.md"
        else:
            found = self.source_page(name)
        return os.path.relpath(found, os.path.dirname(place)) + hash_sign + anchor

    def add(self, page):
        place = self.place[page]
        text = read(page)

        def linked(match):
            target = self.link(page, place, match[3])
            return match[2] if target is None else f"{match[1]}[{match[2]}]({target})"

        parts = re.split(r"(^```.*?^```|`[^`\n]*`(?!\]))", text, flags=re.MULTILINE | re.DOTALL)
        for i in range(0, len(parts), 2):
            parts[i] = re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", linked, parts[i])
        self.write(place, spaced("".join(parts)))


LIST_ITEM = re.compile(r"( *)([-*]|\d+\.) ")


def spaced(text):
    """Blank lines around lists and tables, which Python's Markdown needs and GitHub's does not."""
    out, fenced, in_list = [], False, False
    for line in text.splitlines():
        before = out[-1] if out else ""
        fence = line.lstrip().startswith("```")
        item = None if fenced or fence else LIST_ITEM.match(line)
        if not fenced:
            if not line.strip() or line.startswith("#"):
                in_list = in_list and not line.startswith("#")
            elif item:
                if before.strip() and not in_list:
                    out.append("")
                in_list = True
                if item[1]:  # a nested list is indented by four
                    line = "    " + line.lstrip()
            elif not line.startswith(" ") and not before.strip():
                in_list = False
            table, table_before = line.startswith("|"), before.startswith("|")
            if before.strip() and (table != table_before):
                out.append("")
        fenced ^= fence
        out.append(line)
    return "\n".join(out) + "\n"


def sections(text):
    """[(heading, [(title, target)])] of docs/README.md."""
    found = []
    for block in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        heading, _, rest = block.partition("\n")
        found.append((heading.strip(), re.findall(r"^- \[([^\]]+)\]\(([^)]+)\)", rest, re.MULTILINE)))
    return found


def reference_entries(catalog, headers):
    """What is made from the program: pages of each kind with its entries, and the headers."""
    for kind, folder in FOLDERS.items():
        names = [f"{folder}/{entry['name']}.md" for entry in catalog[kind]]
        names = names if folder else [FOLDERS["explorers"] + "/gains.md"]
        yield {kind.capitalize(): [{f"All {kind}": f"reference/{kind}.md"}, *names]}
    yield {"C++ headers": [{"All headers": "reference/cpp.md"}, *(f"reference/cpp/{name}.md" for name in headers)]}


def navigation(site, catalog, headers):
    nav: list[dict[str, object]] = [{"Home": "index.md"}]
    listed = set()
    reference_section = []
    for heading, links in sections(read("docs/README.md")):
        entries = []
        for title, target in links:
            place = os.path.normpath(site.link("docs/README.md", "index.md", target))
            if place not in listed:
                entries.append({title: place})
                listed.add(place)
        if heading == "Reference":
            entries = [{"Command line": "reference/cli.md"}, {"Python": "reference/python.md"}, *entries,
                       *reference_entries(catalog, headers)]
            reference_section = entries
        nav.append({heading: entries})
    sources = sorted(place for place in site.written if place.startswith("source/") and place not in listed)
    reference_section.append({"Linked sources": sources})
    return nav


def main(program, folder, target):
    shutil.rmtree(os.path.join(folder, "pages"), ignore_errors=True)
    site = Site(os.path.join(folder, "pages"))
    for page, place in list(site.place.items()):
        if page.endswith(".md"):
            site.add(page)
        else:
            os.makedirs(os.path.dirname(os.path.join(site.folder, place)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, page), os.path.join(site.folder, place))
    for name in ("extra.css", "worker.js"):
        shutil.copy(os.path.join(ROOT, "web", "docs", name), site.folder)

    def run(*words):
        return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout

    catalog = json.loads(run("list", "--json"))
    for kind in FOLDERS:
        site.write(f"reference/{kind}.md", reference.catalog_page(kind, catalog[kind], FOLDERS[kind]))
    site.write("reference/cli.md", reference.cli_page(run))
    headers = sorted(os.path.basename(path)[:-2] for path in glob.glob(os.path.join(ROOT, "include", "rein", "*.h")))
    for name in headers:
        site.write(f"reference/cpp/{name}.md", reference.header_page(name, read(f"include/rein/{name}.h")))
    site.write("reference/cpp.md", reference.headers_page({name: read(f"include/rein/{name}.h") for name in headers}))
    package = {os.path.basename(path): ast.parse(read(path)) for path in
               sorted(glob.glob(os.path.join(ROOT, "python", "rein", "*.py*"))) if not path.endswith("py.typed")}
    site.write("reference/python.md", reference.python_page(package))

    with open(os.path.join(folder, "mkdocs.yml"), "w", encoding="utf-8") as file:
        json.dump({"INHERIT": os.path.join(ROOT, "web", "docs", "mkdocs.yml"), "docs_dir": os.path.abspath(site.folder),
                   "site_dir": os.path.abspath(target), "nav": navigation(site, catalog, headers)}, file, indent=1)


if __name__ == "__main__":
    main(*sys.argv[1:])
