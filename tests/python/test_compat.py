"""Agents that earlier versions saved (tests/compat) load, have their money and their open decisions, and go on."""

import json
import pathlib
import pickle

import pytest

import rein

COMPAT = pathlib.Path(__file__).resolve().parent.parent / "compat"
VERSIONS = sorted(path.name for path in COMPAT.iterdir() if (path / "agent.rein").is_file())
ROW, SCOPES = {"age": 40, "country": "FR"}, {"user": "acme"}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_saved_agent_goes_on(version):
    figures = json.loads((COMPAT / version / "figures.json").read_text())["agent"]
    agent = rein.Agent.load(COMPAT / version / "agent.rein")
    assert agent.spec.startswith("ccb")  # what ccb meant then is written out
    budgets = agent.budgets(SCOPES)
    assert {name: each.spent_micros for name, each in budgets.items()} == figures["spent"]
    assert {name: each.held_micros for name, each in budgets.items()} == figures["held"]
    assert [str(each.id) for each in agent.open()] == figures["open"]
    agent.learn(int(figures["open"][0]), 0.5, {"dollars": 0.25})
    assert agent.budgets(SCOPES)["all"].spent_micros == figures["spent"]["all"] + 250_000
    decision = agent.decide(ROW, scopes=SCOPES)
    agent.learn(decision, 1.0, {"dollars": 0.125})
    again = pickle.loads(pickle.dumps(agent))
    assert again.state_hash() == agent.state_hash()


def test_the_first_version_is_there():
    assert "0.1.0" in VERSIONS
