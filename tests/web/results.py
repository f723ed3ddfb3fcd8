"""Results for the page to show, in the shape that `rein compare` and `rein verify` give it: drawn from
a fixed seed, with the means and intervals of real samples. Not measured: for tests of the page only."""

import math
import random

from contract import SCHEMA, valid

SPECS = ["ccb(setting=knapsack)", "ccb(setting=knapsack,tuning=theory)", "squarecb", "loe2d", "lagrange(eta=1)",
         "squarecbwk", "lincbwk", "aupd", "pacer(lr=0.05)", "ccb(oracle=ons,setting=knapsack)", "epsilon(epsilon=0.05)",
         "greedy", "uniform", "optimistic3"]
STUDENT_95 = {2: 12.706, 5: 2.776, 10: 2.262, 20: 2.093}  # two-sided, by the number of values


def figure(values):
    mean = sum(values) / len(values)
    if len(values) == 1:
        return {"mean": mean, "low": None, "high": None}
    sd = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    half = STUDENT_95[len(values)] * sd / math.sqrt(len(values))
    return {"mean": mean, "low": mean - half, "high": mean + half}


def series(samples):
    """Samples [seed][point] to {mean, low, high}, each [point]."""
    figures = [figure(list(at)) for at in zip(*samples)]
    return {key: [f[key] for f in figures] for key in ("mean", "low", "high")}


def play(rng, index, rounds, points, costs, budgets):
    """One policy on one seed: sums at even points, drifting towards their own rates."""
    earn, waste = 0.34 - 0.012 * index + 0.05 * (index == 2), 0.02 + 0.012 * index
    spend_rate = [0.1 * (1.0 + 0.07 * ((index * 5 + i) % 7 - 2)) for i in range(costs)]
    out = {"reward": [], "regret": [], "explored": [], "ccv": [[] for _ in range(costs)],
           "price": [[] for _ in range(costs)]}
    reward, regret, ccv, step = 0.0, 0.0, [0.0] * costs, rounds / points
    luck = rng.gauss(0.0, 0.01)
    for t in range(1, points + 1):
        reward += step * (earn + luck) + rng.gauss(0, 0.5) * math.sqrt(step)
        regret += step * waste * (0.25 + 1.5 / math.sqrt(t)) + rng.gauss(0, 0.1) * math.sqrt(step)
        out["reward"].append(reward)
        out["regret"].append(regret)
        out["explored"].append(min(1.0, 0.05 + 0.6 * (1 + index % 3) / (3 * math.sqrt(t)) + rng.gauss(0, 0.004)))
        for i in range(costs):
            drift = spend_rate[i] if budgets else 0.04 * (index % 4 - 1) / math.sqrt(t)
            ccv[i] += step * drift + rng.gauss(0, 0.3) * math.sqrt(step)
            out["ccv"][i].append(ccv[i])
            out["price"][i].append(max(0.0, 0.5 + 0.4 * math.sin(t / 9 + index) + rng.gauss(0, 0.08)) * (index != 2))
    return out


def totals(run, budgets):
    over = [max(0.0, ccv[-1] - budget) for ccv, budget in zip(run["ccv"], budgets or [0.0] * len(run["ccv"]))]
    return {"reward": run["reward"][-1], "regret": run["regret"][-1], "explored": run["explored"][-1],
            "ccv": [ccv[-1] for ccv in run["ccv"]], "ccv_max": [max(ccv) for ccv in run["ccv"]], "excess": over}


