"""Some hundred hostile command lines: the exit code of each, and the words that its message must have.

0 done, 1 failed (the machine could not do it), 2 typed wrongly, 70 a bug of ours. A line is read by a
shell in a folder with a few files (see Folder); `rein` is the program. Nothing may end by a signal.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

REIN = os.environ["REIN_PROGRAM"]
SMALL = "--world 'linear(k=2,d=2)' --rounds 20 --seeds 2"
VERIFY = "rein verify --parts a --seeds 1"

# (exit code, command, words of standard error)
CASES = [
    # The first word.
    (2, "rein", []),
    (2, "rein -x", ['found "-x"', "accepted: run, compare, merge, verify, benchmark, bound, list, ", ", --help, --version"]),
    (2, "rein --no-such-word", ['found "--no-such-word"']),
    (2, "rein -- run", ['found "--"']),
    (2, "rein ''", ['found ""', "accepted: run"]),
    (2, "rein ruin", ['found "ruin"', "accepted: run"]),
    (0, "rein -h", []),
    (0, "rein --version", []),
    (0, "rein --help --version", []),
    # Words that a verb does not have.
    (2, "rein run -x", ["run: ", "-x", "accepted: ", "--policy"]),
    (2, "rein run extra", ["run: ", '"extra"', "accepted: "]),
    (2, "rein run --report x.html", ["--report", "accepted: ", "--save"]),
    (2, "rein verify --csv", ["verify: ", '"--csv"', "accepted: ", "--json"]),
    (2, "rein list vaw ccb", ["list: ", '"ccb"']),
    (2, "rein list --csv", ["list: ", '"--csv"']),
    (2, "rein list nothing", ['nothing is called "nothing"', "accepted: "]),
    (2, "rein list ''", ['found ""', "accepted: "]),
    # Training.
    (2, "rein train", ["LOG"]),
    (2, "rein train no.csv", ["accepted: --save FILE, --serve DATA/NAME"]),
    (1, "rein train no.csv --save m", ["no.csv", "cannot be opened"]),
    (2, "rein train no.csv --save m --bits 31", ["--bits"]),
    (2, "rein train no.csv --save m --seed -1", ["--seed"]),
    (2, "rein train no.csv --serve data/.hidden", ['found the name ".hidden"', "accepted: DATA/NAME"]),
    (2, "rein train no.csv --save m --vw xyz", ['--vw: found "xyz"']),
    (1, "rein train no.csv --save no/such/folder/m", ["no/such/folder"]),
    # Whole numbers.
    (2, "rein run --rounds -1", ['--rounds: found "-1"', "accepted: a whole number from 1 to"]),
    (2, "rein run --rounds 0", ['--rounds: found "0"']),
    (2, "rein run --rounds 1e400", ['--rounds: found "1e400"']),
    (2, "rein run --rounds nan", ['--rounds: found "nan"']),
    (2, "rein run --rounds inf", ['--rounds: found "inf"']),
    (2, "rein run --rounds 1.5", ['--rounds: found "1.5"']),
    (2, "rein run --rounds 0x10", ['--rounds: found "0x10"']),
    (2, "rein run --rounds ''", ['--rounds: found ""', "accepted: a whole number"]),
    (2, "rein run --rounds ' 5'", ['--rounds: found " 5"']),
    (2, "rein run --rounds", ["--rounds"]),
    (2, "rein run --seeds 0", ['--seeds: found "0"']),
    (2, "rein run --seeds -3", ['--seeds: found "-3"']),
    (2, "rein run --seeds 1e9", ['--seeds: found "1e9"', "1000000"]),
    (2, "rein run --first-seed -1", ['--first-seed: found "-1"']),
    (2, "rein run --first-seed 1e17", ['--first-seed: found "1e17"']),
    (2, "rein run --threads -1", ['--threads: found "-1"', "0 to 1024"]),
    (2, "rein run --threads 1e9", ['--threads: found "1e9"']),
    (0, f"rein run {SMALL} --threads 0", []),
    (0, f"rein run {SMALL} --threads 1024", []),
    (2, "rein run --delay -1", ['--delay: found "-1"']),
    (2, "rein run --delay 1e12", ['--delay: found "1e12"']),
    (0, f"rein run {SMALL} --delay 1e6", []),
    (2, "rein verify --seeds -1", ['--seeds: found "-1"']),
    (2, "rein verify --threads -1", ['--threads: found "-1"']),
    # Other numbers.
    (2, "rein run --margin nan", ['--margin: found "nan"', "accepted: a number from 0 to 1"]),
    (2, "rein run --margin -1", ['--margin: found "-1"']),
    (2, "rein run --margin 2", ['--margin: found "2"']),
    (2, "rein run --margin x", ['--margin: found "x"', "accepted: a number from 0 to 1"]),
    (2, "rein compare --slack nan", ['--slack: found "nan"']),
    (2, "rein compare --slack -1", ['--slack: found "-1"']),
    (2, "rein compare --slack x", ['--slack: found "x"', "accepted: a number from 0 to 1"]),
    # Specs.
    (2, "rein run --world ''", ["world spec: expected a name"]),
    (2, "rein run --policy ''", ["policy spec: expected a name"]),
    (2, "rein run --policy ,", ["policy spec: expected a name"]),
    (2, "rein run --policy 'ccb('", ["policy spec: expected a key at 4"]),
    (2, "rein run --policy 'ccb(rounds=1e400)'", ["not a finite number"]),
    (2, "rein run --policy 'ccb(gama=1)'", ['unknown key "gama"']),
    (2, "rein run --world 'linear(k=0)'", ['key "k" has 0', "accepted: "]),
    (2, "rein run --world 'linear(k=1e9)'", ['key "k" has 1000000000']),
    (2, "rein run --world 'linear(m=-1)'", ['key "m" has -1']),
    (2, "rein compare --grid ''", ['grid: found ""', "accepted: KEY=NUMBER"]),
    (2, "rein compare --grid gamma_scale=", ["grid: found", "accepted: KEY=NUMBER"]),
    (2, "rein compare --grid gamma_scale=nan", ["grid: found"]),
    (2, "rein compare --grid gamma_scale=1,1e999", ["grid: found"]),
    (2, "rein compare --grid gamma_scale=-1,1", ['key "gamma_scale" has -1']),
    (2, "rein verify --profile ''", ['profile is ""', "accepted: quick, full"]),
    (2, "rein verify --parts ''", ['parts are ""', "accepted: letters"]),
    (2, "rein verify --parts abcz", ['parts are "abcz"']),
    # Tables.
    (2, "rein run --world table", ['table needs file="PATH"']),
    (2, """rein run --world 'table(file="")'""", ['table needs file="PATH"']),
    (2, """rein run --world 'table(file="nope.csv")'""", ["nope.csv", "No such file"]),
    (2, """rein run --world 'table(file="empty")'""", ["table empty: is empty", "accepted: a header"]),
    (2, """rein run --world 'table(file="folder")'""", ["not a regular file"]),
    (2, """rein run --world 'table(file="/dev/null")'""", ["not a regular file"]),
    (2, """rein run --world 'table(file="notes.txt")'""", ["notes.txt, line 1"]),
    (2, """rein run --world 'table(file="large.csv")'""",
     ['large.csv, line 3, column "x_0": found "1e60"', "accepted: a number from -1e+50 to 1e+50"]),
    (2, """rein run --world 'table(file="large.csv",order=file)'""", ["line 3", 'column "x_0"']),
    (2, """rein run --world 'table(file="table.csv")' --rounds 99""", ["has 3 rows", "99 rounds"]),
    # Bounds.
    (2, "rein bound", ["--rounds"]),
    (2, "rein bound --rounds 1e6 --u -5", ['--u: found "-5"', "accepted: a number from 1e-12 to 1e+30"]),
    (2, "rein bound --rounds 1e6 --u 0", ['--u: found "0"']),
    (2, "rein bound --rounds 1e6 --u nan", ['--u: found "nan"']),
    (2, "rein bound --rounds 1e6 --u inf", ['--u: found "inf"']),
    (2, "rein bound --rounds 1e6 --u 1e308", ['--u: found "1e308"']),
    (2, "rein bound --rounds 1e6 --u 5 --k 0", ['--k: found "0"']),
    (2, "rein bound --rounds 1e6 --u 5 --k nan", ['--k: found "nan"']),
    (2, "rein bound --rounds 1e6 --u 5 --costs 0", ['--costs: found "0"']),
    (2, "rein bound --rounds 1e6 --u 5 --costs 99", ['--costs: found "99"']),
    (2, "rein bound --rounds 1e6 --u 5 --setting knapsack --budget -1", ['--budget: found "-1"', "accepted: "]),
    (2, "rein bound --rounds 1e6 --u 5 --setting knapsack --budget nan", ['--budget: found "nan"']),
    (2, "rein bound --rounds 1e6 --u 5 --setting knapsack --budget inf", ['--budget: found "inf"']),
    (2, "rein bound --rounds 1e6 --u 5 --setting knapsack --budget 0", ['--budget: found "0"']),
    (2, "rein bound --rounds 1e6 --u 5 --setting knapsack --budget 1,2,x", ['--budget: found "x"']),
    (2, "rein bound --rounds 1e6 --u 5 --setting knapsack --budget ''", ['--budget: found ""']),
    (2, "rein bound --rounds 1e6 --u 5 --setting slater --margin nan", ['--margin: found "nan"']),
    (2, "rein bound --rounds 1e6 --u 5 --setting slater --margin -1", ['--margin: found "-1"', "from 0 to 1"]),
    (2, "rein bound --rounds 1e6 --u 5 --setting slater --margin 2", ['--margin: found "2"']),
    (2, "rein bound --rounds 1e6 --u 5 --premise nan", ['--premise: found "nan"']),
    (2, "rein bound --rounds 1e6 --u 5 --premise -7", ['--premise: found "-7"']),
    (2, "rein bound --rounds 1e6 --u 5 --v-scale nan", ['--v-scale: found "nan"']),
    (2, "rein bound --rounds 1e6 --u 5 --v-scale 0", ['--v-scale: found "0"', "1e-12 to 1000000000000"]),
    (2, "rein bound --rounds 1e6 --u 5 --gamma-scale inf", ['--gamma-scale: found "inf"']),
    (2, "rein bound --rounds 1e6 --u 5 --lambda-scale -1", ['--lambda-scale: found "-1"']),
    (2, "rein bound --rounds 1e6 --oracle vaw", ["--oracle needs --d"]),
    (2, "rein bound --rounds 1e6 --oracle vaw --d -1", ['--d: found "-1"']),
    (2, "rein bound --rounds 1e6 --oracle nope --d 4", ['unknown name "nope"']),
    (2, "rein bound --rounds 1e6 --oracle vaw --d 4 --u 5", ["one of --u", "--oracle"]),
    (2, "rein bound --rounds 1e6 --d 4 --u 5", ["--d", "--oracle"]),
    # Evaluation of policies on a log.
    (2, "rein evaluate", ["LOG"]),
    (2, "rein evaluate log.csv", ["found no policy", "accepted: --policy POLICY or --target FILE"]),
    (1, "rein evaluate nope.csv --policy uniform", ["nope.csv", "cannot be opened"]),
    (2, "rein evaluate log.csv --policy ''", ["policy spec: expected a name"]),
    (2, "rein evaluate log.csv --policy nope", ['unknown name "nope"']),
    (2, "rein evaluate log.csv --policy 'action(9)'", ['the log has no action "9"', "accepted: u, v"]),
    (2, "rein evaluate log.csv --policy 'mix(u=0.5)'", ["the shares sum to 0.5", "accepted: 1"]),
    (2, "rein evaluate log.csv --policy 'mix(u=nan,v=1)'", ['found "u=nan"', "a share from 0 to 1"]),
    (2, "rein evaluate log.csv --policy uniform --budget pounds=1", ['no cost "pounds"', "accepted: dollars"]),
    (2, "rein evaluate log.csv --policy uniform --budget 1", ['--budget: found "1"', "NAME=AMOUNT"]),
    (2, "rein evaluate log.csv --policy uniform --budget dollars=x", ['--budget: found "x"', "a finite number"]),
    (2, "rein evaluate log.csv --policy ccb", ['cost "dollars" is never negative', "a budget per round"]),
    (2, "rein evaluate log.csv --policy 'ccb(setting=knapsack)'",
     ["needs to know how fast to spend", "per round for the replay"]),
    (2, "rein evaluate log.csv --policy uniform --range reward=1:0", ["accepted: LOW below HIGH"]),
    (2, "rein evaluate log.csv --policy uniform --range reward=1", ["accepted: NAME=LOW:HIGH"]),
    (2, "rein evaluate log.csv --policy uniform --sequence", ["needs the range of the outcomes"]),
    (2, "rein evaluate log.csv --policy uniform --sequence --range reward=5:6",
     ["reward: ", "row 0 has outcome 1; accepted: 5 to 6"]),
    (2, "rein evaluate log.csv --policy squarecb --range reward=5:6", ["outcome: reward is"]),
    (2, "rein whatif log.csv --budget cost=1 --sensitivity 0.5", ['--sensitivity: found "0.5"', "from 1 to"]),
    (2, "rein evaluate log.csv --policy uniform --sensitivity 0.5", ['--sensitivity: found "0.5"', "from 1 to"]),
    (2, "rein evaluate log.csv --policy squarecb --quantile 1", ['--quantile: found "1"']),
    (2, "rein evaluate log.csv --policy squarecb --rounds 0", ['--rounds: found "0"']),
    (2, "rein evaluate log.csv --policy squarecb --frozen --train 1", ['--train: found "1"']),
    (2, "rein evaluate log.csv --policy banditq --frozen", ["policy banditq"]),
    (2, "rein evaluate log.csv --target nope.csv", ["nope.csv", "No such file"]),
    (2, "rein evaluate log.csv --target table.csv", ['no column for action "u"', "accepted: a column u or pi_u"]),
    (2, "rein evaluate log.csv --target short.csv", ["found 1 rows", "one per kept row of the log"]),
    (2, "rein evaluate log.csv --target wrong.csv", ["wrong.csv: ", "sum to 0.9"]),
    (2, "rein evaluate log.csv --target words.csv", ["words.csv, line 2", 'found "x"', "a probability"]),
    (1, "rein evaluate log.csv --policy uniform >/dev/full", ["cannot write to standard output"]),
    (0, "rein evaluate log.csv --policy logged --policy uniform --policy 'action(\"v\")' --all", []),
    (0, "rein evaluate log.csv --policy squarecb --at-most dollars=1 --json", []),
    # Files that are written.
    (1, f"rein run {SMALL} --save /nowhere/x", ["--save: cannot write /nowhere/x.json", "no folder /nowhere"]),
    (1, f"rein run {SMALL} --save notes.txt/x", ["--save: cannot write notes.txt/x.json", "Not a directory"]),
    (1, f"rein run {SMALL} --save /proc/x", ["--save: cannot write /proc/x.json"]),
    (2, f"rein run {SMALL} --save folder/", ['--save: found "folder/"', "accepted: a path"]),
    (2, f"rein run {SMALL} --save ''", ['--save: found ""', "accepted: a path"]),
    (2, f"rein run {SMALL} --save", ["--save"]),
    (2, "rein run --world 'table(file=\"table.csv\")' --save table", ["table.csv", "the same file"]),
    (1, f"rein compare {SMALL} --report /nowhere/x.html", ["--report: cannot write /nowhere/x.html"]),
    (1, f"rein compare {SMALL} --report folder", ["--report: cannot write folder: Is a directory"]),
    (2, f"rein compare {SMALL} --report ''", ['--report: found ""']),
    (2, f"rein compare {SMALL} --resume ''", ['--resume: found ""']),
    (1, f"rein compare {SMALL} --resume folder", ["results: cannot open folder: Is a directory"]),
    (1, f"rein compare {SMALL} --resume /nowhere/r", ["results: cannot open /nowhere/r"]),
    (2, f"rein compare {SMALL} --resume /dev/full", ["/dev/full", "accepted: a file"]),
    (2, f"rein compare {SMALL} --resume /dev/null", ["/dev/null", "accepted: a file"]),
    (2, f"rein compare {SMALL} --resume notes.txt", ["notes.txt was not written by rein"]),
    (2, f"rein compare {SMALL} --resume notes.txt --fresh", ["notes.txt was not written by rein"]),
    (0, f"rein compare {SMALL} --resume empty", []),
    (2, f"rein compare {SMALL} --save r --resume r.json", ["--save r.json and --resume r.json", "same file"]),
    (2, f"rein compare {SMALL} --save r --resume ./r.csv", ["--save r.csv and --resume ./r.csv", "same file"]),
    (2, f"rein compare {SMALL} --save r --resume link.json", ["the same file"]),
    (2, f"rein compare {SMALL} --save r --report r.json", ["the same file"]),
    (2, f"rein compare {SMALL} --report r.jsonl", ["--report r.jsonl", "default of --resume", "same file"]),
    (2, f"rein compare {SMALL} --report folder/../q --resume q", ["the same file"]),
    (2, "rein compare --world 'table(file=\"table.csv\")' --resume table.csv", ["the same file"]),
    (2, f"rein compare {SMALL} --fresh", ["--fresh", "accepted with --resume"]),
    (2, f"rein compare {SMALL} --title x", ["--title", "accepted with --report"]),
    (0, f"rein compare {SMALL} --report /dev/null --resume k", []),
    (1, f"{VERIFY} --save /nowhere/v", ["--save: cannot write /nowhere/v.json"]),
    (1, f"{VERIFY} --report /nowhere/v.html", ["--report: cannot write /nowhere/v.html"]),
    # Standard streams that are full or closed.
    (1, f"rein run {SMALL} >/dev/full", ["cannot write to standard output: No space left"]),
    (1, f"rein run {SMALL} --json >/dev/full", ["cannot write to standard output"]),
    (1, f"rein run {SMALL} --csv >/dev/full", ["cannot write to standard output"]),
    (1, f"rein run {SMALL} >&-", ["standard output is closed"]),
    (1, f"rein compare {SMALL} --resume kept >&-", ["standard output is closed"]),
    (1, f"rein compare {SMALL} --json >/dev/full", ["cannot write to standard output"]),
    (1, "rein list >/dev/full", ["cannot write to standard output"]),
    (1, "rein list --json >/dev/full", ["cannot write to standard output"]),
    (1, "rein list >&-", ["standard output"]),
    (1, "rein bound --rounds 1e6 --u 5 >/dev/full", ["cannot write to standard output"]),
    (1, "rein bound --rounds 1e6 --u 5 --json >&-", ["standard output"]),
    (1, "rein --help >/dev/full", ["cannot write to standard output"]),
    (1, "rein --version >/dev/full", ["cannot write to standard output"]),
    (1, "rein run --help >&-", ["standard output"]),
    (2, "rein run --policy no 2>/dev/full", []),
    (2, "rein run --policy no 2>&-", []),
    (2, "rein -x 2>/dev/full", []),
    (1, "rein run --help >/dev/full 2>/dev/full", []),
    (0, f"rein run {SMALL} 2>&-", []),
    (0, f"rein run {SMALL} <&-", []),
    (1, f"rein run {SMALL} <&- >&- 2>&-", []),
    # Memory: who asked, for how much, and what makes it less.
    (1, "ulimit -v 2000000; rein bound --rounds 1e6 --k 100000 --d 200 --oracle 'vaw(features=per_action)'",
     ["oracle vaw(features=per_action) for 100000 actions", "GB were asked for", "accepted: fewer actions"]),
    (1, "ulimit -v 2000000; rein run --world 'linear(k=10000,d=8)' --rounds 1e5 --delay 1e5 --policy uniform",
     ["policy uniform, seed 1: out of memory", "asked for at once", "delay (now 100000)"]),
]


def make_folder(path):
    os.mkdir(os.path.join(path, "folder"))
    files = {"empty": "", "notes.txt": "my notes\n", "table.csv": "x_0,r0,r1,c0,c1\n" + "1,0,1,0,0\n" * 3,
             "large.csv": "x_0,r0,r1\n1,0,1\n1e60,0,1\n",
             "log.csv": "x_0,a,p,r,c_dollars\n" + "1,u,0.5,1,0.2\n0,v,0.5,0,0.1\n" * 40,
             "short.csv": "u,v\n1,0\n", "wrong.csv": "pi_u,v\n" + "0.5,0.4\n" * 80, "words.csv": "u,v\nx,1\n"}
    for name, text in files.items():
        with open(os.path.join(path, name), "w") as file:
            file.write(text)
    for name in ("r.json",):
        open(os.path.join(path, name), "w").close()
    os.symlink("r.json", os.path.join(path, "link.json"))


class Hostile(unittest.TestCase):
    def test_exit_codes_and_words(self):
        verbs = subprocess.run([REIN, "--help"], capture_output=True, text=True).stdout
        verbs = re.findall(r"^  ([a-z][a-z-]*) {2,}", verbs[verbs.index("Subcommands"):], re.MULTILINE)
        self.assertGreater(len(verbs), 15)
        accepted = subprocess.run([REIN, "-x"], capture_output=True, text=True).stderr
        for verb in verbs:
            self.assertIn(f" {verb}, ", accepted)
        # A program that sanitizers watch reserves more memory than any limit.
        limited = subprocess.run(["/bin/sh", "-c", f'ulimit -v 2000000; "{REIN}" --version'],
                                 capture_output=True).returncode == 0
        for code, command, words in CASES:
            if command.startswith("ulimit -v") and not limited:
                continue
            with self.subTest(command=command), tempfile.TemporaryDirectory() as folder:
                make_folder(folder)
                notes = os.path.join(folder, "notes.txt")
                done = subprocess.run(["/bin/sh", "-c", f'rein() {{ "{REIN}" "$@"; }}; {command}'],
                                      capture_output=True, text=True, timeout=120, cwd=folder,
                                      stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, code, done.stdout[-500:] + done.stderr[-500:])
                for word in words:
                    self.assertIn(word, done.stderr)
                if code == 2 and command != "rein":
                    self.assertEqual(done.stdout, "")
                with open(notes) as file:
                    self.assertEqual(file.read(), "my notes\n")
                left = [name for name in os.listdir(folder) if name.startswith(".rein-")]
                self.assertEqual(left, [], "temporary files")

    def test_there_are_a_hundred(self):
        self.assertGreaterEqual(len(CASES), 100)

    def test_a_folder_that_may_not_be_written(self):
        if os.geteuid() == 0 and not shutil.which("setpriv"):
            self.skipTest("root may write anywhere")
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o555)
            user = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
            if user and not os.access(os.path.dirname(REIN), os.R_OK):
                self.skipTest("nobody cannot reach the program")
            try:
                done = subprocess.run([*user, REIN, "run", "--rounds", "20", "--save", os.path.join(folder, "x")],
                                      capture_output=True, text=True, timeout=120)
            finally:
                os.chmod(folder, 0o755)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn("x.json: Permission denied", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
