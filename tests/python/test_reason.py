"""An error keeps its kind on the way up: the exception has the right class, however deep it starts."""

import pytest

import rein


def test_a_hard_stop_in_the_middle_of_a_run():
    with pytest.raises(rein.BudgetSpent, match=r"policy stop\(.*seed 1, round \d+: hard stop"):
        rein.run("subset(of=fixed_context,share=0.3)", "stop(null=0,of=uniform)", rounds=2000)


def test_batches():
    agent = rein.Agent("ccb", actions=2, costs={"c": (-1, 1)}, seed=1)
    d = agent.decide()
    agent.learn(d, 0.5, [0.1])
    with pytest.raises(rein.OutcomeConflict, match="batch: outcome 0 of 1"):
        agent.learn_many([d.id], [0.6], [[0.1]])
    with pytest.raises(rein.UnknownDecision, match="batch: outcome 0 of 1"):
        agent.learn_many([d.id ^ 1], [0.6], [[0.1]])


def test_a_snapshot_whose_inside_was_changed():
    agent = rein.Agent("ccb", actions=2, costs={"c": (-1, 1)}, seed=1)
    with pytest.raises(rein.CorruptState, match="snapshot"):
        rein.Agent.restore(agent.snapshot()[:-20])


@pytest.mark.parametrize("field, call", [
    ("policy", lambda: rein.Agent("ccb(gama=1)", actions=2, costs={"c": (-1, 1)})),
    ("budgets", lambda: rein.Agent("ccb", actions=2, costs={"c": (0, 1)}, budgets=[rein.Budget("b", "d", 1)])),
    ("reward", lambda: rein.Agent("ccb", actions=2, costs={"c": (-1, 1)}, reward=(1, 0))),
    ("context", lambda: rein.Agent("ccb", actions=2, context=1, costs={"c": (-1, 1)}).decide([1e300])),
    ("scopes", lambda: rein.Agent("ccb", actions=2, costs={"c": (-1, 1)}).decide(scopes={"tenant": 1})),
    ("id", lambda: rein.Agent("ccb", actions=2, costs={"c": (-1, 1)}).learn(7, 0, 0)),
])
def test_an_error_names_the_field_that_it_is_about(field, call):
    with pytest.raises(rein.Error) as refused:
        call()
    assert refused.value.field == field
