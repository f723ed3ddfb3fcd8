"""The tables of ParetoBandit in docs/lab/paretobandit.md, from the results of paretobandit.py."""


import peers_tables


def word(row, name):
    f = row["policies"][name]
    words = []
    for title, d in (("", f), (" its best", f.get("against_tuned"))):
        if d and abs(d["more"]) > 2 * d["error"]:
            words.append(("behind" if d["more"] < 0 else "ahead of" if title else "ahead") + title)
    if f["spend"] > 1.01:
        words.append("over budget")
    if row["single"] is not None and f["reward"] < row["single"] - 0.003:
        words.append("below the best single model")
    return ", ".join(words)


def tables(results):
    made = {}
    changes = ("price_drop", "price_stays", "quality", "onboarding")
    for title, names in (("paretobandit", ("cold", "warm")), ("paretobandit_changes", changes)):
        rows = []
        for scenario in names:
            for row in results.get(scenario, []):
                theirs = row["policies"]["paretobandit"]
                for name, f in row["policies"].items():
                    if name.startswith("paretobandit"):
                        continue
                    best = row["policies"].get(row.get("tuned"))
                    rows.append(
                        [
                            scenario,
                            f"{row['budget']:.2e}",
                            f"`{name}`" if name != "ccb" else "`ccb`",
                            f"{f['reward']:.4f}, {f['spend']:.2f}",
                            f"{theirs['reward']:.4f}, {theirs['spend']:.2f}",
                            f"{f['more']:+.4f} ± {f['error']:.4f}",
                            f"{best['reward']:.4f}, {best['spend']:.2f}" if best else "",
                            "" if row["single"] is None else f"{row['single']:.4f}",
                            word(row, name),
                        ]
                    )
        if rows:
            made[title] = peers_tables.markdown(
                [
                    "scenario",
                    "dollars per request",
                    "policy",
                    "its reward, spend",
                    "ParetoBandit: reward, spend",
                    "more, ± standard error",
                    "its best of 8",
                    "best single model",
                    "",
                ],
                rows,
            )
    made["paretobandit_speed"] = peers_tables.markdown(["package", "microseconds per request"], speeds(results))
    return made


def speeds(results):
    """The median over scenarios and budgets of the time to decide and learn, by policy."""
    found = {}
    for rows in results.values():
        for row in rows:
            for name, f in row["policies"].items():
                found.setdefault(name.split("(")[0], []).append(f["us"])
    return [[f"`{name}`", f"{sorted(times)[len(times) // 2]:.0f}"] for name, times in found.items()]
