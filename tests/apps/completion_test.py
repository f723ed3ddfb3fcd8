"""Shell completion and manual pages: each has every verb and option of --help, and a shell offers them.

bash is always asked. zsh, fish and mandoc are asked where they are installed; with REIN_EVERY_SHELL=1
(make test-release) all of them must be there.
"""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

REIN = os.environ["REIN_PROGRAM"]
EVERY_SHELL = os.environ.get("REIN_EVERY_SHELL") == "1"


def said(*words, code=0, **more):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, **more)
    assert done.returncode == code, f"{words}: {done.returncode} {done.stdout} {done.stderr}"
    return done.stdout


def options_of(*verb):
    """Every option that --help shows for a verb, by its names."""
    found = []
    for names in re.findall(r"^  (-[^ ]+)", said(REIN, *verb, "--help"), re.MULTILINE):
        found += names.split(",")
    return found


def verbs():
    text = said(REIN, "--help").split("Subcommands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  ([a-z-]+) ", text, re.MULTILINE)


def needs(program):
    if shutil.which(program):
        return True
    if EVERY_SHELL:
        raise AssertionError(f"{program} is not installed (scripts/install.sh release)")
    return False


class Completion(unittest.TestCase):
    def bash(self, *words):
        """What bash offers for the last of these words."""
        line = " ".join(word or "''" for word in words)
        script = (f"source <({REIN} completion bash); COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _rein; "
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        return said("bash", "-c", script, cwd=self.folder).split()

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = kept.name
        for name in ("prices.csv", "rein.toml"):
            open(os.path.join(self.folder, name), "w").close()
        os.mkdir(os.path.join(self.folder, "rein-data"))

    def test_bash_offers_verbs_options_names_and_files(self):
        self.assertEqual(self.bash("rein", "ver"), ["verify", "verify-journal"])
        self.assertEqual(sorted(self.bash("rein", "")), sorted(verbs() + ["-h", "--help", "--version", "--cite"]))
        for verb in verbs():
            self.assertEqual(sorted(self.bash("rein", verb, "-")), sorted(options_of(verb)), verb)
        self.assertEqual(self.bash("rein", "run", "--policy", "lin"), ["lincbwk"])
        self.assertEqual(self.bash("rein", "run", "--policy", "=", "lin"), ["lincbwk"])
        self.assertEqual(self.bash("rein", "run", "--world", "="), self.bash("rein", "run", "--world", ""))
        self.assertEqual(sorted(self.bash("rein", "serve", "--config", "r")), ["rein-data", "rein.toml"])
        self.assertEqual(self.bash("rein", "serve", "--data", "r"), ["rein-data"])
        self.assertEqual(self.bash("rein", "whatif", "pri"), ["prices.csv"])
        self.assertEqual(self.bash("rein", "export", "rein-data/x", "--format", "j"), ["jsonl"])
        self.assertEqual(self.bash("rein", "list", "orac"), ["oracles"])
        self.assertEqual(self.bash("rein", "run", "--seeds", ""), [])

    def test_fish_offers_verbs_options_and_names(self):
        if not needs("fish"):
            return
        script = os.path.join(self.folder, "rein.fish")
        with open(script, "w") as file:
            file.write(said(REIN, "completion", "fish"))

        def fish(line):
            offered = said("fish", "--no-config", "-c", f"source {script}; complete -C '{line}'", cwd=self.folder)
            return [row.split("\t")[0] for row in offered.splitlines()]

        self.assertEqual(fish("rein ver"), ["verify", "verify-journal"])
        for verb in verbs():
            offered = set(fish(f"rein {verb} -")) | set(fish(f"rein {verb} --"))
            self.assertEqual(sorted(offered), sorted(options_of(verb)), verb)
        self.assertEqual(fish("rein run --policy lin"), ["lincbwk"])
        self.assertEqual(fish("rein serve --data r"), ["rein-data/"])
        self.assertEqual(fish("rein whatif pri"), ["prices.csv"])

    def test_zsh_offers_verbs_options_and_names(self):
        if not needs("zsh"):
            return
        with open(os.path.join(self.folder, "_rein"), "w") as file:
            file.write(said(REIN, "completion", "zsh"))
        with open(os.path.join(self.folder, ".zshrc"), "w") as file:
            file.write("fpath=($ZDOTDIR $fpath); autoload -Uz compinit; compinit -u -D; PS1='ready> '; LISTMAX=9999\n"
                       "zstyle ':completion:*' verbose no; bindkey -e; bindkey '^T' list-choices; unsetopt beep\n")

        def zsh(line):
            """What an interactive zsh lists for this line, on a terminal of its own."""
            child, terminal = pty.fork()
            if child == 0:
                os.chdir(self.folder)
                os.execvpe("zsh", ["zsh", "-i"], {**os.environ, "ZDOTDIR": self.folder, "TERM": "vt100", "COLUMNS": "200",
                                                  "LINES": "200"})
            seen = ""
            try:
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 200, 200, 0, 0))
                # zsh reads keys once it has asked for bracketed paste. After the list Ctrl-U empties the line,
                # and a command ends what is read.
                for text, awaited in (("", "\x1b[?2004h"), (f"{line}\x14\x15print EN''DED\r", "ENDED")):
                    os.write(terminal, text.encode())
                    end = time.monotonic() + 30
                    while awaited not in seen:
                        self.assertLess(time.monotonic(), end, seen)
                        if select.select([terminal], [], [], 1)[0]:
                            seen += os.read(terminal, 65536).decode(errors="replace")
            finally:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                os.close(terminal)
            return set(re.sub(r"\x00|\x1b(\[[0-9;?]*[A-Za-z]|[=>()][0-9A-B]?)", " ", seen).split())

        self.assertLessEqual({"verify", "verify-journal"}, zsh("rein ver"))
        for verb in verbs():
            self.assertLessEqual({name for name in options_of(verb) if len(name) > 2}, zsh(f"rein {verb} --"), verb)
        self.assertLessEqual({"linear", "heavy", "two_arm"}, zsh("rein run --world "))
        self.assertLessEqual({"rein.toml", "rein-data/"}, zsh("rein serve --config rein"))

    def test_another_shell_is_refused(self):
        done = subprocess.run([REIN, "completion", "csh"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr),
                         (2, 'rein: completion: found "csh"; accepted: bash, zsh, fish\n'))


