"""ccb(tuning=theory) with vaw against the formulas, in plain numpy.

The numpy version is written from the mathematics, not from the C++: prices from queues, scores, gamma
from the running sum of z, inverse gap weighting by bisection, ridge predictions by solving. It is told
which action was drawn and must arrive at the same probabilities.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rein


class Plain:
    def __init__(self, setting, k, d, m, rounds, u, budget, reg, scale):
        self.setting, self.k, self.m, self.u, self.reg, self.scale = setting, k, m, max(u, 1.0), reg, scale
        self.low = 0.0 if setting == "knapsack" else -1.0
        root = np.sqrt(k * rounds * self.u)
        self.v = scale * root
        self.rate = scale / (4 * (m + 1) * root + 2 * budget)
        self.cap = 3 * (m + 2 * rounds + 2 * (m + 1) * root)
        self.queue = np.zeros(m)
        self.sum_z = 0.0
        self.gram = np.array([reg * np.eye(d + 1)] * k)
        self.moment = np.zeros((k, 1 + m, d + 1))

    def predict(self, x):
        phi = np.append(x, 1.0)
        out = np.zeros((1 + self.m, self.k))
        for a in range(self.k):
            out[:, a] = self.moment[a] @ np.linalg.solve(self.gram[a] + np.outer(phi, phi), phi)
        return np.vstack([out[:1].clip(-1, 1), out[1:].clip(self.low, 1)])

    def prices(self, reserved):
        queue = self.queue + reserved
        if self.setting == "knapsack":
            return self.rate * np.minimum(np.exp(self.rate * queue), self.cap)
        return 2 * np.maximum(queue, 0) / self.v

    def decide(self, x, reserved):
        means, price = self.predict(x), self.prices(reserved)
        score = means[0] - price @ means[1:]
        z = max(1.0, *(price**2)) if self.m else 1.0
        heads = self.m + 1 if self.m else 1
        gamma = self.scale * np.sqrt(self.k / self.u * (self.sum_z + z)) / (heads * z)
        gap = 2 * gamma * (score.max() - score)
        low, high = 0.5, float(self.k)
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if (1 / (middle + gap)).sum() > 1 else (low, middle)
        p = 1 / (high + gap)
        return means, price, z, p / p.sum()

    def learn(self, x, action, z, reward, costs):
        phi = np.append(x, 1.0)
        self.gram[action] += np.outer(phi, phi)
        self.moment[action] += np.outer([reward, *costs], phi)
        self.queue += costs
        self.sum_z += z


@given(
    setting=st.sampled_from(["expectation", "knapsack"]), k=st.integers(1, 6), d=st.integers(0, 5),
    m=st.integers(1, 3), u=st.floats(0.5, 50), budget=st.floats(0, 50), reg=st.floats(0.1, 5),
    scale=st.sampled_from([0.3, 1.0, 20.0]), delay=st.integers(0, 6), seed=st.integers(0, 2**32),
)
def test_the_agent_is_the_algorithm(setting, k, d, m, u, budget, reg, scale, delay, seed):
    rounds = 40
    budgets = f",budget=[{','.join([repr(budget)] * m)}]" if setting == "knapsack" else ""
    spec = (f"ccb(setting={setting},tuning=theory,rounds={rounds},u={u!r},v_scale={scale},lambda_scale={scale},"
            f"gamma_scale={scale},oracle=vaw(features=per_action,bias=1,reg={reg!r}){budgets})")
    agent = rein.Agent(spec, actions=k, context=d, costs={f"c{i}": (-1, 1) for i in range(m)},
                       reward=(-1, 1), seed=seed)
    plain = Plain(setting, k, d, m, rounds, u, budget, reg, scale)
    rng = np.random.default_rng(seed)
    waiting, reserved = [], np.zeros(m)
    for _ in range(rounds):
        x = rng.uniform(-1, 1, d)
        decision = agent.decide(x)
        means, price, z, p = plain.decide(x, reserved)
        assert decision.estimates == pytest.approx(means, abs=1e-9)
        assert decision.prices == pytest.approx(price, rel=1e-7, abs=1e-9)
        assert decision.probabilities == pytest.approx(p, abs=1e-7)
        waiting.append((x, decision, z, means[1:, decision.action].clip(0, 1)))
        reserved += waiting[-1][3]
        if len(waiting) > delay:
            x, settled, z, held = waiting.pop(int(rng.integers(len(waiting))))
            reserved -= held
            reward, costs = rng.uniform(-1, 1), rng.uniform(plain.low, 1, m)
            agent.learn(settled, reward, costs)
            plain.learn(x, settled.action, z, reward, costs)
    assert list(agent.queues.values()) == pytest.approx(plain.queue, abs=1e-9)
