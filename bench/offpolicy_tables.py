"""The tables of docs/lab/offpolicy.md about truth, from the results of build/bench/offpolicy_truth.

    offpolicy_tables.py FILE... [--into docs/lab/offpolicy.md]

Results of intervals for other logs of the same condition (other seeds) are added up; else a later line
replaces an earlier one. With --into, the text between the two comments `made by make bench-offpolicy` and
`end` is replaced. A part without results, intervals or curves, stays as it is there.
"""

import json
import re
import sys
import textwrap

OTHERS = ("ips", "snips", "dm", "switch_dr", "dros")
WITH_INTERVAL = ("snips", "dr", "efficient_dr", "stabilized_dr")
BEGIN = "<!-- made by make bench-offpolicy -->"
END = "<!-- end -->"
SMALLEST_SIZE = 200
ENOUGH_LOGS = 1000  # for the share of intervals that hold
NO_ERROR = 1e-16  # mean squared errors below are rounding


def share(part, whole):
    return f"{100 * part / whole:.1f}" if whole else ""


def intervals(found, name):
    """Logs with an interval; how many intervals there are and how many held, of reward and cost together. An
    estimate without any error has none."""
    reward, reward_held, cost, cost_held, _ = found.get(name, [0, 0, 0, 0, 0.0])
    return max(reward, cost), reward + cost, reward_held + cost_held


def enough(found, name):
    return 2 * intervals(found, name)[0] >= found["logs"]


def held_by_head(found, name):
    """The share of intervals that held, in %, of reward and cost, where at least half of the logs have one."""
    numbers = found.get(name, [0, 0, 0, 0, 0.0])
    return [100 * numbers[i + 1] / numbers[i] for i in (0, 2) if numbers[i] and 2 * numbers[i] >= found["logs"]]


def error(found, name):
    return found[name][-1] + NO_ERROR


def ratio(found, name):
    """The mean squared error over that of the best other estimator."""
    return error(found, name) / min(error(found, other) for other in OTHERS)


