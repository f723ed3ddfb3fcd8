"""ParetoBandit (PyPI: paretobandit 0.1.1) beside ccb, on the rows that it ships: 3609 prompts, three language models.

    paretobandit.py [--seeds 10] [--out out/paretobandit] [--policy SPEC...] [--only cold warm price_drop ...] [--into PAGE]

Run it in a virtual environment that has both packages (scripts/paretobandit.sh makes one). Both meet the same prompts in
the same order, see the same features (hashed words, or MiniLM embeddings with --minilm FOLDER of .npy files), and are told
the budget in dollars per request. ParetoBandit is also told list prices; `ccb` is where it takes expected_costs.

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
import re
import sys
import time

import numpy as np

import side

MODELS = ["meta-llama/llama-3.1-8b-instruct", "mistralai/mistral-large-2512", "google/gemini-2.5-pro"]
GEMINI, MISTRAL = 2, 1
PHASE = 608
FEATURES = 32  # hashed words; a constant is added
MOST_DOLLARS = 1.0
CHEAP = {"price_drop": (1,), "price_stays": (1, 2)}  # the phases in which Gemini is cheap
GRID = [(alpha, forgetting) for alpha in (0.01, 0.05, 0.2, 1.0) for forgetting in (0.997, 1.0)]  # of ParetoBandit
SCENARIOS = ("cold", "warm", "price_drop", "price_stays", "quality", "onboarding")


# -- data


def hashed(text):
    """Words hashed into FEATURES signed counts, of norm 1, and a constant."""
    x = np.zeros(FEATURES + 1)
    for word in re.findall(r"[a-z0-9]+", text.lower()):
        digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
        number = int.from_bytes(digest, "little")
        x[number % FEATURES] += 1.0 if (number >> 16) & 1 else -1.0
    norm = np.linalg.norm(x)
    x /= norm if norm > 0 else 1.0
    x[-1] = 1.0
    return x


class Rows:
    """Features, rewards and costs of one file."""

    def __init__(self, path, minilm=None):
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.strip()]
        self.reward = np.array([[line["arms"][m]["reward"] for m in MODELS] for line in lines])
        self.cost = np.array([[line["arms"][m]["cost"] for m in MODELS] for line in lines])
        if minilm:
            found = np.load(os.path.join(minilm, os.path.basename(path).replace(".jsonl", ".npy")))
            self.x = np.hstack([found, np.ones((len(found), 1))])
        else:
            self.x = np.array([hashed(line["prompt"]) for line in lines])


class Step:
    """One request: features, the rewards and costs of all models, and which are offered."""

    __slots__ = ("x", "reward", "cost", "offered", "counts", "phase")

    def __init__(self, x, reward, cost, offered=(0, 1, 2), counts=True, phase=0):
        self.x, self.reward, self.cost, self.offered, self.counts, self.phase = x, reward, cost, offered, counts, phase


def drop_of(registry):
    """What Gemini's dollars are multiplied by when its list prices fall to those of Llama."""
    entry = registry[MODELS[GEMINI]]
    return 0.1 / ((entry["input_cost_per_m"] + entry["output_cost_per_m"]) / 2)


def steps_of(scenario, val, test, seed, scale):
    """The requests of one scenario and seed. Both packages get this list."""
    chance = np.random.default_rng(seed)
    made = []
    if scenario not in ("cold", "onboarding"):
        made += [Step(val.x[i], val.reward[i], val.cost[i], counts=False, phase=-1) for i in chance.permutation(len(val.x))]
    order = chance.permutation(len(test.x))
    if scenario in ("cold", "warm"):
        return made + [Step(test.x[i], test.reward[i], test.cost[i]) for i in order]
    if scenario == "onboarding":
        cut = len(order) // 3
        return [Step(test.x[i], test.reward[i], test.cost[i], (0, 1) if n < cut else (0, 1, 2), phase=int(n >= cut))
                for n, i in enumerate(order)]
    first, second = order[:PHASE], order[PHASE:2 * PHASE]
    for phase, pool in enumerate([first, second, first]):
        for i in pool[chance.permutation(PHASE)]:
            reward, cost = test.reward[i].copy(), test.cost[i].copy()
            if scenario == "quality" and phase == 1:
                reward[MISTRAL] = 0.75
            if phase in CHEAP.get(scenario, ()):
                cost[GEMINI] *= scale
            made.append(Step(test.x[i], reward, cost, phase=phase))
    return made


# -- the two packages


