"""rein beside other packages from Python, on the same rounds: rounds per CPU second, and what they earned.

    python bench/python_side.py [--rounds N] [--repeats N]

Synthetic rounds with K = 10 actions and d = 20 numbers of context, linear mean rewards, 0/1 outcomes; the outcome of
every action is drawn beforehand, so that all meet the same chance. One at a time: decide, see the reward of that
action, learn it, next. Batches of 100: decide them all, then learn them all. One thread each. Every repeat has data of
its own: the least CPU time of them is shown, and the mean, least and largest of what was earned. Making the model is
not counted, turning numbers into what a package reads is. Everything is at the package's own defaults. Vowpal Wabbit's
labels carry probability 1: with other values its squarecb weights only the last action of a round. A package that is
not installed has no row.
"""

import os

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[threads] = "1"  # the CPU time of idle helper threads would count

import argparse
import importlib.util
import tempfile
import time
import warnings

import numpy as np

K, D, BATCH, SEED = 10, 20, 100, 5
VW = "--cb_explore_adf --squarecb -q UA --quiet"


class Rounds:
    def __init__(self, count, seed):
        rng = np.random.default_rng(seed)
        self.contexts = rng.normal(size=(count, D))
        self.contexts /= np.linalg.norm(self.contexts, axis=1, keepdims=True)
        weights = rng.normal(size=(K, D))
        weights /= np.linalg.norm(weights, axis=1, keepdims=True)
        self.means = 0.5 + 0.5 * self.contexts @ weights.T
        self.rewards = (rng.random((count, K)) < self.means).astype(float)


# -- how each package runs: play(rounds) -> the actions it took

def rein_play(spec, batch, costs=None):
    import rein
    outcome = None if costs is None else [0.0]

    def make():
        return rein.Agent(spec, actions=K, context=D, costs=costs, reward=(0, 1), seed=SEED)

    def one(agent, rounds):
        taken = []
        for x, rewards in zip(rounds.contexts, rounds.rewards):
            d = agent.decide(x)
            agent.learn(d, rewards[d.action], outcome)
            taken.append(d.action)
        return taken

    def many(agent, rounds):
        taken = []
        for first in range(0, len(rounds.contexts), BATCH):
            d = agent.decide_many(rounds.contexts[first:first + BATCH])
            paid = None if costs is None else np.zeros(len(d.action))
            agent.learn_many(d, rounds.rewards[np.arange(first, first + len(d.action)), d.action], paid)
            taken.extend(d.action)
        return taken

    return make, many if batch else one


def vw_text(x, action=None, reward=None):
    lines = ["shared |U " + " ".join(f"{i}:{value:.6g}" for i, value in enumerate(x))]
    return lines + [f"{f'0:{-reward}:1 ' if a == action else ''}|A a{a}" for a in range(K)]


def vw_one():
    """Parsed once, predicted, labelled, learned: the same actions as from text twice, in less time."""
    import vowpalwabbit

    def play(vw, rounds):
        rng, taken = np.random.default_rng(SEED), []
        for x, rewards in zip(rounds.contexts, rounds.rewards):
            examples = vw.parse(vw_text(x), vowpalwabbit.LabelType.CONTEXTUAL_BANDIT)
            chances = np.cumsum(vw.predict(examples))
            action = int(np.searchsorted(chances, rng.random() * chances[-1]))
            examples[1 + action].set_label_string(f"0:{-rewards[action]}:1")
            vw.learn(examples)
            vw.finish_example(examples)
            taken.append(action)
        return taken

    return lambda: vowpalwabbit.Workspace(VW), play


def vw_file():
    """A log of actions at random, read and learned natively: the whole of it before the constructor returns."""
    import vowpalwabbit
    kept = {}

    def play(_, rounds):
        vowpalwabbit.Workspace(f"-d {kept['path']} {VW}").finish()

    def make_file(rounds):
        file = tempfile.NamedTemporaryFile("w", suffix=".txt")  # noqa: SIM115 (kept for the play)
        logged = np.random.default_rng(SEED).integers(0, K, len(rounds.contexts))
        for x, rewards, action in zip(rounds.contexts, rounds.rewards, logged):
            file.write("\n".join(vw_text(x, action, rewards[action])) + "\n\n")
        file.flush()
        kept.update(path=file.name, file=file)

    play.prepare = make_file  # type: ignore[attr-defined]
    return lambda: None, play


