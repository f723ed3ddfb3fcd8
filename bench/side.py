"""What the scripts that compare policies share: `rein compare` as a function, and intervals of differences.

Every call keeps its finished plays in a file of the folder --out, so a script that was stopped goes on when
it is started again. Rows are those of docs/json.md, one per policy and seed.
"""

import collections
import csv
import io
import json
import math
import os
import subprocess

# 97.5 % points of Student's t by degrees of freedom, from 1
_T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
      2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]


def interval(numbers):
    """The mean and half of its 95 % interval."""
    n = len(numbers)
    mean = sum(numbers) / n
    if n < 2:
        return mean, math.inf
    deviation = math.sqrt(sum((x - mean) ** 2 for x in numbers) / (n - 1))
    t = _T[n - 2] if n - 2 < len(_T) else 1.96 + 2.5 / (n - 1)
    return mean, t * deviation / math.sqrt(n)


class Runner:
    """Runs `rein compare` with the same program, seeds and folder."""

    def __init__(self, program, folder, seeds):
        self.program, self.folder, self.seeds = program, folder, seeds
        os.makedirs(folder, exist_ok=True)

    def _run(self, name, world, policies, rounds, grid, more):
        command = [self.program, "compare", "--world", world, "--rounds", str(rounds), "--seeds", str(self.seeds),
                   "--resume", os.path.join(self.folder, name + ".jsonl")]
        for policy in policies:
            command += ["--policies", policy]
        for key, values in (grid or {}).items():
            command += ["--grid", key + "=" + ",".join(f"{v:g}" for v in values)]
        done = subprocess.run(command + list(more), capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(command)}\n{done.stderr.strip()}")
        return done.stdout

    def rows(self, name, world, policies, rounds, grid=None, more=()):
        """Rows by policy, those of a grid included, each list in the order of seeds."""
        found = collections.OrderedDict()
        text = self._run(name, world, policies, rounds, grid, ["--csv", *more])
        for row in csv.DictReader(io.StringIO(text)):
            found.setdefault(row["policy"], []).append(row)
        return found

    def report(self, name, world, policies, rounds, grid=None, more=()):
        """The object of docs/json.md#reports."""
        return json.loads(self._run(name, world, policies, rounds, grid, ["--json", *more]))


def settings(grid):
    """How many settings a grid has."""
    count = 1
    for values in grid.values():
        count *= len(values)
    return count


def column(rows, name):
    """Numbers per round."""
    return [float(row[name]) / float(row["rounds"]) for row in rows]


def best(found, rate, slack=0.01, cost="cost"):
    """The setting that `rein compare` would show as the best: the most reward among those whose mean spend is within
    the budget per round, up to slack; if there is none, the least spend."""
    limit = rate * (1 + slack) if rate > 0 else slack

    def order(item):
        spend = sum(column(item[1], f"spend {cost}")) / len(item[1])
        if spend <= limit:
            return (0, -sum(column(item[1], "reward")))
        return (1, spend)

    return min(found.items(), key=order)
