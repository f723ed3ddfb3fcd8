"""A generator as a world."""

import numpy as np
import pytest

import rein


def coins(rng, rounds):
    for _ in range(rounds):
        p = rng.random(3)
        means = np.vstack([p, [0.0, 0.2, 0.4]])
        yield rein.Scene(reward=rng.random(3) < p, costs=means[1], context=p, means=means)


def make_world(**more):
    return rein.World(coins, actions=3, context=3, costs={"dollars": 1.0}, reward=(0, 1), **more)


def test_a_generator_is_a_world_and_every_policy_meets_the_same_one():
    assert repr(make_world()) == "<rein.World coins: 3 actions, costs ['dollars']>"
    policies = ["ccb(rate=0.1)", "uniform", "ccb(optimism=1,rate=0.1)"]
    result = rein.run(make_world(), policies, rounds=300, seeds=3, references=True)
    assert result.summary["world"] == 'own(name="coins")'
    ccb, first, same = (policy["reward"]["mean"] for policy in result.summary["policies"])
    assert ccb == same != first  # 1 is the default
    again = rein.run(make_world(), "uniform", rounds=300, seeds=3, threads=1)
    assert again.summary["policies"][0]["reward"]["mean"] == first


def test_a_world_is_told_what_was_chosen():
    told = []

    def listener(rng, rounds):
        for _ in range(rounds):
            chosen = yield rein.Scene(reward=[0.0, 1.0])
            told.append(chosen)

    rein.run(rein.World(listener, actions=2, adapts=True), "greedy", rounds=20)
    assert len(told) == 19 and set(told) <= {0, 1}


@pytest.mark.parametrize("message, scenes", [
    ("ended after 0 rounds", []),
    ("accepted: one reward and 0 costs per action", [rein.Scene(reward=[0, 1], costs=[1, 2])]),
    ("seed 1, round 1: .*reward", [rein.Scene(reward=[7, 7])]),
    ("boom", None),
])
def test_a_world_that_is_none_says_so(message, scenes):
    def world(rng, rounds):
        if scenes is None:
            raise RuntimeError("boom")
        yield from scenes

    with pytest.raises((rein.Error, RuntimeError), match=message):
        rein.run(rein.World(world, actions=2), "uniform", rounds=5)


@pytest.mark.parametrize("message, scene, sizes", [
    ("found 3; accepted: a rein.Scene", 3, {}), ("round 1: reward: found", rein.Scene(reward=["a", "b"]), {}),
    ("found reward", rein.Scene(reward=[]), {}), ("found reward", rein.Scene(reward=[[1, 0]]), {}),
    ("found reward", rein.Scene(reward=[0, 1], costs=[1, 2, 3]), {"costs": ["c"]}),
    ("found context", rein.Scene(reward=[0, 1], context=[[1, 2]]), {"context": 2}),
    ("features", rein.Scene(reward=[0, 1], features=[1, 2]), {"action_features": 2}),
    ("ids: found", rein.Scene(reward=[0, 1], ids=[0.5, 1.5]), {}),
    ("found means", rein.Scene(reward=[0, 1], means=[0, 1]), {}),
    ("found means", rein.Scene(reward=[0, 1], means=[[np.nan, 1]]), {}),
])
def test_a_scene_that_is_none_is_refused_with_its_round(message, scene, sizes):
    def world(rng, rounds):
        for _ in range(rounds):
            yield scene

    with pytest.raises(rein.Error, match=f"world world, round 1: .*{message}|{message}"):
        rein.run(rein.World(world, **{"actions": 2, **sizes}), "uniform", rounds=5)


@pytest.mark.parametrize("message, make", [
    ("accepted: a function", lambda: rein.World(3, actions=2)),
    ("accepted: a function", lambda: rein.World(coins(None, 3), actions=2)),
    ("without quotes", lambda: rein.World(coins, actions=2, name='a"b')),
    ("name: found 3", lambda: rein.World(coins, actions=2, name=3)),
    ("accepted: a generator", lambda: rein.run(rein.World(lambda rng, n: [1] * n, actions=2), "uniform", rounds=3)),
])
def test_what_is_no_world_is_refused(message, make):
    with pytest.raises(rein.Error, match=message):
        make()
