#!/usr/bin/env python3
"""The algorithm of policy `ccb` with tuning=theory, written for reading: plain Python, no rein.

    python3 tests/reference/ccb.py                      check every trace of tests/golden to 1e-9
    python3 tests/reference/ccb.py FILE.jsonl ...       check these traces
    python3 tests/reference/ccb.py --write FILE.jsonl --setting knapsack --budget 20,5 --seed 3

This is a second statement of the algorithm, made to be compared with the library. It is slow on
purpose: each round solves its linear systems from scratch and finds lambda by bisection. The method
is from Sarkar and Sinha, arXiv 2602.05019. Five mends differ from the paper; each is marked below.
The format of a trace: line 1 has the problem, each further line has one round. A round has inputs
(phi, action, reward, costs) and what the policy must compute before it learns that round.
"""

import argparse
import glob
import json
import math
import os
import random
import sys
from dataclasses import dataclass

TOLERANCE = 1e-9  # relative, or absolute below 1
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "golden")

# What the user knows decides how a queue becomes a price (theorem 1 of the paper).
POTENTIALS = {
    "expectation": "quadratic",         # some policy keeps E[cost] <= 0 in every context
    "slater": "quadratic",              # the same, with a margin
    "almost_sure": "exponential",       # some policy never has a positive cost
    "knapsack": "exponential",          # a total budget per cost, costs >= 0
    "linear_constraints": "quadratic",  # a total budget per cost, signed costs, i.i.d. contexts
}


# --- The problem and the constants of the theorem -------------------------------------------------

@dataclass
class Problem:
    """What is known before the first round. The names in a trace's header are in `from_header`."""

    setting: str
    actions: int          # K, the largest number of actions of a round
    features: int         # d, numbers per action
    costs: int            # m
    rounds: int           # T
    u: float              # U, bound on the oracle's cumulative squared error
    budgets: list         # B, one per cost; zeros where the setting has no budget
    reg: float = 1.0
    delay: int = 0        # the outcome of round t is learned after the decision of round t + delay
    v_scale: float = 1.0
    lambda_scale: float = 1.0
    gamma_scale: float = 1.0

    @staticmethod
    def from_header(header):
        return Problem(setting=header["setting"], actions=header["K"], features=header["d"],
                       costs=header["m"], rounds=header["T"], u=header["U"], budgets=header["B"],
                       reg=header["reg"], delay=header["delay"], v_scale=header["v_scale"],
                       lambda_scale=header["lambda_scale"], gamma_scale=header["gamma_scale"])

    @property
    def root(self):
        return math.sqrt(self.actions * self.rounds * self.u)

    @property
    def lowest_cost(self):
        """Costs are known to be >= 0 in two settings; their estimates are clipped there."""
        return 0.0 if self.setting in ("almost_sure", "knapsack") else -1.0

    @property
    def parameters(self):
        """V of the quadratic potential or lambda of the exponential one: one number per cost."""
        if POTENTIALS[self.setting] == "exponential":
            return [self.lambda_scale / (4 * (self.costs + 1) * self.root + 2 * budget)
                    for budget in self.budgets]
        v = self.root
        if self.setting == "linear_constraints":
            v += math.sqrt(sum(budget * budget for budget in self.budgets))
        return [self.v_scale * v] * self.costs

    @property
    def cap(self):
        """M: the exponential potential is linear beyond exp(lambda Q) = M."""
        return 3 * (self.costs + 2 * self.rounds + 2 * (self.costs + 1) * self.root)


# --- Estimate: the regression oracle of Vovk, Azoury and Warmuth ----------------------------------

def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


def solve(matrix, right):
    """x with matrix x = right, by Gaussian elimination with partial pivoting."""
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            for j in range(k, n + 1):
                rows[i][j] -= factor * rows[k][j]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - dot(rows[k][k + 1:n], x[k + 1:])) / rows[k][k]
    return x


class Oracle:
    """Ridge regression that counts the row it predicts: phi' (A + phi phi')^-1 b, one b per head.

    Head 0 is the reward, head i is cost i. Mend, what is trained: reward and costs are learned
    separately, never their priced sum, because the price changes from round to round.
    """

    def __init__(self, features, heads, reg):
        self.a = [[reg if i == j else 0.0 for j in range(features)] for i in range(features)]
        self.b = [[0.0] * features for _ in range(heads)]

    def predict(self, phi):
        with_phi = [[self.a[i][j] + phi[i] * phi[j] for j in range(len(phi))]
                    for i in range(len(phi))]
        weights = solve(with_phi, phi)
        return [dot(weights, b) for b in self.b]

    def learn(self, phi, outcomes):
        for i, x in enumerate(phi):
            for j, y in enumerate(phi):
                self.a[i][j] += x * y
            for b, outcome in zip(self.b, outcomes):
                b[i] += x * outcome


# --- Explore: inverse gap weighting ---------------------------------------------------------------

