"""Peers with confidence bounds and the two newest peers, computed a second time.

    reference.py            compares the traces below with this program's numbers, to 1e-9
    reference.py --write    writes them

A plain program that shares no code with the library: its own Philox, rounds and outcomes (those of
tests/policy/play.h and trace_test.cc), least squares by Gaussian elimination in every round, the
exploration by bisection. It is slow and short on purpose. A trace that is written here and read by
trace_test.cc says that both agree.
"""

import json
import math
import os
import sys

T, ROUNDS, K, CONTEXT = 60, 30, 4, 3
RANGES = [(-1.0, 1.0), (0.0, 1.0), (0.0, 500.0)]  # reward, dollars, grams
UNITS = [max(abs(low), abs(high)) for low, high in RANGES]
LOWEST = [low / unit for (low, _), unit in zip(RANGES, UNITS)]
M, D = 2, CONTEXT + 1  # costs; a bias makes four features, parameters for each action
DELTA = 0.05

TRACES = {
    "aupd": ("aupd(budget=[12,6000])", dict(budget=[12, 6000])),
    "aupd_zero": ("aupd(radius_scale=0.1)", dict(radius_scale=0.1)),
    "optimistic3": ("optimistic3(budget=[12,6000],radius_scale=0.1)", dict(budget=[12, 6000], radius_scale=0.1)),
    "optimistic3_heuristic": ("optimistic3(budget=[12,6000],classes=5,radius_scale=0.1)",
                              dict(budget=[12, 6000], classes=5, radius_scale=0.1)),
    "optimistic3_zero": ("optimistic3(radius_scale=0)", dict(radius_scale=0)),
    "pgd": ("pgd(budget=[12,6000],radius_scale=0.1,step_scale=4,threshold_scale=0.06)",
            dict(budget=[12, 6000], radius_scale=0.1, step_scale=4, threshold_scale=0.06)),
    "pgd_zero": ("pgd(margin_scale=0.5)", dict(margin_scale=0.5)),
    "weakly_adaptive": ("weakly_adaptive(budget=[9,6000],eta_scale=20)", dict(budget=[9, 6000], eta_scale=20)),
    "weakly_adaptive_zero": ("weakly_adaptive(eta_scale=4,gamma_scale=8)", dict(eta_scale=4, gamma_scale=8)),
}


class Rng:
    """Philox 4x32-10, as its authors publish it."""

    def __init__(self, seed, stream=0):
        self.seed, self.stream, self.count = seed, stream, 0

    def uniform(self):
        mask = 0xFFFFFFFF
        words = [self.count & mask, self.count >> 32, self.stream & mask, self.stream >> 32]
        keys = [self.seed & mask, self.seed >> 32]
        self.count += 1
        for _ in range(10):
            a, b = 0xD2511F53 * words[0], 0xCD9E8D57 * words[2]
            words = [(b >> 32) ^ words[1] ^ keys[0], b & mask, (a >> 32) ^ words[3] ^ keys[1], a & mask]
            keys = [(keys[0] + 0x9E3779B9) & mask, (keys[1] + 0xBB67AE85) & mask]
        return ((words[1] << 32 | words[0]) >> 11) * 2.0 ** -53


def context_of(t):
    rng = Rng(1, 3 * t)
    return [2.0 * rng.uniform() - 1.0 for _ in range(CONTEXT)]


def outcome_of(t, action):
    if action == 0:
        return [0.0, 0.0, 0.0]
    rng = Rng(action + 77, 3 * t)
    out = []
    for low, high in RANGES:
        u = rng.uniform()
        out.append(low if u < 0.05 else high if u > 0.95 else low + (high - low) * u)
    return out


