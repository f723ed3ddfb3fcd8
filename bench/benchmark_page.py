#!/usr/bin/env python3
"""Writes the tables of docs/benchmark.md from a result of the benchmark:

    build/rein benchmark --save result
    bench/benchmark_page.py result.json
    bench/benchmark_page.py --entries entries.json        # of examples/python/benchmark_entries.py full entries.json
    bench/benchmark_page.py --tables with_tables.json     # of rein benchmark --tables FOLDER --save with_tables

What the default loses is said first."""

import json
import re
import sys
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "benchmark.md"
OURS = "ccb"


def cell(line, problem):
    return next(each for each in line["problems"] if each["problem"] == problem)


def losses(found):
    """The problems on which another policy has a higher score than the default."""
    ours = next(line for line in found["policies"] if line["policy"] == OURS)
    rows = []
    for problem in found["problems"]:
        here = cell(ours, problem["name"])
        ahead = [(cell(line, problem["name"])["score"], line["policy"]) for line in found["policies"]]
        score, best = max(ahead)
        if best != OURS:
            rows.append(f"| {problem['name']} | {problem['what']} | {best} {score:.1f} | {here['score']:.1f} |")
    if not rows:
        return f"`{OURS}` has the highest score on every problem of this result."
    return "\n".join([f"`{OURS}` does not have the highest score on {len(rows)} of {len(found['problems'])} problems:", "",
                      "| problem | what is hard | best | ccb |", "|---|---|---|---|", *rows])


def scores(found):
    rows = ["| policy | score [95 %] | open seeds | sealed seeds | earned, whatever it cost | spent, in budgets | refused |",
            "|---|---|---|---|---|---|---|"]
    for line in found["policies"]:
        played = [each for each in line["problems"] if not each["refused"]]
        mean = {key: sum(each[key] for each in played) / max(len(played), 1) for key in ("reward", "spend")}
        score = line["score"]
        rows.append(f"| {line['policy']} | {score['mean']:.1f} [{score['low']:.1f}, {score['high']:.1f}] | {line['open']:.1f} | "
                    f"{line['sealed']:.1f} | {mean['reward']:.1f} % | {mean['spend']:.2f} | "
                    f"{len(line['problems']) - len(played) or ''} |")
    return "\n".join(rows)


def problems(found):
    shown = found["policies"][:5]
    names = [line["policy"] for line in shown]
    rows = [f"| problem | world | delay | {' | '.join(names)} |", "|---|---|---|" + "---|" * len(names)]
    for problem in found["problems"]:
        each = " | ".join(f"{cell(line, problem['name'])['score']:.1f}" for line in shown)
        rows.append(f"| {problem['name']} | `{problem['world']}` | {problem['delay']} | {each} |")
    return "\n".join(rows)


def made(found):
    return (f"Made by rein {found['rein']}: {len(found['problems'])} problems of {found['problems'][0]['rounds']} rounds, "
            f"{found['seeds']} seeds, sealed number {found['sealed_number']}.\nProtocol `{found['protocol_hash']}`, result "
            f"`{found['result_hash']}`.")


def name_of(policy):
    return policy[len('own(name="'):-2] if policy.startswith('own(name="') else policy


def entries(found):
    """Scores of entries from outside, and on how many problems each is ahead of the default."""
    ours = next(line for line in found["policies"] if line["policy"] == OURS)
    rows = ["| policy | score [95 %] | spent, in budgets | ahead of ccb on |", "|---|---|---|---|"]
    for line in found["policies"]:
        score, cells = line["score"], line["problems"]
        ahead = [each["problem"] for each in cells if each["score"] > cell(ours, each["problem"])["score"]]
        rows.append(f"| {name_of(line['policy'])} | {score['mean']:.1f} [{score['low']:.1f}, {score['high']:.1f}] | "
                    f"{sum(each['spend'] for each in cells) / len(cells):.2f} | {', '.join(ahead)} |")
    return "\n".join([*rows, "", f"{found['seeds']} seeds, profile {found['profile']}, result `{found['result_hash']}`."])


def tables(found):
    """Scores of every policy on the real tables."""
    real = [each["name"] for each in found["problems"] if each["world"].startswith("table(")]
    rows = [f"| policy | {' | '.join(real)} |", "|---|" + "---|" * len(real)]
    for line in found["policies"]:
        rows.append(f"| {line['policy']} | " + " | ".join(f"{cell(line, name)['score']:.1f}" for name in real) + " |")
    return "\n".join([*rows, "", f"Protocol `{found['protocol_hash']}`, result `{found['result_hash']}`."])


PARTS = {"--entries": {"entries": entries}, "--tables": {"tables": tables}}


def main(words):
    parts = PARTS.get(words[0], {"losses": losses, "scores": scores, "problems": problems, "made": made})
    found = json.loads(Path(words[-1]).read_text())
    page = PAGE.read_text()
    for name, make in parts.items():
        page, count = re.subn(rf"(<!-- {name} -->\n).*?(<!-- end -->)", lambda m: m[1] + make(found) + "\n" + m[2], page,
                              flags=re.DOTALL)
        if count != 1:
            sys.exit(f"{PAGE}: found {count} places for {name}; accepted: one")
    PAGE.write_text(page)


if __name__ == "__main__":
    main(sys.argv[1:])
