"""rein beside Vowpal Wabbit's squarecb, on the same rounds, in the same run.

    versus_vw.py VERSUS_PROGRAM [--rounds N]

Writes the rounds as Vowpal Wabbit text, lets both learn them, and prints rounds per CPU second of
every way of doing it. Labels carry probability 1: with other values squarecb weights only the last
action of a round. Every row is the best of three runs; ratios are against the row they name.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile

VW = "--cb_explore_adf --squarecb --quiet -b 18"
USER, ACTION, FLAT = 8, 10, 99


def write_rounds(folder, rounds, k, seed):
    """Two files with the same events: user and action features, and their 99 products spelled out."""
    rng = random.Random(seed)
    names = [os.path.join(folder, f"{kind}_{k}.txt") for kind in ("crossed", "flat")]
    with open(names[0], "w") as crossed, open(names[1], "w") as flat:
        for _ in range(rounds):
            user = [round(rng.uniform(-0.3, 0.3), 4) for _ in range(USER)]
            chosen = rng.randrange(k)
            crossed.write("shared |U " + spell("u", user) + "\n")
            for a in range(k):
                action = [round(rng.uniform(-0.3, 0.3), 4) for _ in range(ACTION)]
                products = [round(x * y, 6) for x in user for y in action]
                label = f"0:{rng.choice((-1, 0))}:1 " if a == chosen else ""
                crossed.write(label + "|A " + spell("a", action) + "\n")
                flat.write(label + "|A " + spell("f", user + action + products + [1.0]) + "\n")
            crossed.write("\n")
            flat.write("\n")
    return names


def spell(letter, numbers):
    return " ".join(f"{letter}{i}:{x}" for i, x in enumerate(numbers))


def vw_rate(rounds, arguments):
    """Rounds per CPU second of one pass over a file, all of Vowpal Wabbit's threads counted."""
    code = (
        "import resource, sys, vowpalwabbit\n"
        "def cpu():\n"
        "    r = resource.getrusage(resource.RUSAGE_SELF)\n"
        "    return r.ru_utime + r.ru_stime\n"
        "start = cpu()\n"
        "vowpalwabbit.Workspace(sys.argv[1]).finish()\n"
        "print(cpu() - start)\n"
    )
    out = subprocess.run([sys.executable, "-c", code, arguments], check=True, capture_output=True,
                         text=True)
    return rounds / float(out.stdout.split()[-1])


def best(function, tries=3):
    return max(function() for _ in range(tries))


def vw_rows(label, rounds, path, extra, cache):
    text = best(lambda: vw_rate(rounds, f"-d {path} {VW} {extra}"))
    vw_rate(rounds, f"-d {path} --cache_file {cache} {VW} {extra}")  # writes the cache
    cached = best(lambda: vw_rate(rounds, f"-d {path} --cache_file {cache} {VW} {extra}"))
    return [(f"vw squarecb, {label}, text", text), (f"vw squarecb, {label}, cache", cached)]


def rein_rows(program, label, path, spec, context, features, costs=0):
    def rates():
        out = subprocess.run([program, path, spec, str(context), str(features), str(costs)],
                             check=True, capture_output=True, text=True)
        return tuple(float(x) for x in out.stdout.split())

    tries = [rates() for _ in range(3)]
    return [(f"rein {label}, in memory", max(t[0] for t in tries)),
            (f"rein {label}, reading text", max(t[1] for t in tries))]


def compare(program, folder, k, rounds):
    crossed, flat = write_rounds(folder, rounds, k, seed=k)
    rows = vw_rows("-q UA", rounds, crossed, "-q UA", os.path.join(folder, f"crossed_{k}.cache"))
    rows += vw_rows("99 literal", rounds, flat, "--noconstant",
                    os.path.join(folder, f"flat_{k}.cache"))
    crossing = "features=product,bias=1"
    plain = "features=joint,bias=0"
    rows += rein_rows(program, "ccb as it is, one cost, 99 literal", flat, "ccb(setting=pacing,rate=0.05)", 0, FLAT,
                      costs=1)
    for oracle in ("vaw", "adagrad"):
        rows += rein_rows(program, f"squarecb {oracle}, 8 x 10", crossed,
                          f"squarecb(oracle={oracle}({crossing}))", USER, ACTION)
        rows += rein_rows(program, f"squarecb {oracle}, 99 literal", flat,
                          f"squarecb(oracle={oracle}({plain}))", 0, FLAT)
        rows += rein_rows(program, f"ccb with one cost {oracle}, 99 literal", flat,
                          f"ccb(tuning=theory,setting=expectation,oracle={oracle}({plain}))",
                          0, FLAT, costs=1)
    text = dict(rows)["vw squarecb, -q UA, text"]
    fastest = max(rate for name, rate in rows if name.startswith("vw"))
    print(f"\nK = {k}, {FLAT} features an action, {rounds} rounds, rounds per CPU second")
    print(f"{'':52}{'rounds/s':>12}{'x vw -q text':>14}{'x vw best':>11}")
    for name, rate in rows:
        print(f"{name:52}{rate:12,.0f}{rate / text:14.2f}{rate / fastest:11.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=20000)
    words = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compare(words.program, folder, 10, words.rounds)
        compare(words.program, folder, 1000, max(200, words.rounds // 50))


if __name__ == "__main__":
    main()
