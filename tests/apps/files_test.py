"""Files under bad conditions: a disk that is full, one that fills up, names that are not UTF-8.

A limit on the size of files (RLIMIT_FSIZE) stands for the full disk: a write fails half-way.
"""

import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from contract import checked, without_time

REIN = os.environ["REIN_PROGRAM"]
COMPARE = ("compare", "--world", "linear(k=2,d=2)", "--rounds", "50", "--seeds", "4", "--policies", "uniform,ccb")


def rein(folder, *words, most_bytes=None):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    return subprocess.run([REIN, *words], capture_output=True, encoding="utf-8", errors="surrogateescape",
                          timeout=300, cwd=folder,
                          preexec_fn=limit if most_bytes is not None else None)


def contents(folder):
    found = {}
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            found[name] = file.read()
    return found


class FullDisk(unittest.TestCase):
    def test_old_files_stay_and_the_table_is_printed(self):
        with tempfile.TemporaryDirectory() as folder:
            old = {"s.json": b"old json", "s.csv": b"old csv", "p.html": b"old page"}
            for name, text in old.items():
                with open(os.path.join(folder, name), "wb") as file:
                    file.write(text)
            done = rein(folder, "run", "--rounds", "50", "--seeds", "2", "--save", "s", most_bytes=100)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("--save: cannot write s.json: File too large", done.stderr)
            self.assertIn("--save: cannot write s.csv", done.stderr)
            self.assertIn("regret so far", done.stdout)
            self.assertEqual(contents(folder), old)
            kept = os.path.join(folder, "kept")
            with open(kept, "w"):
                pass
            done = rein(folder, *COMPARE, "--report", "p.html", "--resume", "kept", most_bytes=100_000)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("--report: cannot write p.html: File too large", done.stderr)
            self.assertIn("Paired differences", done.stdout)
            os.remove(kept)
            self.assertEqual(contents(folder), old)

    def test_a_disk_that_fills_up_keeps_whole_plays(self):
        with tempfile.TemporaryDirectory() as folder:
            words = (*COMPARE, "--resume", "r", "--json")
            whole = without_time(checked(rein(folder, *COMPARE, "--json").stdout))
            self.assertEqual(rein(folder, *words).returncode, 0)
            path = os.path.join(folder, "r")
            lines = contents(folder)["r"].splitlines(keepends=True)
            middle = sum(map(len, lines[:4])) + len(lines[4]) // 2
            os.remove(path)
            done = rein(folder, *words, "--threads", "4", most_bytes=middle)
            self.assertEqual(done.returncode, 1, "a full disk is no wrong word: " + done.stderr)
            self.assertIn("results: cannot write r: File too large", done.stderr)
            left = contents(folder)["r"]
            self.assertTrue(left.endswith(b"\n"), "half a line is taken back")
            self.assertGreaterEqual(left.count(b"\n"), 3)
            for line in left.splitlines():
                json.loads(line)
            again = without_time(checked(rein(folder, *words).stdout))
            self.assertEqual(again, whole)

    def test_a_header_that_does_not_fit_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            done = rein(folder, *COMPARE, "--resume", "r", most_bytes=20)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertEqual(contents(folder), {"r": b""})


class Kept(unittest.TestCase):
    def test_finished_plays_are_not_written_over(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(rein(folder, *COMPARE, "--resume", "r.json").returncode, 0)
            before = contents(folder)
            done = rein(folder, *COMPARE, "--resume", "r.json", "--save", "r")
            self.assertEqual(done.returncode, 2)
            self.assertEqual(contents(folder), before)

    def test_closed_output_does_not_land_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(rein(folder, *COMPARE, "--resume", "r").returncode, 0)
            before = contents(folder)
            for closed in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
                subprocess.run(["/bin/sh", "-c", '"$0" "$@" ' + closed, REIN, *COMPARE, "--resume", "r"],
                               cwd=folder, timeout=300, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                self.assertEqual(contents(folder), before, closed)

    def test_links_and_permissions_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            real = os.path.join(folder, "real.json")
            with open(real, "w"):
                pass
            os.chmod(real, 0o640)
            os.symlink("real.json", os.path.join(folder, "s.json"))
            self.assertEqual(rein(folder, "run", "--rounds", "20", "--save", "s").returncode, 0)
            self.assertTrue(os.path.islink(os.path.join(folder, "s.json")))
            self.assertEqual(os.stat(real).st_mode & 0o777, 0o640)
            with open(real) as file:
                self.assertTrue(checked(file.read())["policies"])


class Names(unittest.TestCase):
    def test_paths_that_are_not_utf8_are_resumed(self):
        with tempfile.TemporaryDirectory() as folder:
            names = [b"t\xff.csv", b"t\xfe.csv"]
            for name in names:
                with open(os.path.join(os.fsencode(folder), name), "w") as file:
                    file.write("x_0,r0,r1\n" + "1,0,1\n0,1,0\n" * 10)

            def words(name):
                return ("compare", "--world", os.fsdecode(b'table(file="' + name + b'")'),
                        "--policies", "uniform", "--resume", os.fsdecode(b"r\xff.jsonl"))

            self.assertEqual(rein(folder, *words(names[0])).returncode, 0)
            done = rein(folder, *words(names[0]))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("(8 plays were already there)", done.stdout)
            done = rein(folder, *words(names[1]))
            self.assertEqual(done.returncode, 2, "two names that JSON cannot tell apart are two tables")
            self.assertIn("is of another run: world is", done.stderr)


class Gzip(unittest.TestCase):
    def test_a_damaged_second_member_is_refused(self):
        first = gzip.compress(b"x_0,r0,r1\n" + b"1,0,1\n" * 50)
        second = bytearray(gzip.compress(b"0,1,0\n" * 100))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.csv.gz")
            for damage in (False, True):
                second[0] ^= 1 if damage else 0
                with open(path, "wb") as file:
                    file.write(first + second)
                done = rein(folder, "run", "--world", 'table(file="t.csv.gz")', "--policy", "uniform", "--seeds", "1")
                if not damage:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("150 rounds", done.stdout)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn("table t.csv.gz, line 52: what follows the gzip data is not gzip", done.stderr)
            self.assertIn(f"byte {len(first)} of the file", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
