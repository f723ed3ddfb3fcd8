"""Whether MRDR earns its place (docs/lab/replays.md): the squared error of the doubly robust value with the usual
regression, and with the regression of MRDR (Farajtabar, Chow, Ghavamzadeh, ICML 2018).

    python3 bench/mrdr.py [LOGS]

MRDR fits the regression so that the variance of the doubly robust scores is least. For a stochastic policy a row
counts pi(a|x) (1 - p) / p^2. Both regressions are ridge, one per action, cross-fitted in 5 folds. Rewards are 0 or 1;
their means are linear in 3 features, or bent.
"""

import sys

import numpy as np

ACTIONS, FEATURES, FOLDS, WORLDS = 4, 3, 5, 20
EVERYWHERE = 2 * np.random.default_rng(1).random((100_000, FEATURES)) - 1


class Problem:
    def __init__(self, seed, bent):
        rng = np.random.default_rng(seed)
        self.level = 0.5 + 0.15 * (2 * rng.random(ACTIONS) - 1)
        self.slope = 0.12 * (2 * rng.random((ACTIONS, FEATURES)) - 1)
        self.score = 2 * rng.random((ACTIONS, FEATURES)) - 1
        self.bent = bent

    def means(self, x):
        out = self.level + x @ self.slope.T
        if self.bent:
            which = np.arange(ACTIONS)
            out = out + 0.24 * np.abs(x[:, which % FEATURES]) * np.where(which % 2 == 0, 1.0, -1.0)
        return np.clip(out, 0.1, 0.9)

    def policy(self, name, x):
        if name == "uniform":
            return np.full((len(x), ACTIONS), 1 / ACTIONS)
        scores = x @ self.score.T
        if name in ("softmax", "other"):
            found = np.exp(scores * (2.0 if name == "softmax" else -1.0))
            return found / found.sum(axis=1, keepdims=True)
        share = 0.7 if name == "epsilon" else 1.0
        out = np.full((len(x), ACTIONS), (1 - share) / ACTIONS)
        best = scores if name == "epsilon" else self.means(x)
        out[np.arange(len(x)), best.argmax(axis=1)] += share
        return out

    def value(self, name):
        return (self.policy(name, EVERYWHERE) * self.means(EVERYWHERE)).sum(axis=1).mean()


def predictions(x, action, reward, weight):
    """Cross-fitted ridge regressions of the reward, one per action, with these weights of rows."""
    z = np.column_stack([np.ones(len(x)), x])
    penalty = np.diag([1e-6] + [1.0] * FEATURES)
    out = np.zeros((len(x), ACTIONS))
    fold = np.arange(len(x)) % FOLDS
    for held in range(FOLDS):
        for a in range(ACTIONS):
            use = (fold != held) & (action == a) & (weight > 0)
            if not use.any():
                continue
            weighed = z[use] * (weight[use] / weight[use].mean())[:, None]
            out[fold == held, a] = z[fold == held] @ np.linalg.solve(weighed.T @ z[use] + penalty,
                                                                     weighed.T @ reward[use])
    return out


def condition(log, target, bent, rows, logs):
    """Mean squared errors of dr with both regressions."""
    errors = np.zeros(2)
    problems = [Problem(100 + i, bent) for i in range(min(WORLDS, logs))]
    truths = [problem.value(target) for problem in problems]
    every = np.arange(rows)
    for i in range(logs):
        problem, truth = problems[i % WORLDS], truths[i % WORLDS]
        rng = np.random.default_rng(1100 + i)
        x = 2 * rng.random((rows, FEATURES)) - 1
        chances = problem.policy(log, x)
        action = (chances.cumsum(axis=1) < rng.random((rows, 1))).sum(axis=1).clip(0, ACTIONS - 1)
        p = chances[every, action]
        reward = (rng.random(rows) < problem.means(x)[every, action]).astype(float)
        pi = problem.policy(target, x)
        played = pi[every, action]
        for j, weight in enumerate((np.ones(rows), played * (1 - p) / p**2)):
            q = predictions(x, action, reward, weight)
            found = (pi * q).sum(axis=1).mean() + (played / p * (reward - q[every, action])).mean()
            errors[j] += (found - truth)**2 / logs
    return errors


def main():
    logs = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print("| log | policy | truth | rows | error of dr | error with MRDR | ratio |\n|---|---|---|---|---|---|---|")
    ratios = []
    for bent in (False, True):
        for log in ("uniform", "softmax", "epsilon"):
            for target in ("other", "greedy"):
                for rows in (500, 2000):
                    usual, robust = condition(log, target, bent, rows, logs)
                    ratios.append(robust / usual)
                    print(f"| {log} | {target} | {'bent' if bent else 'linear'} | {rows} | {usual:.2e} | {robust:.2e} "
                          f"| {ratios[-1]:.2f} |", flush=True)
    print(f"\n{sum(r < 0.99 for r in ratios)} of {len(ratios)} better by more than 1 %, "
          f"{sum(r > 1.01 for r in ratios)} worse by more than 1 %; the worst ratio is {max(ratios):.2f}")


if __name__ == "__main__":
    main()
