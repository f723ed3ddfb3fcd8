"""Playing for the gauntlet: `rein compare` and `rein run` as functions, and what is read of their answers."""

import concurrent.futures
import csv
import hashlib
import io
import json
import os
import subprocess

import gauntlet_conditions as known


def play_figures(row, unit):
    """What the gauntlet reads of a row of `rein compare --csv`. Every name of a column is here."""
    rounds = float(row["rounds"])
    number = {
        key: float(value) for key, value in row.items() if value and key not in ("policy",) and _is_number(value)
    }
    return {
        "seed": int(row["seed"]),
        "rounds": rounds,
        "reward": float(row["reward"]) / rounds / unit,
        "spend": [value / rounds for key, value in number.items() if key.startswith("spend ")],
        "long": number.get("regret_long_term"),
        "alarm": row.get("alarm", ""),
        "cpu": number.get("cpu_seconds", 0),
        "ess": number["effective_size"] / rounds if "effective_size" in number else None,
        "status": row.get("status", ""),
    }


def reference_figures(report):
    """Reward and spends per round of every reference in the JSON of `rein run --references`."""
    rounds = report["rounds"]
    return {
        r["name"]: {"reward": r["reward"]["mean"] / rounds, "spend": [s["mean"] / rounds for s in r["spend"]]}
        for r in report["references"]
        if r["reward"] and r["reward"]["mean"] is not None
    }


def _is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


class Refused(SystemExit):
    """The program did not accept a command."""


def call(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Refused(f"{' '.join(command)}\n{done.stderr.strip()}")
    return done.stdout


class Gauntlet:
    def __init__(self, words):
        self.words = words
        with open(words.rein, "rb") as program:
            self.hash = hashlib.sha256(program.read()).hexdigest()[:10]
        self.out = os.path.join(words.out, self.hash)
        os.makedirs(self.out, exist_ok=True)
        self.place = known.Place(words.data, words.out)
        self.pool = concurrent.futures.ThreadPoolExecutor(words.jobs)

    def seed_rows(self, condition, policies, seed, grid):
        """Rows by policy of one seed; a play that is stored is not played again."""
        command = [
            self.words.rein,
            "compare",
            "--world",
            condition.world(self.place, seed),
            "--rounds",
            str(condition.rounds),
            "--delay",
            str(condition.delay),
            "--seeds",
            "1",
            "--first-seed",
            str(seed),
            "--threads",
            "1",
            "--csv",
            "--resume",
            os.path.join(self.out, f"{condition.name}.{seed}.jsonl"),
        ]
        command += [] if condition.long_term else ["--no-long-term"]
        command += ["--late", condition.late] if condition.late else []
        for policy in policies:
            command += ["--policies", policy]
        for key, values in (grid or {}).items():
            command += ["--grid", key + "=" + ",".join(f"{v:g}" for v in values)]
        found = {}
        for row in csv.DictReader(io.StringIO(call(["nice", *command]))):
            found.setdefault(row["policy"], []).append(play_figures(row, condition.unit))
        return found

    def rows(self, condition, policies, seeds, grid=None):
        """Figures by policy, those of a grid included, in the order of seeds."""
        jobs = [self.pool.submit(self.seed_rows, condition, policies, seed, grid) for seed in seeds]
        found = {}
        for job in jobs:
            for policy, figures in job.result().items():
                found.setdefault(policy, []).extend(figures)
        return found

    def forgetting(self, condition, seeds):
        """Reward per round of a full-information learner that forgets, told nothing of the change; kept in a file."""
        path = os.path.join(self.out, f"{condition.name}.forgetting.json")
        made = {}
        if os.path.exists(path):
            with open(path) as file:
                made = json.load(file)
        missing = [seed for seed in seeds if str(seed) not in made]
        jobs = [self.pool.submit(self.learner, condition, seed, "vaw(memory=auto)") for seed in missing]
        made.update({str(seed): job.result()["learner"] for seed, job in zip(missing, jobs)})
        with open(path, "w") as file:
            json.dump(made, file)
        return made

    def learner(self, condition, seed, oracle=None):
        """Reward per round of the full-information learner on one seed, and of the best fixed mix. With an oracle of
        its own it plays the condition itself, without starting again at a change."""
        worlds = (
            condition.learner(self.place, seed)
            if condition.learner and not oracle
            else [(condition.world(self.place, seed), condition.rounds)]
        )
        earned, mix, total = 0.0, 0.0, 0.0
        for world, rounds in worlds:
            report = json.loads(
                call(
                    [
                        "nice",
                        self.words.rein,
                        "run",
                        "--world",
                        world,
                        "--policy",
                        "uniform",
                        "--rounds",
                        str(rounds),
                        "--seeds",
                        "1",
                        "--first-seed",
                        str(seed),
                        "--references",
                        *(["--learner", oracle] if oracle else []),
                        "--no-long-term",
                        "--threads",
                        "1",
                        "--json",
                    ]
                )
            )
            lines = reference_figures(report)
            earned += lines["full information"]["reward"] * report["rounds"]
            mix += lines.get("best fixed mix", {"reward": 0})["reward"] * report["rounds"]
            total += report["rounds"]
        return {"learner": earned / total, "mix": mix / total}
