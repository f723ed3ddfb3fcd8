"""Budgets with windows and scopes, late bills and cancelled decisions."""

import pytest

import rein

WORDS = dict(actions=2, context=1, costs={"dollars": 1.0}, reward=(0, 1), seed=1)
ROUND = [1.0]


def fitting(agent, **words):
    """How many decisions fit now, each holding 1."""
    copy = rein.Agent.restore(agent.snapshot())
    count = 0
    try:
        while count < 100:
            copy.decide(ROUND, **words)
            count += 1
    except rein.BudgetSpent:
        pass
    return count


def test_a_day_and_a_month_hold_at_once():
    agent = rein.Agent("uniform", **WORDS, budgets=[
        rein.Budget("day", "dollars", 3, hard=True, per="10 ticks"),
        rein.Budget("month", "dollars", 5, hard=True, per="300 ticks")])
    for _ in range(3):
        agent.learn(agent.decide(ROUND), 0, 1.0)
    assert fitting(agent) == 0
    agent.tick(10)
    assert fitting(agent) == 2
    assert agent.budgets()["day"].left == 3_000_000
    assert agent.state.budgets["month"].spent == 3_000_000


def test_calendar_days_need_the_time():
    agent = rein.Agent("uniform", **WORDS, budgets=rein.Budget("day", "dollars", 2, hard=True, per="day",
                                                              zone="Europe/Berlin"))
    with pytest.raises(rein.Error, match="the clock has not been set"):
        agent.decide(ROUND)
    agent.tick(1774738800)  # midnight of the day on which Berlin's clocks move
    state = agent.budgets()["day"]
    assert state.last - state.first + 1 == 23 * 3600


def test_every_key_has_its_own_money():
    agent = rein.Agent("uniform", **WORDS, budgets=[
        rein.Budget("each", "dollars", 2, hard=True, per="10 ticks", scope="tenant")])
    assert fitting(agent, scopes={"tenant": "acme"}) == 2
    agent.decide(ROUND, scopes={"tenant": 7})
    assert fitting(agent, scopes={"tenant": "7"}) == 1
    assert agent.budgets({"tenant": 7})["each"].held == 1_000_000
    assert agent.state.budgets == {}
    agent.top_up("each", 3, {"tenant": 7})
    assert fitting(agent, scopes={"tenant": 7}) == 4


def test_budgets_change_while_the_agent_runs():
    agent = rein.Agent("uniform", **WORDS, hard_budget=1.0)
    agent.set_amount("dollars", 4)
    assert fitting(agent) == 4
    agent.learn(agent.decide(ROUND), 0, 1.0)
    agent.begin_window("dollars")
    assert agent.budgets()["dollars"].window == 1
    assert fitting(agent) == 4


def test_a_round_may_bring_its_own_costs_and_limit():
    agent = rein.Agent("uniform", **WORDS, hard_budget=1.0)
    d = agent.decide(ROUND, largest_costs=[2.0, 0.3])
    assert (d.action, d.fitting) == (1, 1)
    d = agent.look(ROUND, largest_costs=[0.1, 0.3], most_costs=0.2)
    assert (d.action, d.probability) == (0, 1.0)


def test_late_bills_are_booked_and_cancelled_ones_are_not():
    agent = rein.Agent("uniform", **WORDS, hard_budget=5.0, expire_after=3)
    late, given_up = agent.decide(ROUND), agent.decide(ROUND)
    agent.cancel(given_up)
    assert agent.state.budgets["dollars"].held == 1_000_000
    agent.tick(4)
    assert agent.state.budgets["dollars"].spent == 1_000_000
    assert agent.learn(late, 1.0, 0.25)
    assert not agent.learn(late, 1.0, 0.25)
    assert agent.state.budgets["dollars"].spent == 250_000
    assert (agent.state.late, agent.state.cancelled, agent.state.rounds) == (1, 1, 0)
    with pytest.raises(rein.OutcomeConflict):
        agent.learn(given_up, 1.0, 0.25)


def test_a_cost_above_its_range_is_booked_in_full():
    agent = rein.Agent("ccb(rate=0.5)", **WORDS, hard_budget=5.0)
    agent.learn(agent.decide(ROUND), 0, 7.0)
    assert agent.spent == {"dollars": 7.0}
    assert (agent.state.clipped, agent.state.budgets["dollars"].over_holds) == (1, 1)
    with pytest.raises(rein.BudgetSpent):
        agent.decide(ROUND)


@pytest.mark.parametrize("message, budget", [
    ("only hard budgets have windows", rein.Budget("b", "dollars", 1)),
    ('found per="fortnight"; accepted: "run", "day"', rein.Budget("b", "dollars", 1, per="fortnight")),
    ('found cost "euros"; accepted: dollars', rein.Budget("b", "euros", 1)),
    ("found amount -1", rein.Budget("b", "dollars", -1)),
    ('found time zone "Mars"', rein.Budget("b", "dollars", 1, per="day", zone="Mars")),
    ("accepted: a list of rein.Budget", "b"),
])
def test_a_budget_that_cannot_be_is_refused(message, budget):
    with pytest.raises(rein.Error) as refused:
        rein.Agent("uniform", **WORDS, budgets=budget)
    assert message.replace("'", '"') in str(refused.value).replace("'", '"')
