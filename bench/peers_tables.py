"""The tables of docs/peers.md and of the lab pages about peers, from what the experiments left in a folder.

    peers_tables.py OUT_FOLDER               prints them
    peers_tables.py OUT_FOLDER --into PAGE...  puts each between <!-- begin NAME --> and <!-- end --> of its page

OUT_FOLDER is that of scripts/peers.sh: peers.json, orders.json, traps.txt, squarecbwk.txt, pendigits.txt.
Tables whose file is missing are left as they are.
"""

import argparse
import json
import os
import re

import peers

# Peers whose radius or constants are not in the paper, or not known to us. They are marked in every
# table.
INFERRED = ("aupd", "optimistic3", "pgd", "weakly_adaptive")
PRINTED, TUNED = "defaults (as printed; † in part ours)", "best of 8 († in part ours)"


def share(x, digits):
    """.874, 1.00, -.38"""
    text = f"{x:.{digits}f}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text


def title(spec):
    spec = re.sub(r",?margin=[0-9.]+", "", spec)
    if spec.startswith("lincbwk(z="):
        return "lincbwk, Z known"
    name = re.match(r"(?:stop\(null=0,of=)?(\w+)", spec).group(1)
    return f"`{spec}`" + (" †" if name in INFERRED else "")


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def column(name, signed):
    return f"{name} ‡" if signed else name


def cell(figures, rate):
    if figures is None:
        return ""
    text = f"{share(figures['reward'], 3)} {share(figures['spend'], 2 if rate > 0 else 3)}"
    return f"**{text}**" if peers.kept(figures["spend"], rate) else text


def order_of(kinds):
    """All peers of all tables, the one that ccb is compared with first, hard stops last."""
    seen = list(dict.fromkeys(spec for kind in kinds for spec in kind))
    return sorted(seen, key=lambda s: ("null=" in s, not s.startswith("ccb")))


def by_title(table, key):
    return {title(spec): row.get(key) for spec, row in table["peers"].items()}


def table_rows(tables, key):
    names = [title(s) for s in order_of([t["peers"] for t in tables.values()]) if not s.startswith("stop(")]
    rows = [["`ccb`"] + [cell(t["ccb"], t["rate"]) for t in tables.values()]]
    for name in dict.fromkeys(names):
        cells = [cell(by_title(t, key).get(name), t["rate"]) for t in tables.values()]
        if any(cells):
            rows.append([name] + cells)
    return rows


def best_within(table, key):
    within = {spec: row[key] for spec, row in table["peers"].items()
              if key in row and peers.kept(row[key]["spend"], table["rate"]) and not spec.startswith(("ccb", "stop("))}
    return max(within.items(), key=lambda item: item[1]["reward"]) if within else None


def summary(tables):
    rows = []
    for name, t in tables.items():
        lines, own, rate = t["references"], t["ccb"], t["rate"]
        mix = lines.get("best fixed mix")
        cells = [name, share(lines["full information"][0], 4), share(mix[0], 4) if mix else "none is feasible",
                 f"{share(own['reward'], 4)}, {own['spend']:.{3 if rate else 4}f}"]
        for key in ("printed", "tuned"):
            found = best_within(t, key)
            if not found:
                cells.append("none")
                continue
            spec, f = found
            text = f"{title(f.get('spec', spec))} {share(f['reward'], 4)}, {f['spend']:.{3 if rate else 4}f}"
            if key == "tuned":
                sign = "-" if f["more"] < 0 else "+"
                text += f", {sign}{share(abs(f['more']), 4)} ± {share(f['half'], 4)}"
            cells.append(text)
        rows.append(cells)
    return markdown(["table", "full information", "best fixed mix", "`ccb`: reward, spend",
                     "best peer with its defaults within the budget",
                     "best peer of 8 settings within the budget: reward, spend, more than `ccb`"], rows)


def order_rows(worlds, key, rounds):
    limits = {name: 0.01 * rounds * (0.3 if "budget" in name else 1) for name in worlds}
    rows = []
    for spec in sorted(dict.fromkeys(s for w in worlds.values() for s in w), key=lambda s: not s.startswith("ccb")):
        row = [title(spec)]
        for name, world in worlds.items():
            found = world.get(spec, {})
            f = found.get(key, found.get("printed") if spec == "ccb" else None)
            if f is None:
                row += ["", ""]
                continue
            pair = [f"{f['long'][0]:.0f}", f"{f['over'][0]:.0f}"]
            row += [f"**{x}**" for x in pair] if f["over"][0] <= limits[name] else pair
        if any(row[1:]):
            rows.append(row)
    return rows