def batch_rows(found):
    lines = ["| problem | K | log | rows | policy | logs | effective size | with interval | snips | dr | efficient_dr "
             "| stabilized_dr | dr | efficient_dr | blend |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for one in found:
        _, problem, actions, log, rows, policy = one["condition"].split()
        held = [share(*intervals(one, name)[:0:-1]) if enough(one, "dr") and enough(one, name) else ""
                for name in WITH_INTERVAL]
        errors = [ratio(one, name) for name in ("dr", "efficient_dr", "blend")]
        lines.append(f"| {problem} | {actions} | {log} | {rows} | {policy} | {one['logs']} | {one['size']:.0f} "
                     f"| {share(intervals(one, 'dr')[0], one['logs'])} | " + " | ".join(held) + " | "
                     + " | ".join(f"{e:.2f}" if e < 100 else "over 100" for e in errors) + " |")
    return lines


def batch_summary(found):
    sized = [one for one in found if one["size"] >= SMALLEST_SIZE]
    lines = [f"{len(found)} conditions, of which {len(sized)} have a mean effective size of at least "
             f"{SMALLEST_SIZE}. In these:", ""]
    for name in ("dr", "efficient_dr", "blend"):
        good = sum(ratio(one, name) <= 1.05 for one in sized)
        lines.append(f"- Mean squared error of `{name}` at most 5 % above the best of ips, snips, dm, switch_dr and "
                     f"dros: {good} of {len(sized)} conditions.")
    for name in WITH_INTERVAL:
        many = [one for one in sized if one["logs"] >= ENOUGH_LOGS and enough(one, "dr") and enough(one, name)]
        if not many:
            continue
        held = [100 * intervals(one, name)[2] / intervals(one, name)[1] for one in many]
        heads = [h for one in many for h in held_by_head(one, name)]
        inside = sum(93 <= h <= 97 for h in held)
        over = sum(h > 97 for h in held)
        lines.append(f"- Intervals of `{name}` held in 93 to 97 % of logs in {inside} of {len(held)} conditions with "
                     f"at least {ENOUGH_LOGS} logs, in more in {over}; the least is {min(held):.1f} %, and "
                     f"{min(heads):.1f} % for reward or cost alone.")
    rare = [intervals(one, "efficient_dr") for one in found if not enough(one, "dr")]
    rare = [one for one in rare if one[0] > 0]
    if rare:
        got, held = (sum(r[i] for r in rare) for i in (1, 2))
        lines.append(f"- Where fewer than half of the logs got an interval ({len(rare)} conditions, {got:.0f} "
                     f"intervals), those of `efficient_dr` held in {share(held, got)} %.")
    unwarned = sum(one["unwarned"] for one in found)
    lines.append(f"- Logs without an interval and without a warning: {unwarned:.0f}.")
    sequences = [h for one in found for h in one["inside"]]
    lines.append(f"- Confidence sequences held at all times in {min(sequences):.1f} to {max(sequences):.1f} % of logs; "
                 f"95 is promised ({len(sequences)} conditions and heads).")
    learners = {tuple(one["condition"].split()[1:5]): one for one in found}
    noticed = [(one["noticed"], one["logs"], key[2] == "ccb") for key, one in learners.items()]
    for kind, name in ((True, "Logs of learners that were noticed"),
                       (False, "Logs of fixed policies taken for learners")):
        count = sum(n for n, _, learned in noticed if learned == kind)
        total = sum(logs for _, logs, learned in noticed if learned == kind)
        lines.append(f"- {name}: {count:.0f} of {total}.")
    return lines


def curve_summary(found):
    bands, held = (sum(one[key] for one in found) for key in ("with_band", "held"))
    many = [100 * one["held"] / one["with_band"] for one in found if 2 * one["with_band"] >= one["logs"]]
    few = [one for one in found if 0 < 2 * one["with_band"] < one["logs"]]
    none = sum(one["with_band"] == 0 for one in found)
    lines = [f"{len(found)} conditions of curves. Bands held at all budgets together in {share(held, bands)} % of the "
             f"{bands:.0f} logs that got one."]
    if many:
        lines += [f"- Where at least half of the logs got a band ({len(many)} conditions), it held in "
                  f"{min(many):.1f} to {max(many):.1f} %."]
    if few:
        got, kept = (sum(one[key] for one in few) for key in ("with_band", "held"))
        lines += [f"- Where fewer did ({len(few)} conditions, {got:.0f} bands), it held in {share(kept, got)} %."]
    lines += [f"- Conditions in which no log got a band: {none}."]
    return [lines[0], "", *lines[1:]]


def curve_rows(found):
    lines = ["| problem | K | log | rows | limit | logs | logs with a band | band holds at all budgets "
             "| interval at one budget |", "|---|---|---|---|---|---|---|---|---|"]
    for one in found:
        _, problem, actions, log, rows, limit = one["condition"].split()
        kept = "at least 0.5" if limit == "limit" else "none"
        lines.append(f"| {problem} | {actions} | {log} | {rows} | {kept} | {one['logs']} "
                     f"| {one['with_band']:.0f} | {share(one['held'], one['with_band'])} "
                     f"| {share(one['inside'], one['points'])} |")
    return lines


def added(one, two):
    """The results of one condition over the logs of both."""
    logs = one["logs"] + two["logs"]

    def mean(a, b):
        return (a * one["logs"] + b * two["logs"]) / logs

    out = {**one, "logs": logs, "seed": min(one["seed"], two["seed"])}
    for key in set(one) | set(two):
        if key in ("unwarned", "noticed"):
            out[key] = one[key] + two[key]
        elif key == "size":
            out[key] = mean(one[key], two[key])
        elif key in ("inside", "width"):
            out[key] = [mean(a, b) for a, b in zip(one[key], two[key], strict=True)]
        elif key not in ("condition", "logs", "seed"):  # an estimator: intervals and held per head, mean squared error
            a, b = (part.get(key, [0, 0, 0, 0, 0.0]) for part in (one, two))
            out[key] = [*(x + y for x, y in zip(a[:4], b[:4], strict=True)), mean(a[4], b[4])]
    return out


def conditions(paths):
    """One result per condition, in the order of the first lines."""
    parts = {}  # condition -> seed -> result
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                one = json.loads(line)
                seeds = parts.setdefault(one["condition"], {})
                if one["condition"].startswith("curve "):
                    seeds.clear()
                seeds[one["seed"]] = one
    out = []
    for name, seeds in parts.items():
        total, end = None, 0
        for seed, one in sorted(seeds.items()):
            if seed < end:
                raise SystemExit(f"offpolicy_tables.py: {name}: logs with seed {seed} are there twice")
            total = added(total, one) if total else one
            end = seed + one["logs"]
        out.append(total)
    return out


def parts_of(text):
    """The text of the page: intervals, and curves."""
    curves = re.search(r"^\d+ conditions of curves", text, re.MULTILINE)
    return (text[:curves.start()].strip(), text[curves.start():].strip()) if curves else (text.strip(), "")


def filled(lines):
    return [textwrap.fill(line, 100, subsequent_indent="  " if line.startswith("- ") else "") for line in lines]


def main(words):
    into = None
    if "--into" in words:
        place = words.index("--into")
        into = words[place + 1]
        del words[place:place + 2]
    found = conditions(words)
    batches = [one for one in found if one["condition"].startswith("batch ")]
    curves = [one for one in found if one["condition"].startswith("curve ")]
    before, old, after = "", "", ""
    if into is not None:
        with open(into, encoding="utf-8") as page:
            before, rest = page.read().split(BEGIN)
        old, after = rest.split(END)
    text = list(parts_of(old))
    if batches:
        text[0] = "\n".join([*filled(batch_summary(batches)), "", *batch_rows(batches)])
    if curves:
        text[1] = "\n".join([*filled(curve_summary(curves)), "", *curve_rows(curves)])
    if into is None:
        print("\n\n".join(filter(None, text)))
        return
    with open(into, "w", encoding="utf-8") as page:
        page.write(before + "\n\n".join([BEGIN, *filter(None, text), END]) + after)


if __name__ == "__main__":
    main(sys.argv[1:])
