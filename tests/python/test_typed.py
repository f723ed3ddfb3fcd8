"""The package is typed: its stub has what the extension has, and a strict checker is content."""

import ast
import builtins
import importlib.resources
import subprocess
import sys

import pytest

import rein
from rein import _rein


def stub():
    text = importlib.resources.files("rein").joinpath("_rein.pyi").read_text()
    names: dict[str, set[str] | None] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {getattr(item, "name", "") or item.target.id  # type: ignore[attr-defined]
                                for item in node.body if not isinstance(item, ast.Expr)}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = None
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] = None
    return names


def test_the_stub_has_what_the_extension_has():
    kept = stub()
    module = {"__version__"} | {name for name in dir(_rein) if not name.startswith("_")}
    assert set(kept) == module
    for name, members in kept.items():
        if members is not None:
            real = {member for member in vars(getattr(_rein, name)) if not member.startswith("_")}
            assert {member for member in members if not member.startswith("_")} == real, name


def test_everything_that_is_promised_is_there_and_has_a_docstring():
    for name in rein.__all__:
        thing = getattr(rein, name)
        assert name.startswith("_") or thing.__doc__, name


def test_a_star_import_leaves_pythons_own_names_alone():
    names = {}
    exec("from rein import *", names)
    assert names["Agent"] is rein.Agent and not set(names) & set(vars(builtins))


def checked(*what):
    pytest.importorskip("mypy")
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null",
                           "--ignore-missing-imports", *what], capture_output=True, text=True)


def test_a_strict_checker_is_content():
    done = checked("-p", "rein")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Success" in done.stdout


SCRIPT = """
from collections.abc import Generator
import numpy as np
import numpy.typing as npt
import rein

class Mine:
    def predict(self, round: rein.Round) -> npt.ArrayLike:
        return np.zeros((2, round.actions))
    def learn(self, round: rein.Round, action: int, outcomes: npt.NDArray[np.float64]) -> None: ...

def coins(rng: np.random.Generator, rounds: int) -> Generator[rein.Scene, int, None]:
    for _ in range(rounds):
        action = yield rein.Scene(reward=rng.random(2))

agent = rein.Agent("ccb(rate=0.1,oracle=own)", actions=3, context=2, costs={"a": (0, 1), "b": 2}, oracle=Mine(),
                   hard_budget={"a": 1.0}, largest_costs=[[0.1, 0.2], (0.1, 0.2), {"a": 0.1, "b": 0.2}],
                   default_outcome=(0.0, [0.0, 0.0]), expire_after=5)
d = agent.decide(np.zeros(2), [0, 1])
chosen: int = d.action + d.id + d.action_id
shares: npt.NDArray[np.float64] = d.probabilities
learned: bool = agent.learn(np.uint64(d.id), reward=1.0, costs={"a": 0.1, "b": 0.2})
many = agent.decide_many([[0.1, 0.2]])
count: int = agent.learn_many([d], [1.0], {"a": [0.1], "b": [0.2]}) + agent.learn_many(many.id, [0], np.zeros((1, 2)))
state: rein.State = agent.state
again: rein.Agent = rein.Agent.restore(agent.snapshot(), oracle=Mine())
world = rein.World(coins, actions=2)
result: rein.Result = rein.run(world, ["uniform"], rounds=10, oracles={"mine": lambda shape: Mine()},
                               progress=lambda done, every: None)
found: rein.Comparison = rein.compare("linear", "ccb", grid={"gamma_scale": [1, 2.5]}, parallel=2)
names: list[str] = [entry.name for entry in rein.list("worlds")]
result.plot_regret().set_title("mine")
schema = rein.Schema({"age": "number", "country": "category(8)"}, extra="ignore", absent="missing")
numbers: npt.NDArray[np.float64] = schema.take({"age": 3, "country": None}) + schema.encode_many([{"age": 1.5}])[0]
kinds: dict[str, str] = rein.Schema.infer({"a": [1, 2]}, kinds={"a": "bool"}).columns
copied: rein.Schema = rein.Schema.restore(schema.snapshot())
"""
WRONG = ['agent.decide(x=[1])', 'agent.learn(d, "much")', 'rein.Agent("ccb")', 'agent.nothing', 'rein.run(3)',
         'rein.Agent("ccb", actions=2, oracle=object())', 'result.plot_regret(cost="a")',
         'rein.Schema("age")', 'rein.Schema({"a": "bool"}, extra="keep")']


def test_a_users_program_is_checked_and_its_mistakes_are_found(tmp_path):
    (tmp_path / "program.py").write_text(SCRIPT + "\n".join(WRONG))
    done = checked(str(tmp_path / "program.py"))
    first = SCRIPT.count("\n") + 1
    lines = [int(line.split(":")[1]) for line in done.stdout.splitlines() if ": error:" in line]
    assert sorted(set(lines)) == list(range(first, first + len(WRONG))), done.stdout + done.stderr
