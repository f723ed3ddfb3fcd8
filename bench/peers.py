"""Every peer beside ccb on real tables: reward and spend with default constants, and with the best of 8 settings.

    peers.py REIN_PROGRAM TABLE_FOLDER [--seeds 5] [--out out/peers] [--tables NAMES]

TABLE_FOLDER is that of quality.py. Defaults are what the papers print; for aupd, optimistic3, pgd and weakly_adaptive
some are ours (their pages say which). A peer's 8 settings are multipliers of its own constants, chosen per table in
hindsight: the most reward among those that spend at most 1 % over the budget (0.001 per round if it is 0), or else
the least spend. `ccb` is tuning=auto and has no settings. Reward is per round, spend in units of the budget, or cost
per round where the budget is 0. "front" says whether the row beats ccb: more reward for no more spend, both by the
paired interval. Where a row has more reward and spends more, but within the slack, ccb is also run with that spend as
its budget.
"""

import argparse
import json
import os

import quality
import side

# Multipliers. 1 (or the default of a key that is not a multiplier) is always included.
GAMMA = [1, 8, 64, 512]
LOE2D = {"gamma_scale": GAMMA, "v_scale": [1, 0.001]}
LAGRANGE = {"gamma_scale": GAMMA, "eta_scale": [1, 4]}
SQUARECBWK = {"gamma_scale": GAMMA, "z_scale": [1, 3]}
RADIUS = {"radius_scale": [1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001, 0]}
AUPD = {"radius_scale": [1, 0.1, 0.03, 0], "v_scale": [1, 0.03]}
PGD = {"radius_scale": [1, 0.1, 0.03, 0], "step_scale": [1, 30]}
WEAKLY = {"gamma_scale": GAMMA, "eta_scale": [1, 1000]}

# Tables with an action that costs nothing, by its id. Only there is a hard stop possible.
NULL = {"warfarin": 0, "bank_marketing": 0, "letter": 0}

# Slater's margin as a share of the budget, for lagrange(eta=margin). It is 1 if an action costs
# (almost) nothing.
MARGIN = {"llm_routing": 0.88, "credit_default": 0.1, "pendigits": 0.5}


def peers(table, rate, opt):
    """(spec, grid) of every peer on a table; opt is the full-information learner's reward per round."""
    knapsack = rate > 0
    price = {"lambda_scale": [1, 100]} if knapsack else {"v_scale": [1, 0.001]}
    z = opt / rate if knapsack else 2 * opt
    rows = [
        ("ccb(tuning=theory)", {"gamma_scale": GAMMA, **price}),
        ("loe2d", LOE2D),
        ("loe2d(balanced=1)", None),
        ("lagrange", LAGRANGE),
        (f"lagrange(eta=margin,margin={MARGIN.get(table, 1)})", LAGRANGE),
        ("lagrange(dual=fixed_share)", LAGRANGE),
        ("squarecbwk", SQUARECBWK),
        ("squarecbwk(stages=2)", SQUARECBWK),
        ("lincbwk", RADIUS),
        (f"lincbwk(z={z:.3g})", RADIUS),
        ("aupd", AUPD),
        ("optimistic3", {"radius_scale": [1, 0.1, 0.03, 0], "alpha": [2, 20]}),
        ("pgd", PGD),
        ("weakly_adaptive", WEAKLY),
        ("banditq", {"v_scale": [1, 0.1, 0.01, 0.001], "eta_scale": [1, 4]}),
        ("pacer", {"lam_scale": [1, 10, 100, 1000], "alpha": [0.5, 0.05]}),
        ("squarecb", {"gamma_scale": [1, 2, 4, 8, 16, 64, 256, 1024]}),
        ("epsilon", {"epsilon": [0.1, 0.2, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001]}),
        ("greedy", None),
        ("uniform", None),
    ]
    if knapsack:
        rows.insert(1, ("ccb(setting=pacing,tuning=theory)", LOE2D))
    if table in NULL:
        null = NULL[table]
        rows += [(f"squarecbwk(null={null})", SQUARECBWK), (f"lagrange(eta=stop,null={null})", LAGRANGE),
                 (f"lincbwk(null={null})", RADIUS), (f"aupd(null={null})", AUPD), (f"stop(null={null},of=ccb)", None)]
    return rows


# How far a policy may exceed its limit and still count as keeping it: 1 % of the budget, or this
# amount per round if the budget is 0 (0.1 % more defaults on credit_default).
SLACK, SLACK_AT_ZERO = 0.01, 0.001
LITTLE_MORE = "more for a little more spend"


def kept(spend, rate):
    """Whether a spend, in units of the budget, is within it."""
    return spend <= (1 + SLACK if rate > 0 else SLACK_AT_ZERO)


def described(rows, own, rate):
    """Figures of one policy on one table, and its difference to ccb seed by seed."""
    reward, spend = side.column(rows, "reward"), [s / (rate or 1) for s in side.column(rows, "spend cost")]
    less = [a - b for a, b in zip(reward, side.column(own, "reward"))]
    dearer = [a - b / (rate or 1) for a, b in zip(spend, side.column(own, "spend cost"))]
    d, half = side.interval(less)
    e, width = side.interval(dearer)
    return {"reward": sum(reward) / len(reward), "spend": sum(spend) / len(spend), "worst": max(spend),
            "more": d, "half": half, "dearer": e, "dearer_half": width,
            "beats": d - half > 0 and (e <= 0 or e - width <= 0 and kept(sum(spend) / len(spend), rate))}


