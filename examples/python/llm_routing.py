"""Routing prompts to language models, with one dollar for all of them.

    python examples/python/llm_routing.py [--out FOLDER]

3609 prompts of public tests were sent to three models, and a judge marked every answer. The dear model would take $54
for all of them; there is $1. The cheap one would take ten cents, but fails at what the others can do. Whether a
prompt needs a better model can be guessed from its words, and what a model costs is known only when it has answered.

The rows (prompt, mark and dollars of every model) ship with the package paretobandit: pip install paretobandit. They
are shuffled, and only the mark and the cost of the model that was asked are shown to a policy. A prompt becomes 32
hashed words and four plain numbers. The hand-set mix is told what the models cost on average on these very rows; the
others find out.
"""

import argparse
import importlib.util
import json
import pathlib
import re
import sys
import zlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import rein

MODELS = ["meta-llama/llama-3.1-8b-instruct", "mistralai/mistral-large-2512", "google/gemini-2.5-pro"]
NAMES = ["llama 8b", "mistral large", "gemini pro"]
BUDGET, SHUFFLES = 1.0, 10
MOST = 0.17  # dollars that one answer can cost
HASHED = 32


def rows():
    found = importlib.util.find_spec("pareto_bandit")
    if found is None:
        sys.exit("llm_routing: the rows ship with the package paretobandit: pip install paretobandit")
    folder = pathlib.Path(found.submodule_search_locations[0]) / "data" / "examples"
    lines = [json.loads(line) for file in sorted(folder.glob("*.jsonl")) for line in file.open()]
    contexts = np.array([numbers(line["prompt"]) for line in lines])
    marks = np.array([[line["arms"][model]["reward"] for model in MODELS] for line in lines])
    dollars = np.array([[line["arms"][model]["cost"] for model in MODELS] for line in lines])
    return contexts, marks, dollars


def numbers(prompt):
    """The prompt as numbers: words by their hash, as roots of their shares, so that it is about 1 long."""
    words = re.findall(r"[a-z]+|[0-9]|[^a-z0-9\s]", prompt.lower())
    x = np.zeros(HASHED)
    for word in words:
        x[zlib.crc32(word.encode()) % HASHED] += 1
    digits = sum(map(str.isdigit, prompt)) / len(prompt)
    plain = [1.0, min(len(prompt) / 1000, 1.0), digits, float("\n" in prompt)]
    return np.concatenate([np.sqrt(x / max(x.sum(), 1)), plain]) / np.sqrt(2)


def routed(spec, contexts, marks, dollars, seed):
    """The loop that a router runs: which model was asked for each prompt."""
    agent = rein.Agent(spec, actions=3, context=contexts.shape[1], costs={"dollars": MOST}, reward=(0, 1),
                       rounds=len(contexts), seed=seed)
    asked = np.zeros(len(contexts), int)
    for t, x in enumerate(contexts):
        d = agent.decide(x)
        asked[t] = d.action
        agent.learn(d.id, reward=marks[t, d.action], costs=[dollars[t, d.action]])
    return asked


def mixed(dollars, rng):
    """The cheap model and the middle one, so often that it costs the budget on average."""
    low, middle = dollars[:, :2].sum(0)
    return (rng.random(len(dollars)) < (BUDGET - low) / (middle - low)).astype(int)


def plays(contexts, marks, dollars):
    """name -> (marks, dollars) of every prompt, a row a shuffle."""
    everyone = {f"{name} always": lambda *_, a=a: np.full(len(marks), a) for a, name in enumerate(NAMES)}
    everyone["hand-set mix"] = lambda x, r, c, seed: mixed(c, np.random.default_rng(seed))
    everyone["squarecb, no budget"] = lambda x, r, c, seed: routed("squarecb", x, r, c, seed)
    for dollar in (0.25, 0.5, BUDGET, 2.0, 4.0):
        spec = f"ccb(budget={dollar})"
        everyone[f"ccb, ${dollar:.2f}"] = lambda x, r, c, seed, spec=spec: routed(spec, x, r, c, seed)
    found = {}
    for name, ask in everyone.items():
        kept = []
        for seed in range(SHUFFLES):
            order = np.random.default_rng(seed).permutation(len(marks))
            asked = ask(contexts[order], marks[order], dollars[order], seed)
            kept.append([table[order][np.arange(len(order)), asked] for table in (marks, dollars)])
        found[name] = np.array(kept).transpose(1, 0, 2)
    return found


def draw(found, path):
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    routers = ["squarecb, no budget", f"ccb, ${BUDGET:.2f}"]
    for name in ["gemini pro always", routers[0], "mistral large always", routers[1], "llama 8b always"]:
        left.plot(found[name][1].cumsum(1).mean(0), label=name)
    left.axhline(BUDGET, color="black", linestyle=":", label="budget")
    left.set(yscale="log", ylim=(0.003, 100), xlabel="prompts", ylabel="dollars spent so far", title="Spend")
    left.legend(fontsize=7, ncols=2, loc="lower right")
    totals = {name: (both[1].sum(1).mean(), both[0].mean()) for name, both in found.items()}
    curve = np.array([spot for name, spot in totals.items() if name.startswith("ccb")])
    right.plot(*curve.T, "o-", label="ccb, by its budget")
    single = [f"{name} always" for name in NAMES]
    for here, there in zip(single, single[1:]):
        right.plot(*np.linspace(totals[here], totals[there], 60).T, color="grey", linewidth=1)
    for name in [*single, "hand-set mix", "squarecb, no budget"]:
        right.plot(*totals[name], "ks", markersize=4)
        right.annotate(name, totals[name], (6, -10), textcoords="offset points", fontsize=7)
    right.set(xscale="log", xlim=(0.08, 500), ylim=(0.78, 0.945), xlabel="dollars for all prompts", ylabel="mean mark",
              title="Quality (grey: mixes of two models)")
    right.legend(fontsize=7)
    figure.savefig(path, dpi=80)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/examples"))
    words = parser.parse_args()
    words.out.mkdir(parents=True, exist_ok=True)
    found = plays(*rows())
    print(f"{found['hand-set mix'].shape[2]} prompts, {SHUFFLES} shuffles")
    print(f"{'':22}{'mark':>8}{'dollars':>9}{'most':>8}")
    for name, (marks, dollars) in found.items():
        print(f"{name:22}{marks.mean():8.4f}{dollars.sum(1).mean():9.3f}{dollars.sum(1).max():8.3f}")
    routed_mark, mixed_mark = found[f"ccb, ${BUDGET:.2f}"][0].mean(), found["hand-set mix"][0].mean()
    print(f"\nWith ${BUDGET:.2f}, choosing by the prompt earns marks of {routed_mark:.3f}, the mix of the same price "
          f"{mixed_mark:.3f}; where the budget buys a good model for every prompt, there is little left to choose.")
    draw(found, words.out / "llm_routing.png")


if __name__ == "__main__":
    main()
