"""One decision at a time: the loop, what may be given, and what is refused."""

import dataclasses
import html
import threading

import numpy as np
import pandas as pd
import pytest

import rein


class Silent:
    def predict(self, round):
        return []

    def learn(self, round, action, outcomes):
        pass


def play(agent, xs):
    """Actions and probabilities of a short run with outcomes that follow from the action."""
    trace = []
    for x in xs:
        d = agent.decide(x)
        agent.learn(d, reward=0.3 * d.action, costs=[0.1 * d.action])
        trace.append((d.action, d.probability))
    return trace


def test_the_sketch_of_the_design_runs():
    agent = rein.Agent("ccb(budget=1000,rounds=50000)", actions=4, context=12, costs=["dollars"], seed=7)
    d = agent.decide(np.zeros(12))
    assert agent.learn(d.id, reward=1.0, costs=[0.02]) is True
    assert 0 <= d.action < 4 and d.action == d.action_id
    assert d.probability == d.probabilities[d.action]
    assert d.probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    assert d.estimates.shape == (2, 4) and d.prices.shape == (1,) and d.widths.shape == (4,)
    assert agent.spent == {"dollars": 0.02}


def test_the_same_seed_gives_the_same_bits_and_a_drawn_one_can_be_read(xs):
    def make(seed=None):
        return rein.Agent("ccb(rate=0.1)", actions=3, context=2, costs=["c"], seed=seed)

    assert play(make(5), xs) == play(make(5), xs)
    drawn = make()
    assert play(drawn, xs) == play(make(drawn.seed), xs)
    assert make().seed != make().seed


@pytest.mark.parametrize("form", [
    list, tuple, np.asarray, lambda x: np.asarray(x)[::-1][::-1], lambda x: pd.Series(x, index=["a", "b"]),
    lambda x: pd.DataFrame([x], columns=["a", "b"]).iloc[0], lambda x: np.asarray(x, np.float32).astype(object),
    lambda x: next(pd.DataFrame([x]).itertuples(index=False)),
])
def test_a_context_may_come_in_any_form(form):
    agents = [rein.Agent("greedy", actions=3, context=2, seed=1) for _ in range(2)]
    x = [0.5, 0.25]
    assert agents[0].decide(form(x)).id == agents[1].decide(np.array(x)).id
    assert agents[0].state_hash() == agents[1].state_hash()


@pytest.mark.parametrize("costs", [[0.25, 0.5], (0.25, 0.5), np.array([0.25, 0.5]), {"b": 0.5, "a": 0.25}])
def test_costs_may_come_in_any_form(costs):
    agent = rein.Agent("ccb(rate=[0.5,0.5])", actions=2, context=1, costs=["a", "b"], seed=1)
    agent.learn(agent.decide([1.0]), 1.0, costs)
    assert agent.spent == {"a": 0.25, "b": 0.5}


def test_one_cost_may_be_one_number_and_none_may_be_left_out():
    one = rein.Agent("ccb(rate=0.5)", actions=2, costs="dollars", seed=1)
    one.learn(one.decide(), 1.0, 0.25)
    assert one.spent == {"dollars": 0.25}
    none = rein.Agent("greedy", actions=2, seed=1)
    assert none.learn(none.decide(), 1.0)


def test_rows_describe_actions_and_ids_say_who_they_are():
    agent = rein.Agent("ccb(rate=0.5)", actions=5, context=2, action_features=3, costs=["c"], seed=1)
    rows = pd.DataFrame(np.random.default_rng(1).random((4, 3)))
    d = agent.decide([0.1, 0.2], rows)
    assert d.probabilities.shape == (4,) and d.estimates.shape == (2, 4)
    d = agent.decide([0.1, 0.2], rows.to_numpy()[:2], ids=[4, 1])
    assert d.action == [4, 1][d.place]


def test_only_some_actions_may_be_there():
    agent = rein.Agent("uniform", actions=5, context=1, seed=1)
    assert {agent.decide([0.0], [1, 3]).action_id for _ in range(50)} == {1, 3}


