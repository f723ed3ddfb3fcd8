"""A policy of one's own in Python, run beside ours on the same seeds."""

import numpy as np
import pytest

import rein

WORLD = "linear(k=3,d=3,costs=positive,rate=0.5)"


class Best:
    """The best mean so far, nine times in ten."""

    def __init__(self, shape):
        self.reward, self.count = np.zeros(shape.actions), np.ones(shape.actions)

    def decide(self, round, spent):
        assert spent.shape == (1,) and round.features.shape == (3, 3)
        chances = np.full(round.actions, 0.1 / round.actions)
        chances[np.argmax((self.reward / self.count)[round.ids])] += 0.9
        return chances

    def learn(self, round, action, probability, reward, costs):
        assert costs.shape == (1,) and 0 < probability <= 1
        self.reward[round.ids[action]] += reward
        self.count[round.ids[action]] += 1


class First:
    def __init__(self, shape):
        pass

    def decide(self, round, spent):
        return 0

    def learn(self, round, action, probability, reward, costs):
        assert action == 0 and probability == 1


def rewards(found):
    return [each["reward"]["mean"] for each in found.summary["policies"]]


def test_a_class_is_compared_on_the_same_noise_and_threads_change_nothing():
    found = rein.compare(WORLD, ["uniform", Best, First], rounds=400, seeds=3, threads=1)
    assert [each["spec"] for each in found.summary["policies"]] == [
        "uniform", 'own(name="Best")', 'own(name="First")']
    assert rewards(found) == rewards(rein.compare(WORLD, ["uniform", Best, First], rounds=400, seeds=3, threads=2))
    assert len(found.summary["pairs"]) == 2
    assert rein.run(WORLD, First, rounds=50).summary["policies"][0]["spec"] == 'own(name="First")'


def test_plays_of_one_s_own_resume_from_a_file(tmp_path):
    path = tmp_path / "plays.jsonl"
    rein.compare(WORLD, [Best], rounds=200, seeds=1, resume=path)
    both = rein.compare(WORLD, [Best], rounds=200, seeds=2, resume=path)
    assert len(path.read_text().splitlines()) == 3  # the header and a play per seed
    assert rewards(both) == rewards(rein.compare(WORLD, [Best], rounds=200, seeds=2))


def test_exceptions_and_wrong_answers_are_told():
    def broken(what):
        class Broken(First):
            def decide(self, round, spent):
                return what(round)
        return Broken

    for what, message in ((lambda round: 7, "decide gave action 7; accepted: 0 to 2, or probabilities"),
                          (lambda round: [0.5, 0.5], r"decide gave shape \(2,\)"),
                          (lambda round: [0.5, 0.2, 0.1], "sum to 0.7"),
                          (lambda round: [1.5, -0.5, 0.0], "probability 1.5")):
        with pytest.raises(rein.Error, match=message):
            rein.run(WORLD, [broken(what)], rounds=5)
    with pytest.raises(ZeroDivisionError):
        rein.run(WORLD, [broken(lambda round: 1 // 0)], rounds=5)

    class Mute:
        def __init__(self, shape):
            pass

    with pytest.raises(rein.Error, match="has no decide; accepted: a class"):
        rein.run(WORLD, [Mute], rounds=5)
    with pytest.raises(rein.Error, match="two of the name 'Broken'"):
        rein.run(WORLD, [broken(None), broken(None)], rounds=5)


@pytest.mark.parametrize("backend", ["threading"])
def test_workers_play_it_too(backend):
    joblib = pytest.importorskip("joblib")
    with joblib.parallel_config(backend=backend, n_jobs=2):
        far = rein.compare(WORLD, ["uniform", Best], rounds=200, seeds=2, parallel=True)
    assert rewards(far) == rewards(rein.compare(WORLD, ["uniform", Best], rounds=200, seeds=2))
