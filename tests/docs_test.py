"""What the documentation shows is run: every `rein ...` line of a ```sh block must succeed, and the C++
of the pages must stand in an example that is built and run."""

import glob
import os
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = os.environ["REIN_SOURCE_DIR"]
REIN = os.environ["REIN_PROGRAM"]


def pages():
    named = ["README.md", "ARCHITECTURE.md", "HACKING.md"]
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

    def test_cpp_of_the_pages_is_in_an_example(self):
        for page, source in [("README.md", "loop.cc"), ("docs/engine.md", "engine.cc")]:
            example = " ".join(open(os.path.join(ROOT, "examples", source)).read().split())
            found = blocks(os.path.join(ROOT, page), "cpp")
            self.assertTrue(found)
            for block in found:
                self.assertIn(" ".join(block.split()), example)

    def test_example_data_is_what_its_script_makes(self):
        script = os.path.join(ROOT, "scripts", "make_coupons.py")
        made = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
        with open(os.path.join(ROOT, "examples", "data", "coupons.csv")) as kept:
            self.assertEqual(made.stdout, kept.read())

    def test_links_between_pages_lead_somewhere(self):
        for page in pages():
            for target in re.findall(r"\]\((?!https?:)([^)#]+)", open(page).read()):
                with self.subTest(page=os.path.relpath(page, ROOT), target=target):
                    self.assertTrue(os.path.exists(os.path.join(os.path.dirname(page), target)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
