"""ParetoBandit (PyPI: paretobandit 0.1.1) beside ccb, on the rows that it ships: 3609 prompts, three language models.

    paretobandit.py [--seeds 10] [--out out/paretobandit] [--policy SPEC...] [--only cold warm ...] [--into PAGE]

Run it in a virtual environment that has both packages (scripts/paretobandit.sh makes one). Both meet the same prompts
in the same order, see the same features (hashed words, or MiniLM embeddings with --minilm FOLDER of .npy files), and
are told the budget in dollars per request. ParetoBandit is also told list prices; `ccb` is where it takes
expected_costs.

    cold        the 1824 test prompts, nothing learned before
    warm        both first play the 1785 validation prompts through their own interface; the test prompts count
    price_drop  warm; three phases of 608 prompts; in the second Gemini costs as little as Llama
    price_stays the same, and the price stays low in the third
    quality     warm; in the second phase Mistral's reward is 0.75
    onboarding  the first third of the test prompts has no Gemini; then it is registered

Differences are paired, seed by seed. Finished plays are lines of OUT/plays.jsonl; a stopped run goes on.
"""

import argparse
import hashlib
import json
import logging
import os
import sys

import numpy as np
import paretobandit_tables
import peers_tables
from paretobandit_players import CHEAP, GRID, MODELS, SCENARIOS, Ours, Rows, Theirs, drop_of, play, steps_of


def build_of_rein():
    """A hash of the compiled package: its plays are not those of another build."""
    from rein import _rein

    with open(_rein.__file__, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:10]


class Plays:
    """Finished plays, one line each."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, "plays.jsonl")
        self.known = {}
        if os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                for line in file:
                    found = json.loads(line)
                    self.known[tuple(found["key"])] = found["figures"]

    def add(self, key, figures):
        self.known[key] = figures
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"key": key, "figures": figures}) + "\n")


def budgets_of(scenario, val, test):
    if scenario in ("cold", "warm"):
        means = np.vstack([val.cost, test.cost]).mean(axis=0)
        return [float(f"{b:.3g}") for b in np.geomspace(means.min(), means.max(), num=7)]
    return [3.0e-4, 6.62e-4, 1.87e-3]


def best_single(test, budget):
    """The best model whose mean cost fits the budget: name and reward; None if none fits."""
    fits = [(test.reward[:, a].mean(), MODELS[a]) for a in range(3) if test.cost[:, a].mean() <= 1.0005 * budget]
    return max(fits) if fits else None


def accepts(spec):
    """Whether this version of rein takes the keys of a spec."""
    import rein

    try:
        rein.Agent(
            spec.replace("{told}", "expected_costs=[1,1,1]").replace(";", ",").replace(")", ",rate=0.5)")
            if "(" in spec
            else f"{spec}(rate=0.5)",
            actions=3,
            context=2,
            costs=["dollars"],
            rounds=9,
        )
        return True
    except Exception:  # whatever it says: the row is left out
        return False


def tuned_name(setting):
    return f"paretobandit(alpha={setting[0]:g},forgetting={setting[1]:g})"


def make_player(name, registry, steps, budget, seed):
    for setting in GRID:
        if name == tuned_name(setting):
            return Theirs(registry, steps, budget, seed, *setting)
    if name == "paretobandit":
        return Theirs(registry, steps, budget, seed)
    return Ours(registry, steps, budget, seed, name)


def described(made, theirs, budget):
    """Means of one policy's plays, and its difference to other plays, seed by seed."""
    more = [f["reward"] - t["reward"] for f, t in zip(made, theirs)]
    return {
        "reward": float(np.mean([f["reward"] for f in made])),
        "more": float(np.mean(more)),
        "error": float(np.std(more, ddof=1) / len(more) ** 0.5),
        "spend": float(np.mean([f["cost"] for f in made])) / budget,
        "worst": max(f["cost"] for f in made) / budget,
        "us": float(np.median([f["us"] for f in made])),
        "phases": np.mean([f["phases"] for f in made], axis=0).tolist(),
    }


