"""The package is typed: its stub has what the extension has, and a strict checker is content."""

import ast
import builtins
import importlib.resources
import json
import pathlib
import shutil
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


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Runs mypy. The second run knows the types of NumPy and pandas from the first."""
    pytest.importorskip("mypy")
    cache = tmp_path_factory.mktemp("mypy")
    return lambda *what: subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={cache}", "--ignore-missing-imports", *what],
        capture_output=True, text=True)


def test_a_strict_checker_is_content(mypy):
    done = mypy("-p", "rein")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Success" in done.stdout


SCRIPT = """
from collections.abc import Generator
import numpy as np
import numpy.typing as npt
import pandas as pd
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
agent.learn(d, 0.5, pd.Series({"a": 0.1, "b": 0.2}))
agent.learn(d, 0.5, pd.Series([0.1, 0.2]))
agent.learn(d, 0.5, np.array([1, 2]))
agent.learn(d, costs={"a": 0.1, "b": None})
many = agent.decide_many([[0.1, 0.2]], progress=lambda done, every: None)
page: str = rein.docs("budgets")
monthly = rein.Agent("ccb", actions=2, costs={"a": 1.0}, minimize="a", at_least={"reward": 0.9}, holdout=0.1, control=0,
                     budgets=[rein.Budget("month", "a", 5, per="month", zone="UTC")], least={1: 0.1})
spent: float = monthly.budgets()["month"].spent
word: str = monthly.status.word + str(hash(monthly.state))
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

router = rein.Agent("ccb", actions=["small", "large"], context={"length": "number", "topic": "category(3)"},
                    costs=["dollars"], reward=(0, 1), budgets=rein.Budget("month", "dollars", 60, per="2000 rounds"),
                    least={"small": 0.1}, holdout=0.05, control="small",
                    largest_costs={"small": 0.1, "large": 1.0}, expected_costs={"small": [0.01], "large": [0.1]})
log = pd.DataFrame({"length": [10.0], "topic": ["code"], "action": ["small"], "reward": [1.0], "dollars": [0.01]})
taught: int = router.warm_start(log) + router.warm_start(log.to_dict("records"))
taught += router.warm_start({"action": ["small"]})
row: dict[str, object] = {"length": 300.0, "topic": None}
r = router.decide(row)
r = router.decide({"length": 300, "topic": "code"}, ["large"])
r = router.look(pd.Series({"length": 300.0, "topic": "code"}))
for each in log[["length", "topic"]].itertuples(index=False):
    r = router.decide(each)
model: str = r.action
places: int = r.place + r.action_id
rows = router.decide_many(log[["length", "topic"]])
rows = router.decide_many({"length": [1.0, 2.0], "topic": ["code", "chat"]})
rows = router.decide_many([{"length": 1.0, "topic": "code"}, {"length": None, "topic": "chat"}])
added: str = router.add_action("medium", largest_costs=0.5, expected_costs={"dollars": 0.04})
router.remove_action("small")
offered: list[str] = router.actions
why: rein.Explanation = router.explain(r, which="all")
print(why, router.explain({"length": 300, "topic": "code"}, which=["large"]).to_pandas())
history: rein.History = router.history
late: float = history.spent["dollars"][-1] + history.allowed["dollars"][-1] + history.shares()["large"][-1]
points: pd.DataFrame = history.to_pandas()
router.plot().savefig("agent.png")
encoder: rein.Schema | None = router.schema
if encoder is not None:
    print(encoder.names(), encoder.encode(row), router.state.change, router.open()[0].missing)

client = rein.Client("router", url="http://127.0.0.1:8080", token=None, deadline=5)
made: dict[str, object] = client.create({"actions": ["small", "large"], "costs": ["dollars"]})
answer: rein.Decided = client.decide({"length": 3}, actions=["small"], scopes={"tenant": "a"}, most_costs=0.5,
                                     largest_costs={"small": 0.1, "large": {"dollars": 1}}, request_id=None)
