"""The estimators against formulas published with Open Bandit Pipeline, on its own dictionary.

The reference below is written from the formulas in numpy. If obp itself can be imported, it is asked too.
"""

import numpy as np
import pytest

import rein

TAU, LAMBDA = 2.5, 3.0


def feedback(rounds=700, actions=4, seed=3):
    """obp's bandit_feedback of a softmax policy, another policy's action_dist, and predictions of rewards."""
    rng = np.random.default_rng(seed)
    context = rng.normal(size=(rounds, 3))
    scores = np.exp(context @ rng.normal(size=(3, actions)) * 0.7)
    pi_b = scores / scores.sum(axis=1, keepdims=True)
    action = np.array([rng.choice(actions, p=row) for row in pi_b])
    means = 0.5 + 0.2 * np.tanh(context @ rng.normal(size=(3, actions)))
    reward = (rng.random(rounds) < means[np.arange(rounds), action]).astype(float)
    other = np.exp(context @ rng.normal(size=(3, actions)) * 0.5)
    dist = (other / other.sum(axis=1, keepdims=True))[:, :, None]
    predicted = np.clip(means + rng.normal(scale=0.1, size=means.shape), 0, 1)[:, :, None]
    dictionary = {"n_rounds": rounds, "n_actions": actions, "context": context, "action": action, "reward": reward,
                  "position": None, "pi_b": pi_b[:, :, None], "pscore": pi_b[np.arange(rounds), action]}
    return dictionary, dist, predicted


def published(log, dist, predicted):
    """IPS, SNIPS, DM, DR, SWITCH-DR and DR with optimistic shrinkage, each from its formula."""
    n = np.arange(log["n_rounds"])
    pi, q = dist[:, :, 0], predicted[:, :, 0]
    w = pi[n, log["action"]] / log["pscore"]
    gap = log["reward"] - q[n, log["action"]]
    direct = (pi * q).sum(axis=1)
    small = LAMBDA * w / (w**2 + LAMBDA)
    return {"ips": (w * log["reward"]).mean(), "snips": (w * log["reward"]).sum() / w.sum(), "dm": direct.mean(),
            "dr": (direct + w * gap).mean(), "switch_dr": (direct + w * (w <= TAU) * gap).mean(),
            "dros": (direct + small * gap).mean()}


def ours(log, dist, predicted):
    found = rein.evaluate(log, {"other": dist}, predicted=predicted, switch_at=TAU, shrink=LAMBDA, adaptive="no")
    return {each["estimator"]: each["value"] for each in found.rows()}


@pytest.mark.parametrize("seed", [3, 4, 5])
def test_values_are_those_of_the_published_formulas(seed):
    log, dist, predicted = feedback(seed=seed)
    found, known = ours(log, dist, predicted), published(log, dist, predicted)
    assert set(found) >= set(known)
    for name, value in known.items():
        assert found[name] == pytest.approx(value, abs=1e-9), name
    # The two parameters matter here, so that a wrong reading of them would show.
    assert abs(known["switch_dr"] - known["dr"]) > 1e-4 and abs(known["dros"] - known["dr"]) > 1e-4


def test_standard_errors_are_those_of_the_scores():
    log, dist, predicted = feedback()
    n = np.arange(log["n_rounds"])
    w = dist[n, log["action"], 0] / log["pscore"]
    scores = (dist * predicted)[:, :, 0].sum(axis=1) + w * (log["reward"] - predicted[n, log["action"], 0])
    found = rein.evaluate(log, {"other": dist}, predicted=predicted, adaptive="no").to_pandas().set_index("estimator")
    assert found.loc["dr", "error"] == pytest.approx(scores.std(ddof=1) / len(n)**0.5, rel=1e-9)
    assert found.loc["ips", "error"] == pytest.approx((w * log["reward"]).std(ddof=1) / len(n)**0.5, rel=1e-9)


def test_costs_have_values_of_their_own():
    log, dist, predicted = feedback()
    log["costs"] = {"dollars": 1.0 - log["reward"]}
    both = np.concatenate([predicted, 1.0 - predicted], axis=2)
    found = rein.evaluate(log, {"other": dist}, predicted=both, adaptive="no")
    assert found["other"].value["dollars"] == pytest.approx(1.0 - found["other"].value["reward"], abs=0.1)
    covariance = np.array(found.details["policies"][0]["estimates"][3]["covariance"]).reshape(2, 2)
    assert found.details["policies"][0]["estimates"][3]["estimator"] == "dr"
    assert covariance[0, 1] < 0 < covariance[0, 0]


def falling(seed, rows=2000, steep=4.0):
    """A log that plays the first of two actions ever more rarely as x rises, and its propensities of both."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, rows)
    p = np.column_stack([1 / (1 + 2 * np.exp(steep * x)), 1 / (1 + np.exp(-steep * x) / 2)])
    a = (rng.random(rows) > p[:, 0]).astype(int)
    return {"x_0": x, "a": np.where(a, "often", "rare"), "p": p[np.arange(rows), a],
            "r": 0.5 * a + 0.1 * rng.random(rows)}, p


def test_expected_size_is_that_of_all_propensities_less_what_chance_may_hide():
    log, p = falling(1)
    overlap = rein.evaluate(log, "action(rare)", adaptive="no").details["policies"][0]["overlap"]
    inverse = 1 / p[:, 0]
    largest = inverse.mean() + 1.645 * inverse.std() / len(p)**0.5
    assert overlap["expected_size"] == pytest.approx(len(p) / largest, rel=1e-3)


def test_a_log_that_lacks_the_rare_rows_by_chance_gives_no_interval():
    lucky = 0
    for seed in range(60):
        log, p = falling(seed)
        found = rein.evaluate(log, "action(rare)", adaptive="no")[0]
        if found.effective_size < 200:
            continue
        lucky += 1
        assert len(p) / (1 / p[:, 0]).mean() < 200
        assert np.isnan(found.low["reward"])
        assert any("logs with such propensities" in line for line in found.warnings)
    assert lucky >= 3


def test_agrees_with_obp_itself():
    pytest.importorskip("obp", reason="obp is not installed; the formulas above are checked instead")
    from obp.ope import (
        DirectMethod,
        DoublyRobust,
        DoublyRobustWithShrinkage,
        InverseProbabilityWeighting,
        SelfNormalizedInverseProbabilityWeighting,
        SwitchDoublyRobust,
    )

    log, dist, predicted = feedback()
    given = {"reward": log["reward"], "action": log["action"], "pscore": log["pscore"], "action_dist": dist,
             "estimated_rewards_by_reg_model": predicted, "position": np.zeros(log["n_rounds"], int)}
    theirs = {"ips": InverseProbabilityWeighting(), "snips": SelfNormalizedInverseProbabilityWeighting(),
              "dm": DirectMethod(), "dr": DoublyRobust(), "switch_dr": SwitchDoublyRobust(lambda_=TAU),
              "dros": DoublyRobustWithShrinkage(lambda_=LAMBDA)}
    found = ours(log, dist, predicted)
    for name, estimator in theirs.items():
        assert found[name] == pytest.approx(estimator.estimate_policy_value(**given), abs=1e-9), name
