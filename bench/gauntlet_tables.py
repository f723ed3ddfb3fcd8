"""The tables of the gauntlet in docs/tuning.md, from the gauntlet.json that gauntlet.py left.

    gauntlet_tables.py GAUNTLET_JSON               prints them
    gauntlet_tables.py GAUNTLET_JSON --into PAGE   puts them between <!-- begin gauntlet --> and <!-- end -->
"""

import argparse
import json
import re

import gauntlet_conditions as known
import peers_tables as tables


def cell(result, policy):
    f = result["policies"][policy]
    digits = 4 if result["zero"] else 3
    target = "" if f["target"] is None else f"{f['target']:.1f}" + (" §" if result["own"] else "")
    share, spend = f"{f['share']:.1f}", f"{f['spend']:.{digits}f}, {f['worst']:.{digits}f}"
    peer = ""
    if result.get("peers"):
        best = result["peers"][0]
        peer = f"{tables.title(best['spec'])} {best['share']:.1f}, {best['spend']:.{digits}f}"
        peer = peer if f.get("peer_ok", True) else f"**{peer}**"
    name = known.SAYS.get(result["name"], result["name"]) + (" ‡" if result["zero"] else "")
    return [name, target, f"{f['before']:.1f}", share if f["share_ok"] else f"**{share}**",
            spend if f["budget_ok"] else f"**{spend}**", peer]


def made(results, policy="ccb"):
    head = ["condition", "target", "before", "share", "spend: mean, worst", "best tuned peer: share, spend"]
    found = {}
    for name, held_out in (("gauntlet", False), ("gauntlet_held_out", True)):
        rows = [cell(results[c.name], policy) for c in known.conditions().values()
                if c.held_out == held_out and policy in results.get(c.name, {}).get("policies", {})]
        if rows:
            found[name] = tables.markdown(head, rows)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results")
    parser.add_argument("--into", help="a page with marks")
    words = parser.parse_args()
    with open(words.results) as file:
        found = made(json.load(file))
    if not words.into:
        for name, table in found.items():
            print(f"<!-- begin {name} -->\n\n{table}\n\n<!-- end -->\n")
        return
    with open(words.into, encoding="utf-8") as file:
        page = file.read()
    for name, table in found.items():
        place = re.compile(rf"(?<=<!-- begin {name} -->\n\n).*?(?=\n\n<!-- end -->)", re.S)
        page, count = place.subn(lambda _, table=table: table, page)
        if count != 1:
            raise SystemExit(f"{words.into} has {count} places for the table {name}; wanted one")
    with open(words.into, "w", encoding="utf-8") as file:
        file.write(page)


if __name__ == "__main__":
    main()
