"""Saved and resumed, to the bit."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import rein


def go_on(agent, xs):
    waiting = []
    for x in xs:
        waiting.append(agent.decide(x))
        if len(waiting) > 5:
            d = waiting.pop(0)
            agent.learn(d, 0.2 * d.action, [0.1 * d.action])
    return agent.state_hash()


ways = {
    "pickle": lambda agent, path: pickle.loads(pickle.dumps(agent)),
    "deepcopy": lambda agent, path: copy.deepcopy(agent),
    "file": lambda agent, path: (agent.save(path), rein.Agent.load(path))[1],
    "snapshot": lambda agent, path: rein.Agent.restore(agent.snapshot()),
}


@pytest.mark.parametrize("way", ways)
def test_a_saved_agent_goes_on_exactly(way, agent, xs, tmp_path):
    go_on(agent, xs)  # leaves decisions open
    again = ways[way](agent, tmp_path / "agent.rein")
    assert again.state.open == agent.state.open > 0
    assert (again.seed, again.spec, again.costs) == (agent.seed, agent.spec, agent.costs)
    assert go_on(again, xs) == go_on(agent, xs)


def test_the_file_is_the_snapshot_and_nothing_is_left_beside_it(agent, tmp_path):
    agent.save(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == agent.snapshot()
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def limited_to(size, code):
    """Runs `code` where no file may grow beyond `size` bytes: what a full disk does."""
    start = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (%d, %d)); " % (size, size)
    return subprocess.run([sys.executable, "-B", "-c", start + code], capture_output=True, text=True)


def test_a_full_disk_leaves_the_old_file(agent, tmp_path):
    old = {"agent": b"the old agent", "page": b"the old page"}
    for name, text in old.items():
        (tmp_path / name).write_bytes(text)
    code = ("import rein; agent = rein.Agent('ccb', actions=3, context=9, seed=1, rounds=9, costs={'c': (-1, 1)}); "
            "result = rein.compare('two_arm', 'uniform', rounds=9); failed = 0\n"
            "for write in (lambda: agent.save(%r), lambda: result.report(%r)):\n"
            "    try: write()\n"
            "    except OSError: failed += 1\n"
            "print(failed)") % (str(tmp_path / "agent"), str(tmp_path / "page"))
    done = limited_to(100, code)
    assert done.stdout == "2\n", done.stdout + done.stderr
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == old


def test_a_link_stays_and_so_do_permissions(agent, tmp_path):
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    agent.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == agent.snapshot()
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640
    agent.save(tmp_path / "new")
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600, "the seed is in it"


def test_bytes_that_were_cut_or_changed_are_refused(agent, tmp_path):
    good = agent.snapshot()
    for bad in [b"", good[:-1], good[: len(good) // 2], good[:100] + bytes([good[100] ^ 1]) + good[101:]]:
        (tmp_path / "bad").write_bytes(bad)
        with pytest.raises(rein.CorruptState):
            rein.Agent.load(tmp_path / "bad")


def test_an_agent_of_every_policy_is_saved():
    needs = {"stop": "stop(of=ccb,null=0)", "safe": "safe(action=0,cost=0)", "oplb": "oplb(action=0,cost=0)"}
    for entry in rein.list("policies"):
        spec = needs.get(entry.name, entry.name)
        ignores = entry.name in ("squarecb", "greedy", "epsilon", "uniform", "priced")  # costs, and so budgets
        agent = rein.Agent(spec, actions=2, context=1, costs={"c": (-1, 1)}, reward=(-1, 1), rounds=100,
                           budget=None if ignores else 10.0, seed=1)
        agent.learn(agent.decide(np.ones(1)), 0.5, [0.0])
        assert pickle.loads(pickle.dumps(agent)).state_hash() == agent.state_hash()


def test_a_folder_that_is_not_there_is_named(agent, tmp_path):
    with pytest.raises(FileNotFoundError, match=f"no folder {tmp_path / 'none'}"):
        agent.save(tmp_path / "none" / "agent")


class Noted(rein.Agent):
    pass


def test_what_a_subclass_adds_is_pickled_too(xs):
    agent = Noted("uniform", actions=3, context=2, seed=1)
    agent.note = ["kept"]
    for again in (pickle.loads(pickle.dumps(agent)), copy.deepcopy(agent)):
        assert type(again) is Noted and again.note == ["kept"] and again.note is not agent.note
        assert again.state_hash() == agent.state_hash()


def test_decisions_can_be_sent_and_copied(agent, xs):
    for d in (agent.decide(xs[0]), agent.decide(xs[1], [0, 2])):
        for again in (pickle.loads(pickle.dumps(d)), copy.copy(d), copy.deepcopy(d)):
            for key in ("id", "action", "action_id", "probability", "fitting"):
                assert getattr(again, key) == getattr(d, key)
            for key in ("probabilities", "estimates", "widths", "prices"):
                assert np.array_equal(getattr(again, key), getattr(d, key), equal_nan=True)
        assert agent.learn(again, 0.5, 0.1) and not agent.learn(d, 0.5, 0.1)


def test_a_decision_with_a_changed_pickle_is_refused(agent, xs):
    blank = rein.Decision.__new__(rein.Decision)
    state = list(agent.decide(xs[0]).__getstate__())
    with pytest.raises(rein.CorruptState):
        blank.__setstate__((*state[:7], state[7][:-1], *state[8:]))
