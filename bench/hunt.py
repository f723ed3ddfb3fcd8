"""Hunts for small problems on which ccb as it comes fails: make hunt (docs/lab/tries.md).

    hunt.py REIN_PROGRAM [--minutes 60] [--first 1] [--policy SPEC]... [--rounds 5000] [--seeds 6] [--show 12]

Every problem follows from its number: 2 to 6 actions, 1 to 5 numbers of context; heads that are constant,
rare, exact, heavy-tailed, drifting or clicks; in half of them a budget; in a third outcomes that are late,
each head with a delay of its own. The share is what was earned over what the best policy earns that knows
every mean and spends the budget. Prints the worst shares and spends, SquareCB and the theorem's policy
beside them, and exits with 1 if ccb has a share under 80 % or spends over 1.05 budgets. Where bills are late,
nothing is known of them at first: rounds before the first one may cost what uniform play costs, if that is more.
"""

import argparse
import csv
import io
import math
import os
import random
import subprocess
import sys
import tempfile
import time

LEAST_SHARE, MOST_SPEND = 0.80, 1.05
REWARDS = ("constant", "rare", "exact", "clicks", "clicks", "drifting")
COSTS = ("free", "constant", "exact", "heavy", "clicks")


class Head:
    """What one action gives in one head: a mean that is linear in the context, and noise."""

    def __init__(self, rng, kind, d):
        self.kind = kind
        level = {"rare": 0.04, "free": 0.0}.get(kind, 0.9) * rng.random() + (0.005 if kind == "rare" else 0.0)
        self.level = level
        flat = kind in ("constant", "free") or rng.random() < 0.3
        slopes = [0.0 if flat else rng.uniform(-1.0, 1.0) for _ in range(d)]
        size = sum(abs(s) for s in slopes)
        room = min(level, 1.0 - level)  # means stay within [0, 1]
        self.slopes = [s / size * room * rng.random() if size > 0.0 else 0.0 for s in slopes]
        self.later = rng.random() * 0.9 if kind == "drifting" else level
        self.spread = rng.uniform(0.5, 1.2)  # of the logarithm, where it is heavy-tailed

    def mean(self, x, time_share):
        level = self.level + (self.later - self.level) * (time_share > 0.5)
        return min(1.0, max(0.0, level + sum(s * v for s, v in zip(self.slopes, x))))

    def draw(self, rng, mean):
        if self.kind in ("constant", "exact", "free"):
            return mean
        if self.kind == "heavy":  # lognormal with this mean, cut off at 1
            return min(1.0, mean * math.exp(self.spread * rng.gauss(0.0, 1.0) - self.spread**2 / 2.0))
        return float(rng.random() < mean)


class Problem:
    def __init__(self, number, rounds):
        rng = random.Random(number)
        self.number, self.rounds = number, rounds
        self.actions, self.d = rng.randint(2, 6), rng.randint(1, 5)
        self.kinds = [rng.choice(REWARDS) for _ in range(self.actions)]
        rewards = [Head(rng, kind, self.d) for kind in self.kinds]
        self.priced = rng.random() < 0.5
        self.cost_kinds = [rng.choice(COSTS) for _ in range(self.actions)] if self.priced else []
        costs = [Head(rng, kind, self.d) for kind in self.cost_kinds]
        self.late = {}
        if rng.random() < 1.0 / 3.0:
            for head in ["reward"] + ["cost"] * self.priced:
                self.late[head] = rng.choice((0, 50, 500))
        self.rows, self.means = [], []
        for t in range(rounds):
            x = [rng.uniform(-1.0, 1.0) for _ in range(self.d)]
            means = [[h.mean(x, t / rounds) for h in heads] for heads in (rewards, costs)]
            drawn = [h.draw(rng, m) for heads, ms in zip((rewards, costs), means) for h, m in zip(heads, ms)]
            self.rows.append(x + drawn)
            self.means.append(means)
        self.rate = self.find_rate(rng) if self.priced else None
        self.best = self.find_best()
        self.blind = self.find_blind()

    def find_blind(self):
        """What uniform play costs until the first bill is heard, in budgets. No policy can spare it."""
        if not self.priced:
            return 0.0
        first = self.means[: self.late.get("cost", 0)]
        return sum(sum(c) / len(c) for _, c in first) / (self.rate * self.rounds)

    def find_rate(self, rng):
        """Between what the cheapest and what the best rewards cost, so that money matters."""
        least = sum(min(c) for _, c in self.means) / self.rounds
        most = sum(c[r.index(max(r))] for r, c in self.means) / self.rounds
        return least + (max(most, least) - least) * rng.uniform(0.1, 0.9) + 0.01

    def find_best(self):
        """The reward of the best policy that knows every mean: the dual of one budget, by bisection."""
        if not self.priced:
            return sum(max(r) for r, _ in self.means)
        budget = self.rate * self.rounds

        def play(price):
            pairs = [max((f - price * g, -g, f, g) for f, g in zip(r, c)) for r, c in self.means]
            return sum(p[2] for p in pairs), sum(p[3] for p in pairs)

        low, high = 0.0, 1e6
        if play(low)[1] <= budget:
            return play(low)[0]
        for _ in range(60):
            price = (low + high) / 2.0
            low, high = (price, high) if play(price)[1] > budget else (low, price)
        (more, dear), (less, cheap) = play(low), play(high)
        share = (budget - cheap) / (dear - cheap) if dear > cheap else 0.0
        return less + share * (more - less)

    def table(self):
        names = [f"x_{i + 1}" for i in range(self.d)] + [f"r{a}" for a in range(self.actions)]
        names += [f"c{a}" for a in range(self.actions)] if self.priced else []
        return names, [[f"{v:.6g}" for v in row] for row in self.rows]

    def write(self, folder):
        path = os.path.join(folder, f"{self.number}.csv")
        names, rows = self.table()
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(",".join(row) + "\n" for row in [names, *rows])
        return path

    def title(self):
        parts = [f"{self.number}: K={self.actions} d={self.d} {' '.join(self.kinds)}"]
        if self.priced:
            parts.append(f"costs {' '.join(self.cost_kinds)} rate {self.rate:.3g}")
        if any(self.late.values()):
            parts.append("late " + " ".join(f"{k}={v}" for k, v in self.late.items()))
        return "; ".join(parts)


