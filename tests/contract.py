"""The contract of `rein run --json`, `compare --json` and `verify --json`: docs/rein.schema.json."""

import json
import os

import jsonschema

ROOT = os.environ.get("REIN_SOURCE_DIR", os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
with open(os.path.join(ROOT, "docs", "rein.schema.json"), encoding="utf-8") as file:
    SCHEMA = json.load(file)
jsonschema.Draft202012Validator.check_schema(SCHEMA)
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def _refuse(constant):
    raise AssertionError(f"{constant} is not JSON")


def valid(found):
    """The object, which must keep the contract."""
    wrong = [f"{error.json_path}: {error.message[:300]}" for error in VALIDATOR.iter_errors(found)]
    costs = len(found.get("costs", []))
    if found.get("budgets") and len(found["budgets"]) != costs:
        wrong.append("budgets: not one per cost")
    for policy in found.get("policies", []):
        for key, value in policy.items():
            if isinstance(value, list) and key != "budgets" and len(value) != costs:
                wrong.append(f"{policy.get('spec')}, {key}: not one per cost")
    assert not wrong, "\n".join(wrong[:10])
    return found


def checked(text):
    """The object of a text, which must keep the contract."""
    return valid(json.loads(text, parse_constant=_refuse))


def without_time(found):
    """Without what may differ between two equal runs: measured time, and the words of the caller."""
    for key in ("title", "command"):
        found.pop(key)
    for policy in found["policies"]:
        policy.pop("cpu_seconds")
    return found
