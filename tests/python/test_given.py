"""What people give by mistake: refused with what was found and what is accepted, never a wrong number in silence."""

import decimal

import numpy as np
import pandas as pd
import pytest

import rein

NAN = float("nan")
WORDS = dict(spec="ccb(rate=0.1)", actions=3, context=2, costs=["dollars"], seed=1)


def refused(call, *parts):
    with pytest.raises(rein.Error, match="accepted") as raised:
        call()
    for part in parts:
        assert part in str(raised.value)


@pytest.mark.parametrize("key, value", [
    ("actions", 2.5), ("actions", "3"), ("actions", None), ("actions", True), ("actions", ["a", 2]),
    ("actions", 10**30), ("context", 1.5), ("context", ["a"]), ("action_features", NAN), ("rounds", 1e30),
    ("rounds", None), ("rounds", 1.5), ("rounds", float("inf")), ("seed", 1.5), ("seed", "7"), ("seed", -1),
    ("seed", np.random.default_rng(1)), ("secret", b"hush"), ("expire_after", 1.5), ("expire_after", 10**30),
    ("most_open", None), ("remember", "many"), ("safe_action", "a"), ("safe_action", True), ("costs", 1),
    ("costs", [1, 2]), ("costs", [None]), ("costs", {"a", "b"}), ("costs", ["\ud800"]), ("costs", b"dollars"),
    ("costs", ("dollars", (0, 1))), ("costs", {"a": (0, 1, 2)}), ("costs", {"a": "x"}), ("costs", {"a": (None, "x")}),
    ("reward", 1), ("reward", (0,)), ("reward", (0, 1, 2)), ("reward", "01"), ("reward", (0, "x")),
    ("reward", {"low": 0, "high": 1}), ("budget", "5"), ("budget", [None]), ("total", "5"),
    ("largest_costs", 0.1), ("largest_costs", "abc"), ("largest_costs", {"euros": [0.1] * 3}), ("safe_cost", "x"),
    ("default_outcome", 0.5), ("default_outcome", (0, 0, 0)), ("default_outcome", (None, None)),
    ("default_outcome", {"reward": 0, "costs": 0}), ("spec", None), ("spec", 3), ("spec", b"ccb"), ("spec", "\ud800"),
])
def test_an_agent_is_refused_by_the_name_of_what_is_wrong(key, value):
    words, engine, hard = dict(WORDS), {"expire_after": 5}, {}
    if key in ("largest_costs", "safe_cost", "safe_action"):
        hard = {"total": 1.0, "safe_action": 0}
    kinds = [(rein.EngineOptions, engine), (rein.HardLimits, hard)]
    next((given for kind, given in kinds if key in kind.__dataclass_fields__), words)[key] = value
    refused(lambda: rein.Agent(**words, engine=rein.EngineOptions(**engine), hard=rein.HardLimits(**hard)), key,
            "found")


def test_a_default_outcome_that_could_never_be_learned_is_refused():
    refused(lambda: rein.Agent(**WORDS, engine=rein.EngineOptions(default_outcome=(0.0, 0.1))), "expire_after")


def test_numbers_may_be_numpys_and_whole_ones_floats():
    agent = rein.Agent("ccb(rate=0.1)", actions=np.int64(3), context=2.0, costs={"a": np.float32(2)}, rounds=1e3,
                       seed=np.uint64(2**63), engine=rein.EngineOptions(most_open=1e4),
                       hard=rein.HardLimits(total=np.array(1.0), safe_action=np.int32(1)))
    assert agent.seed == 2**63 and agent.decide([0, 1]).probabilities.shape == (3,)
    assert agent.tick(5.0) == 0 and agent.state.now == 5


