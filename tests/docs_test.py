"""What the documentation shows is run: every `rein ...` line of a ```sh block must succeed, and the C++
of the pages must stand in an example that is built and run. What it links to or names is there."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ["REIN_SOURCE_DIR"]
REIN = os.environ["REIN_PROGRAM"]


def pages():
    named = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "HACKING.md", "SECURITY.md"]
    return [os.path.join(ROOT, name) for name in named] + sorted(
        glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))


def blocks(path, language):
    return re.findall(rf"^```{language}\n(.*?)^```", open(path).read(), re.MULTILINE | re.DOTALL)


def commands(path):
    for block in blocks(path, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            line = line.strip()
            if re.match(r"(build/)?rein ", line):
                yield line


class Snippets(unittest.TestCase):
    def test_every_command_runs(self):
        count = 0
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "build"))
            os.symlink(REIN, os.path.join(folder, "build", "rein"))
            os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
            path = os.path.join(folder, "build") + os.pathsep + os.environ["PATH"]
            for page in pages():
                for line in commands(page):
                    with self.subTest(page=os.path.relpath(page, ROOT), line=line):
                        done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True,
                                              text=True, timeout=120, env={**os.environ, "PATH": path})
                        self.assertEqual(done.returncode, 0, done.stderr)
                    count += 1
        self.assertGreater(count, 5)

    def test_messages_on_the_page_of_specs_are_what_people_read(self):
        with open(os.path.join(ROOT, "docs", "specs.md"), encoding="utf-8") as file:
            rows = re.findall(r"^\| `(.+?)` \| `(\w+ spec: .+)` \|$", file.read(), re.MULTILINE)
        self.assertGreater(len(rows), 5)
        for spec, message in rows:
            with self.subTest(spec=spec):
                done = subprocess.run([REIN, "run", "--policy", spec, "--rounds", "9"], capture_output=True, text=True)
                expected = ".*".join(re.escape(part) for part in message.split("..."))
                self.assertRegex(done.stderr.strip(), f"^rein: {expected}$")

    def test_cpp_of_the_pages_is_in_an_example(self):
        for page, sources in [("README.md", ["loop.cc"]), ("docs/engine.md", ["engine.cc", "parts.cc"]),
                              ("docs/own.md", ["own.cc", "own_policy/own_policy.cc"])]:
            example = ""
            for source in sources:
                with open(os.path.join(ROOT, "examples", source), encoding="utf-8") as file:
                    example += " ".join(file.read().split())
            found = blocks(os.path.join(ROOT, page), "cpp")
            self.assertTrue(found)
            for block in found:
                self.assertIn(" ".join(block.split()), example)

    def test_example_data_is_what_its_script_makes(self):
        for name in ("coupons", "routing_log", "decisions", "desk"):
            script = os.path.join(ROOT, "scripts", f"make_{name}.py")
            made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
            with open(os.path.join(ROOT, "examples", "data", f"{name}.csv")) as kept:
                self.assertEqual(made.stdout, kept.read())


class Options(unittest.TestCase):
    FOLDERS = {"policies": "policy", "oracles": "estimate", "pricers": "price", "explorers": "explore",
               "worlds": "world"}

    def test_a_page_names_every_option_of_its_entry(self):
        tables = json.loads(subprocess.run([REIN, "list", "--json"], capture_output=True, text=True, check=True).stdout)
        count = 0
        for kind, entries in tables.items():
            for entry in entries:
                page = "docs/explore/gains.md"  # all gains are on one page
                if kind in self.FOLDERS:
                    page = f"docs/{self.FOLDERS[kind]}/{entry['name']}.md"
                with open(os.path.join(ROOT, page), encoding="utf-8") as file:
                    text = file.read()
                for option in entry["options"]:
                    with self.subTest(page=page, key=option["key"]):
                        self.assertIn(f"`{option['key']}`", text)
                    count += 1
        self.assertGreater(count, 300)


def prose(path):
    """A page without its blocks of code."""
    with open(path, encoding="utf-8") as file:
        return re.sub(r"^```.*?^```", "", file.read(), flags=re.MULTILINE | re.DOTALL)


def anchors(path):
    """What the headings of a page can be linked by, as GitHub names them."""
    found = set()
    for heading in re.findall(r"^#+ +(.+?) *$", prose(path), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        twins = len([other for other in found if re.fullmatch(re.escape(name) + r"(-\d+)?", other)])
        found.add(f"{name}-{twins}" if name in found else name)
    return found


class Links(unittest.TestCase):
    def test_every_link_and_its_anchor_resolve(self):
        count = 0
        for page in pages():
            for path, _, anchor in (link.partition("#") for link in
                                    re.findall(r"\]\((?!https?:)([^)\s]+)\)", prose(page))):
                with self.subTest(page=os.path.relpath(page, ROOT), path=path, anchor=anchor):
                    target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                    self.assertTrue(os.path.exists(target))
                    if anchor:
                        self.assertIn(anchor, anchors(target))
                count += 1
        self.assertGreater(count, 50)

    def test_the_index_names_every_page_of_its_folders(self):
        docs = os.path.join(ROOT, "docs")
        named = set(re.findall(r"\]\(([^)]+\.md)\)", prose(os.path.join(docs, "README.md"))))
        for folder in ("", "lab", "theory"):
            kept = {os.path.relpath(path, docs) for path in glob.glob(os.path.join(docs, folder, "*.md"))} - {"README.md"}
            self.assertGreater(len(kept), 1)
            self.assertEqual(sorted(kept - named), [], f"pages of docs/{folder} that docs/README.md does not name")

    def test_lines_of_prose_have_at_most_120_columns(self):
        for page in pages():
            for line in prose(page).splitlines():
                if len(line) > 120 and not line.startswith(("|", "    ")):
                    with self.subTest(page=os.path.relpath(page, ROOT), line=line[:60]):
                        self.fail(f"{len(line)} columns")

    def test_every_file_that_a_page_or_a_comment_names_is_there(self):
        folders = ["apps", "bench", "cmake", "docs", "examples", "include", "python", "scripts", "src", "tests", "web",
                   "rein"] + os.listdir(os.path.join(ROOT, "src"))
        named = re.compile(rf"(?<![\w/.-])((?:{'|'.join(folders)})/[\w/.-]*\w\.(?:md|h|cc|py|sh|cmake|csv|png|svg))\b")
        sources = [path for folder in ("apps", "bench", "examples", "include", "python", "scripts", "src", "tests")
                   for path in glob.glob(os.path.join(ROOT, folder, "**", "*.*"), recursive=True)
                   if path.endswith((".cc", ".h", ".py", ".pyi", ".sh"))]
        for path in pages() + sources + [os.path.join(ROOT, "Makefile")]:
            bases = [os.path.dirname(path)] + [os.path.join(ROOT, name)
                                               for name in ("", "src", "include", "python", "tests")]
            with open(path, encoding="utf-8") as file:
                found = {name for name in named.findall(file.read()) if "NAME" not in name}
            for name in sorted(found):
                with self.subTest(page=os.path.relpath(path, ROOT), name=name):
                    self.assertTrue(any(os.path.exists(os.path.join(base, name)) for base in bases))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
