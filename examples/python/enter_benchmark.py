"""Enters the public benchmark with a policy of one's own: ten lines, and its score beside ours (docs/benchmark.md)."""

import numpy as np

import rein


class Thrifty:
    """The best mean reward per cost, while money is left; a tenth of the rounds at random."""

    def __init__(self, shape):
        self.sums, self.count, self.budget = np.ones((2, shape.actions)), np.ones(shape.actions), shape.budgets[0]

    def decide(self, round, spent):
        means = (self.sums / self.count)[:, round.ids]
        chances = np.full(round.actions, 0.1 / round.actions)
        chances[np.argmax(means[0] / means[1]) if spent[0] < self.budget else np.argmin(means[1])] += 0.9
        return chances

    def learn(self, round, action, probability, reward, costs):
        self.sums[:, round.ids[action]] += reward, costs[0]
        self.count[round.ids[action]] += 1


if __name__ == "__main__":
    found = rein.benchmark(["ccb", "uniform", Thrifty], profile="small")
    print(found)
    print(found.to_pandas().pivot(index="problem", columns="policy", values="score").round(1))
