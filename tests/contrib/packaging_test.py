"""The scripts that make and rehearse a release, on small things: bill of materials, package index, what a source
distribution has. `make release` runs them on the real ones."""

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = os.environ["REIN_SOURCE_DIR"]
REIN = os.environ["REIN_PROGRAM"]


def script(name, *words, **options):
    return subprocess.run([sys.executable, os.path.join(ROOT, "scripts", name), *words], capture_output=True, text=True,
                          check=False, **options)


class Bill(unittest.TestCase):
    def test_it_names_every_library_that_the_program_is_linked_with(self):
        done = script("sbom.py", REIN, "1.2.3")
        self.assertEqual(done.returncode, 0, done.stderr)
        bill = json.loads(done.stdout)
        linked = re.findall(r"=> /\S*/(\S+) \(", subprocess.run(["ldd", REIN], capture_output=True, text=True,
                                                                check=True).stdout)
        named = [each["value"] for part in bill["components"] for each in part.get("properties", [])
                 if each["name"] == "rein:library"]
        self.assertEqual(sorted(named), sorted(set(linked)))
        compiled_in = {part["name"] for part in bill["components"] for each in part.get("properties", [])
                       if each["name"] == "rein:compiled-in"}
        self.assertIn("libboost1.81-dev", compiled_in)
        for part in bill["components"]:
            self.assertRegex(part["purl"], r"^pkg:deb/debian/[a-z0-9.+-]+@\S+\?arch=[a-z0-9]+$")
            self.assertTrue(part["version"])
        with open(REIN, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        self.assertEqual(bill["metadata"]["component"]["hashes"], [{"alg": "SHA-256", "content": digest}])
        self.assertEqual(script("sbom.py", REIN, "1.2.3").stdout, done.stdout, "the same program, the same document")


class Index(unittest.TestCase):
    def test_each_project_has_a_page_with_links_and_digests(self):
        with tempfile.TemporaryDirectory() as folder:
            wheels, index = os.path.join(folder, "wheels"), os.path.join(folder, "index")
            os.mkdir(wheels)
            for name in ("rein_bandits-1-py3-none-any.whl", "numpy-2-cp311-cp311-linux_x86_64.whl"):
                with open(os.path.join(wheels, name), "wb") as file:
                    file.write(name.encode())
            self.assertEqual(script("index_of.py", wheels, index).returncode, 0)
            self.assertEqual(sorted(os.listdir(os.path.join(index, "simple"))), ["numpy", "rein-bandits"])
            with open(os.path.join(index, "simple", "rein-bandits", "index.html"), encoding="utf-8") as file:
                page = file.read()
            digest = hashlib.sha256(b"rein_bandits-1-py3-none-any.whl").hexdigest()
            self.assertIn(f'<a href="rein_bandits-1-py3-none-any.whl#sha256={digest}">', page)


class OtherSystems(unittest.TestCase):
    def test_the_service_is_refused_with_a_sentence_where_it_cannot_be_built(self):
        with tempfile.TemporaryDirectory() as folder:
            here = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True, check=True).stdout.strip()
            words = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_SYSTEM_NAME=FreeBSD",
                     "-DCMAKE_PREFIX_PATH=/usr", f"-DCMAKE_LIBRARY_ARCHITECTURE={here}"]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("need Linux", " ".join(done.stderr.split()))
            alone = subprocess.run([*words, "-DREIN_PROGRAMS=OFF", "-DREIN_TESTS=OFF"], capture_output=True, text=True,
                                   check=False)
            self.assertEqual(alone.returncode, 0, alone.stderr)


class Sdist(unittest.TestCase):
    def test_a_file_that_is_missing_or_other_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            # A tree that was compiled from 600 files, of which ninja tells.
            names = [f"kept/file_{n}.txt" for n in range(600)]
            os.makedirs(os.path.join(folder, "kept"))
            os.makedirs(os.path.join(folder, "bin"))
            for name in names:
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(name)
            ninja = os.path.join(folder, "bin", "ninja")
            lines = "\n".join(["librein.dir/a.o: #deps 600", *(f"    {os.path.join(folder, name)}" for name in names)])
            with open(ninja, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\ncat << 'END'\n{lines}\nEND\n")
            os.chmod(ninja, 0o755)
            path = {**os.environ, "PATH": os.path.join(folder, "bin") + os.pathsep + os.environ["PATH"]}

            def checked(keep):
                with tarfile.open(os.path.join(folder, "a.tar.gz"), "w:gz") as archive:
                    for name in keep:
                        archive.add(os.path.join(folder, name), "rein-1/" + name)
                return lambda: script("sdist_has.py", "build", "a.tar.gz", cwd=folder, env=path)

            done = checked(names)()
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("600 files", done.stdout)
            self.assertIn("lacks kept/file_7.txt", checked([name for name in names if name != "kept/file_7.txt"])().stderr)
            run = checked(names)
            with open(os.path.join(folder, "kept", "file_7.txt"), "w", encoding="utf-8") as file:
                file.write("changed")
            self.assertIn("has another kept/file_7.txt", run().stderr)


if __name__ == "__main__":
    unittest.main()