def play(words, problem, path, policy):
    """The mean and the worst share, and the mean spend over the budget, or over what was due blindly."""
    if problem.priced:
        world = f'table(file="{path}",order=file,rate={problem.rate:.9g},reward_range=[0,1],cost_range=[0,1])'
    else:
        world = f'table(cost=[],file="{path}",order=file,reward_range=[0,1])'
    late = [w for head, rounds in problem.late.items() if rounds for w in ("--late", f"{head}={rounds}")]
    done = subprocess.run(
        [words.program, "run", "--world", world, "--policy", policy, "--rounds", "0", "--seeds",
         str(words.seeds), "--threads", str(words.threads), "--no-long-term", "--csv", *late],
        check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"hunt.py: {policy} on problem {problem.title()}: {done.stderr.strip()}")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    due = max(problem.blind, 1.0)
    shares = [float(row["reward"]) / problem.best for row in rows]
    spend = 0.0
    if problem.priced:
        spend = sum(float(row["spend cost"]) for row in rows) / len(rows) / (problem.rate * problem.rounds * due)
    return sum(shares) / len(shares), min(shares), spend


def main():
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("program")
    read.add_argument("--minutes", type=float, default=60.0)
    read.add_argument("--problems", type=int, default=1_000_000, help="at most so many")
    read.add_argument("--first", type=int, default=1, help="number of the first problem")
    read.add_argument("--policy", action="append", default=[])
    read.add_argument("--rounds", type=int, default=5000)
    read.add_argument("--seeds", type=int, default=6)
    read.add_argument("--threads", type=int, default=0)
    read.add_argument("--show", type=int, default=12)
    words = read.parse_args()
    policies = words.policy or ["ccb", "squarecb", "ccb(tuning=theory)"]
    found, end = [], time.monotonic() + 60.0 * words.minutes
    with tempfile.TemporaryDirectory() as folder:
        number = words.first
        while time.monotonic() < end and len(found) < words.problems:
            problem = Problem(number, words.rounds)
            number += 1
            if problem.best < 20.0:
                continue  # so little is earned that a share says nothing
            path = problem.write(folder)
            found.append((problem.title(), [play(words, problem, path, policy) for policy in policies]))
            os.remove(path)
            if sys.stderr.isatty():
                print(f"\r{len(found)} problems", end="", file=sys.stderr)
    report(words, policies, found)


def report(words, policies, found):
    print(f"{len(found)} problems from number {words.first}, {words.rounds} rounds, {words.seeds} seeds")
    for i, policy in enumerate(policies):
        shares = sorted(100.0 * results[i][0] for _, results in found)
        spends = [results[i][2] for _, results in found]
        low = sum(s < 100.0 * LEAST_SHARE for s in shares)
        print(f"{policy:22} share: mean {sum(shares) / len(shares):5.1f} %, worst {shares[0]:5.1f}, under "
              f"{100 * LEAST_SHARE:.0f} % on {low}; spend at most {max(spends):.3f}, over {MOST_SPEND} on "
              f"{sum(s > MOST_SPEND for s in spends)}")
    for title, key in (("worst shares", lambda f: f[1][0][0]), ("worst spends", lambda f: -f[1][0][2])):
        print(f"\n{title} of {policies[0]}: share (worst seed) spend; the same of the others")
        for name, results in sorted(found, key=key)[: words.show]:
            cells = " | ".join(f"{100 * s:5.1f} ({100 * w:5.1f}) {spend:.3f}" for s, w, spend in results)
            print(f"  {cells}  {name}")
    failed = [name for name, results in found if results[0][0] < LEAST_SHARE or results[0][2] > MOST_SPEND]
    print(f"\n{len(failed)} problems under {100 * LEAST_SHARE:.0f} % or over {MOST_SPEND} budgets")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