def linucb(predict, learn, batch):
    """For packages whose models take arrays."""
    step = BATCH if batch else 1

    def play(model, rounds):
        taken = []
        for first in range(0, len(rounds.contexts), step):
            x = rounds.contexts[first:first + step]
            actions = np.atleast_1d(predict(model, x))
            learn(model, x, actions, rounds.rewards[np.arange(first, first + len(x)), actions])
            taken.extend(actions)
        return taken

    return play


def contextualbandits_play(batch):
    from contextualbandits.online import LinUCB

    def make():
        return LinUCB(nchoices=K, njobs=1, random_state=SEED)

    return make, linucb(lambda m, x: m.predict(x).astype(int), lambda m, x, a, r: m.partial_fit(x, a, r), batch)


def mabwiser_play(batch):
    from mabwiser.mab import MAB, LearningPolicy

    def make():
        model = MAB(list(range(K)), LearningPolicy.LinUCB(alpha=1.0), seed=SEED)
        model.fit([0], [0.0], np.zeros((1, D)))  # it decides only after a first fit, so this one is empty
        return model

    return make, linucb(lambda m, x: m.predict(x), lambda m, x, a, r: m.partial_fit(a, r, x), batch)


WAYS = [
    ("rein squarecb, one at a time", "rein", lambda: rein_play("squarecb", False)),
    ("rein ccb with a cost, one at a time", "rein", lambda: rein_play("ccb(rate=1)", False, {"dollars": 1.0})),
    ("vowpalwabbit squarecb, one at a time", "vowpalwabbit", vw_one),
    ("contextualbandits LinUCB, one at a time", "contextualbandits", lambda: contextualbandits_play(False)),
    ("mabwiser LinUCB, one at a time", "mabwiser", lambda: mabwiser_play(False)),
    ("rein squarecb, batches", "rein", lambda: rein_play("squarecb", True)),
    ("rein ccb with a cost, batches", "rein", lambda: rein_play("ccb(rate=1)", True, {"dollars": 1.0})),
    ("contextualbandits LinUCB, batches", "contextualbandits", lambda: contextualbandits_play(True)),
    ("mabwiser LinUCB, batches", "mabwiser", lambda: mabwiser_play(True)),
    ("vowpalwabbit squarecb, from a file of logs", "vowpalwabbit", vw_file),
]


def measure(way, data):
    """The least CPU microseconds per round, and the mean reward of every repeat."""
    make, play = way()
    spent, earned = [], []
    for rounds in data:
        count = len(rounds.contexts)
        getattr(play, "prepare", lambda _: None)(rounds)
        model = make()
        begin = time.process_time()
        taken = play(model, rounds)
        spent.append(1e6 * (time.process_time() - begin) / count)
        if taken is not None:
            earned.append(rounds.means[np.arange(count), np.array(taken, int)].mean())
    return min(spent), earned


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    words = parser.parse_args()
    warnings.simplefilter("ignore")
    data = [Rounds(words.rounds, SEED + i) for i in range(words.repeats)]
    print(f"K = {K}, d = {D}, {words.rounds} rounds, {words.repeats} repeats; mean reward at random "
          f"{np.mean([rounds.means for rounds in data]):.3f}, of the best action "
          f"{np.mean([rounds.means.max(1) for rounds in data]):.3f}")
    print(f"{'':46}{'us/round':>10}{'rounds/s':>11}{'mean reward':>13}{'least':>8}{'largest':>9}")
    for name, package, way in WAYS:
        if importlib.util.find_spec(package) is None:
            print(f"{name:46}  {package} is not installed")
            continue
        cost, earned = measure(way, data)
        shown = f"{np.mean(earned):13.3f}{min(earned):8.3f}{max(earned):9.3f}" if earned else f"{'-':>13}"
        print(f"{name:46}{cost:10.1f}{1e6 / cost:11,.0f}{shown}", flush=True)


if __name__ == "__main__":
    main()