def test_outcomes_come_late_in_any_order_and_once(agent, xs):
    decisions = [agent.decide(x) for x in xs]
    assert agent.state.open == len(xs) and agent.state.reserved["dollars"] >= 0.0
    for i in np.random.default_rng(1).permutation(len(xs)):
        assert agent.learn(decisions[i], 0.5, [0.1]) is True
        assert agent.learn(decisions[i].id, 0.5, [0.1]) is False
    assert agent.state.open == 0 and agent.state.learned == len(xs)
    assert agent.spent["dollars"] == pytest.approx(0.1 * len(xs))


def test_what_is_refused_changes_nothing_and_says_what_to_do(agent):
    d = agent.decide([0.1, 0.2])
    agent.learn(d, 1.0, [0.02])
    before = agent.state_hash()
    refused = [
        (rein.UnknownDecision, "ever had this id", lambda: agent.learn(5, 1.0, [0.1])),
        (rein.OutcomeConflict, "another value", lambda: agent.learn(d, 0.5, [0.1])),
        (rein.Error, "found 1 context numbers; accepted: 2", lambda: agent.decide([1.0])),
        (rein.Error, "accepted: 2 numbers", lambda: agent.decide([[1.0, 2.0]])),
        (rein.Error, "nan", lambda: agent.decide([np.nan, 1.0])),
        (rein.Error, "context: found", lambda: agent.decide(["a", "b"])),
        (rein.Error, r"ids\[1\] is 9", lambda: agent.decide([0.1, 0.2], [0, 9])),
        (rein.Error, "both given", lambda: agent.decide([0.1, 0.2], [0], ids=[0])),
        (rein.Error, "reward: found 'much'; accepted: a number", lambda: agent.learn(d, "much", [0.1])),
        (rein.Error, "accepted: 1, or none", lambda: agent.learn(d, 1.0, [0.1, 0.2])),
        (rein.Error, "a decision, or its id", lambda: agent.learn("seven", 1.0, [0.1])),
        (rein.Error, "id: found -1", lambda: agent.learn(-1, 1.0, [0.1])),
        (rein.Error, r"accepted: \['dollars'\]", lambda: agent.learn(d, 1.0, {"euros": 1})),
        (rein.Error, "clock never goes back", lambda: agent.tick(-1)),
    ]
    for kind, message, call in refused:
        with pytest.raises(kind, match=message):
            call()
        assert agent.state_hash() == before
    open_one = agent.decide([0.1, 0.2])
    before = agent.state_hash()
    for outcome in [(np.inf, [0.1]), (np.nan, [0.1]), (0.5, [-1.0]), (0.5, [0.1, 0.1])]:
        with pytest.raises(rein.Error, match="accepted"):
            agent.learn(open_one, *outcome)
        assert agent.state_hash() == before


def test_errors_are_what_python_expects():
    assert issubclass(rein.Error, ValueError)
    for kind in (rein.UnknownDecision, rein.ExpiredDecision):
        assert issubclass(kind, KeyError) and issubclass(kind, rein.Error)
    assert str(rein.UnknownDecision('a "text"')) == 'a "text"'


@pytest.mark.parametrize("message, words", [
    ("unknown name", dict(spec="cbb", actions=2)),
    ("unknown key", dict(spec="ccb(gama=1)", actions=2)),
    ("actions", dict(spec="ccb", actions=0)),
    ("different names", dict(spec="ccb", actions=2, costs=["a", "a"])),
    ("0 to 2\\^64", dict(spec="ccb", actions=2, seed=-1)),
    ("one per cost", dict(spec="ccb", actions=2, costs=["a"], hard=rein.HardLimits(total=[1, 2]))),
    ("largest_costs", dict(spec="ccb", actions=2, costs=["a"],
                               hard=rein.HardLimits(total=1, largest_costs=[[0.1]]))),
    ("has no predict", dict(spec="ccb", actions=2, oracle=object())),
    ("oracle=own", dict(spec="ccb", actions=2, oracle=Silent())),
])
def test_an_agent_that_cannot_be_is_refused(message, words):
    with pytest.raises(rein.Error, match=message):
        rein.Agent(**words)