def inverse_gap_weighting(scores, gamma):
    """p(a) = 1 / (lambda + 2 gamma (best score - score(a))) with the lambda that makes the sum 1.

    Mend, sign: a score is a reward, so the gap is measured from the largest score. The paper takes
    it from the smallest, which would prefer the worst action.
    """
    best = max(scores)
    gaps = [2 * gamma * (best - score) for score in scores]
    low, high = 1.0, float(len(scores))  # the sum is >= 1 at low and <= 1 at high
    while True:
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if sum(1 / (middle + gap) for gap in gaps) > 1:
            low = middle
        else:
            high = middle
    p = [1 / (high + gap) for gap in gaps]
    total = sum(p)
    return [x / total for x in p]


# --- The policy: estimate, price, explore, learn --------------------------------------------------

class Policy:
    def __init__(self, problem):
        self.problem = problem
        self.oracle = Oracle(problem.features, problem.costs + 1, problem.reg)
        self.queues = [0.0] * problem.costs  # Q: cumulative cost, one per cost
        self.sum_z = 0.0                     # over learned rounds

    def prices(self):
        """Phi'(Q) for each cost, from the queues before this round."""
        problem = self.problem
        if POTENTIALS[problem.setting] == "quadratic":
            # Mend, negative queues: Phi(x) = max(x, 0)^2 / V. With x^2 / V a negative queue would
            # have a negative price, and the policy would buy cost.
            return [2 * max(q, 0.0) / v for q, v in zip(self.queues, problem.parameters)]
        # Mend, cap: lambda min(exp(lambda Q), M), which no queue can make overflow.
        return [rate * math.exp(min(rate * q, math.log(problem.cap)))
                for q, rate in zip(self.queues, problem.parameters)]

    def decide(self, phi):
        """What the policy knows and wants in a round with one row of `phi` per action.

        Changes nothing: outcomes may be learned late, in any order.
        """
        problem = self.problem
        rewards, costs, clipped = [], [], 0
        for row in phi:
            raw = self.oracle.predict(row)
            lows = [-1.0] + [problem.lowest_cost] * problem.costs
            heads = [min(max(x, low), 1.0) for x, low in zip(raw, lows)]
            clipped += sum(x != y for x, y in zip(raw, heads))
            rewards.append(heads[0])
            costs.append(heads[1:])
        prices = self.prices()
        scores = [f - dot(prices, g) for f, g in zip(rewards, costs)]
        z = max([1.0] + [price * price for price in prices])
        gamma = (problem.gamma_scale * math.sqrt(len(phi) / problem.u * (self.sum_z + z))
                 / ((problem.costs + 1) * z))
        return {"Q_before": list(self.queues), "f_hat": rewards, "g_hat": costs, "price": prices,
                "z": z, "gamma": gamma, "p": inverse_gap_weighting(scores, gamma),
                "clipped": clipped}

    def learn(self, row, z, reward, costs):
        """`row` is the feature row of the action that was played, `z` that of its decision."""
        if self.problem.setting == "almost_sure":
            # Mend, positive parts: the oracle learns max(0, cost) and the queue counts it. The mean
            # of the positive part is not the positive part of the mean.
            costs = [max(cost, 0.0) for cost in costs]
        self.oracle.learn(row, [reward] + costs)
        self.queues = [q + cost for q, cost in zip(self.queues, costs)]
        self.sum_z += z


def play(problem, rounds):
    """Yields (line, decided) for each line of `rounds`, which has the inputs of one round.

    The caller may fill in action, reward and costs of the line after it saw the decision.
    """
    policy = Policy(problem)
    open_rounds = []
    for line in rounds:
        decided = policy.decide(line["phi"])
        yield line, decided
        open_rounds.append((line["phi"][line["action"]], decided["z"], line["reward"],
                            line["costs"]))
        if len(open_rounds) > problem.delay:
            policy.learn(*open_rounds.pop(0))


# --- Checking a trace -----------------------------------------------------------------------------

def flat(value):
    return [x for part in value for x in flat(part)] if isinstance(value, list) else [value]


def difference(found, wanted, tolerance, where):
    """None, or a sentence about the first number that differs."""
    found, wanted = flat(found), flat(wanted)
    if len(found) != len(wanted):
        return f"{where}: found {len(found)} numbers, the trace has {len(wanted)}"
    for x, y in zip(found, wanted):
        if not abs(x - y) <= tolerance * max(1.0, abs(y)):
            return f"{where}: found {x!r}, the trace has {y!r}"
    return None


def check(path):
    """None where the file agrees with this program, else a sentence about the first difference."""
    with open(path, encoding="utf-8") as file:
        header, *lines = [json.loads(line) for line in file if line.strip()]
    problem = Problem.from_header(header)
    if not lines:
        return "the trace has no rounds"
    for name, found in (("parameter", problem.parameters), ("cap", problem.cap)):
        wrong = difference(found, header[name], 1e-12, name)
        if wrong:
            return wrong
    for line, decided in play(problem, lines):
        for name, found in decided.items():
            if name == "clipped":  # a count: a prediction near its bound may fall on either side
                continue
            wrong = difference(found, line[name], TOLERANCE, f"round {line['t']} {name}")
            if wrong:
                return wrong
    return None


