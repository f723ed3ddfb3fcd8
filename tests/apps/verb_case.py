"""A folder for each test, files in it, and the verb that is tested."""

import os
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["REIN_PROGRAM"]


class VerbCase(unittest.TestCase):
    verb = ""  # of the command line

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name, text=None):
        """A path in the folder. With a text: of a file that has it."""
        path = os.path.join(self.folder, name)
        if text is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return path

    def run_rein(self, *words, code=0):
        """What the verb printed; what it complained of, if another exit code is expected."""
        done = subprocess.run([PROGRAM, self.verb, *words], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr
