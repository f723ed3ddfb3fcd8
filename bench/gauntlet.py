"""The default in real conditions: one fixed policy, many conditions, no tuning (docs/lab/gauntlet.md).

    gauntlet.py --rein PROGRAM --data FOLDER [--only NAME...] [--seeds 3] [--policy SPEC...] [--peers | --full]

FOLDER holds the tables of quality.py. Each condition (gauntlet_conditions.py) is played on seeds 1 to N. Share is the
reward in percent of the full-information learner's, whose figures are frozen in gauntlet_learner.json, so that a better
learner does not move the yardstick; for rows that change in the middle the learner starts again there. Spend is in
units of the budget, or cost per round where the budget is 0; with several budgets it is the largest. --peers adds the
best of three peers, which a pilot of two seeds picks; each has 8 settings, chosen in hindsight. --full plays all.

A third of the conditions is held out: they are not for tuning, and run only with --held-out, or --all.
Finished plays are kept in OUT/<hash of the program>/ as `rein compare` stores them, so a stopped run goes on.
"""

import argparse
import json
import os
import sys

import gauntlet_conditions as known
import peers
from gauntlet_play import Gauntlet, Refused

HERE = os.path.dirname(os.path.abspath(__file__))
FROZEN = os.path.join(HERE, "gauntlet_learner.json")
LEFT_OUT = (
    "ccb(tuning=theory)",
    "loe2d(balanced=1)",
    "lagrange(eta=margin",
    "squarecbwk(stages=2)",
    "banditq",
    "squarecb",
    "greedy",
    "uniform",
    "epsilon",
    "stop(",
)


def spend_of(figures, rates):
    """Spend in units of the budget, the largest of several; cost per round where the budget is 0."""
    return max(s / (r or 1) for s, r in zip(figures["spend"], rates))


def frozen():
    if not os.path.exists(FROZEN):
        return {}
    with open(FROZEN) as file:
        return json.load(file)


def yardstick(condition, kept):
    """The frozen figures of a condition; a learner below its published figure is raised to it."""
    row = kept[condition.name]
    mean = sum(row["learner"].values()) / len(row["learner"])
    raised = max(1.0, condition.published / mean)
    return {**row, "learner": {seed: raised * value for seed, value in row["learner"].items()}}


def freeze(game, chosen, seeds):
    """Records the yardstick, and `ccb` beside it, with the program at hand. Only what is missing is played."""
    kept = frozen()
    for condition in chosen:
        row = kept.setdefault(condition.name, {"learner": {}, "mix": {}, "ccb": {}})
        for key in ("learner", "mix", "ccb"):
            row.setdefault(key, {})
        missing = [s for s in seeds if str(s) not in row["learner"]]
        for seed, found in zip(missing, game.pool.map(game.learner, [condition] * len(missing), missing)):
            row["learner"][str(seed)] = round(found["learner"], 8)
            row["mix"][str(seed)] = round(found["mix"], 8)
        missing = [s for s in seeds if str(s) not in row["ccb"]]
        for plays in game.rows(condition, ["ccb"], missing).values() if missing else ():
            row["ccb"].update({str(p["seed"]): round(p["reward"], 8) for p in plays})
        print(f"{condition.name:22} learner {row['learner'].get('1')}", flush=True)
        with open(FROZEN, "w") as file:
            json.dump(kept, file, indent=0, sort_keys=True)
            file.write("\n")


def summary(condition, plays, yard):
    """Share, spend and worst spend of one policy's plays."""
    shares = [p["reward"] / yard["learner"][str(p["seed"])] for p in plays]
    total = sum(p["reward"] for p in plays) / sum(yard["learner"][str(p["seed"])] for p in plays)
    spends = [spend_of(p, condition.rates) for p in plays]
    longs = [p["long"] for p in plays if p["long"] is not None]
    ess = [p["ess"] for p in plays if p["ess"] is not None]
    return {
        "share": 100 * total,
        "least": 100 * min(shares),
        "spend": sum(spends) / len(spends),
        "worst": max(spends),
        "reward": sum(p["reward"] for p in plays) / len(plays),
        "seeds": len(plays),
        "long": sum(longs) / len(longs) if longs else None,
        "ess": sum(ess) / len(ess) if ess else None,
        "cpu": 1e6 * sum(p["cpu"] / p["rounds"] for p in plays) / len(plays),
    }


def share_before(yard, seeds):
    """The share that ccb had on these seeds when the yardstick was frozen."""
    return 100 * sum(yard["ccb"][str(s)] for s in seeds) / sum(yard["learner"][str(s)] for s in seeds)


def target_of(condition, yard, seeds):
    """The share to reach. The eight tables may lose half a point of what ccb had when the yardstick was frozen."""
    if condition.target is not None:
        return condition.target
    if condition.group == "tables":
        return share_before(yard, seeds) - (3 if condition.name == "bank_file_order" else 0.5)
    return None


def budget_kept(condition, figures):
    if condition.rates[0] == 0:
        return figures["spend"] <= known.AT_ZERO and figures["worst"] <= 2 * known.AT_ZERO
    return not condition.feasible or (figures["spend"] <= known.MEAN and figures["worst"] <= known.WORST)


def peer_rows(game, condition, yard, seeds, full):
    """The best setting of every peer that was played to the end, best first."""
    opt = sum(yard["learner"].values()) / len(yard["learner"])
    rate = condition.rates[0]
    listed = [
        (spec, grid)
        for spec, grid in peers.peers(condition.name, rate, opt * condition.unit)
        if not spec.startswith(LEFT_OUT) or full
    ]
    if condition.null is not None:
        stops = [
            (f"aupd(null={condition.null})", peers.AUPD),
            (f"squarecbwk(null={condition.null})", peers.SQUARECBWK),
        ]
        listed += [row for row in stops if row not in listed]
    slack = peers.SLACK if rate > 0 else peers.SLACK_AT_ZERO

    def best(found):
        made = {spec: summary(condition, plays, yard) for spec, plays in found.items()}
        within = {s: f for s, f in made.items() if f["spend"] <= (1 + slack if rate > 0 else slack)}
        if within:
            return max(within.items(), key=lambda item: item[1]["share"])
        return min(made.items(), key=lambda item: item[1]["spend"])

    def order(item):
        return (item[1]["spend"] > (1 + slack if rate > 0 else slack), -item[1]["share"])

    pilot = []
    for spec, grid in listed:
        pilot.append((spec, grid, best(game.rows(condition, [spec], seeds[:2], grid))))
    pilot.sort(key=lambda row: order(row[2]))
    finals = pilot if full else pilot[:3]
    return sorted((best(game.rows(condition, [spec], seeds, grid)) for spec, grid, _ in finals), key=order)


def ahead(own, listed, zero):
    """The tuned peers that earn over 1 % more for no more spend (half a percent of the budget is allowed)."""
    slack = peers.SLACK_AT_ZERO if zero else 0.005
    return [p for p in listed if p["share"] > 1.01 * own["share"] and p["spend"] <= own["spend"] + slack]


def with_keys(policy, keys):
    """A spec with more keys."""
    if not keys:
        return policy
    return f"{policy[:-1]},{keys})" if policy.endswith(")") else f"{policy}({keys})"


def judge(game, condition, seeds, kept, policies, with_peers, full):
    yard = yardstick(condition, kept)
    found = {
        policy: next(iter(game.rows(condition, [with_keys(policy, condition.keys)], seeds).values()))
        for policy in policies
    }
    lines = []
    for plays in found.values():
        figures = summary(condition, plays, yard)
        figures["target"] = target_of(condition, yard, seeds)
        figures["before"] = share_before(yard, seeds)
        figures["mix"] = 100 * sum(yard["mix"].values()) / sum(yard["learner"].values())
        figures["share_ok"] = figures["target"] is None or figures["share"] >= figures["target"]
        figures["budget_ok"] = budget_kept(condition, figures)
        figures["log_ok"] = (figures["ess"] or 0.0) >= condition.effective
        lines.append(figures)
    result = {
        "name": condition.name,
        "group": condition.group,
        "held_out": condition.held_out,
        "own": condition.own,
        "zero": condition.rates[0] == 0,
        "policies": dict(zip(found, lines)),
    }
    if condition.group == "change":
        made = game.forgetting(condition, seeds)
        result["forgets"] = 100 * sum(made[str(s)] for s in seeds) / sum(yard["learner"][str(s)] for s in seeds)
    if with_peers:
        result["peers"] = [{"spec": spec, **f} for spec, f in peer_rows(game, condition, yard, seeds, full)]
        for figures in lines:
            figures["peer_ok"] = not ahead(figures, result["peers"], result["zero"])
    return result


def number(x, digits=1, width=8):
    return f"{x:{width}.{digits}f}" if x is not None else " " * (width - 1) + "-"


