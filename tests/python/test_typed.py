"""The package is typed: its stub has what the extension has, and a strict checker is content."""

import ast
import importlib.resources
import subprocess
import sys

import pytest

import rein
from rein import _rein


def stub():
    text = importlib.resources.files("rein").joinpath("_rein.pyi").read_text()
    names = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {item.name if isinstance(item, ast.FunctionDef) else item.target.id
                                for item in node.body if not isinstance(item, ast.Expr)}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = None
        elif isinstance(node, ast.AnnAssign):
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


def test_a_strict_checker_is_content():
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--no-incremental", "--cache-dir=/dev/null",
                           "--ignore-missing-imports", "-p", "rein"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Success" in done.stdout