def word(figures, rate):
    """Where a row stands beside ccb."""
    if figures["beats"]:
        return "beats ccb"
    within = kept(figures["spend"], rate)
    if figures["more"] - figures["half"] > 0:
        return LITTLE_MORE if within else "more, over budget"
    if not within:
        return "over budget"
    return "as much" if figures["more"] + figures["half"] >= 0 else ""


def one_table(words, name):
    rate = quality.TABLES[name][0]
    path = os.path.join(words.folder, name + ".csv.gz")
    world = f'table(file="{path}",{f"rate={rate}," if rate > 0 else ""}order=shuffled)'
    runner = side.Runner(words.program, words.out, words.seeds)
    more = ["--no-long-term"]
    told = runner.report(name, world, ["ccb"], 0, None, ["--references", *more])
    lines = {r["name"]: (r["reward"]["mean"] / told["rounds"],
                         r["spend"][0]["mean"] / told["rounds"] / (rate or 1))
             for r in told["references"] if r["reward"] and r["reward"]["mean"] is not None}
    own = runner.rows(name, world, ["ccb"], 0, None, more)["ccb"]
    first = described(own, own, rate)
    print(f"\n{name}, {told['rounds']} rounds, " + (f"budget {rate} per round" if rate else "costs to sum to 0")
          + f", {words.seeds} seeds")
    print(f"{'':40}{'default constants':>18}   {'best of 8 in hindsight':24}")
    print(f"{'':40}{'reward':>9}{'spend':>9}   {'reward':>9}{'spend':>9}  {'more than ccb':>18}  front")
    for title, (reward, spend) in lines.items():
        print(f"{title:40}{reward:9.4f}{spend:9.4f}")
    print(f"{'ccb':40}{first['reward']:9.4f}{first['spend']:9.4f}   {'nothing to tune':>18}", flush=True)
    found_all = {"rounds": told["rounds"], "rate": rate, "references": lines, "ccb": first, "peers": {}}
    for spec, grid in peers(name, rate, lines["full information"][0]):
        assert grid is None or side.settings(grid) == 8, spec
        found = runner.rows(name, world, [spec], 0, grid, more)
        printed = described(next(iter(found.values())), own, rate)
        row = {"printed": printed}
        line = f"{spec:40}{printed['reward']:9.4f}{printed['spend']:9.4f}   "
        shown = printed
        if grid:
            chosen, rows = side.best(found, rate, SLACK if rate > 0 else SLACK_AT_ZERO)
            shown = row["tuned"] = {"spec": chosen, **described(rows, own, rate)}
            line += f"{shown['reward']:9.4f}{shown['spend']:9.4f}"
        else:
            chosen = ""
            line += " " * 18
        found_all["peers"][spec] = row
        words_of = word(shown, rate)
        print(f"{line}  {shown['more']:+9.4f} ± {shown['half']:.4f}  {words_of:30}{chosen}", flush=True)
        if words_of == LITTLE_MORE:  # the reward of ccb if it may spend as much
            same = f"ccb(rate={shown['spend'] * (rate or 1):.6g}{'' if rate > 0 else ',setting=pacing'})"
            level = next(iter(runner.rows(name, world, [same], 0, None, more).values()))
            theirs = rows if grid else next(iter(found.values()))
            row["level"] = {"spec": same, **described(theirs, level, rate)}
            print(f"{'  ' + same:40}{side.interval(side.column(level, 'reward'))[0]:9.4f}"
                  f"{side.interval(side.column(level, 'spend cost'))[0] / (rate or 1):9.4f}{'':21}"
                  f"{row['level']['more']:+9.4f} ± {row['level']['half']:.4f}  (the peer's, against this)", flush=True)
    shown = ["ccb"] + [s for spec, row in found_all["peers"].items()
                       for s in (spec, row.get("tuned", {}).get("spec")) if s]
    runner.report(name, world, list(dict.fromkeys(shown)), 0, None,
                  [*more, "--report", os.path.join(words.out, name + ".html"), "--title", f"Peers: {name}"])
    return found_all


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", default="out/peers", help="where finished plays and peers.json go")
    parser.add_argument("--tables", default=",".join(quality.TABLES), help="names with commas")
    words = parser.parse_args()
    all_tables = {}
    for name in words.tables.split(","):
        all_tables[name] = one_table(words, name)
        with open(os.path.join(words.out, "peers.json"), "w") as out:
            json.dump(all_tables, out, indent=1)
    print()
    for name, table in all_tables.items():
        ahead = [row["tuned"]["spec"] if "tuned" in row else spec for spec, row in table["peers"].items()
                 if row.get("tuned", row["printed"])["beats"] or row["printed"]["beats"]]
        print(f"{name}: ccb is on the front" if not ahead else f"{name}: ahead of ccb: {', '.join(ahead)}")


if __name__ == "__main__":
    main()