def show(result):
    for policy, f in result["policies"].items():
        wrong = [what for what in ("share", "budget", "log") if not f[f"{what}_ok"]]
        word = " ".join(["FAIL", *wrong]) if wrong else "pass"
        word += " (a peer is ahead)" if not f.get("peer_ok", True) else ""
        title = result["name"] + (" [held out]" if result["held_out"] else "")
        line = (
            f"{title:28}{policy:24}{number(f['before'])}{number(f['share'])}{number(f['least'])}{number(f['target'])}"
            f"{number(f['spend'], 4, 9)}{number(f['worst'], 4, 9)}{number(f['mix'])}{number(f['long'], 0)}"
            f"{number(None if f['ess'] is None else 100 * f['ess'])}{number(f['cpu'], 1)}  {word}"
        )
        print(line, flush=True)
    if "forgets" in result:
        print(f"{'':6}{'full information, vaw(memory=auto)':46}{'':8}{number(result['forgets'])}", flush=True)
    for peer in result.get("peers", [])[:3]:
        own = next(iter(result["policies"].values()))
        print(
            f"{'':6}{peer['spec']:46}{number(peer['share'])}{'':16}{number(peer['spend'], 4, 9)}"
            f"{number(peer['worst'], 4, 9)}  {peer['share'] - own['share']:+.1f}",
            flush=True,
        )


def closing(results):
    """What holds over all tables: the mean with none counted over 100."""
    for policy in next(iter(results.values()))["policies"]:
        tables = [
            r["policies"][policy]
            for r in results.values()
            if r["group"] == "tables" and r["name"] != "bank_file_order"
        ]
        if len(tables) == 8:
            print(
                f"{policy}: eight tables, mean share {sum(f['share'] for f in tables) / 8:.2f}, none counted over 100 "
                f"{sum(min(f['share'], 100) for f in tables) / 8:.2f} (target 99.0)"
            )
        every = [r["policies"][policy] for r in results.values()]
        passed = sum(f["share_ok"] and f["budget_ok"] and f["log_ok"] for f in every)
        print(f"{policy}: {passed} of {len(every)} conditions pass")


def choose(words):
    every = known.conditions()
    if words.only:
        unknown = [n for n in words.only if n not in every and n not in {c.group for c in every.values()}]
        if unknown:
            raise SystemExit(f"unknown condition {unknown[0]}; --list shows all")
        chosen = [c for c in every.values() if c.name in words.only or c.group in words.only]
        refused = [c.name for c in chosen if c.held_out and not (words.held_out or words.all)]
        if refused and any(n in words.only for n in refused):
            raise SystemExit(f"{refused[0]} is held out: not for tuning; --held-out runs it")
        return [c for c in chosen if c.name not in refused]
    if words.all:
        return list(every.values())
    return [c for c in every.values() if c.held_out == words.held_out]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rein", required=True, help="the program")
    parser.add_argument("--data", required=True, help="folder of the tables")
    parser.add_argument("--only", nargs="+", default=[], help="names of conditions or groups")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--policy", action="append", help="[ccb]; may be given again")
    parser.add_argument("--held-out", action="store_true", help="the conditions that are not for tuning")
    parser.add_argument("--all", action="store_true", help="all conditions")
    parser.add_argument("--peers", action="store_true", help="tuned peers beside it: a pilot picks three")
    parser.add_argument("--full", action="store_true", help="all peers")
    parser.add_argument("--list", action="store_true", help="show the conditions and stop")
    parser.add_argument("--freeze", action="store_true", help="record the yardstick with this program and stop")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", default=os.path.join(os.path.dirname(HERE), "out", "gauntlet"))
    words = parser.parse_args()
    chosen = choose(words)
    if words.list:
        for c in chosen:
            print(
                f"{c.name:22}{c.group:14}target {c.target}  rates {c.rates} rounds {c.rounds or 'all'} delay {c.delay}"
            )
        return
    game = Gauntlet(words)
    seeds = list(range(1, words.seeds + 1))
    if words.freeze:
        freeze(game, chosen, seeds)
        return
    kept = frozen()
    print(
        f"{'condition':28}{'policy':24}{'before':>8}{'share':>8}{'least':>8}{'target':>8}{'spend':>9}{'worst':>9}{'mix':>8}{'long':>8}"
        f"{'eff %':>8}{'us/rnd':>8}"
    )
    results = {}
    path = os.path.join(game.out, "gauntlet.json")
    if os.path.exists(path):
        with open(path) as file:
            results = json.load(file)
    shown = {}
    for condition in chosen:
        missing = [s for s in seeds if str(s) not in kept.get(condition.name, {}).get("learner", {})]
        if missing:
            print(f"{condition.name}: no yardstick for seed {missing[0]}; --freeze records it", file=sys.stderr)
            continue
        try:
            result = judge(
                game, condition, seeds, kept, words.policy or ["ccb"], words.peers or words.full, words.full
            )
        except Refused as refused:
            if not condition.keys:
                raise
            print(f"{condition.name}: this program does not take {condition.keys}: {refused}", file=sys.stderr)
            continue
        show(result)
        results[condition.name] = shown[condition.name] = result
        with open(path, "w") as file:
            json.dump(results, file, indent=1)
    if shown:
        closing(shown)


if __name__ == "__main__":
    main()
