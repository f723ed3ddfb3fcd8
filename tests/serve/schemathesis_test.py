"""schemathesis against a real service: requests made from docs/openapi.json, right ones and wrong ones, and
every answer as the document says. Seeded. SCHEMATHESIS names the program; CASES and SEED may be set."""

import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serving import ROOT, Serving

TOKEN = "schemathesis on loopback"
PLAIN = {"actions": ["small", "large"], "context": 2, "costs": {"dollars": [0, 5]}, "reward": [0, 1], "seed": 5,
         "largest_costs": {"small": 0.1, "large": 1},
         "budgets": [{"name": "day", "cost": "dollars", "amount": 1000000, "per": "day", "hard": True}]}
# The streams of events do not end, and only one of several nodes can move a model. Whether a body that keeps
# its schema is accepted depends on the model for these: names of actions, costs, budgets and scopes, sums of
# probabilities, what came before. What ends a model has one of its own: the other requests would meet none.
CONFIG = """
[parameters]
model = "m"

[[operations]]
include-operation-id = ["putModel", "patchModel", "decide", "outcome", "activate", "cancel", "budgets", "patchBudget",
  "expect", "addAction", "warmStart", "rank", "rankReward", "explain", "keys", "windows", "apply"]
checks.positive_data_acceptance.enabled = false

[[operations]]
include-operation-id = "deleteModel"
parameters = { model = "short_lived" }

# A PATCH may have left room for one open decision: then decisions are refused with 503 `full`.
[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "503"]
"""


def main():
    cases, seed = os.environ.get("CASES", "100"), os.environ.get("SEED", "1")
    serving = Serving(REIN_TOKEN=TOKEN)
    serving.headers = {"Authorization": f"Bearer {TOKEN}"}
    with tempfile.TemporaryDirectory() as folder:
        try:
            for name in ("m", "short_lived"):
                serving.good("PUT", f"/v1/models/{name}", PLAIN)
            config = os.path.join(folder, "schemathesis.toml")
            with open(config, "w", encoding="utf-8") as file:
                file.write(CONFIG)
            done = subprocess.run(
                [os.environ.get("SCHEMATHESIS", os.path.join(ROOT, "build-python/venv/bin/schemathesis")),
                 "--config-file", config, "run", f"http://{serving.address}/openapi.json", "--seed", seed, "-n", cases,
                 "-H", f"Authorization: Bearer {TOKEN}", "--phases", "examples,coverage,fuzzing", "--no-color",
                 "--exclude-operation-id", "events", "--exclude-operation-id", "allEvents",
                 "--exclude-operation-id", "move",
                 "--generation-database", "none", "--warnings", "off"],
                cwd=folder, env={**os.environ, "SCHEMATHESIS_HOOKS": "schemathesis_hooks",
                                 "PYTHONPATH": os.path.dirname(os.path.abspath(__file__))}).returncode
            # Nothing of it may have harmed the model.
            assert serving.raw("GET", "/readyz").status == 200
            serving.good("PATCH", "/v1/models/m", {"most_open": 10000})
            serving.good("POST", "/v1/models/m/decide", {"context": [0.1, 0.2]})
        finally:
            serving.close()
    return done


if __name__ == "__main__":
    sys.exit(main())
