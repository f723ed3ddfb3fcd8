"""Budgets with windows and scopes, late bills and cancelled decisions."""

import pickle

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
    assert agent.budgets()["day"].left == 3
    assert agent.state.budgets["month"].spent == 3


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
    assert agent.budgets({"tenant": 7})["each"].held == 1
    assert agent.state.budgets == {}
    agent.top_up("each", 3, {"tenant": 7})
    assert fitting(agent, scopes={"tenant": 7}) == 4


def test_budgets_change_while_the_agent_runs():
    agent = rein.Agent("uniform", **WORDS, hard=rein.HardLimits(total=1.0))
    agent.set_amount("dollars", 4)
    assert fitting(agent) == 4
    agent.learn(agent.decide(ROUND), 0, 1.0)
    agent.begin_window("dollars")
    assert agent.budgets()["dollars"].window == 1
    assert fitting(agent) == 4


def test_a_budget_of_the_policys_spec_cannot_be_changed():
    agent = rein.Agent("ccb(rounds=100)", actions=2, costs={"dollars": 1.0}, budget=10, seed=1)
    before = agent.state_hash()
    for change in (lambda: agent.set_amount("dollars", 5), lambda: agent.top_up("dollars", 5)):
        with pytest.raises(rein.Error, match="in the policy's spec, which cannot be changed .* rein.Budget"):
            change()
    assert agent.state_hash() == before


def test_a_round_may_bring_its_own_costs_and_limit():
    agent = rein.Agent("uniform", **WORDS, hard=rein.HardLimits(total=1.0))
    d = agent.decide(ROUND, largest_costs=[2.0, 0.3])
    assert (d.action, d.fitting) == (1, 1)
    d = agent.look(ROUND, largest_costs=[0.1, 0.3], most_costs=0.2)
    assert (d.action, d.probability) == (0, 1.0)


def test_late_bills_are_booked_and_cancelled_ones_are_not():
    agent = rein.Agent("uniform", **WORDS, hard=rein.HardLimits(total=5.0), engine=rein.EngineOptions(expire_after=3))
    late, given_up = agent.decide(ROUND), agent.decide(ROUND)
    agent.cancel(given_up)
    assert agent.state.budgets["dollars"].held == 1
    agent.tick(4)
    assert agent.state.budgets["dollars"].spent == 1
    assert agent.learn(late, 1.0, 0.25)
    assert agent.learn(late, 1.0, 0.25)  # the reward is left out each time, and the bill is booked once
    assert not agent.learn(late, costs=0.25)
    assert agent.state.budgets["dollars"].spent == 0.25
    assert (agent.state.late, agent.state.cancelled, agent.state.rounds) == (1, 1, 0)
    with pytest.raises(rein.OutcomeConflict):
        agent.learn(given_up, 1.0, 0.25)


def test_a_cost_above_its_range_is_booked_in_full():
    agent = rein.Agent("ccb(rate=0.5)", **WORDS, hard=rein.HardLimits(total=5.0))
    agent.learn(agent.decide(ROUND), 0, 7.0)
    assert agent.spent == {"dollars": 7.0}
    assert (agent.state.clipped, agent.state.budgets["dollars"].over_holds) == (1, 1)
    with pytest.raises(rein.BudgetSpent):
        agent.decide(ROUND)


def test_a_decision_says_which_actions_were_barred_by_which_budget_and_until_when():
    agent = rein.Agent("ccb(rate=0.5)", **WORDS,
                       budgets=[rein.Budget("day", "dollars", 2, hard=True, per="10 ticks")])
    d = agent.decide(ROUND, largest_costs=[1.0, 2.5])
    assert (d.action, agent.barred()) == (0, [rein.BarredAction(1, "day", None)])  # above the whole amount
    agent.learn(agent.decide(ROUND), 0, 1.0)
    with pytest.raises(rein.BudgetSpent):
        agent.decide(ROUND)
    assert agent.barred() == [rein.BarredAction(0, "day", 10), rein.BarredAction(1, "day", 10)]
    agent.tick(10)
    agent.decide(ROUND)
    assert agent.barred() == []


