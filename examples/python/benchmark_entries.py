"""Policies of the literature, entered into the public benchmark by the door for policies of one's own
(docs/benchmark.md).

    python3 examples/python/benchmark_entries.py                        # a first look, a minute
    python3 examples/python/benchmark_entries.py full result.json       # all rounds and seeds

Each is written from its text, for one or several costs, with constants that nobody tuned:

- LinUcbPaced, ThompsonPaced: a ridge regression per action and head. The reward is optimistic (Li, Chu, Langford,
  Schapire 2010) or drawn from its posterior (Agrawal, Goyal 2013). Costs are priced by a dual variable that steps by
  the spend of a round less its budget (Balseiro, Gur 2019).
- Port: after arXiv 2509.02718. Estimates by nearest neighbours, and a dual price that is solved for once, on a sample
  of the first rounds. The text has a data set with the outcome of every model for past queries. Here nobody has one:
  the sample is played at random, and neighbours are rounds that were played.
"""

import sys

import numpy as np

import rein


def numbers_of(round):
    """One row per action: the context, the features of the action, and 1."""
    k = round.actions
    return np.hstack([np.tile(round.context, (k, 1)), round.features.reshape(k, -1), np.ones((k, 1))])


class Paced:
    """A ridge regression per action and head, and a dual price per cost."""

    step = 4.0  # of the price, times 1 / sqrt(rounds)

    def __init__(self, shape):
        self.rate = np.maximum(np.array(shape.budgets) / shape.rounds, 1e-9)
        self.budgets, self.rounds = np.array(shape.budgets), shape.rounds
        self.inverse, self.sums, self.actions, self.heads = None, None, shape.actions, shape.heads
        self.price = np.zeros(len(self.rate))
        self.rng = np.random.default_rng(1)

    def estimate(self, z, ids):
        """Means (heads x actions) and widths of these actions."""
        if self.inverse is None:
            d = z.shape[1]
            self.inverse, self.sums = np.tile(np.eye(d), (self.actions, 1, 1)), np.zeros((self.actions, d, self.heads))
        spread = np.einsum("kij,kj->ki", self.inverse[ids], z)
        return np.einsum("ki,kih->hk", spread, self.sums[ids]), np.sqrt(np.einsum("ki,ki->k", spread, z))

    def decide(self, round, spent):
        means, widths = self.estimate(numbers_of(round), round.ids)
        if np.any(np.asarray(spent) >= self.budgets):
            return int(np.argmin((means[1:] / self.rate[:, None]).sum(axis=0)))
        return int(np.argmax(self.hope(means[0], widths) - (self.price / self.rate) @ means[1:]))

    def learn(self, round, action, probability, reward, costs):
        z, a = numbers_of(round)[action], round.ids[action]
        spread = self.inverse[a] @ z
        self.inverse[a] -= np.outer(spread, spread) / (1.0 + z @ spread)
        self.sums[a] += np.outer(z, np.concatenate([[reward], costs]))
        self.price = np.maximum(self.price + self.step / np.sqrt(self.rounds) * (np.array(costs) / self.rate - 1), 0)


class LinUcbPaced(Paced):
    width = 0.5

    def hope(self, means, widths):
        return means + self.width * widths


class ThompsonPaced(Paced):
    width = 0.25

    def hope(self, means, widths):
        return means + self.width * widths * self.rng.standard_normal(len(means))


class Port:
    share, neighbours, kept = 0.1, 10, 500  # of the rounds that are the sample; behind an estimate; rows per action

    def __init__(self, shape):
        self.budgets, self.rounds, self.actions = np.array(shape.budgets), shape.rounds, shape.actions
        self.count, self.heads = np.zeros(shape.actions, int), shape.heads
        self.where, self.gave = None, None  # rows that were played, and their outcomes: reward, costs
        self.sample, self.price = [], None

    def estimate(self, z, ids):
        out = np.zeros((self.heads, len(ids)))
        for k, a in enumerate(ids):
            n = self.count[a]
            if n == 0:
                continue
            gave = self.gave[a, :n]
            if n > self.neighbours:
                far = self.where[a, :n] - z[k]
                gave = gave[np.argpartition(np.einsum("ij,ij->i", far, far), self.neighbours)[: self.neighbours]]
            out[:, k] = gave.mean(axis=0)
        return out

    def decide(self, round, spent):
        k = round.actions
        if len(self.sample) < self.share * self.rounds:
            return np.full(k, 1 / k)
        means = self.estimate(numbers_of(round), round.ids)
        if np.any(np.asarray(spent) >= self.budgets):
            return int(np.argmin(means[1:].sum(axis=0)))
        return int(np.argmax(means[0] - self.price @ means[1:]))

    def learn(self, round, action, probability, reward, costs):
        a, z = round.ids[action], numbers_of(round)
        if self.where is None:
            self.where = np.zeros((self.actions, self.kept, z.shape[1]))
            self.gave = np.zeros((self.actions, self.kept, self.heads))
        n = self.count[a]
        if n < self.kept:
            self.where[a, n], self.gave[a, n] = z[action], np.concatenate([[reward], costs])
            self.count[a] += 1
        if self.price is None:
            self.sample.append((z, np.array(round.ids)))
            if len(self.sample) >= self.share * self.rounds:
                self.solve()

    def solve(self):
        """The prices that minimise price budget + sum over the sample of the best priced action, by subgradients."""
        seen = [self.estimate(z, ids) for z, ids in self.sample[-200:]]
        rate = self.budgets / self.rounds
        self.price = price = np.zeros(len(rate))
        mean = np.zeros(len(rate))
        for step in range(1, 401):
            spent = np.mean([means[1:, np.argmax(means[0] - price @ means[1:])] for means in seen], axis=0)
            price = np.maximum(price + (spent - rate) / np.maximum(rate, 1e-9) / np.sqrt(step) * 0.5, 0)
            mean += price / 200 if step > 200 else 0
        self.price = mean


if __name__ == "__main__":
    profile = sys.argv[1] if len(sys.argv) > 1 else "small"
    found = rein.benchmark(["ccb", "pacer", LinUcbPaced, ThompsonPaced, Port, "uniform"], profile=profile)
    print(found)
    print(found.to_pandas().pivot(index="problem", columns="policy", values="score").round(1))
    if len(sys.argv) > 2:
        found.save(sys.argv[2])
