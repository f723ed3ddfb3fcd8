"""What every constant and every principle of the default policy is worth: make ablation (docs/lab/ablation.md).

    ablation.py PROGRAM --data FOLDER [--out out/ablation] [--only NAME...] [--jobs 1] [--factors 0.5,2]

PROGRAM is built with -DREIN_ABLATION=ON: the environment multiplies the constants of src/base/tuned.h by name.
FOLDER holds the tables of quality.py. Every variant plays the conditions of ablation_conditions.py on the same seeds
as the default, so differences are paired. A difference is in percent of what the default earns in the condition; more
is better. Spend is the largest change of the spend, in budgets. Finished plays are kept in OUT/plays.<hash of the program>.jsonl, so a stopped run goes on. Prints a table in
Markdown, and the CPU time. --names lists what there is.
"""

import argparse
import csv
import hashlib
import io
import json
import math
import os
import re
import resource
import subprocess
import sys

import gauntlet_conditions as known
from ablation_conditions import FIRST_SEED, conditions

HERE = os.path.dirname(os.path.abspath(__file__))
TUNED = os.path.join(os.path.dirname(HERE), "src", "base", "tuned.h")

# Principles, each left out by an option of the policy.
PRINCIPLES = {
    "challengers learn all": "challengers=every",
    "no prior": "prior=none",
    "no shared part": "shared=0",
    "no optimism": "optimism=0",
    "no tries": "tries=0",
    "no other class": "oracle=vaw(memory=auto)",
    "no changes, no other class": "oracle=vaw",
    "gain x 1/8": "gain=noise(factor=3.75)",
    "gain x 8": "gain=noise(factor=240)",
    "greedy": "gain=noise(factor=1e9)",
    "no horizon": "horizon=0",
    "the theorem's price": "pricer=quadratic",
}
# Rules that one constant turns off, and the factor that does it.
OFF = {
    "kCalibrationErrors": 1e9,
    "kChangeShare": 1e-9,
    "kChangeSlight": 0,
    "kFitShare": 1e9,
    "kForwardRounds": 1e-9,
    "kGainActions": 1e9,
    "kLaterPlays": 1e-9,
    "kLevelThreshold": 1e9,
    "kOptimismFeatures": 1e9,
    "kKnownRounds": 1e-9,
    "kOptimismWidest": 1e9,
    "kPriceAllowance": 0,
    "kPriceUseful": 1e9,
    "kRaceMaterial": 0,
    "kReserve": 0,
    "kScaleFarthest": 1e9,
    "kScaleFarAway": 1e9,
    "kScarceShare": 1e9,
    "kSwampedNoises": 1e9,
    "kTriesAgain": 2.5,
    "kTriesOwn": 0,
}


def constants():
    with open(TUNED, encoding="utf-8") as file:
        return re.findall(r"^REIN_TUNED\((\w+),", file.read(), re.MULTILINE)


def variants(factors):
    """Name to (constants, options of the policy)."""
    found = {"default": ("", "")}
    found.update({name: ("", option) for name, option in PRINCIPLES.items()})
    for name in constants():
        for factor in factors:
            found[f"{name} x {factor:g}"] = (f"{name}*{factor!r}", "")
        if name in OFF:
            found[f"{name} off"] = (f"{name}*{OFF[name]!r}", "")
    return found


class Ablation:
    def __init__(self, words):
        self.words = words
        with open(words.program, "rb") as program:
            name = hashlib.sha256(program.read()).hexdigest()[:10]
        os.makedirs(words.out, exist_ok=True)
        self.place = known.Place(words.data, words.out)
        self.path = os.path.join(words.out, f"plays.{name}.jsonl")
        self.kept = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                for line in file:
                    row = json.loads(line)
                    self.kept[row["variant"], row["condition"], row["seed"]] = (row["reward"], row["spend"])

    def play(self, name, changed, option, condition, seed):
        """Reward, and spend in budgets (0 without one); None if the policy is refused there."""
        key = name, condition.name, seed
        if key in self.kept:
            return self.kept[key]
        world, rate = condition.plays(self.place, seed)
        keys = ",".join(text for text in (condition.keys, option) if text)
        done = subprocess.run(
            [self.words.program, "run", "--world", world, "--policy", f"ccb({keys})" if keys else "ccb", "--rounds",
             str(condition.rounds), "--seeds", "1", "--first-seed", str(seed), "--threads", "1", "--no-long-term",
             "--csv", *condition.words],
            check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL,
            env={**os.environ, "REIN_CONSTANTS": changed})
        if done.returncode != 0:
            if name == "default":
                sys.exit(f"ablation.py: {condition.name}: {done.stderr.strip()}")
            figures = None, None
        else:
            row = next(csv.DictReader(io.StringIO(done.stdout)))
            spend = float(row["spend cost"]) / float(row["rounds"]) / rate if rate else 0.0
            figures = float(row["reward"]), spend
        with open(self.path, "a", encoding="utf-8") as file:
            row = {"variant": name, "condition": condition.name, "seed": seed, "reward": figures[0], "spend": figures[1]}
            file.write(json.dumps(row) + "\n")
        self.kept[key] = figures
        return figures

    def all(self, name, changed, option):
        return {
            condition.name: [self.play(name, changed, option, condition, FIRST_SEED + s) for s in range(condition.seeds)]
            for condition in conditions()
        }


