"""The distribution: what pip is told is what the library says, and a wheel has what typed programs need."""

import importlib.metadata
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tomllib

import pytest

import rein

ROOT = pathlib.Path(os.environ.get("REIN_SOURCE_DIR", pathlib.Path(__file__).parents[2]))


@pytest.fixture(scope="module")
def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_there_is_one_version(project):
    found = re.search(r"project\(rein VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert project["name"] == "rein-bandits" and found.group(1) == rein.__version__
    assert "version" not in project and project["dynamic"] == ["version"]
    program = os.environ.get("REIN_PROGRAM")
    if program:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
        assert said == f"rein {rein.__version__}\n"


def test_what_is_installed_says_so(project):
    try:
        installed = importlib.metadata.distribution("rein-bandits")
        assert pathlib.Path(str(installed.locate_file("rein/__init__.py"))).samefile(rein.__file__)
    except (importlib.metadata.PackageNotFoundError, AssertionError):
        pytest.skip("rein is used from its sources, not as it was installed")
    assert installed.version == rein.__version__ and installed.metadata["License-Expression"] == "Apache-2.0"
    assert set(installed.metadata.get_all("Provides-Extra") or []) == {"plot", "parallel"}
    files = {str(file) for file in installed.files or []}
    assert {"rein/py.typed", "rein/_rein.pyi"} <= files and any(name.endswith("LICENSE") for name in files)
    assert {f"rein/{path.name}" for path in (ROOT / "python" / "rein").glob("*.py")} <= files


def test_the_program_comes_with_the_package():
    """The console script and `python -m rein` are the program: its answer, its exit codes, its signals."""
    script = os.path.join(sysconfig.get_path("scripts"), "rein")
    if not os.path.exists(script):
        pytest.skip("rein is used from its sources, not as it was installed")
    for words in ([script], [sys.executable, "-m", "rein"]):
        version = subprocess.run([*words, "--version"], capture_output=True, text=True, check=True)
        assert version.stdout == f"rein {rein.__version__}\n"
        wrong = subprocess.run([*words, "run", "--rouns", "9"], capture_output=True, text=True)
        assert wrong.returncode == 2 and "--rouns" in wrong.stderr
        with subprocess.Popen([*words, "serve", "--demo", "--port", "0"], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as service:
            assert "rein serves at http://127.0.0.1:" in service.stdout.readline()
            service.send_signal(signal.SIGTERM)
            assert service.wait(60) == 0


def test_a_package_without_the_program_says_so(tmp_path):
    shutil.copy(ROOT / "python" / "rein_program.py", tmp_path)
    done = subprocess.run([sys.executable, "-c", "import rein_program; rein_program.main()"], cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith(f"rein: {tmp_path}/rein/bin/rein cannot be started: No such file")


def test_what_is_missing_is_named_with_what_to_install(monkeypatch):
    found = rein.run("two_arm", "uniform", rounds=10)
    for module in ("matplotlib.pyplot", "pandas"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match="pip install matplotlib"):
        found.plot_regret()
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        rein.run("two_arm", "uniform", rounds=10, progress=True)
    batch = rein.Agent("uniform", actions=2).decide_many(rounds=3)
    for call in (found.to_pandas, batch.to_pandas):
        with pytest.raises(ImportError, match="pip install pandas"):
            call()