def solve(matrix, right):
    """matrix^-1 right, by elimination with pivots."""
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda r: abs(rows[r][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for r in range(n):
            if r != i:
                factor = rows[r][i] / rows[i][i]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def dot(x, y):
    return sum(a * b for a, b in zip(x, y))


class LeastSquares:
    """A = I + sum phi phi' for every action; means in units and w = phi' A^-1 phi."""

    def __init__(self, forward):
        self.forward = forward  # vaw: divided by 1 + w
        self.seen = [[] for _ in range(K)]

    def estimate(self, x):
        """[(reward, dollars, grams, w)] of every action."""
        phi = x + [1.0]
        out = []
        for rows in self.seen:
            matrix = [[float(i == j) + sum(p[i] * p[j] for p, _ in rows) for j in range(D)] for i in range(D)]
            direction = solve(matrix, phi)
            w = dot(phi, direction)
            heads = []
            for h in range(1 + M):
                mean = sum(y[h] * dot(p, direction) for p, y in rows) / (1.0 + w if self.forward else 1.0)
                heads.append(min(max(mean, LOWEST[h]), 1.0))
            out.append((*heads, w))
        return out

    def learn(self, x, action, outcome):
        self.seen[action].append((x + [1.0], [y / unit for y, unit in zip(outcome, UNITS)]))


def radius(t, scale):
    """R sqrt(2 ln(n / delta) + d ln(1 + t L^2 / (reg d))) + sqrt(reg): R = 1, L^2 = 2, reg = 1, n: 3 heads x 4 sets."""
    return scale * (math.sqrt(2.0 * math.log((1 + M) * K / DELTA) + D * math.log(1.0 + t * 2.0 / D)) + 1.0)


def best(scores):
    top = max(scores)
    ties = sum(s == top for s in scores)
    return [1.0 / ties if s == top else 0.0 for s in scores]


def softmax(logs):
    top = max(logs)
    weights = [math.exp(x - top) for x in logs]
    return [w / sum(weights) for w in weights]


class Peer:
    gamma = 1.0
    forward = False

    def __init__(self, budget=None, radius_scale=1.0):
        self.budget, self.scale = budget, radius_scale
        self.rates = [b / T / unit for b, unit in zip(budget, UNITS[1:])] if budget else [0.0] * M
        self.oracle = LeastSquares(self.forward)
        self.t = 0  # rounds learned

    def bounds(self, x):
        """[(f_ucb, (cost_lcb, ...))], not clipped."""
        r = radius(self.t, self.scale)
        return [(f + r * math.sqrt(w), [c - r * math.sqrt(w) for c in costs])
                for f, *costs, w in self.oracle.estimate(x)]

    def learn(self, x, action, outcome):
        self.oracle.learn(x, action, outcome)
        self.t += 1


class Aupd(Peer):
    """argmax f_ucb - sum (Q / V) c_lcb; in knapsack form, V = b sqrt T."""

    def __init__(self, **options):
        super().__init__(**options)
        rates = self.rates if self.budget else [0.5] * M
        self.rate = min(rates)
        self.scales = [(1.0 if self.budget else 0.5) * self.rate / r for r in rates]
        self.queues = [0.0] * M

    def prices(self):
        return [s * q / (self.rate * math.sqrt(T)) for s, q in zip(self.scales, self.queues)]

    def choose(self, x):
        return best([f - dot(self.prices(), costs) for f, costs in self.bounds(x)])

    def learn(self, x, action, outcome):
        super().learn(x, action, outcome)
        for i in range(M):
            over = outcome[i + 1] / UNITS[i + 1] - self.rates[i]
            self.queues[i] = max(0.0, self.queues[i] + self.scales[i] * over)


class Optimistic3(Peer):
    """Mirror descent in a table of contexts; without room for them the heuristic of its page."""

    gamma = 0.5

    def __init__(self, classes=64, **options):
        super().__init__(**options)
        self.room = classes
        self.table = {}  # context: [log pi, how often]
        self.open = True
        self.queues, self.sums, self.before, self.next = ([0.0] * M for _ in range(4))

    def prices(self):
        return list(self.queues)

    def step(self, x, weight, queues):
        return [(weight * f - sum(q * (c - b) for q, c, b in zip(queues, costs, self.rates))) / 2.0
                for f, costs in self.bounds(x)]

    def expected(self, x, p):
        said = self.bounds(x)
        return [sum(p[a] * (said[a][1][i] - self.rates[i]) for a in range(K)) for i in range(M)]

    def choose(self, x):
        if tuple(x) in self.table:
            return softmax(self.table[tuple(x)][0])
        return softmax(self.step(x, self.t + 1, self.sums))

    def learn(self, x, action, outcome):
        self.t += 1  # the bounds below count this round, the estimates do not know it yet
        if not self.open or not self.table:
            here = self.expected(x, softmax(self.step(x, self.t, self.sums)))
            share = max(1.0 / self.t, 0.01)
            self.next = [b + share * (h - b) for b, h in zip(self.before, here)]
        if self.open:
            self.remember(x)
        self.queues = [max(0.0, q - b + 2.0 * n) for q, b, n in zip(self.queues, self.before, self.next)]
        self.sums = [s + q for s, q in zip(self.sums, self.queues)]
        self.before = self.next
        self.oracle.learn(x, action, outcome)
        if self.open:
            self.move_all()

    def remember(self, x):
        key = tuple(x)
        if key not in self.table and len(self.table) == self.room:
            self.open, self.table = False, {}
            return
        if key not in self.table:
            logs = self.step(x, self.t, self.sums)
            self.table[key] = [logs, 0]
        self.table[key][1] += 1

    def move_all(self):
        self.next = [0.0] * M
        times = sum(count for _, count in self.table.values())
        for key, row in self.table.items():
            row[0] = [old + new for old, new in zip(row[0], self.step(list(key), 1.0, self.queues))]
            here = self.expected(list(key), softmax(row[0]))
            self.next = [n + row[1] / times * h for n, h in zip(self.next, here)]


class Pgd(Peer):
    """argmax of bounds; lam moves by the bound of the cost that was played, clipped to its range."""

    def __init__(self, step_scale=1.0, threshold_scale=1.0, margin_scale=1.0, **options):
        super().__init__(**options)
        self.step_scale, self.threshold_scale = step_scale, threshold_scale
        margin = margin_scale / math.sqrt(T)
        self.margins = [min(margin, b / 2) if b > 0 else margin for b in self.rates]
        self.lam, self.sums, self.regime = [0.0] * M, [0.0] * M, 0

    def prices(self):
        return list(self.lam)

    def choose(self, x):
        return best([f - dot(self.lam, costs) for f, costs in self.bounds(x)])

    def learn(self, x, action, outcome):
        lower = [max(c, low) for c, low in zip(self.bounds(x)[action][1], LOWEST[1:])]
        super().learn(x, action, outcome)
        size = self.step_scale * 2.0 ** self.regime / math.sqrt(T)
        for i in range(M):
            target = self.rates[i] - self.margins[i]
            self.lam[i] = max(0.0, self.lam[i] + size * (lower[i] - target))
            self.sums[i] += outcome[i + 1] / UNITS[i + 1] - target
        k = self.regime
        limit = self.threshold_scale * (4.0 * math.sqrt(T) + math.sqrt(
            2.0 * M * T * math.log(M * (k + 1) * (k + 2) / DELTA)))
        if math.sqrt(sum(max(s, 0.0) ** 2 for s in self.sums)) > limit:
            self.lam, self.sums, self.regime = [0.0] * M, [0.0] * M, k + 1


class WeaklyAdaptive(Peer):
    """Online gradient descent on the dual, inverse gap weighting on the Lagrangian."""

    forward = True

    def __init__(self, eta_scale=1.0, gamma_scale=1.0, **options):
        super().__init__(**options)
        u = K * (1.0 + D * math.log(1.0 + T * 2.0 / (K * D)))
        self.eta = eta_scale / (math.sqrt(K * T * u) + math.sqrt(T * math.log(T / DELTA)))
        self.sharp = gamma_scale * math.sqrt(K * T / u)
        self.lam = [0.0] * M

    def prices(self):
        return list(self.lam)

    def choose(self, x):
        self.gamma = self.sharp / (1.0 + sum(self.lam))
        scores = [f - dot(self.lam, costs) for f, *costs, _ in self.oracle.estimate(x)]
        gaps = [2.0 * self.gamma * (max(scores) - s) for s in scores]
        low, high = 1.0, float(K)
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if sum(1 / (middle + g) for g in gaps) > 1 else (low, middle)
        return [1 / (low + g) for g in gaps]

    def learn(self, x, action, outcome):
        super().learn(x, action, outcome)
        for i in range(M):
            self.lam[i] = max(0.0, self.lam[i] + self.eta * (outcome[i + 1] / UNITS[i + 1] - self.rates[i]))


PEERS = {"aupd": Aupd, "optimistic3": Optimistic3, "pgd": Pgd, "weakly_adaptive": WeaklyAdaptive}


def play(spec, options):
    peer, rng, lines = PEERS[spec.partition("(")[0]](**options), Rng(9), [{"spec": spec}]
    for t in range(ROUNDS):
        x = context_of(t)
        p = peer.choose(x)
        u, action = rng.uniform(), 0
        while action < K - 1 and u >= sum(p[:action + 1]):
            action += 1
        prices = [price * UNITS[0] / unit for price, unit in zip(peer.prices(), UNITS[1:])]
        lines.append({"t": t, "action": action, "gamma": peer.gamma, "p": p, "prices": prices})
        peer.learn(x, action, outcome_of(t, action))
    return lines


def near(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(near(x, y) for x, y in zip(a, b))
    return a == b if isinstance(a, str) else abs(a - b) <= 1e-9 * max(1.0, abs(b))


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    wrong = 0
    for name, (spec, options) in TRACES.items():
        path, lines = os.path.join(here, name + ".jsonl"), play(spec, options)
        if "--write" in sys.argv:
            with open(path, "w") as out:
                out.writelines(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
            continue
        with open(path) as kept:
            found = [json.loads(line) for line in kept]
        for ours, theirs in zip(lines, found):
            if ours.keys() != theirs.keys() or not all(near(ours[k], theirs[k]) for k in ours):
                print(f"{name}: round {ours.get('t', 'header')}: {ours} here, {theirs} in the file")
                wrong += 1
                break
        wrong += len(lines) != len(found)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