def test_largest_costs_may_be_columns_by_name():
    words = dict(actions=2, costs={"a": 1.0, "b": 1.0}, seed=1)
    columns = {"b": [0.9, 0.9], "a": [0.5, 0.6]}  # action 1 does not fit
    for given in (columns, pd.DataFrame(columns), [[0.5, 0.9], {"b": 0.9, "a": 0.6}]):
        limits = rein.HardLimits(total=[0.5, 9.0], largest_costs=given)
        assert rein.Agent("uniform", **words, hard=limits).decide().fitting == 1


@pytest.fixture
def agent():
    return rein.Agent(**WORDS)


@pytest.mark.parametrize("context", [
    ["1", "2"], "12", [1j, 2], np.array([1 + 0j, 2]), np.array(["2020", "2021"], "datetime64[Y]"),
    np.array([1, 2], "timedelta64[s]"), np.ma.array([1.0, 2.0], mask=[False, True]), {"a": 1, "b": 2}, {1.0, 2.0},
    [10**400, 1], [[1], [2, 3]], [None, 1], pd.Series([1, None], dtype="Int64"), [[0.1, 0.2]], b"ab", object(),
])
def test_what_is_no_context_is_refused_and_changes_nothing(agent, context):
    before = agent.state_hash()
    refused(lambda: agent.decide(context))
    refused(lambda: agent.decide_many(np.ma.stack([context] * 2) if np.ma.is_masked(context) else [context] * 2))
    assert agent.state_hash() == before


def test_a_context_may_also_be_a_generator_or_odd_numbers():
    agents = [rein.Agent(**WORDS) for _ in range(2)]
    for form in (lambda x: (v for v in x), lambda x: map(float, x), lambda x: [decimal.Decimal(v) for v in x],
                 lambda x: np.array(x, ">f8"), lambda x: np.ma.array(x), lambda x: np.array(x, np.float16)):
        assert agents[0].decide(form([0.5, 0.25])).id == agents[1].decide(np.array([0.5, 0.25])).id
    assert agents[0].state_hash() == agents[1].state_hash()


@pytest.mark.parametrize("offered", [[], np.zeros(0), [1.5], [True, False, True], np.array([True, True, False]),
                                     [2**32], [2**40], [NAN], ["0"], {0, 2}, 1, [[0, 1]], [-1], [None]])
def test_actions_that_are_none_are_never_taken_for_others(agent, offered):
    before = agent.state_hash()
    refused(lambda: agent.decide([0.1, 0.2], offered))
    refused(lambda: agent.decide([0.1, 0.2], ids=offered))
    refused(lambda: agent.look([0.1, 0.2], offered))
    if np.ndim(offered) == 1 or isinstance(offered, set):
        refused(lambda: agent.decide_many([[0.1, 0.2]] * 3, offered))
    assert agent.state_hash() == before


def test_ids_may_be_floats_that_are_whole():
    agent = rein.Agent(**{**WORDS, "spec": "uniform"})
    for offered in ([0.0, 2.0], pd.Series([0, 2], index=[7, 8]), np.array([0, 2], np.uint64), (i for i in (0, 2))):
        assert agent.decide([0.1, 0.2], offered).action_id in (0, 2)


@pytest.mark.parametrize("costs", ["0.1", ["0.1"], ["x", None], {"dollars": "x"}, {0.1}, [[0.1]],
                                   np.array([[0.1]]), {"dollars": 0.1, "euros": 0.1}, pd.Series({"euros": 0.1})])
def test_what_is_no_cost_is_refused_and_changes_nothing(agent, costs):
    d = agent.decide([0.1, 0.2])
    before = agent.state_hash()
    refused(lambda: agent.learn(d, 1.0, costs), "costs", "found")
    assert agent.state_hash() == before


def test_a_series_with_names_is_read_by_name():
    agent = rein.Agent("uniform", actions=2, costs={"a": 10.0, "b": 10.0}, seed=1)
    agent.learn(agent.decide(), 0.0, pd.Series({"b": 9.0, "a": 1.0}))
    agent.learn(agent.decide(), 0.0, pd.Series([1.0, 9.0], index=[7, 3]))  # no names: in order
    assert agent.spent == {"a": 2.0, "b": 18.0}
    one = rein.Agent("uniform", actions=2, costs=["a"], seed=1)
    assert one.learn(one.decide(), 0.0, np.array(0.25)) and one.spent == {"a": 0.25}