class Theirs:
    """ParetoBandit as its own demo uses it: adaptive pacing, its tuned constants, list prices known."""

    def __init__(self, registry, steps, budget, seed, alpha=None, forgetting=None):
        from pareto_bandit.budget_pacer import BudgetPacer, PacingMode
        from pareto_bandit.config import BEST_K3_HPARAMS
        from pareto_bandit.feature_service import FeatureService
        from pareto_bandit.router import BanditRouter
        from pareto_bandit.storage import EphemeralContextStore
        self.registry = registry
        known = {m: dict(registry[m]) for n, m in enumerate(MODELS) if n in steps[0].offered}
        self.router = BanditRouter.create(
            model_registry=known, feature_service=FeatureService.for_precomputed(len(steps[0].x)),
            context_store=EphemeralContextStore(), priors="none", cost_penalty=0.0, bandit_seed=seed,
            alpha=BEST_K3_HPARAMS["alpha"] if alpha is None else alpha,
            forgetting_factor=BEST_K3_HPARAMS["forgetting_factor"] if forgetting is None else forgetting,
            budget_pacer=BudgetPacer(target_avg_spend_usd=budget, mode=PacingMode.ADAPTIVE))
        self.log = None

    def offer(self, action):
        entry = self.registry[MODELS[action]]
        self.router.register_model(MODELS[action], speed="slow", input_cost_per_m=entry["input_cost_per_m"],
                                   output_cost_per_m=entry["output_cost_per_m"])

    def price(self, action, factor):
        entry = self.registry[MODELS[action]]
        self.router.update_model_pricing(MODELS[action], **{
            key: entry[key] if factor == 1 else 0.1 for key in ("input_cost_per_m", "output_cost_per_m")})

    def decide(self, step):
        model, self.log = self.router.route(step.x)
        return MODELS.index(model)

    def learn(self, reward, cost):
        self.log.cost_usd = float(cost)
        self.router.process_feedback(self.log.request_id, reward=float(reward))


class Ours:
    """rein.Agent. The spec has {told} where it is given expected costs."""

    def __init__(self, registry, steps, budget, seed, spec):
        import rein
        costs = [expected_dollars(registry[m]) for m in MODELS]
        self.told = "{told}" in spec
        spec = spec.replace("{told}", f"expected_costs=[{','.join(f'{c:.6g}' for c in costs)}]")
        name, _, keys = spec.rstrip(")").partition("(")
        keys = [k for k in keys.split(";") if k] + [f"rate={budget:.8g}"]
        self.costs, self.offered = costs, steps[0].offered
        self.agent = rein.Agent(f"{name}({','.join(keys)})", actions=3, features=len(steps[0].x), reward=(0.0, 1.0),
                                costs={"dollars": (0.0, MOST_DOLLARS)}, rounds=len(steps), seed=seed, most_open=4)
        self.decision = None

    def offer(self, action):
        pass  # ids are offered round by round

    def price(self, action, factor):
        if self.told:
            told = [c * (factor if n == action else 1.0) for n, c in enumerate(self.costs)]
            self.agent.set_expected_costs({"dollars": told})

    def decide(self, step):
        ids = None if len(step.offered) == 3 else list(step.offered)
        self.decision = self.agent.decide(step.x, ids)
        return int(self.decision.action)

    def learn(self, reward, cost):
        self.agent.learn(self.decision, float(reward), [float(cost)])


def expected_dollars(entry):
    """Dollars of a request by list prices, with the lengths that ParetoBandit assumes: 100 and 600 tokens."""
    return (100 * entry["input_cost_per_m"] + 600 * entry["output_cost_per_m"]) / 1e6


def play(player, steps, scale, cheap_phases):
    """Mean reward and dollars of the requests that count, by phase and in all; microseconds per request."""
    sums, offered, cheap = {}, set(steps[0].offered), False
    began = time.perf_counter()
    for step in steps:
        for action in set(step.offered) - offered:
            player.offer(action)
            offered.add(action)
        if (step.phase in cheap_phases) != cheap:
            cheap = not cheap
            player.price(GEMINI, scale if cheap else 1.0)
        action = player.decide(step)
        player.learn(step.reward[action], step.cost[action])
        if step.counts:
            one = sums.setdefault(step.phase, [0, 0.0, 0.0])
            one[0] += 1
            one[1] += step.reward[action]
            one[2] += step.cost[action]
    spent = time.perf_counter() - began
    n, reward, cost = (sum(one[i] for one in sums.values()) for i in range(3))
    return {"reward": reward / n, "cost": cost / n, "us": 1e6 * spent / len(steps),
            "phases": [[one[1] / one[0], one[2] / one[0]] for _, one in sorted(sums.items())]}


