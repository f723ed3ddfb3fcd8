"""Tables that the gauntlet generates: seeded, without numpy, written as CSV files for the world `table`.

Each function returns (header, rows) of one table. Contexts are uniform in [-1, 1]^d; means are linear in the
context, clipped. The same name and seed give the same table on every machine.
"""

import csv
import gzip
import math
import os
import random
import tempfile


def _weights(chance, d, size):
    """A random direction whose product with a context has standard deviation size."""
    raw = [chance.gauss(0, 1) for _ in range(d)]
    norm = sum(x * x for x in raw) ** 0.5
    return [x * size * 3**0.5 / norm for x in raw]


def _dot(weights, x):
    return sum(w * v for w, v in zip(weights, x))


def _clip(x, low=0.0, high=1.0):
    return min(max(x, low), high)


def _header(d, k):
    return [f"x_{i}" for i in range(d)] + [f"r{a}" for a in range(k)] + [f"c{a}" for a in range(k)]


def _context(chance, d):
    return [round(chance.uniform(-1, 1), 4) for _ in range(d)]


def offers(chance, rounds, d=6, k=5, low=0.1, high=0.6, costs=(0.5, 1.0), spread=0.5, noise=None):
    """Action 0 does nothing; the others cost `costs` and earn from low to high on average. Rewards are 0 or 1, or the
    mean with Gaussian noise."""
    base = [low + (high - low) * a / max(1, k - 2) for a in range(k - 1)]
    price = [costs[0] + (costs[1] - costs[0]) * a / max(1, k - 2) for a in range(k - 1)]
    weights = [_weights(chance, d, spread) for _ in range(k - 1)]
    rows = []
    for _ in range(rounds):
        x = _context(chance, d)
        means = [_clip(b * (1 + _dot(w, x))) for b, w in zip(base, weights)]
        rewards = [
            int(chance.random() < p) if noise is None else round(_clip(p + chance.gauss(0, noise)), 4) for p in means
        ]
        paid = [round(min(p * chance.uniform(0.8, 1.2), 1), 5) for p in price]
        rows.append(x + [0] + rewards + [0] + paid)
    return _header(d, k), rows


def wide(chance, rounds, d=86, k=8, relevant=8):
    """Few rounds, many features (most of them 0). Action 0 does nothing; the others cost 0.5 to 1. A few features say
    whom they help."""
    price = [0.5 + 0.5 * a / (k - 2) for a in range(k - 1)]
    shared = _weights(chance, relevant, 0.25)
    own = [_weights(chance, relevant, 0.15) for _ in range(k - 1)]
    base = [0.2 + 0.2 * a / (k - 2) for a in range(k - 1)]
    rows = []
    for _ in range(rounds):
        x = [1 if chance.random() < 0.2 else 0 for _ in range(d - 2)] + _context(chance, 2)
        seen = [v - 0.2 for v in x[: relevant - 2]] + x[-2:]
        need = _dot(shared, seen)
        rewards = [_clip(b + need + _dot(w, seen) + chance.gauss(0, 0.1)) for b, w in zip(base, own)]
        paid = [round(min(p * chance.uniform(0.8, 1.2), 1), 5) for p in price]
        rows.append(x + [0] + [round(r, 3) for r in rewards] + [0] + paid)
    return _header(d, k), rows


def change(chance, rounds, d=6, k=5, at=0.5, what="reward"):
    """Rewards (or costs) follow other weights from a share `at` of the rounds on. Costs rise with the action."""

    def draw():
        return [(0.35 + 0.08 * a, _weights(chance, d, 0.2)) for a in range(k)]

    def prices():
        order = list(range(k))
        if what == "cost":
            chance.shuffle(order)
        return [0.05 + 0.9 * order[a] / (k - 1) for a in range(k)]

    means, price = draw(), prices()
    rows = []
    for t in range(rounds):
        if t == int(at * rounds):
            means, price = (draw(), price) if what == "reward" else (means, prices())
        x = _context(chance, d)
        rewards = [int(chance.random() < _clip(m + _dot(w, x))) for m, w in means]
        paid = [round(_clip(p * chance.uniform(0.7, 1.3)), 4) for p in price]
        rows.append(x + rewards + paid)
    return _header(d, k), rows


def curves(chance, rounds, d=4, k=4, at=1.0):
    """Rewards are coins whose chance is a sine of a linear function: no line fits. Other ones from a share `at` of the
    rounds on. Costs rise with the action."""

    def draw():
        return [(_weights(chance, d, 1.0), chance.uniform(0, 2 * math.pi)) for _ in range(k)]

    price = [0.05 + 0.9 * a / (k - 1) for a in range(k)]
    waves = draw()
    rows = []
    for t in range(rounds):
        if t == int(at * rounds):
            waves = draw()
        x = _context(chance, d)
        rewards = [int(chance.random() < 0.5 + 0.45 * math.sin(2.5 * _dot(w, x) + phase)) for w, phase in waves]
        paid = [round(_clip(p * chance.uniform(0.7, 1.3)), 4) for p in price]
        rows.append(x + rewards + paid)
    return _header(d, k), rows


def rescaled(path, context=1.0, reward=1.0, cost=1.0):
    """A copy of a table with its columns times factors."""
    factors = {"x": context, "r": reward, "c": cost}
    with gzip.open(path, "rt", newline="") as file:
        lines = csv.reader(file)
        header = next(lines)
        scale = [factors[name[0]] if name.startswith("x_") or name[1:].isdigit() else 1.0 for name in header]
        rows = [[v if f == 1 else repr(float(v) * f) for v, f in zip(line, scale)] for line in lines]
    return header, rows


def second_cost(path, seed=1):
    """A copy of a table with a second cost d0, d1, ..., a latency in another order than the first."""
    chance = random.Random(seed)
    with gzip.open(path, "rt", newline="") as file:
        lines = csv.reader(file)
        header = next(lines)
        k = sum(name[0] == "r" and name[1:].isdigit() for name in header)
        rows = [
            line + [f"{(0.1 + 0.5 * (7919 * a % k) / k) * (0.5 + chance.random()):.4f}" for a in range(k)]
            for line in lines
        ]
    return header + [f"d{a}" for a in range(k)], rows


def write(path, made):
    """Writes a table; a file that is there already is whole, since it is renamed when it is done."""
    if os.path.exists(path):
        return path
    os.makedirs(os.path.dirname(path), exist_ok=True)
    header, rows = made()
    handle, part = tempfile.mkstemp(dir=os.path.dirname(path), suffix=".part")
    with os.fdopen(handle, "w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(header)
        writer.writerows(rows)
    os.replace(part, path)
    return path