def difference(of, base):
    """Mean difference of the reward in percent of the base's, its standard error, and that of the spend."""
    if any(reward is None for reward, _ in of):
        return None
    mean = sum(reward for reward, _ in base) / len(base)
    apart = [100.0 * (a[0] - b[0]) / abs(mean) for a, b in zip(of, base)]
    more = sum(a[1] - b[1] for a, b in zip(of, base)) / len(base)
    middle = sum(apart) / len(apart)
    squares = sum((x - middle) ** 2 for x in apart)
    error = math.sqrt(squares / (len(apart) - 1) / len(apart)) if len(apart) > 1 else abs(middle)
    return middle, error, more


def cell(name, apart):
    return f"{name} {apart[0]:+.1f} ± {apart[1]:.1f}"


def report(found):
    """One row per variant: the mean over conditions, how many conditions stay as they were to the bit, the extremes."""
    print("| variant | mean | same | worst | best | spend |")
    print("|---|---|---|---|---|---|")
    unchanged = []
    for name, figures in found.items():
        if name == "default":
            continue
        apart = {c.name: difference(figures[c.name], found["default"][c.name]) for c in conditions()}
        apart = {key: value for key, value in apart.items() if value is not None}
        moved = {key: value for key, value in apart.items() if value != (0.0, 0.0, 0.0)}
        if not moved:
            unchanged.append(name)
            continue
        mean = sum(value[0] for value in apart.values()) / len(apart)
        error = math.sqrt(sum(value[1] ** 2 for value in apart.values())) / len(apart)
        worst, best = (pick(moved, key=lambda key: moved[key][0]) for pick in (min, max))
        print(f"| {name} | {mean:+.1f} ± {error:.1f} | {len(apart) - len(moved)} | {cell(worst, moved[worst])} | "
              f"{cell(best, moved[best])} | {max(value[2] for value in moved.values()):+.3f} |")
    print("\nNothing changes anywhere with: " + ", ".join(unchanged) + ".")


def main():
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("program")
    read.add_argument("--data", required=True)
    read.add_argument("--out", default="out/ablation")
    read.add_argument("--only", action="append", default=[], help="a regular expression of variants")
    read.add_argument("--factors", default="0.5,2")
    read.add_argument("--names", action="store_true")
    read.add_argument("--vary", action="append", default=[], metavar="NAME=kA*2,kB*0.5", help="several at once")
    read.add_argument("--minutes", type=float, default=1e9, help="CPU minutes, at most; a later call goes on")
    words = read.parse_args()
    wanted = variants([float(text) for text in words.factors.split(",")])
    if words.only:
        chosen = re.compile("|".join(words.only))
        wanted = {name: how for name, how in wanted.items() if name == "default" or chosen.search(name)}
    for text in words.vary:
        name, _, changed = text.partition("=")
        wanted[name] = (changed, "")
    if words.names:
        print("\n".join(wanted))
        return
    game, found = Ablation(words), {}
    for name, how in wanted.items():
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        if used.ru_utime + used.ru_stime > 60.0 * words.minutes:
            print(f"stopped before {name}", file=sys.stderr)
            break
        found[name] = game.all(name, *how)
        if sys.stderr.isatty():
            print(f"\r{len(found)} of {len(wanted)}", end="", file=sys.stderr)
    report(found)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"\n{len(found)} variants, {used.ru_utime + used.ru_stime:.0f} s of CPU time", file=sys.stderr)


if __name__ == "__main__":
    main()
