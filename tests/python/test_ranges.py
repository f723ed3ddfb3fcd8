"""No scale to know: ranges are optional, costs come in any unit, and bounds are learned."""

import random
import warnings

import pytest

import rein

RATE, ROUNDS, SEEDS = 0.06, 2000, 5
COSTS, REWARDS = [0.0005, 0.01, 0.07, 0.7], [0.2, 0.45, 0.6, 0.8]


def play(unit, **ranges):
    """Mean reward, and spend as a share of the budget."""
    reward = spent = 0.0
    for seed in range(SEEDS):
        agent = rein.Agent("ccb", actions=4, context=3, seed=seed, **ranges,
                           budgets=rein.Budget("all", "dollars", RATE * ROUNDS * unit, rounds=ROUNDS))
        rng = random.Random(seed)
        for _ in range(ROUNDS):
            x, y = rng.random(), rng.random()
            rolls, sizes = [rng.random() for _ in range(4)], [rng.random() for _ in range(4)]
            a = (d := agent.decide([1.0, x, y])).action
            earned = float(rolls[a] < 0.8 * REWARDS[a] * (0.5 + (x, y)[a % 2]))
            cost = COSTS[a] * (0.5 + (y, x)[a % 2]) * (0.6 + 0.8 * sizes[a]) / 2
            agent.learn(d, reward=earned, costs=cost * unit)
            reward, spent = reward + earned, spent + cost
    return reward / ROUNDS / SEEDS, spent / (RATE * ROUNDS * SEEDS)


def test_any_unit_a_wide_range_and_none_give_what_the_tight_range_gives():
    tight = play(1.0, costs={"dollars": 0.75}, reward=(0, 1))
    others = [play(1.0, costs=["dollars"]), play(1.0, costs={"dollars": 750.0}, reward=(0, 1000)),
              play(1e-6, costs=["dollars"]), play(1e-6, costs={"dollars": 0.75e-6}, reward=(0, 1)),
              play(1e6, costs=["dollars"]), play(1e6, costs={"dollars": (0, None)})]
    for found in others:
        assert found == (pytest.approx(tight[0], rel=0.01), pytest.approx(tight[1], rel=0.005))


def test_nothing_declared_means_that_nothing_is_clipped():
    agent = rein.Agent("ccb(rate=10)", actions=2, costs=["dollars"], seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.learn(agent.decide(), reward=1e6, costs=700.0)
    assert (agent.state.clipped, agent.spent, agent.state.reward) == (0, {"dollars": 700.0}, 1e6)
    assert agent.queues["dollars"] == pytest.approx(690.0)
    for wrong in (float("nan"), float("inf"), 1e30):
        with pytest.raises(rein.Error, match="accepted"):
            agent.learn(agent.decide(), reward=wrong, costs=0.0)
    again = rein.Agent.restore(agent.snapshot())
    assert again.state_hash() == agent.state_hash()


def test_a_cost_above_its_range_is_told_once():
    agent = rein.Agent("ccb(rate=0.1)", actions=2, costs={"dollars": 1.0}, seed=1)
    with pytest.warns(rein.RangeWarning, match="booked in full"):
        agent.learn(agent.decide(), reward=0.5, costs=7.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        agent.learn(agent.decide(), reward=0.5, costs=7.0)
    assert (agent.state.clipped, agent.spent) == (2, {"dollars": 14.0})
    batch = rein.Agent("ccb(rate=0.1)", actions=2, costs={"dollars": 1.0}, seed=1)
    with pytest.warns(rein.RangeWarning):
        batch.learn_many(batch.decide_many(rounds=2), reward=[0.5, 0.5], costs=[0.5, 7.0])


@pytest.mark.parametrize("spec", ["squarecb", "ccb(rate=0.1,rounds=9,tuning=theory)", "ccb(rate=0.1,oracle=mlp)"])
def test_theorems_ask_for_ranges(spec):
    with pytest.raises(rein.Error, match="accepted: a range for the reward"):
        rein.Agent(spec, actions=2, context=1, costs=["dollars"])
    if spec != "squarecb":  # which does not look at costs
        with pytest.raises(rein.Error, match='a range for the cost "dollars"'):
            rein.Agent(spec, actions=2, context=1, costs=["dollars"], reward=(0, 1))
    rein.Agent(spec, actions=2, context=1, costs={"dollars": (-1, 1)}, reward=(0, 1))


def test_without_a_budget_a_cost_without_a_range_is_refused():
    with pytest.raises(rein.Error, match="no range and no budget"):
        rein.Agent("ccb", actions=2, costs=["dollars"])


def test_a_hard_budget_needs_a_largest_cost():
    words = {"actions": 2, "costs": ["dollars"], "seed": 1}
    agent = rein.Agent("uniform", **words, hard=rein.HardLimits(total=1.0))
    with pytest.raises(rein.Error, match="nothing says what action id 0 can cost in \"dollars\"; accepted: largest"):
        agent.decide()
    assert agent.decide(largest_costs=[0.5, 2.0]).fitting == 1
    limits = rein.HardLimits(total=1.0, largest_costs=[0.5, 2.0])
    assert rein.Agent("uniform", **words, hard=limits).decide().fitting == 1


def test_what_an_action_can_cost_is_learned_for_most_costs():
    agent = rein.Agent("uniform", actions=2, costs=["dollars", "seconds"], seed=1)
    assert agent.learned_largest_costs == {"dollars": [None, None], "seconds": [None, None]}
    assert agent.decide(most_costs={"dollars": 0.1}).fitting == 2
    for n in range(200):
        d = agent.decide()
        agent.learn(d, reward=0.0, costs=[[0.02, 0.5][d.action], 9.0 if n % 60 == 59 else 1.0])
    assert agent.learned_largest_costs == {"dollars": [0.02, 0.5], "seconds": [1.0, 1.0]}
    assert agent.decide(most_costs={"dollars": 0.1}).fitting == 1
    assert rein.Agent("uniform", actions=2, costs={"dollars": 1.0}).learned_largest_costs == {}