def best_of_grid(figures, budget):
    """The setting with the most reward among those within 1 % of the budget, else the one that spends least."""

    def order(name):
        made = figures[name]
        spend = float(np.mean([f["cost"] for f in made])) / budget
        return (spend > 1.01, spend if spend > 1.01 else -float(np.mean([f["reward"] for f in made])))

    return min((tuned_name(s) for s in GRID), key=order)


def measure(words, scenario, plays, val, test, registry):
    scale = drop_of(registry)
    found = []
    for budget in budgets_of(scenario, val, test):
        names = ["paretobandit", *words.policy, *([tuned_name(s) for s in GRID] if words.tuned else [])]
        figures = {name: [] for name in names}
        for seed in range(1, words.seeds + 1):
            steps = []
            for name, made in figures.items():
                build = "0.1.1" if name.startswith("paretobandit") else words.build
                key = (scenario, budget, name, seed, words.features, build)
                if key not in plays.known:
                    steps = steps or steps_of(scenario, val, test, seed, scale)
                    player = make_player(name, registry, steps, budget, seed)
                    plays.add(key, play(player, steps, scale, CHEAP.get(scenario, ())))
                made.append(plays.known[key])
        single = best_single(test, budget) if scenario in ("cold", "warm") else None
        row = {"budget": budget, "single": single and single[0], "policies": {}, "tuned": None}
        shown = ["paretobandit", *words.policy]
        if words.tuned:
            row["tuned"] = best_of_grid(figures, budget)
            shown.append(row["tuned"])
        for name in shown:
            row["policies"][name] = described(figures[name], figures["paretobandit"], budget)
            if row["tuned"]:
                row["policies"][name]["against_tuned"] = described(figures[name], figures[row["tuned"]], budget)
        found.append(row)
        show(scenario, row)
    return found


def show(scenario, row):
    for name, f in row["policies"].items():
        phases = "  ".join(f"{r:.3f} {c / row['budget']:.2f}" for r, c in f["phases"]) if len(f["phases"]) > 1 else ""
        print(
            f"{scenario:12}{row['budget']:<10.3g}{name:26}{f['reward']:8.4f}{f['spend']:8.3f}{f['worst']:8.3f}"
            f"{f['more']:+9.4f} ± {f['error']:.4f}{f['us']:8.0f} us   {phases}",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", default="out/paretobandit")
    parser.add_argument(
        "--policy", action="append", help="[ccb, and ccb({told}) where it takes expected costs]; keys separated by ;"
    )
    parser.add_argument("--only", nargs="+", default=SCENARIOS, choices=SCENARIOS)
    parser.add_argument(
        "--tuned", action="store_true", help="also the best of 8 settings of ParetoBandit, in hindsight"
    )
    parser.add_argument("--minilm", help="folder with val.npy and test_holdout.npy, embeddings of the prompts")
    parser.add_argument("--into", help="a page with marks")
    words = parser.parse_args()
    words.build = build_of_rein()
    words.features = "minilm" if words.minilm else "hashed"
    words.policy = words.policy or [s for s in ("ccb", "ccb({told})") if accepts(s)]
    logging.disable(logging.WARNING)
    from pareto_bandit import demo
    from pareto_bandit.data import get_example_holdout_path, get_example_val_path

    registry = {m: dict(entry) for m, entry in demo.MODEL_REGISTRY.items()}
    val, test = Rows(get_example_val_path(), words.minilm), Rows(get_example_holdout_path(), words.minilm)
    plays = Plays(words.out)
    for a, model in enumerate(MODELS):
        print(f"always {model:36}{test.reward[:, a].mean():8.4f}  ${test.cost[:, a].mean():.3g}")
    print(
        f"{'scenario':12}{'budget':10}{'policy':26}{'reward':>8}{'spend':>8}{'worst':>8}   more than it   per request"
    )
    results = {}
    path = os.path.join(words.out, "results.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
    for scenario in words.only:
        results[scenario] = measure(words, scenario, plays, val, test, registry)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    made = paretobandit_tables.tables(results)
    if words.into:
        peers_tables.show(made, [words.into])
    else:
        for name, table in made.items():
            print(f"<!-- begin {name} -->\n\n{table}\n\n<!-- end -->\n")


if __name__ == "__main__":
    sys.exit(main())