@pytest.mark.parametrize("message, budget", [
    ("how long it must last", rein.Budget("b", "dollars", 1)),
    ('found per="fortnight"; accepted: "run", "day"', rein.Budget("b", "dollars", 1, per="fortnight")),
    ('found cost "euros"; accepted: dollars', rein.Budget("b", "euros", 1)),
    ("found amount -1", rein.Budget("b", "dollars", -1)),
    ('found time zone "Mars"', rein.Budget("b", "dollars", 1, per="day", zone="Mars")),
    ("accepted: a list of rein.Budget", "b"),
])
def test_a_budget_that_cannot_be_is_refused(message, budget):
    with pytest.raises(rein.Error) as refused:
        rein.Agent("ccb", **WORDS, budgets=budget)
    assert message.replace("'", '"') in str(refused.value).replace("'", '"')


def coupons(agent, rounds, first=0, scopes=None):
    """Plays coupons that cost 1; returns how many were given."""
    given = 0
    for n in range(first, first + rounds):
        x = (n * 0.6180339887) % 1.0
        d = agent.decide([1.0, x], scopes=scopes)
        given += d.action
        agent.learn(d, float(x > 0.4) if d.action else 0.1, float(d.action))
    return given


STEERED = dict(actions=2, context=2, costs={"coupons": 1.0}, reward=(0, 1), seed=2)


def test_a_steered_day_is_spent_by_its_end():
    agent = rein.Agent("ccb", **STEERED, budgets=rein.Budget("day", "coupons", 40, kind="steer", per="100 rounds"))
    days = [coupons(agent, 100, 100 * day) for day in range(10)]
    assert sum(days) == pytest.approx(400, rel=0.02)
    today = agent.budgets()["day"]
    assert (today.limit, today.spent, today.left, today.window) == (40, 0, 40, 10)
    assert today.pace == pytest.approx(0.4)
    assert today.rounds_left == pytest.approx(100)


def test_a_steered_day_and_month_on_one_cost():
    agent = rein.Agent("ccb", **STEERED, budgets=[
        rein.Budget("day", "coupons", 40, per="100 rounds"), rein.Budget("month", "coupons", 300, per="1000 rounds")])
    days = [coupons(agent, 100, 100 * day) for day in range(10)]
    assert max(days) <= 41
    assert sum(days) == pytest.approx(300, rel=0.02)


def test_past_its_horizon_it_goes_on_and_says_so():
    agent = rein.Agent("ccb", **STEERED, budgets=rein.Budget("run", "coupons", 120, rounds=400))
    assert coupons(agent, 400) == pytest.approx(120, abs=4)
    assert agent.status.word == "past"
    assert agent.budgets()["run"].past
    assert coupons(agent, 400, 400) == pytest.approx(120, abs=30)
    agent.set_rounds("run", 1000)
    assert agent.budgets()["run"].rounds_left == pytest.approx(200)


def test_what_cannot_be_steered_is_refused():
    day = rein.Budget("day", "coupons", 40, per="100 rounds")
    for spec, budgets, why in [("ccb(rate=0.3)", day, "of its own"), ("uniform", day, "accepted: ccb"),
                               ("ccb", rein.Budget("run", "coupons", 40), "how long it must last"),
                               ("ccb", (), "no budget"),
                               ("ccb", rein.Budget("day", "coupons", 4, hard=True, kind="steer"), "kind="),
                               ("ccb", rein.Budget("day", "coupons", 4, kind="soft"), "kind=")]:
        with pytest.raises(rein.Error, match=why):
            rein.Agent(spec, **STEERED, budgets=budgets)
    with pytest.raises(rein.Error, match="given twice"):
        rein.Agent("ccb(budget=5,rounds=10)", **STEERED, budget=6)


