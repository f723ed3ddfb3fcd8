"""A baseline that is an action or a policy: of the agent, or of each round."""

import numpy as np
import pytest

import rein

NAMES = ["small", "large", "huge"]


def make(spec="ccb(baseline=round)", **more):
    return rein.Agent(spec, actions=NAMES, context=1, reward=(0, 1), seed=1, **more)


@pytest.mark.parametrize("given, expected", [
    ("large", [0, 1, 0]), ({"small": 0.2, "large": 0.8}, [0.2, 0.8, 0]), ([0.2, 0.8, 0], [0.2, 0.8, 0]),
    (np.array([0, 0.5, 0.5]), [0, 0.5, 0.5])])
def test_the_baseline_of_an_agent_is_an_action_or_a_mix(given, expected):
    agent = make("ccb(baseline_loss=0.2)", baseline=given)
    assert agent.decide([1.0]).probabilities == pytest.approx(expected), "at first only the baseline is safe"
    assert rein.Agent("ccb", actions=3, reward=(0, 1), baseline=np.int64(1)).spec == "ccb(baseline=1)"


def test_a_round_brings_its_own():
    agent = make()
    assert agent.decide([1.0], baseline={"small": 0.3, "large": 0.7}).probabilities == pytest.approx([0.3, 0.7, 0])
    assert agent.decide([1.0], baseline=[0, 0.5, 0.5]).probabilities == pytest.approx([0, 0.5, 0.5])
    assert agent.look([1.0], baseline={"huge": 1}).probabilities == pytest.approx([0, 0, 1])
    free = agent.decide([1.0]).probabilities
    assert free.max() < 1, "a round without a baseline"
    some = agent.decide([1.0], ["huge", "small"], baseline={"small": 0.3, "huge": 0.3, "large": 0.4})
    assert some.probabilities == pytest.approx([0.5, 0.5]), "renormalised over what is offered"


def test_it_is_kept_with_the_decision():
    agent = make()
    d = agent.decide([1.0], baseline={"small": 1.0})
    again = rein.Agent.restore(agent.snapshot())
    for one in (agent, again):
        one.learn(d, reward=1.0)
    assert again.state_hash() == agent.state_hash()


@pytest.mark.parametrize("given, message", [
    ({"smal": 1}, "baseline: found 'smal'; accepted: 'small', 'large', 'huge'"),
    ([0.5, 0.5], "one probability per action of the round"),
    ([0.5, 0.9, 0], "sums to 1.4"),
    ({"small": 0.3}, "sums to 0.3"),
    ({"small": "a"}, "accepted: a number")])
def test_what_is_no_distribution_is_refused(given, message):
    agent = make()
    with pytest.raises(rein.Error) as wrong:
        agent.decide([1.0], baseline=given)
    assert message in str(wrong.value)
    assert agent.state.open == 0


def test_a_policy_without_a_baseline_refuses_one():
    with pytest.raises(rein.Error, match="the policy takes none"):
        make("ccb").decide([1.0], baseline=[1, 0, 0])
    with pytest.raises(rein.Error, match="baseline: found 'best'"):
        make("ccb", baseline="best")


def test_the_loss_is_at_most_the_share():
    means, total, base = np.array([0.6, 0.4, 0.1]), 0.0, 0.0
    agent, rng = make("ccb(baseline=round,baseline_loss=0.2,baseline_share=0.5)"), np.random.default_rng(2)
    for t in range(1500):
        pi = np.array([0.5 + 0.5 * np.sin(t / 20), 0.5 - 0.5 * np.sin(t / 20), 0.0])
        d = agent.decide([1.0], baseline=pi)
        total, base = total + d.probabilities @ means, base + pi @ means
        assert total >= 0.8 * base - 1e-9
        agent.learn(d, reward=float(rng.random() < means[d.place]))
    assert total > base, "and it learns"


def test_goals_learn_parts_and_use_list_prices():
    agent = rein.Agent("ccb", actions=["small", "large"], costs={"dollars": 1.0}, reward=(0, 1), seed=1,
                       goal=rein.Goal(minimize="dollars", at_least={"reward": 0.5}),
                       expected_costs={"small": 0.1, "large": 0.8})
    d = agent.decide()
    assert d.estimates[1] == pytest.approx([0.1, 0.8])
    agent.learn(d, costs=0.1)
    assert agent.spent == {"dollars": pytest.approx(0.1)} and agent.state.without_reward == 1
    agent.learn(d, reward=1.0)
    assert agent.state.open == 0 and agent.state.reward == pytest.approx(1.0)