told: str = client.outcome(answer, reward=1, costs={"dollars": 0.1}) + client.outcome(answer.id, costs=0.1)
told += client.outcome(request_id="mine", reward=0.5) + client.activate(answer) + client.cancel(answer.id)
left: float = answer.left["day"] + answer.price["dollars"] + answer.probabilities[0]
money: dict[str, dict[str, object]] = client.budgets({"tenant": "a"}) | client.top_up("day", 5, request_id="once")

async def served() -> rein.Decided:
    other = rein.AsyncClient("router", calls=8)
    found = await other.decide([1.0, 2.0], actions=[{"id": "small", "features": [1.0]}])
    print(await other.outcome(found, 1.0), (await other.state())["status"], await other.explain(found))
    await other.close()
    return found

try:
    client.call("POST", "/expect", {"expected_costs": None})
except rein.Unreachable as refused:
    code: tuple[str, int, str | None, float | None] = (refused.code, refused.status, refused.field, refused.retry_after)
"""
WRONG = ['agent.decide(x=[1])', 'agent.learn(d, "much")', 'agent.learn(d, 0.5, object())', 'rein.Agent("ccb")',
         'agent.nothing', 'rein.run(3)',
         'rein.Agent("ccb", actions=2, oracle=object())', 'rein.Agent("ccb", actions=2, holdin=0.1)',
         'rein.Agent("ccb", actions=2, shares=rein.Goal())', 'rein.Shares(least="much")',
         'result.plot_regret(cost="a")', 'rein.Schema("age")',
         'rein.Schema({"a": "bool"}, extra="keep")', 'router.decide(row, names=["large"])', 'router.add_action(3.5)',
         'rein.Client()', 'client.decide(row, scope={"tenant": "a"})', 'client.decide(row, request_id=3)',
         'client.outcome(answer, reward="much")', 'answer.chosen', 'answer.left + 1',
         'router.remove_action()', 'router.history.spend', 'router.explain(r, which=3)']


def lines_of(done):
    errors = [line for line in done.stdout.splitlines() if ": error:" in line]
    return sorted({int(line.split(":")[1]) for line in errors})


def test_a_users_program_is_checked_and_its_mistakes_are_found(mypy, tmp_path):
    (tmp_path / "program.py").write_text(SCRIPT + "\n".join(WRONG))
    done = mypy(str(tmp_path / "program.py"))
    first = SCRIPT.count("\n") + 1
    assert lines_of(done) == list(range(first, first + len(WRONG))), done.stdout + done.stderr


@pytest.fixture(scope="module")
def pyright(tmp_path_factory):
    """One run of pyright over a user's program, which imports the installed package, and over a copy of the package."""
    pytest.importorskip("basedpyright")
    folder = tmp_path_factory.mktemp("pyright")
    (folder / "user").mkdir()
    (folder / "user" / "program.py").write_text(SCRIPT + "\n".join(WRONG))
    shutil.copytree(pathlib.Path(rein.__file__).parent, folder / "package" / "rein")
    (folder / "pyrightconfig.json").write_text(json.dumps({
        "include": ["user", "package"], "typeCheckingMode": "standard", "pythonVersion": "3.11"}))
    done = subprocess.run([sys.executable, "-m", "basedpyright", "-p", folder, "--pythonpath", sys.executable,
                           "--level", "error", "--outputjson"], capture_output=True, text=True, cwd=folder)
    found = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"] > len(list((folder / "package").rglob("*.py"))), done.stdout
    return found["generalDiagnostics"]


def test_pyright_is_content_too_and_finds_the_same_mistakes(pyright):
    lines = {found["range"]["start"]["line"] + 1 for found in pyright if found["file"].endswith("program.py")}
    first = SCRIPT.count("\n") + 1
    assert sorted(lines) == list(range(first, first + len(WRONG))), pyright


def test_pyright_finds_nothing_in_the_package(pyright):
    assert [found for found in pyright if not found["file"].endswith("program.py")] == []
