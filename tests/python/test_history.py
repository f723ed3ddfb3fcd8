"""The live agent: its history, its plot and its page in a notebook."""

import pickle

import numpy as np
import pytest

import rein


@pytest.fixture(scope="module")
def played():
    agent = rein.Agent("ccb", actions=["small", "large"], context=2, costs={"dollars": 1.0}, reward=(0, 1), seed=3,
                       budgets=rein.Budget("month", "dollars", 30, per="600 rounds"))
    rng = np.random.default_rng(1)
    for _ in range(600):
        x = rng.random(2)
        d = agent.decide(x)
        agent.learn(d, reward=float(x[0] if d.action == "large" else 0.3), costs=0.1 if d.action == "large" else 0.01)
    return agent


def test_totals_over_time(played):
    h = played.history
    assert 100 < len(h) <= 257 and h.decided[-1] == 600
    assert (np.diff(h.decided[:-1]) == h.decided[0]).all()
    assert h.spent["dollars"][-1] == pytest.approx(played.spent["dollars"])
    assert h.reward[-1] == pytest.approx(played.state.reward)
    assert list(h.plays) == ["small", "large"] and sum(c[-1] for c in h.plays.values()) == 600
    assert played.state.allowed["dollars"] == pytest.approx(h.allowed["dollars"][-1])
    assert abs(h.allowed["dollars"][-1] - 30) < 3
    shares = h.shares()
    assert np.allclose(shares["small"] + shares["large"], 1)
    frame = h.to_pandas()
    assert {"decided", "reward", "spent dollars", "allowed dollars", "price dollars", "plays large"} <= set(frame)
    assert len(pickle.loads(pickle.dumps(played)).history) == len(h)


def test_an_agent_that_did_nothing_has_one_point():
    agent = rein.Agent("uniform", actions=2, costs=["a"], seed=1)
    assert len(agent.history) == 1 and agent.history.decided[0] == 0
    assert "0 made" in agent._repr_html_()


def test_plot(played):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = played.plot()
    assert [ax.get_ylabel() for ax in figure.axes] == ["dollars", "price", "shares", "reward"]


def test_the_page_speaks_in_words_people_use(played):
    page = played._repr_html_()
    for word in ("spent of 30", "expected at the end", "allowed so far", "600 made", "large", "<svg", "status"):
        assert word in page, word
    assert page.index("queue") > page.index("</table>"), "the paper's words have their own corner"


def test_names_are_escaped():
    agent = rein.Agent("uniform", actions=["<b>", "c"], costs={"<i>": 1.0}, seed=1)
    for _ in range(3):
        agent.learn(agent.decide(), reward=0.0, costs=0.5)
    assert "<b>" not in agent._repr_html_() and "<i>" not in agent._repr_html_()


def test_an_action_that_came_later_was_not_played_before():
    agent = rein.Agent("ccb(rate=0.1)", actions=["small"], costs={"dollars": 1.0}, reward=(0, 1), seed=1)
    for t in range(20):
        if t == 10:
            agent.add_action("new")
        agent.learn(agent.decide(), reward=0.5, costs=0.1)
    h = agent.history
    assert (h.plays["new"][h.decided <= 10] == 0).all() and h.plays["new"][-1] > 0
    assert (h.plays["small"] + h.plays["new"] == h.decided).all()
    shares = agent.plot().axes[2]
    assert [text.get_text() for text in shares.get_legend().get_texts()] == ["new", "small"]


def test_the_objective_has_no_allowance_and_prices_belong_to_what_is_limited():
    agent = rein.Agent("ccb", actions=2, costs={"dollars": 1.0, "seconds": 4.0}, reward=(0, 1), seed=1,
                       goal=rein.Goal(minimize="dollars", at_least={"reward": 0.5}))
    for _ in range(50):
        agent.learn(agent.decide(), reward=0.6, costs=[0.5, 1.5])
    assert agent.state.allowed == {} and agent.history.allowed == {}
    assert list(agent.history.price) == list(agent.queues) == ["reward", "seconds"]
    assert "allowed so far" not in agent._repr_html_()
