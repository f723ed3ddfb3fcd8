"""Reading logs beside Vowpal Wabbit: the same decisions, in the same run, by CPU time.

    log_vw.py LOG_COST_PROGRAM VERSUS_PROGRAM REIN_PROGRAM [--rounds N] [--tries N]

Ten actions with 10 features each, 8 features of the context. Vowpal Wabbit reads text with `--noop`; it
refuses dsjson with that, so there it predicts only (`-t`). End to end both learn squarecb with adagrad
(`-q UA` and `features=product`). Every figure is the best of some tries.
"""

import argparse
import os
import subprocess
import tempfile

from versus_vw import ACTION, USER, VW, best, vw_rate, write_rounds


def ours(program, path):
    out = subprocess.run([program, path], check=True, capture_output=True, text=True).stdout
    return float(out.split(" rows/CPU s")[0].split()[-1])


def learned(program, path):
    spec = "squarecb(oracle=adagrad(features=product,bias=1))"
    out = subprocess.run([program, path, spec, str(USER), str(ACTION), "0"], check=True, capture_output=True,
                         text=True).stdout
    return float(out.split()[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("log_cost")
    parser.add_argument("versus")
    parser.add_argument("rein")
    parser.add_argument("--rounds", type=int, default=20000)
    parser.add_argument("--tries", type=int, default=5)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text = write_rounds(folder, words.rounds, 10, seed=10)[0]
        dsjson, columns = os.path.join(folder, "log.dsjson"), os.path.join(folder, "log.rlog")
        for target in (dsjson, columns):
            subprocess.run([words.rein, "convert", text, target, "--quiet"], check=True)

        def vw(arguments):
            return best(lambda: vw_rate(words.rounds, arguments), words.tries)

        rows = [
            ("read text", vw(f"-d {text} --noop --quiet"), best(lambda: ours(words.log_cost, text), words.tries)),
            ("read dsjson", vw(f"-d {dsjson} --dsjson {VW} -t"),
             best(lambda: ours(words.log_cost, dsjson), words.tries)),
            ("read and learn text", vw(f"-d {text} {VW} -q UA"),
             best(lambda: learned(words.versus, text), words.tries)),
            ("read and learn dsjson", vw(f"-d {dsjson} --dsjson {VW} -q UA"),
             best(lambda: learned(words.versus, dsjson), words.tries)),
        ]
        rows.insert(2, ("read .rlog (Vowpal Wabbit: text)", rows[0][1],
                        best(lambda: ours(words.log_cost, columns), words.tries)))
        rows.append(("read and learn .rlog (Vowpal Wabbit: text)", rows[3][1],
                     best(lambda: learned(words.versus, columns), words.tries)))
        print(f"{'decisions per CPU second, more is better':45}{'vw':>10}{'rein':>12}{'ratio':>8}")
        for name, theirs, mine in rows:
            print(f"{name:45}{theirs:10,.0f}{mine:12,.0f}{mine / theirs:8.1f}")


if __name__ == "__main__":
    main()
