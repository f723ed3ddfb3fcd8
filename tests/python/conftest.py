"""What the tests of the Python package share."""

import os
import sys
import sysconfig

import numpy as np
import pytest
from hypothesis import settings

import rein

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # contract.py

# Properties are drawn from a fixed seed: a test that fails once fails always.
settings.register_profile("rein", derandomize=True, deadline=None, max_examples=40, database=None)
settings.load_profile("rein")


@pytest.fixture
def agent():
    return rein.Agent("ccb(budget=20,rounds=1000)", actions=3, context=2, costs=["dollars"], seed=7)


@pytest.fixture
def xs():
    return np.random.default_rng(3).random((200, 2))


@pytest.fixture(scope="session")
def program():
    """The command line of the same build: REIN_PROGRAM, or the one that was installed with the package."""
    path = os.environ.get("REIN_PROGRAM") or os.path.join(sysconfig.get_path("scripts"), "rein")
    if not os.path.exists(path):
        pytest.skip(f"there is no program {path}, and REIN_PROGRAM names no other")
    return path