# -- the experiment


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

    def get(self, key, how):
        if key not in self.known:
            self.known[key] = how()
            with open(self.path, "a", encoding="utf-8") as file:
                file.write(json.dumps({"key": key, "figures": self.known[key]}) + "\n")
        return self.known[key]


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
        rein.Agent(spec.replace("{told}", "expected_costs=[1,1,1]").replace(";", ",").replace(")", ",rate=0.5)")
                   if "(" in spec else f"{spec}(rate=0.5)", actions=3, features=2, costs=["dollars"], rounds=9)
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
    return {"reward": float(np.mean([f["reward"] for f in made])), "more": float(np.mean(more)),
            "error": float(np.std(more, ddof=1) / len(more) ** 0.5),
            "spend": float(np.mean([f["cost"] for f in made])) / budget,
            "worst": max(f["cost"] for f in made) / budget, "us": float(np.median([f["us"] for f in made])),
            "phases": np.mean([f["phases"] for f in made], axis=0).tolist()}


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
            steps = None
            for name, made in figures.items():
                def how(name=name):
                    nonlocal steps
                    steps = steps or steps_of(scenario, val, test, seed, scale)
                    return play(make_player(name, registry, steps, budget, seed), steps, scale, CHEAP.get(scenario, ()))
                made.append(plays.get((scenario, budget, name, seed, words.features), how))
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
        print(f"{scenario:12}{row['budget']:<10.3g}{name:26}{f['reward']:8.4f}{f['spend']:8.3f}{f['worst']:8.3f}"
              f"{f['more']:+9.4f} ± {f['error']:.4f}{f['us']:8.0f} us   {phases}", flush=True)


# -- the page


def word(row, name):
    f = row["policies"][name]
    words = []
    for title, d in (("", f), (" of its best", f.get("against_tuned"))):
        if d and abs(d["more"]) > 2 * d["error"]:
            words.append(("ahead" if d["more"] > 0 else "behind") + title)
    if f["spend"] > 1.01:
        words.append("over budget")
    if row["single"] is not None and f["reward"] < row["single"] - 0.003:
        words.append("below the best single model")
    return ", ".join(words)


def tables(results):
    made = {}
    import peers_tables
    for title, names in (("paretobandit", ("cold", "warm")), ("paretobandit_changes", SCENARIOS[2:])):
        rows = []
        for scenario in names:
            for row in results.get(scenario, []):
                theirs = row["policies"]["paretobandit"]
                for name, f in row["policies"].items():
                    if name.startswith("paretobandit"):
                        continue
                    best = row["policies"].get(row["tuned"])
                    rows.append([scenario, f"{row['budget']:.2e}", f"`{name}`" if name != "ccb" else "`ccb`",
                                 f"{f['reward']:.4f}, {f['spend']:.2f}", f"{theirs['reward']:.4f}, {theirs['spend']:.2f}",
                                 f"{f['more']:+.4f} ± {f['error']:.4f}",
                                 f"{best['reward']:.4f}, {best['spend']:.2f}" if best else "",
                                 "" if row["single"] is None else f"{row['single']:.4f}", word(row, name)])
        if rows:
            made[title] = peers_tables.markdown(
                ["scenario", "dollars per request", "policy", "its reward, spend", "ParetoBandit: reward, spend",
                 "more, ± standard error", "its best of 8", "best single model", ""], rows)
    return made


def write_into(page, made):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    for name, table in made.items():
        place = re.compile(rf"(?<=<!-- begin {name} -->\n\n).*?(?=\n\n<!-- end -->)", re.S)
        text, count = place.subn(lambda _, table=table: table, text)
        if count != 1:
            raise SystemExit(f"{page} has {count} places for the table {name}; wanted one")
    with open(page, "w", encoding="utf-8") as file:
        file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--out", default="out/paretobandit")
    parser.add_argument("--policy", action="append",
                        help="[ccb, and ccb({told}) where it takes expected costs]; keys separated by ;")
    parser.add_argument("--only", nargs="+", default=SCENARIOS, choices=SCENARIOS)
    parser.add_argument("--tuned", action="store_true", help="also the best of 8 settings of ParetoBandit, in hindsight")
    parser.add_argument("--minilm", help="folder with val.npy and test_holdout.npy, embeddings of the prompts")
    parser.add_argument("--into", help="a page with marks")
    words = parser.parse_args()
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
    print(f"{'scenario':12}{'budget':10}{'policy':26}{'reward':>8}{'spend':>8}{'worst':>8}   more than it   per request")
    results = {}
    path = os.path.join(words.out, "results.json")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
    for scenario in words.only:
        results[scenario] = measure(words, scenario, plays, val, test, registry)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    made = tables(results)
    if words.into:
        write_into(words.into, made)
    else:
        for name, table in made.items():
            print(f"<!-- begin {name} -->\n\n{table}\n\n<!-- end -->\n")


if __name__ == "__main__":
    sys.exit(main())