def trap_tables(text):
    """Rows of three shares for each horizon: spend_or_save with a stop, slack_then_trap."""
    found = {"save": [], "trap": []}
    at = None
    for line in text.splitlines():
        if line.startswith("spend_or_save"):
            at = "save" if "hard stop" in line else None
        elif line.startswith("slack_then_trap"):
            at = "trap"
        numbers = line.split()
        if at and len(numbers) == 13:
            shares = [share(float(x), 3) for x in numbers[1:]]
            found[at].append([title(numbers[0])] + [" ".join(shares[i:i + 3]) for i in range(0, 12, 3)])
    head = ["policy", "T = 1024", "4096", "16 384", "65 536"]
    return {name: markdown(head, rows) for name, rows in found.items() if rows}


def square_table(text):
    rows, row, regrets = [], None, {}

    def close():
        if row:
            horizons = {d: ", ".join(f"{regrets[d, t]:.0f}" for t in (1000, 4000, 12000)) for d in (5, 52)}
            features = ", ".join(f"{regrets[d, 2000]:.0f}" for d in (10, 40, 100))
            rows.append([row, horizons[5], grows[0], horizons[52], grows[1], features])

    for line in text.splitlines():
        if line and not line.startswith(" "):
            close()
            row, regrets, grows = f"`{line.split(', medians')[0]}`", {}, []
        elif "grows as" in line:
            grows.append(line.split()[-1])
        else:
            words = line.replace("=", " ").split()
            regrets[int(words[1]), int(words[3])] = float(words[5])
    close()
    return markdown(["policy", "d = 5: T = 1000, 4000, 12 000", "grows as", "d = 52: T = 1000, 4000, 12 000",
                     "grows as", "T = 2000: d = 10, 40, 100"], rows)


def digit_table(text):
    """Two blocks of one line for each policy: average reward, then average violation, at five times."""
    blocks = [[], []]
    for line in text.splitlines():
        words = re.findall(r"(\S+)\s+±\s*\S+", line)
        if len(words) == 5:
            second = len(blocks[1]) > 0 or line.split()[0] in [row[0] for row in blocks[0]]
            blocks[second].append([line.split()[0]] + words)
    tuned = int(re.search(r"the last (\d+) are the best", text).group(1))
    rows = []
    for i, (first, second) in enumerate(zip(*blocks)):
        name = ("best of 8: " if i >= len(blocks[0]) - tuned else "") + title_kept(first[0])
        rows.append([name] + [share(float(x), 3) for x in first[1:] + second[1:]])
    times = ["1000", "2000", "5000", "10 992"]
    return markdown(["policy", "reward at t = 500", *times, "violation at t = 500", *times], rows)


def title_kept(spec):
    return f"`{spec}`" + (" †" if spec.split("(")[0] in INFERRED else "")


def all_tables(folder, rounds=20000):
    def read(name):
        path = os.path.join(folder, name)
        return open(path, encoding="utf-8").read() if os.path.exists(path) else ""

    made = {}
    if text := read("peers.json"):
        tables = json.loads(text)
        head = [column(n, t["rate"] == 0) for n, t in tables.items()]
        made["summary"] = summary(tables)
        made["printed"] = markdown([PRINTED, *head], table_rows(tables, "printed"))
        made["tuned"] = markdown([TUNED, *head], table_rows(tables, "tuned"))
    if text := read("orders.json"):
        worlds = json.loads(text)
        head = [x for n in worlds for x in (f"{column(n, 'signed' in n)}: long", "over")]
        made["orders_printed"] = markdown([PRINTED, *head], order_rows(worlds, "printed", rounds))
        made["orders_tuned"] = markdown([TUNED, *head], order_rows(worlds, "tuned", rounds))
    if text := read("traps.txt"):
        made.update(trap_tables(text))
    if text := read("squarecbwk.txt"):
        made["squarecbwk"] = square_table(text)
    if text := read("pendigits.txt"):
        made["pendigits"] = digit_table(text)
    return made


def show(made, pages):
    """Prints the tables, or puts each between its marks, in the one page that has them."""
    if not pages:
        for name, table in made.items():
            print(f"<!-- begin {name} -->\n\n{table}\n\n<!-- end -->\n")
        return
    texts = {}
    for page in pages:
        with open(page, encoding="utf-8") as file:
            texts[page] = file.read()
    for name, table in made.items():
        place = re.compile(rf"(?<=<!-- begin {name} -->\n\n).*?(?=\n\n<!-- end -->)", re.S)
        found = [page for page in pages for _ in place.finditer(texts[page])]
        if len(found) != 1:
            raise SystemExit(f"{', '.join(pages)}: {len(found)} places for the table {name}; wanted one")
        texts[found[0]] = place.sub(table.replace("\\", r"\\"), texts[found[0]])
    for page, text in texts.items():
        with open(page, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--into", nargs="+", help="the pages with marks")
    words = parser.parse_args()
    show(all_tables(words.folder), words.into)


if __name__ == "__main__":
    main()