def test_what_waits_too_long_expires():
    agent = rein.Agent("ccb(rate=0.5)", actions=2, context=1, costs=["c"], seed=1,
                       engine=rein.EngineOptions(expire_after=5, default_outcome=(-1.0, [0.25])))
    d = agent.decide([1.0])
    assert agent.tick(5) == 0 and agent.tick(6) == 1
    assert agent.learn(d, 1.0, [0.1]) and agent.state.late == 1
    assert agent.state.expired == 1 and agent.state.now == 6
    assert agent.spent == {"c": 0.1} and agent.state.reward == -1.0


def test_only_so_many_may_be_open():
    agent = rein.Agent("uniform", actions=2, seed=1, engine=rein.EngineOptions(most_open=2), costs={"c": 1.0},
                       hard=rein.HardLimits(total=9))
    first = agent.decide()
    agent.decide()
    with pytest.raises(rein.TooManyOpen, match="expire_after"):
        agent.decide()
    agent.learn(first, costs=0.5)
    agent.decide()
    assert agent.state.gave_way == 1 and agent.state.open == 2
    with pytest.raises(rein.ExpiredDecision):
        agent.learn(first, reward=0.5)


def test_an_agent_whose_rewards_never_come_goes_on():
    agent = rein.Agent("uniform", actions=2, seed=1)
    decisions = [agent.decide() for _ in range(14_288)]
    assert agent.state.open == 10_000 and agent.state.gave_way == 4_288
    assert agent.status.word == "crowded" and "expire_after" in agent.status.advice
    assert agent.learn(decisions[-1], 1.0)


def test_limits_change_while_it_runs():
    agent = rein.Agent("uniform", actions=2, seed=1)
    for _ in range(5):
        agent.decide()
    agent.set_limits(most_open=3)
    agent.decide()
    assert agent.state.open == 4
    agent.set_limits(expire_after=5)
    assert agent.tick(6) == 4 and agent.state.open == 0
    with pytest.raises(rein.Error, match="most_open"):
        agent.set_limits(most_open=0)


def test_places_of_removed_actions_are_used_again():
    agent = rein.Agent("ccb(rate=0.5)", actions=["a", "b"], context=1, costs=["c"], seed=1)
    for n in range(40):
        agent.add_action(f"x{n}")
        d = agent.decide([1.0], [f"x{n}", "a"])
        agent.learn(d, 0.5, [0.5])
        agent.remove_action(f"x{n}")
    assert agent.actions == ["a", "b"] and len(agent.learned_largest_costs["c"]) == 42
    assert agent.add_action("z") == "z" and agent.decide([1.0], ["z"]).action == "z"
    agent.expect({"a": 0.1, "b": 0.2, "z": 0.3})
    assert rein.Agent.restore(agent.snapshot()).state_hash() == agent.state_hash()


def test_an_outcome_that_comes_again_after_it_was_forgotten_changes_nothing():
    agent = rein.Agent("uniform", actions=2, seed=1, engine=rein.EngineOptions(remember=2))
    decisions = [agent.decide() for _ in range(4)]
    assert all(agent.learn(d, 1.0) for d in decisions)
    before = agent.state_hash()
    assert not agent.learn(decisions[0], 1.0)
    assert agent.state_hash() == before


def test_a_hard_budget_is_never_passed():
    words = dict(actions=2, context=1, costs={"dollars": 0.5}, seed=1)
    limits = rein.HardLimits(total={"dollars": 3.0}, largest_costs=[[0.0], [0.5]])
    agent = rein.Agent("uniform", **words, hard=dataclasses.replace(limits, safe_action=0))
    for _ in range(100):
        d = agent.decide([1.0])
        money = agent.state.budgets["dollars"]
        assert money.spent + money.held <= money.limit == 3
        agent.learn(d, 0.0, [0.5 * d.action])
    assert agent.decide([1.0]).fitting == 1 and agent.spent["dollars"] == 3.0
    refusing = rein.Agent("uniform", **words, hard=dataclasses.replace(limits, largest_costs=[[0.5], [0.5]]))
    for _ in range(6):
        refusing.decide([1.0])
    with pytest.raises(rein.BudgetSpent, match="safe_action"):
        refusing.decide([1.0])


