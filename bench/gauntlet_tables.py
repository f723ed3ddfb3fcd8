"""The tables of the gauntlet in docs/lab/gauntlet.md, from the gauntlet.json that gauntlet.py left.

gauntlet_tables.py GAUNTLET_JSON               prints them
gauntlet_tables.py GAUNTLET_JSON --into PAGE   puts them between <!-- begin gauntlet --> and <!-- end -->

Where the file has no peers of a condition, those on the page stay: a change of ccb does not move them.
"""

import argparse
import json
import re

import gauntlet
import gauntlet_conditions as known
import peers_tables as tables

# What each condition is, for the page.
SAYS = {
    "bank_file_order": "bank_marketing in the order of time",
    "reward_range_10": "ml_api_rafdb, reward range declared 10 times too wide",
    "reward_range_100": "warfarin, reward range 100 times too wide",
    "reward_range_1e4": "letter, reward range 1e4 times too wide",
    "reward_range_1e6": "llm_routing, reward range 1e6 times too wide",
    "cost_range_1000": "llm_routing, cost range 1000 times too wide",
    "cost_range_1e5": "ml_api_rafdb, cost range 1e5 times too wide",
    "dollars": "llm_routing, costs / 1000 under the same range",
    "dollars_1e-4": "warfarin, costs / 1e4 under the same range",
    "units_1e-3": "letter, all values and ranges / 1000",
    "units_1e6": "warfarin, all values and ranges x 1e6",
    "features_100": "llm_routing, features x 100",
    "features_0.01": "warfarin, features / 100",
    "features_1000": "ml_api_rafdb, features x 1000",
    "features_0.02": "bank_marketing, features / 50",
    "rare_1": "0.5 to 2 % conversion, 4 offers, T = 20 000",
    "rare_4": "2 to 6 % conversion, 4 offers, T = 20 000",
    "rare_2": "1 to 3 % conversion, 7 offers, T = 20 000",
    "late_500": "heavy, outcomes 500 late, T = 20 000",
    "late_2000": "heavy, outcomes 2000 late, T = 20 000",
    "late_50_small": "warfarin, outcomes 50 late, T = 3000",
    "late_50_llm": "llm_routing, outcomes 50 late, T = 3000",
    "late_200": "heavy, 8 actions, outcomes 200 late, T = 10 000",
    "k_100": "heavy, K = 100, T = 2000",
    "k_100_long": "heavy, K = 100, T = 10 000",
    "k_1000": "heavy, K = 1000, T = 2000",
    "k_50": "heavy, K = 50, d = 6, T = 3000",
    "k_300": "heavy, K = 300, T = 3000",
    "wide_86": "86 features, 8 actions, T = 1200, money for 25 expensive plays",
    "wide_140": "140 features, 11 actions, the same money",
    "wide_110": "110 features, 9 actions, the same money",
    "wide_86_told": "86 features, and prices are told",
    "wide_140_told": "140 features, and prices are told",
    "money_1_percent": "money for 1 % of 20 000 rounds, 4 actions and a null action",
    "money_20_plays": "money for 20 plays in 4000 rounds",
    "money_3_percent": "money for 3 % of 6000 rounds, 6 actions and a null action",
    "money_60_plays": "money for 60 plays in 6000 rounds, 3 actions and a null action",
    "change_8000": "reward weights change in the middle, T = 8000",
    "change_40000": "reward weights change in the middle, T = 40 000",
    "change_cost": "prices of actions are exchanged in the middle, T = 8000",
    "change_early": "reward weights change after 30 %, T = 12 000",
    "blocks_500": "linear, signed costs, contexts switch every 500 rounds",
    "blocks_500_budget": "linear, budget 0.3, contexts switch every 500 rounds",
    "curves_8000": "rewards are curves, T = 8000",
    "curves_change_8000": "other curves from the middle on, T = 8000",
    "curves_change_40000": "other curves from the middle on, T = 40 000",
    "short_200": "ml_api_rafdb, T = 200",
    "short_500": "ml_api_rafdb, T = 500",
    "short_300_heavy": "heavy, T = 300",
    "log_floor": "ml_api_rafdb, logs with `floor=0.05`",
    "log_floor_llm": "llm_routing, logs with `floor=0.02`",
    "offered_60": "llm_routing, each action offered in 60 % of rounds",
    "two_budgets": "ml_api_rafdb with a second cost and budget",
    "adaptive": "linear, an adversary picks the contexts",
}


def peers_on(page):
    """The peers that stand on a page, by the name of the condition: how each is written, share, spend, and whether
    it or another one was ahead."""
    with open(page, encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = {}
    for line in lines:
        match = re.fullmatch(r"\| (.*?) \|.*\| (\**)(`[^|]*?) ([0-9.]+), (-?[0-9.]+)\** \|", line)
        if match:
            found[match[1]] = (match[3], float(match[4]), float(match[5]), match[2] != "")
    return found


def kept_peer(result, policy, said, digits):
    """The cell of a peer that stood on the page, marked if it is ahead now."""
    title, share, spend, was_ahead = said
    text = f"{title} {share:.1f}, {spend:.{digits}f}"
    own = result["policies"][policy]
    is_ahead = gauntlet.ahead(own, [{"share": share, "spend": spend}], result["zero"])
    return f"**{text}**" if is_ahead or (was_ahead and share > 1.01 * own["share"]) else text


def cell(result, policy, stood):
    f = result["policies"][policy]
    digits = 4 if result["zero"] else 3
    target = "" if f["target"] is None else f"{f['target']:.1f}" + (" §" if result["own"] else "")
    share, spend = f"{f['share']:.1f}", f"{f['spend']:.{digits}f}, {f['worst']:.{digits}f}"
    shown = share if f["share_ok"] else f"**{share}**"
    shown += f" ({result['forgets']:.1f})" if "forgets" in result else ""
    peer = ""
    if result.get("peers"):
        best = result["peers"][0]
        peer = f"{tables.title(best['spec'])} {best['share']:.1f}, {best['spend']:.{digits}f}"
        peer = peer if f.get("peer_ok", True) else f"**{peer}**"
    name = SAYS.get(result["name"], result["name"]) + (" ‡" if result["zero"] else "")
    if not peer and name in stood:
        peer = kept_peer(result, policy, stood[name], digits)
    return [
        name,
        target,
        f"{f['before']:.1f}",
        shown,
        spend if f["budget_ok"] else f"**{spend}**",
        peer,
    ]


def made(results, stood, policy="ccb"):
    head = ["condition", "target", "before", "share", "spend: mean, worst", "best tuned peer: share, spend"]
    found = {}
    for name, held_out in (("gauntlet", False), ("gauntlet_held_out", True)):
        rows = [
            cell(results[c.name], policy, stood)
            for c in known.conditions().values()
            if c.held_out == held_out and policy in results.get(c.name, {}).get("policies", {})
        ]
        if rows:
            found[name] = tables.markdown(head, rows)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("results")
    parser.add_argument("--into", help="a page with marks")
    words = parser.parse_args()
    with open(words.results) as file:
        kept = peers_on(words.into) if words.into else {}
        tables.show(made(json.load(file), kept), [words.into] if words.into else [])


if __name__ == "__main__":
    main()
