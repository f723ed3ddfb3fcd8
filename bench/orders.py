"""Peers beside ccb where contexts switch or are chosen by an adversary: K = d = 8, T = 20000.

    orders.py REIN_PROGRAM [--seeds 20] [--out out/peers] [--rounds 20000]

Worlds: linear with order=switching and order=adaptive, signed costs that should sum to 0, and costs in [0, 1]
under a budget of 0.3 per round. Every policy with 8 settings has them chosen on seeds 101 to 105 and is measured
on seeds 1 to 20, beside its printed constants. Regret is against the best of every round and against the best
over all rounds (docs/comparators.md); spend is what came above the budget (docs/metrics.md: CCV less B).
"""

import argparse
import json
import os

import peers
import side

WORLDS = {
    "switching, signed": ("linear(d=8,k=8,order=switching)", 0),
    "adaptive, signed": ("linear(d=8,k=8,order=adaptive)", 0),
    "switching, budget 0.3": ("linear(costs=positive,d=8,k=8,order=switching,rate=0.3)", 0.3),
    "adaptive, budget 0.3": ("linear(costs=positive,d=8,k=8,order=adaptive,rate=0.3)", 0.3),
}
# Variants that differ little from similar ones here.
LEFT_OUT = ("loe2d(balanced=1)", "lagrange(eta=margin", "squarecbwk(stages=2)", "lincbwk(z=")
# Settings for these worlds. The tables' smallest V discards slack here, and their lambda spends too
# little.
GRIDS = {
    "ccb(tuning=theory)": lambda rate: {"gamma_scale": peers.GAMMA,
                                        **({"lambda_scale": [1, 60]} if rate > 0 else {"v_scale": [1, 0.1]})},
    "ccb(setting=pacing,tuning=theory)": lambda rate: {"gamma_scale": peers.GAMMA, "v_scale": [1, 0.1]},
    "loe2d": lambda rate: {"gamma_scale": peers.GAMMA, "v_scale": [1, 0.1]},
    "weakly_adaptive": lambda rate: {"gamma_scale": peers.GAMMA, "eta_scale": [1, 10]},
}


def figures(rows, rounds, rate):
    def of(name):
        return side.interval([float(r[name]) for r in rows])

    over = side.interval([float(r["spend cost"]) - rate * rounds for r in rows])
    return {"reward": of("reward"), "regret": of("regret"), "long": of("regret_long_term"), "over": over}


def text(f):
    return "".join(f"{f[key][0]:9.0f} ±{f[key][1]:4.0f}" for key in ("regret", "long", "over"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=20000)
    parser.add_argument("--out", default="out/peers")
    words = parser.parse_args()
    choosing, measuring = (side.Runner(words.program, words.out, n) for n in (5, words.seeds))
    kept = {}
    for title, (world, rate) in WORLDS.items():
        file = "orders_" + title.replace(", ", "_").replace(" ", "_")
        print(f"\n{title}: {world}, {words.rounds} rounds, {words.seeds} seeds")
        print(f"{'':36}{'regret':>14}{'long term':>14}{'over':>14}", flush=True)
        kept[title] = {}
        own = measuring.rows(file, world, ["ccb"], words.rounds)["ccb"]
        kept[title]["ccb"] = {"printed": figures(own, words.rounds, rate)}
        print(f"{'ccb':36}{text(kept[title]['ccb']['printed'])}")
        for spec, grid in peers.peers(title, rate, 0.5):
            if spec.startswith(LEFT_OUT):
                continue
            found = measuring.rows(file, world, [spec], words.rounds)
            row = kept[title][spec] = {"printed": figures(next(iter(found.values())), words.rounds, rate)}
            print(f"{spec:36}{text(row['printed'])}", flush=True)
            if grid is None:
                continue
            grid = GRIDS[spec](rate) if spec in GRIDS else grid
            assert side.settings(grid) == 8, spec
            tried = choosing.rows(file, world, [spec], words.rounds, grid, ["--first-seed", "101"])
            chosen, _ = side.best(tried, rate)
            rows = measuring.rows(file, world, [chosen], words.rounds)[chosen]
            row["tuned"] = {"spec": chosen, **figures(rows, words.rounds, rate)}
            print(f"{'  best of 8':36}{text(row['tuned'])}  {chosen}", flush=True)
        shown = [s for spec, row in kept[title].items() for s in (spec, row.get("tuned", {}).get("spec")) if s]
        measuring.report(file, world, list(dict.fromkeys(shown)), words.rounds, None,
                         ["--report", os.path.join(words.out, file + ".html"), "--title", "Peers: " + title])
        with open(os.path.join(words.out, "orders.json"), "w") as out:
            json.dump(kept, out, indent=1)


if __name__ == "__main__":
    main()