def test_bounds_are_what_the_command_line_prints(program):
    import json
    import subprocess

    words = ["bound", "--setting", "knapsack", "--k", "4", "--rounds", "1000", "--budget", "100", "--u", "5"]
    agent = rein.Agent("ccb(setting=knapsack,budget=100,rounds=1000,u=5,tuning=theory)", actions=4, context=2,
                       costs={"dollars": 1.0}, reward=(-1, 1), seed=1)
    told = json.loads(subprocess.check_output([program, *words, "--json"]))
    bounds = agent.bounds()
    assert bounds.regret == told["bound_regret"] and list(bounds.ccv.values()) == told["bound_ccv"]
    assert rein.Agent("ccb(rate=1)", actions=4, costs=["dollars"]).bounds() == rein.Bounds(None, {})
    words = ["bound", "--setting", "slater", "--k", "4", "--rounds", "1000", "--margin", "0.25", "--u", "5"]
    agent = rein.Agent("ccb(setting=slater,rounds=1000,u=5,tuning=theory)", actions=4, context=2,
                       costs={"harm": (-1, 1)}, reward=(-1, 1), seed=1)
    told = json.loads(subprocess.check_output([program, *words, "--json"]))
    bounds = agent.bounds(margin=0.25)
    assert bounds.regret_margin == told["bound_regret_margin"]
    assert list(bounds.ccv_max.values()) == told["bound_ccv_max"]
    assert agent.bounds().regret_margin is None and agent.bounds().ccv_max == {}


def test_threads_may_share_an_agent(agent, xs):
    failed = []

    def work():
        try:
            for x in xs:
                agent.learn(agent.decide(x), 0.1, [0.05])
                agent.learn_many(agent.decide_many(xs[:20]), np.zeros(20), np.zeros((20, 1)))
        except Exception as wrong:
            failed.append(wrong)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failed
    assert agent.state.learned == 4 * len(xs) * 21 and agent.state.open == 0


def test_what_there_is_can_be_listed():
    every = rein.list()
    assert {"ccb", "vaw", "linear", "igw"} <= {entry.name for entry in every}
    assert [entry.name for entry in rein.list("ccb")] == ["ccb"]
    assert all(entry.kind == "worlds" for entry in rein.list("worlds"))
    assert "two_arm" in repr(rein.list("worlds")) and "<table>" in every._repr_html_()
    with pytest.raises(rein.Error, match="accepted"):
        rein.list("nonsense")


def test_the_options_of_one_are_listed_and_printed():
    (ccb,) = rein.list("ccb")
    options = {option.key: option for option in ccb.options}
    assert options["tuning"] == rein.Option("tuning", "auto", ("auto", "theory"), options["tuning"].line)
    assert options["budget"].default is None and options["budget"].choices == ()
    text = str(rein.list("ccb"))
    for option in ccb.options:  # one row each: key, default, line
        assert any(line.split()[:2] == [option.key, option.default or "-"] and line.endswith(option.line)
                   for line in text.splitlines()), option
        assert option.line in html.unescape(rein.list("ccb")._repr_html_())
    assert "choices: auto, theory" in text
    assert "no options" in repr(rein.list("truth"))
    assert "gamma_scale" not in repr(rein.list("policies"))  # many names: one line each
    assert {entry.kind for entry in rein.list("epsilon")} == {"policies", "explorers"}
    assert repr(rein.list("epsilon")).count("probability of a uniform choice") == 2


@pytest.mark.parametrize("head", ["reward", "dollars"])
def test_the_alarm_rings_for_what_the_oracle_cannot_learn_and_says_for_what(head):
    agent = rein.Agent("ccb(rate=0.5,oracle=vaw)", actions=2, context=1, costs={"dollars": 1.0},
                       reward=(0, 1), seed=1)
    rng = np.random.default_rng(0)
    assert not agent.alarm and agent.state.alarm == rein.Alarm(False, "quiet", None, None)
    for _ in range(2000):
        x = rng.uniform(-1, 1)
        bent = float(abs(x) > 0.5)  # no straight line is near it
        agent.learn(agent.decide([x]), bent if head == "reward" else 0.0, [bent if head == "dollars" else 0.1])
    rung = agent.state.alarm
    assert agent.alarm and rung.ringing and rung.what == head and rung.why in ("shadow", "bias")
    assert 0 < rung.round <= 2000


