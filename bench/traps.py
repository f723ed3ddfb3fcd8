"""Two worlds on which theory says what must happen, over growing horizons.

    traps.py REIN_PROGRAM [--seeds 5] [--out out/peers]

spend_or_save: under a hard budget the regrets of the two futures add up to at least T / 4, so the larger is at
least T / 8, whoever decides. slack_then_trap: what a queue makes of early savings tells reflect, the positive
part and the literal potential apart.
"""

import argparse

import side

HORIZONS = [1024, 4096, 16384, 65536]
STOPPED = ["stop(null=0,of=ccb)", "stop(null=0,of=ccb(oracle=truth,tuning=theory,u=1))", "squarecbwk(null=0)",
           "lagrange(eta=stop,null=0)", "lincbwk(null=0)", "aupd(null=0)", "stop(null=0,of=loe2d)",
           "stop(null=0,of=pgd)", "stop(null=0,of=weakly_adaptive)", "stop(null=0,of=pacer)",
           "stop(null=0,of=squarecb)", "uniform"]
QUEUES = {q: f"ccb(pricer=quadratic(queue={q}),tuning=theory,u=1)" for q in ("literal", "positive", "reflect")}
OTHERS = ["ccb", "loe2d(u=1)", "lagrange(u=1)", "aupd", "pgd", "weakly_adaptive(u=1)", "pacer"]


def spend_or_save(runner):
    print("spend_or_save, hard stop: long-term regret / T in the future high, in the future low, their sum; "
          "the sum cannot be below 0.25")
    print(f"{'':52}" + "".join(f"{f'T = {t}':>24}" for t in HORIZONS))
    for policy in STOPPED:
        spec = f"stop(null=0,of={policy})" if policy == "uniform" else policy
        line = f"{spec:52}"
        for t in HORIZONS:
            shares = []
            for future in ("high", "low"):
                rows = runner.rows(f"save_{future}_{t}", f"spend_or_save(future={future})", [spec], t)
                assert all(float(r["excess cost"]) <= 0 for found in rows.values() for r in found), spec
                shares.append(side.interval(side.column(next(iter(rows.values())), "regret_long_term"))[0])
            line += f"{shares[0]:9.3f}{shares[1]:7.3f}{sum(shares):8.3f}"
        print(line, flush=True)
    print("\nspend_or_save, no stop: what is spent above the budget instead (share of T), and long-term regret / T")
    for spec in ["ccb(oracle=truth,tuning=theory,u=1)", "ccb"]:
        line = f"{spec:52}"
        for t in HORIZONS:
            for future in ("high", "low"):
                rows = next(iter(runner.rows(f"save_{future}_{t}", f"spend_or_save(future={future})", [spec],
                                             t).values()))
                line += (f"{side.interval(side.column(rows, 'excess cost'))[0]:6.3f}"
                         f"{side.interval(side.column(rows, 'regret_long_term'))[0]:6.3f}")
        print(line, flush=True)


def slack_then_trap(runner):
    print("\nslack_then_trap: shares of T: regret (per round), CCV at the end, CCV within the trap")
    print(f"{'':56}" + "".join(f"{f'T = {t}':>24}" for t in HORIZONS))
    for spec in [*QUEUES.values(), *OTHERS]:
        line = f"{spec:56}"
        for t in HORIZONS:
            told = runner.report(f"trap_{t}", "slack_then_trap", [spec], t)["policies"][0]
            curve = told["curves"]
            start = min(range(len(curve["rounds"])), key=lambda i: abs(curve["rounds"][i] - t // 4))
            end = told["ccv"][0]["mean"]
            within = end - curve["ccv"][0]["mean"][start]
            line += f"{told['regret']['mean'] / t:9.3f}{end / t:7.3f}{within / t:8.3f}"
        print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", default="out/peers")
    words = parser.parse_args()
    runner = side.Runner(words.program, words.out, words.seeds)
    spend_or_save(runner)
    slack_then_trap(runner)


if __name__ == "__main__":
    main()
