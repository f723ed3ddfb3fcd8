"""Agents in other processes: sent, forked, and interrupted."""

import multiprocessing
import os
import threading

import numpy as np
import pytest

import rein


def play(agent):
    for _ in range(30):
        agent.learn(agent.decide([0.1, 0.2]), 0.5, [0.1])
    return agent.state_hash()


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_an_agent_goes_on_in_another_process(agent, how):
    with multiprocessing.get_context(how).Pool(1) as pool:
        there = pool.map(play, [agent, agent])
    assert there == [play(agent)] * 2


class Waits:
    """An oracle that stays inside predict until it is let go."""

    def __init__(self):
        self.inside, self.go = threading.Event(), threading.Event()

    def predict(self, round):
        self.inside.set()
        self.go.wait()
        return np.zeros((2, round.actions))

    def learn(self, round, action, outcomes):
        pass


def test_a_fork_while_a_thread_has_the_agent_is_refused_there_and_does_not_hang():
    agent = rein.Agent("ccb(rate=0.1,oracle=own)", actions=2, costs=["c"], oracle=Waits(), seed=1)
    busy = threading.Thread(target=agent.decide)
    busy.start()
    agent.oracle.inside.wait()
    child = os.fork()
    if child == 0:  # no test may go on in here
        try:
            _ = agent.state
            os._exit(1)
        except rein.Error as refused:
            os._exit(0 if "forked" in str(refused) else 2)
        finally:
            os._exit(3)
    agent.oracle.go.set()
    busy.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert agent.state.open == 1  # here it goes on