def test_steered_agents_are_saved_and_restored():
    agent = rein.Agent("ccb", **STEERED, budgets=[
        rein.Budget("day", "coupons", 40, per="100 ticks"),
        rein.Budget("each", "coupons", 9, per="100 ticks", scope="user")])
    for n in range(150):
        agent.tick(n)
        coupons(agent, 2, n, {"user": n % 3})
    copy = rein.Agent.restore(agent.snapshot())
    assert copy.budgets({"user": 1}) == agent.budgets({"user": 1})
    assert coupons(copy, 50, 150) == coupons(agent, 50, 150)


def test_an_amount_per_key():
    tenants = rein.Budget("tenants", "dollars", {"acme": 25, 7: 15, "*": 5}, per="24 ticks", scope="tenant", hard=True,
                          named=True, keep=4)
    agent = rein.Agent("uniform", actions=2, costs={"dollars": 1.0}, seed=1, budgets=tenants)

    def limit(tenant):
        return agent.budgets({"tenant": tenant})["tenants"].limit

    assert [limit("acme"), limit(7), limit("zeta")] == [25, 15, 5]
    agent.set_amount("tenants", 8, scopes={"tenant": "zeta"})
    agent.set_amount("tenants", None, scopes={"tenant": "acme"})
    agent.set_amount("tenants", 6)
    assert [limit("acme"), limit(7), limit("zeta"), limit("new")] == [6, 15, 8, 6]
    for tenant, cost in (("zeta", 0.5), ("acme", 0.75), ("zeta", 0.125)):
        agent.learn(agent.decide(scopes={"tenant": tenant}), reward=1.0, costs=cost)
    page = agent.keys("tenants")
    assert [(key.name, key.spent, key.left) for key in page] == [("acme", 0.75, 5.25), ("zeta", 0.625, 7.375)]
    assert page.count == 2 and page.spent == 1.375 and page[1].own_amount
    assert [key.name for key in agent.keys("tenants", search="ze")] == ["zeta"]
    agent.tick(24)
    assert [key.spent for key in agent.keys("tenants", ago=1)] == [0.75, 0.625]
    windows = agent.windows("tenants", {"tenant": "zeta"})
    assert [(w.first, w.last, w.open, w.spent) for w in windows][0] == (0, 23, False, 0.625)
    copy = pickle.loads(pickle.dumps(agent))
    assert copy.budgets({"tenant": "zeta"})["tenants"].limit == 8
    assert copy.keys("tenants", ago=1)[0].name == "acme"
    with pytest.raises(rein.Error, match=r'"\*" too, the amount of all keys that are not named'):
        rein.Agent("uniform", actions=2, costs=["d"], budgets=rein.Budget("x", "d", {"a": 1}, scope="t", per="day"))
    with pytest.raises(rein.Error, match="accepted: a number"):
        agent.set_amount("tenants", None)


def test_the_mean_reward_is_of_the_rewards_that_came():
    agent = rein.Agent("uniform", actions=2, costs={"dollars": 1.0}, seed=1)
    assert agent.state.mean_reward is None
    for n in range(10):
        d = agent.decide()
        agent.learn(d, costs=0.5)
        if n < 3:
            agent.learn(d, reward=0.75)
    assert agent.state.mean_reward == 0.75 and agent.state.rewarded == 3 and agent.state.rounds == 10
    assert "0.75 on average over 3 rewards" in agent._repr_html_()


def test_allowed_is_the_plan_of_the_windows():
    agent = rein.Agent("ccb", actions=2, costs={"dollars": 5.0}, reward=(0, 1), seed=1,
                       budgets=rein.Budget("minute", "dollars", 50, per="60 ticks"))
    agent.learn(agent.decide(), reward=1.0, costs=0.5)
    agent.tick(120)
    assert agent.state.allowed == {"dollars": 100}
    assert agent.history.allowed["dollars"][-1] == 100