@pytest.mark.parametrize("ids", [[1.5], [-1], [2**64], ["1"], np.array([1e19]), [None], 5])
def test_ids_of_outcomes_are_never_rounded_or_wrapped(agent, ids):
    refused(lambda: agent.learn_many(ids, [0.0], [0.0]))


def test_ids_of_both_halves_may_stand_in_one_list(agent):
    made = [agent.decide([0.1, 0.2]).id for _ in range(40)]
    assert min(made) < 2**63 < max(made)  # numpy alone would make floats of them
    assert agent.learn_many(made, np.zeros(40), np.zeros(40)) == 40


@pytest.mark.parametrize("call", [
    lambda a: a.learn(1.5, 0.0, [0.1]), lambda a: a.learn("7", 0.0, [0.1]), lambda a: a.tick(1.5),
    lambda a: a.tick(None), lambda a: a.tick(2**70), lambda a: a.bounds("x"), lambda a: rein.Agent.restore("abc"),
    lambda a: a.decide_many(rounds=-1), lambda a: a.decide_many(rounds=2.5), lambda a: a.decide_many(rounds=10**12),
    lambda a: a.learn_many([1], [0.0], {"euros": [0.0]}), lambda a: a.learn_many([1], [0.0], {"dollars": [0.0, 1.0]}),
    lambda a: a.learn_many([1], [0.0], pd.DataFrame({"euros": [0.0]})),
])
def test_other_calls_are_refused_in_the_same_way(agent, call):
    before = agent.state_hash()
    refused(lambda: call(agent), "found")
    assert agent.state_hash() == before


def test_a_snapshot_may_be_any_bytes(agent):
    for form in (bytearray, memoryview):
        assert rein.Agent.restore(form(agent.snapshot())).state_hash() == agent.state_hash()


@pytest.mark.parametrize("key, value", [
    ("rounds", 50.5), ("rounds", "5"), ("rounds", 2**70), ("seeds", [1, 2]), ("seeds", None), ("first_seed", -1),
    ("first_seed", 2**64), ("threads", None), ("delay", 1.5), ("margin", "x"), ("curve_points", None), ("world", None),
    ("world", rein.World), ("policies", None), ("policies", 3), ("policies", [None]), ("policies", {"ccb", "uniform"}),
    ("policies", b"ccb"), ("oracles", [1]), ("oracles", {"x": 3}), ("oracles", {3: lambda shape: None}),
    ("parallel", 2.5), ("parallel", []), ("grid", "gamma_scale=1"), ("grid", {"gamma_scale": 2}),
    ("grid", {"tuning": ["auto", "theory"]}), ("grid", {3: [1]}), ("slack", "x"), ("title", 3),
    ("budgets", "day"), ("budgets", [3]), ("missing", 0.4), ("missing", {"reward": "x"}), ("missing", {3: 0.4}),
    ("late", {"reward": 0.5}), ("keys", [1]), ("ticks", 1.5), ("expire", "x"),
])
def test_a_run_is_refused_by_the_name_of_what_is_wrong(key, value):
    refused(lambda: rein.compare(**{"world": "two_arm", "policies": "uniform", "rounds": 10, key: value}), key, "found")


@pytest.mark.parametrize("key, value", [("profile", None), ("parts", ["d"]), ("seeds", 1.5), ("first", "6")])
def test_a_verification_is_refused_likewise(key, value):
    refused(lambda: rein.verify(**{key: value}), key, "found")


def test_a_number_of_workers_may_be_numpys_and_options_may_be_loose():
    found = rein.run("two_arm", "uniform", rounds=1e2, seeds=np.int64(2), long_term=1, parallel=np.int64(1))
    assert found.summary["rounds"] == 100 and len(found.workers) == 1