def policy_result(spec, runs, ends, budgets, costs, rounds, points):
    pick = lambda key: figure([end[key] for end in ends])
    pick_all = lambda key: [figure([end[key][i] for end in ends]) for i in range(costs)]
    given = {"spec": spec, "benchmark": "knapsack" if budgets else "expectation", "no_bound": "", "no_certificate": "", "grid": None, "budgets": [],
             "status": {"ok": len(ends)},
             "reward": pick("reward"), "regret": pick("regret"), "explored": pick("explored"),
             "cpu_seconds": figure([0.1 + 0.01 * i for i in range(len(ends))]),
             "reward_at_stop": pick("reward") if budgets else None, "spend": pick_all("ccv"), "ccv": pick_all("ccv"),
             "ccv_max": pick_all("ccv_max"), "excess": pick_all("excess")}
    others = {key: [None] * costs if said.get("$ref") == "#/$defs/figures" else None
              for key, said in SCHEMA["$defs"]["policy"]["properties"].items()}
    return {**others, **given,
            "curves": {"rounds": [rounds * (t + 1) // points for t in range(points)],
                       **{key: series([run[key] for run in runs]) for key in ("reward", "regret", "explored")},
                       **{key: [series([run[key][i] for run in runs]) for i in range(costs)]
                          for key in ("ccv", "price")}}}


def compare_result(policies=4, costs=("dollars",), budget=True, seeds=20, rounds=20000, points=64):
    rng = random.Random(7)
    budgets = [0.1 * rounds] * len(costs) if budget else []
    specs = (SPECS * (1 + policies // len(SPECS)))[:policies]
    runs = [[play(rng, index, rounds, points, len(costs), budgets) for _ in range(seeds)] for index in range(policies)]
    ends = [[totals(run, budgets) for run in of] for of in runs]
    pair = lambda a, b, key: figure([one[key] - two[key] for one, two in zip(ends[a], ends[b])])
    pairs = [{"a": a, "b": b, "reward": pair(a, b, "reward"), "regret": pair(a, b, "regret"),
              "ccv": [figure([one["ccv"][i] - two["ccv"][i] for one, two in zip(ends[a], ends[b])])
                      for i in range(len(costs))]} for a in range(policies) for b in range(a + 1, policies)]
    mix = {"mean": 0.33 * rounds, "low": 0.328 * rounds, "high": 0.332 * rounds}
    at = {"mean": 0.1 * rounds * budget, "low": None, "high": None}
    return valid({
            "version": 3, "kind": "compare", "rein": "0.2.0", "title": "Peers on a linear world",
            "command": f"rein compare --world 'linear(k=8,d=8)' --policies {','.join(specs)} --rounds {rounds} "
                       f"--seeds {seeds} --report out.html",
            "world": "linear(costs=positive,d=8,k=8,rate=0.1)", "rounds": rounds,
            "seeds": {"first": 1, "count": seeds}, "costs": list(costs), "budgets": budgets,
            "policies": [policy_result(specs[i], runs[i], ends[i], budgets, len(costs), rounds, points)
                         for i in range(policies)],
            "pairs": pairs, "references": [{"name": "best fixed mix", "reward": mix, "spend": [at] * len(costs)}],
            "verify": None})


def verify_row(rng, part, setting, quantity, exponent, theorem, bounded=True, fails=False, positive=True):
    horizons = [2 ** n for n in range(14, 21)]
    sizes = [2.0 * t ** exponent * math.exp(rng.gauss(0, 0.03)) * (1 if positive else -1) for t in horizons]
    return {"part": part, "setting": setting, "world": "linear(d=2,k=2,noise=0.5)", "policy": f"ccb(setting={setting})",
            "quantity": quantity, "horizons": horizons,
            "measured": [{"mean": size, "low": size - 0.06 * abs(size), "high": size + 0.06 * abs(size)} for size in sizes],
            "exponent": {"mean": exponent, "low": exponent - 0.02, "high": exponent + 0.02} if positive else None,
            "rate": f"T^{theorem}", "theorem": theorem, "bounds": [14 * t ** theorem if bounded and n > 1 else None for n, t in enumerate(horizons)],
            "pass": not fails, "note": "" if positive else "not positive at 7 of 7 horizons"}


def verify_result():
    rng = random.Random(11)
    rows = [verify_row(rng, "a", "expectation", "regret", 0.52, 0.75), verify_row(rng, "a", "expectation", "ccv", 0.71, 0.75),
            verify_row(rng, "b", "slater", "ccv_average", 0.48, 0.5), verify_row(rng, "c", "almost_sure", "regret", 0.5, 0.5),
            verify_row(rng, "c", "almost_sure", "ccv", 0.4, 0.5, positive=False),
            verify_row(rng, "d", "knapsack", "regret", 0.61, 0.5, fails=True),
            verify_row(rng, "f", "linear_constraints", "ccv", 0.66, 0.75, bounded=False)]
    return valid({
            "version": 3, "kind": "verify", "rein": "0.2.0", "title": "The theorem, measured",
            "command": "rein verify --report out.html", "world": "", "rounds": 0, "seeds": {"first": 1, "count": 10}, "costs": [],
            "budgets": [], "policies": [], "pairs": [], "references": [],
            "verify": {"profile": "quick", "rows": rows}})
