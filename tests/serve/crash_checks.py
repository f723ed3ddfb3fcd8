"""What must hold of a journal after kills, checked on a copy of its folder with the tools, and with
arithmetic in whole micro-units that knows nothing of the engine."""

import json
import os
from collections import Counter, defaultdict

from service_process import tool


def micros(units):
    found = round(units * 1e6)
    assert found / 1e6 == units, f"{units} is no whole number of micro-units"
    return found


def rows_of(copy, model="m"):
    done = tool("export", os.path.join(copy, model), "--format", "jsonl")
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_state_hash(copy, state, model="m"):
    """The state that the service reported is that of the fold up to the same entry."""
    done = tool("replay", os.path.join(copy, model), "--to", str(state["entries"]), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["last"], found["hash"]) == (state["entries"], state["hash"]), (found, state)
    done = tool("verify-journal", os.path.join(copy, model))
    assert done.returncode == 0, done.stderr + done.stdout


def check_row(row, ledger):
    """An acknowledged decision is there as it was answered, with all parts that were acknowledged."""
    name, known = row["id"], ledger.decisions[row["id"]]
    assert (row["action"], row["probability"]) == (known["action"], known["probability"]), (row, known)
    if name in ledger.cancelled:
        assert row["state"] == "cancelled", row
    came = {"reward": row["reward"], **row["costs"]}
    for part, value in {**ledger.parts.get(name, {}), **ledger.late.get(name, {})}.items():
        # After expiry a bill may bring a reward along, which is not learned. If that answer was lost,
        # the next one is "duplicate".
        if part == "reward" and row["state"] == "expired" and name not in ledger.rewards:
            continue
        assert came[part] == value, (name, part, value, row)
    values = ledger.values.get(name, {})
    for part, value in came.items():  # and nothing else
        assert value is None or value == values.get(part), (name, part, row, values)


def check_windows(rows, tenants, largest, amount, amount_per_tenant, ticks):
    """In each window, what was billed, and the largest cost of what has no bill, fits the budget."""
    windows, keys = defaultdict(int), defaultdict(int)
    of_tenant = defaultdict(set)
    for row in rows:
        if row["state"] == "cancelled":
            continue
        bill = row["costs"]["dollars"]
        spent = largest[row["action"]] if bill is None else micros(bill)
        window, key = row["at"] // ticks, row["scopes"]["tenant"]
        windows[window] += spent
        keys[window, key] += spent
        if row["id"] in tenants:
            of_tenant[tenants[row["id"]]].add(key)
    assert all(len(found) == 1 for found in of_tenant.values()), of_tenant
    assert len({next(iter(found)) for found in of_tenant.values()}) == len(of_tenant)
    assert max(windows.values()) <= amount, max(windows.values())
    assert max(keys.values()) <= amount_per_tenant, max(keys.values())
    return max(windows.values()), max(keys.values())


def check_all(copy, ledgers, again, largest, amount, amount_per_tenant, ticks):
    rows = rows_of(copy)
    twice = [name for name, times in Counter(row["id"] for row in rows).items() if times > 1]
    assert not twice, twice
    by_id = {row["id"]: row for row in rows}
    owner = {name: ledger for ledger in ledgers for name in ledger.decisions}
    assert len(owner) == sum(len(ledger.decisions) for ledger in ledgers), "one id for two clients"
    lost = [name for name in owner if name not in by_id]
    assert not lost, f"{len(lost)} acknowledged decisions are lost: {lost[:5]}"
    for name, ledger in owner.items():
        check_row(by_id[name], ledger)
    # Decisions that nobody knows of: at most one per request that was never answered.
    waiting = sum(1 for requests in again for request in requests if request[0] == "decide")
    most = waiting + sum(ledger.unanswered for ledger in ledgers)
    assert len(rows) - len(owner) <= most, (len(rows), len(owner), most)
    tenants = {name: ledger.decisions[name]["tenant"] for name, ledger in owner.items()}
    check_windows(rows, tenants, largest, amount, amount_per_tenant, ticks)
    done = tool("inspect", os.path.join(copy, "m"), "--json")
    assert done.returncode == 0, done.stderr
    state = json.loads(done.stdout)["models"][0]["state"]
    assert state["decided"] == len(rows), (state["decided"], len(rows))
    billed = sum(micros(row["costs"]["dollars"]) for row in rows if row["costs"]["dollars"] is not None)
    assert micros(round(state["billed"]["dollars"], 6)) == billed, (state["billed"], billed)
    return len(rows)