# --- Writing a trace ------------------------------------------------------------------------------

def rounded(values):
    return [round(x, 6) for x in values]


def draw_rounds(problem, rng, varying):
    """Feature rows of length at most 1; with `varying`, 1 to K actions per round."""
    for t in range(1, problem.rounds + 1):
        count = rng.randint(1, problem.actions) if varying else problem.actions
        rows = []
        for _ in range(count):
            row = [rng.gauss(0, 1) for _ in range(problem.features)]
            length = math.sqrt(dot(row, row)) / rng.uniform(0.7, 1.0)
            rows.append(rounded([x / length for x in row]))
        yield {"t": t, "phi": rows}


def draw_trace(problem, seed, varying=False, noise=0.3):
    """A linear world: outcomes are theta' phi plus noise, clipped to their range."""
    rng = random.Random(seed)
    thetas = [[rng.gauss(0, 1) for _ in range(problem.features)] for _ in range(problem.costs + 1)]
    lows = [-1.0] + [0.0 if problem.setting == "knapsack" else -1.0] * problem.costs
    yield {"setting": problem.setting, "K": problem.actions, "d": problem.features,
           "m": problem.costs, "T": problem.rounds, "U": problem.u, "B": problem.budgets,
           "reg": problem.reg, "seed": seed, "delay": problem.delay,
           "potential": POTENTIALS[problem.setting], "parameter": problem.parameters,
           "cap": problem.cap, "v_scale": problem.v_scale, "lambda_scale": problem.lambda_scale,
           "gamma_scale": problem.gamma_scale, "oracle": "vaw", "clip_reward": [-1, 1],
           "clip_cost": [problem.lowest_cost, 1]}
    for line, decided in play(problem, draw_rounds(problem, rng, varying)):
        line["action"] = rng.choices(range(len(line["phi"])), weights=decided["p"])[0]
        row = line["phi"][line["action"]]
        outcomes = rounded(min(max(dot(theta, row) + rng.gauss(0, noise), low), 1.0)
                           for theta, low in zip(thetas, lows))
        line.update(reward=outcomes[0], costs=outcomes[1:])
        yield {**line, **decided}


def write(path, problem, seed, varying=False):
    with open(path, "w", encoding="utf-8") as file:
        for line in draw_trace(problem, seed, varying):
            file.write(json.dumps(line) + "\n")


def problem_of(options):
    budgets = [float(x) for x in options.budget.split(",")] if options.budget else []
    if bool(budgets) != (options.setting in ("knapsack", "linear_constraints")):
        raise SystemExit(f"ccb.py: --budget: knapsack and linear_constraints need it and no other "
                         f"setting takes it; found setting {options.setting}")
    costs = len(budgets) or options.costs
    # U of the theorem: reg |theta|^2 + log det(A / reg), for feature rows of length at most 1.
    u = options.reg + options.features * math.log1p(options.rounds / options.reg / options.features)
    return Problem(setting=options.setting, actions=options.actions, features=options.features,
                   costs=costs, rounds=options.rounds, u=u, budgets=budgets or [0.0] * costs,
                   reg=options.reg, delay=options.delay, v_scale=options.v_scale,
                   lambda_scale=options.lambda_scale, gamma_scale=options.gamma_scale)


def main():
    parser = argparse.ArgumentParser(description="check or write golden traces of policy ccb")
    parser.add_argument("files", nargs="*", help="traces to check; default: tests/golden/*.jsonl")
    parser.add_argument("--write", metavar="FILE", help="write a new trace instead of checking")
    parser.add_argument("--setting", choices=sorted(POTENTIALS), default="expectation")
    parser.add_argument("--actions", type=int, default=4)
    parser.add_argument("--features", type=int, default=5, help="numbers per action")
    parser.add_argument("--costs", type=int, default=1, help="with --budget: one cost per budget")
    parser.add_argument("--budget", help="one total per cost, such as 20,5")
    parser.add_argument("--rounds", type=int, default=150)
    parser.add_argument("--reg", type=float, default=1.0)
    parser.add_argument("--delay", type=int, default=0, help="rounds until an outcome is learned")
    for scale in ("v", "lambda", "gamma"):
        parser.add_argument(f"--{scale}-scale", type=float, default=1.0)
    parser.add_argument("--varying", action="store_true", help="1 to K actions per round")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.write:
        write(options.write, problem_of(options), options.seed, options.varying)
        return 0
    files = options.files or sorted(glob.glob(os.path.join(GOLDEN, "*.jsonl")))
    failed = 0
    for path in files:
        wrong = check(path)
        print(f"{os.path.basename(path)}: {wrong or 'agrees to 1e-9'}")
        failed += wrong is not None
    return 1 if failed or not files else 0


if __name__ == "__main__":
    sys.exit(main())
