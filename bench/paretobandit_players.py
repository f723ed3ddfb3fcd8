"""The rows that ParetoBandit ships, the scenarios made of them, and the two packages as players."""

import hashlib
import json
import os
import re
import time

import numpy as np

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
        self.x, self.reward, self.cost, self.offered, self.counts, self.phase = (
            x,
            reward,
            cost,
            offered,
            counts,
            phase,
        )


def drop_of(registry):
    """What Gemini's dollars are multiplied by when its list prices fall to those of Llama."""
    entry = registry[MODELS[GEMINI]]
    return 0.1 / ((entry["input_cost_per_m"] + entry["output_cost_per_m"]) / 2)


def steps_of(scenario, val, test, seed, scale):
    """The requests of one scenario and seed. Both packages get this list."""
    chance = np.random.default_rng(seed)
    made = []
    if scenario not in ("cold", "onboarding"):
        made += [
            Step(val.x[i], val.reward[i], val.cost[i], counts=False, phase=-1) for i in chance.permutation(len(val.x))
        ]
    order = chance.permutation(len(test.x))
    if scenario in ("cold", "warm"):
        return made + [Step(test.x[i], test.reward[i], test.cost[i]) for i in order]
    if scenario == "onboarding":
        cut = len(order) // 3
        return [
            Step(test.x[i], test.reward[i], test.cost[i], (0, 1) if n < cut else (0, 1, 2), phase=int(n >= cut))
            for n, i in enumerate(order)
        ]
    first, second = order[:PHASE], order[PHASE : 2 * PHASE]
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
            model_registry=known,
            feature_service=FeatureService.for_precomputed(len(steps[0].x)),
            context_store=EphemeralContextStore(),
            priors="none",
            cost_penalty=0.0,
            bandit_seed=seed,
            alpha=BEST_K3_HPARAMS["alpha"] if alpha is None else alpha,
            forgetting_factor=BEST_K3_HPARAMS["forgetting_factor"] if forgetting is None else forgetting,
            budget_pacer=BudgetPacer(target_avg_spend_usd=budget, mode=PacingMode.ADAPTIVE),
        )
        self.log = None

    def offer(self, action):
        entry = self.registry[MODELS[action]]
        self.router.register_model(
            MODELS[action],
            speed="slow",
            input_cost_per_m=entry["input_cost_per_m"],
            output_cost_per_m=entry["output_cost_per_m"],
        )

    def price(self, action, factor):
        entry = self.registry[MODELS[action]]
        self.router.update_model_pricing(
            MODELS[action],
            **{key: entry[key] if factor == 1 else 0.1 for key in ("input_cost_per_m", "output_cost_per_m")},
        )

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
        self.agent = rein.Agent(
            f"{name}({','.join(keys)})",
            actions=3,
            context=len(steps[0].x),
            reward=(0.0, 1.0),
            costs={"dollars": (0.0, MOST_DOLLARS)},
            rounds=len(steps),
            seed=seed,
            engine=rein.EngineOptions(most_open=4),
        )
        self.decision = None

    def offer(self, action):
        pass  # ids are offered round by round

    def price(self, action, factor):
        if self.told:
            told = [c * (factor if n == action else 1.0) for n, c in enumerate(self.costs)]
            self.agent.expect({"dollars": told})

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
    return {
        "reward": reward / n,
        "cost": cost / n,
        "us": 1e6 * spent / len(steps),
        "phases": [[one[1] / one[0], one[2] / one[0]] for _, one in sorted(sums.items())],
    }