class Manual(unittest.TestCase):
    def test_a_page_per_verb_has_every_option(self):
        with tempfile.TemporaryDirectory() as folder:
            made = os.path.join(folder, "share", "man1")
            said(REIN, "manual", made)
            pages = {"rein.1": [], **{f"rein-{verb}.1": [verb] for verb in verbs()}}
            self.assertEqual(sorted(os.listdir(made)), sorted(pages))
            for page, verb in pages.items():
                path = os.path.join(made, page)
                with open(path, encoding="utf-8") as file:
                    text = file.read()
                for name in options_of(*verb):
                    self.assertIn("\\fB" + name.replace("-", "\\-") + "\\fR", text, page)
                if needs("mandoc"):  # its findings, but for the date, which a page made twice must not have
                    found = subprocess.run(["mandoc", "-Tlint", "-Wwarning", path], capture_output=True, text=True)
                    self.assertEqual([row for row in found.stdout.splitlines() if "missing date" not in row], [])

    def test_the_page_of_the_program_names_every_verb(self):
        with tempfile.TemporaryDirectory() as folder:
            said(REIN, "manual", folder)
            with open(os.path.join(folder, "rein.1"), encoding="utf-8") as file:
                text = file.read()
        for verb in verbs():
            self.assertIn("\\fBrein " + verb.replace("-", "\\-") + "\\fR", text)

    def test_a_folder_that_cannot_be_made_is_named(self):
        done = subprocess.run([REIN, "manual", "/proc/nowhere"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/proc/nowhere", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