@pytest.mark.parametrize("cost, rounds, word, about", [
    (0.1, 150, "ok", None), (0.5, 150, "infeasible", "dollars"), (0.01, 300, "unspent", "dollars")])
def test_the_status_is_a_word_with_advice_and_the_cost_that_it_is_about(cost, rounds, word, about):
    agent = rein.Agent("ccb(rate=0.1,rounds=300)", actions=2, context=1, costs={"dollars": (0, 1)}, seed=1)
    assert agent.status == agent.state.status and agent.status.word == "ok"
    for _ in range(rounds):
        agent.learn(agent.decide([1.0]), 0.5, [cost])
    assert str(agent.status) == agent.status.word == word
    assert agent.status.cost == about and agent.status.advice.endswith(".")


def test_an_agent_certifies_its_regret_where_it_was_asked_to():
    def agent(spec, **options):
        return rein.Agent(spec, actions=["a", "b"], context=1, costs={"dollars": 1.0}, seed=1, **options)

    assert agent("ccb(budget=50,rounds=500)").state.certificate is None
    undeclared = agent("ccb(certify=1,budget=50,rounds=500)").state
    assert undeclared.certified_regret is None and "range of the reward" in undeclared.certificate.none
    known = agent("ccb(certify=1,budget=50,rounds=500)", reward=(0, 1))
    decided = [known.decide([t % 7 / 7]) for t in range(100)]
    for t, d in enumerate(decided[:60]):
        known.learn(d, reward=t % 2, costs={"dollars": 0.1})
    found = known.state.certificate
    assert found.none is None and found.rounds == 60
    assert known.state.certified_regret == found.regret > 0.0


def test_a_floor_holds_up_probabilities_and_the_effective_size(xs):
    sizes = []
    for floor in (0.0, 0.5):
        agent = rein.Agent(f"ccb(floor={floor},rate=0.5)", actions=4, context=2, costs={"dollars": (0, 1)}, seed=1)
        assert agent.effective_size == 0.0
        for n in range(300):
            d = agent.decide(xs[n % len(xs)])
            if floor:
                assert min(d.probabilities) >= floor / 4 * (1 - 1e-12)
            agent.learn(d, d.action / 3, [0.1])
        sizes.append(agent.effective_size)
        again = rein.Agent.restore(agent.snapshot())
        assert again.effective_size == agent.effective_size
    assert 2 * sizes[0] < sizes[1] <= 300


def test_looking_shows_the_next_decision_and_changes_nothing(agent, xs):
    for x in xs[:20]:
        before = agent.state_hash()
        seen = agent.look(x)
        assert agent.state_hash() == before
        made = agent.decide(x)
        assert (seen.action, seen.id) == (made.action, made.id)
        assert np.array_equal(seen.probabilities, made.probabilities)
        agent.learn(made, 0.5, 0.25)
    with pytest.raises(rein.UnknownDecision):
        agent.learn(agent.look(x), 0.5, 0.25)


def test_expected_costs_are_estimates_before_any_outcome_and_can_change():
    agent = rein.Agent("ccb(rate=0.1)", actions=3, context=2, costs={"dollars": (0, 1)}, seed=1,
                       expected_costs=[0.1, 0.4, 0.8])
    assert agent.look([0.1, 0.2]).estimates[1].tolist() == pytest.approx([0.1, 0.4, 0.8])
    agent.expect({"dollars": [0.1, 0.4, 0.05]})
    assert agent.look([0.1, 0.2]).estimates[1][2] == pytest.approx(0.05)
    again = rein.Agent.restore(agent.snapshot())
    assert again.state_hash() == agent.state_hash()
    assert again.look([0.1, 0.2]).estimates[1][2] == pytest.approx(0.05)
    agent.expect(None)
    assert agent.look([0.1, 0.2]).estimates[1][2] == pytest.approx(0.1)
    with pytest.raises(rein.Error, match="expected costs: found 2 numbers"):
        agent.expect([0.1, 0.2])
    assert agent.state.change.times == 0 and agent.state.change.what is None
