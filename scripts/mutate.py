#!/usr/bin/env python3
"""Do the tests notice a mistake? Breaks chosen lines of src one at a time and runs the tests.

    python3 scripts/mutate.py                   60 mutants; goes on where it was stopped
    python3 scripts/mutate.py --count 90        more of them: the first 60 are the same
    python3 scripts/mutate.py --list            which lines, and how they would be broken
    python3 scripts/mutate.py --limit 2         two more mutants, then stop
    python3 scripts/mutate.py --rooms engine,estimate   only lines of these folders of src
    python3 scripts/mutate.py --only KEY        one of them, again

A mutant is one changed operator, a swapped min and max, or a statement left out. It is noticed when a
test fails or takes much too long. What nobody notices is printed at the end, and makes the exit
status 1, unless scripts/mutants.txt says why the change is of no consequence.

Works on a copy of the sources in build-mutate/tree; the results are in build-mutate/results.jsonl.
Mutants are chosen by a hash of the line, the same on every machine, and spread evenly over folders.
"""

import argparse
import glob
import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build-mutate")
TREE = os.path.join(WORK, "tree")
BUILD = os.path.join(TREE, "build")
RESULTS = os.path.join(WORK, "results.jsonl")
KNOWN = os.path.join(ROOT, "scripts", "mutants.txt")

# The test programs that use a folder, most specific first. The next one runs only if no test failed
# before.
PROGRAMS = {
    "price": ["price_test", "policy_test", "evaluate_test"],
    "explore": ["explore_test", "policy_test", "evaluate_test"],
    "estimate": ["estimate_test", "policy_test", "evaluate_test"],
    "tuning": ["tuning_test", "policy_test", "evaluate_test"],
    "engine": ["engine_test"],
    "solve": ["solve_test", "evaluate_test"],
    "money": ["money_test", "engine_test"],
    "policy": ["policy_test", "evaluate_test"],
}

# Patterns and their replacements. Spaces separate templates, pointers and signs.
CHANGES = [
    (" <= ", " < "), (" >= ", " > "), (" < ", " <= "), (" > ", " >= "), (" == ", " != "), (" != ", " == "),
    (" + ", " - "), (" - ", " + "), (" * ", " / "), (" / ", " * "), (" += ", " -= "), (" -= ", " += "),
    (" && ", " || "), (" || ", " && "), ("std::max(", "std::min("), ("std::min(", "std::max("),
    ("return true;", "return false;"), ("return false;", "return true;"), ("(!", "("),
]
STATEMENT = re.compile(r"\s+[\w.:>\[\]()-]+(\(.*\)| [-+*/]?= .*);\s*$")  # a statement that can be removed
SKIPPED = re.compile(r"^\s*(//|#|using |template|static_assert|constexpr|inline constexpr|case |check\()"
                     r"|fmt::|Error\{|refuse\(|operator|\bconst \w+ [=&]|\""
                     r"|\.data\(\)|\w\* \w+ = ")  # a wrong pointer crashes, which shows nothing


@dataclass(frozen=True)
class Mutant:
    room: str
    path: str    # from the root
    line: int    # from 0
    before: str
    after: str

    @property
    def key(self):
        """Does not contain the line's number: code may move."""
        text = f"{self.path}\n{self.before.strip()}\n{self.after.strip()}"
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def __str__(self):
        after = self.after.strip() or "(left out)"
        return f"{self.key}  {self.path}:{self.line + 1}\n    - {self.before.strip()}\n    + {after}"


# --- Choosing -------------------------------------------------------------------------------------

def mutants_of(path, room):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines):
        code = line.split("//")[0].rstrip()
        if not code.startswith("  ") or SKIPPED.search(line):
            continue
        for old, new in CHANGES:
            if old in code and not (old == " < " and "for (" in code):
                yield Mutant(room, path, number, line, code.replace(old, new, 1))
        if path.endswith(".cc") and STATEMENT.fullmatch(code) and not code.lstrip().startswith("return"):
            yield Mutant(room, path, number, line, "")


def spread(mutants, name):
    """The mutants, one per value of `name` in turn, each group in the order of its hashes."""
    groups = {}
    for mutant in sorted(mutants, key=lambda mutant: mutant.key):
        groups.setdefault(name(mutant), []).append(mutant)
    order = sorted(groups.values(), key=lambda group: group[0].key)
    while any(order):
        for group in order:
            if group:
                yield group.pop(0)


def candidates():
    """All mutants, folders in turn, within a folder files in turn, at most one per line."""
    found, seen, keys = [], set(), set()
    for room in PROGRAMS:
        files = sorted(path for form in ("cc", "h")
                       for path in glob.glob(f"src/{room}/**/*.{form}", root_dir=ROOT, recursive=True))
        for mutant in spread([m for path in files for m in mutants_of(path, room)], lambda m: m.path):
            place = (mutant.path, mutant.line)
            if place not in seen and mutant.key not in keys:
                seen.add(place)
                keys.add(mutant.key)
                found.append(mutant)
    by_room = {room: [m for m in found if m.room == room] for room in PROGRAMS}
    while any(by_room.values()):
        for group in by_room.values():
            if group:
                yield group.pop(0)


# --- Building and running -------------------------------------------------------------------------

def copy_sources():
    """The working tree as it is, without touching files that are the same as last time."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           check=True, capture_output=True, text=True).stdout.split("\0")
    for name in filter(None, names):
        source, target = os.path.join(ROOT, name), os.path.join(TREE, name)
        if not os.path.isfile(source):
            continue
        with open(source, "rb") as file:
            content = file.read()
        if os.path.exists(target):
            with open(target, "rb") as file:
                if file.read() == content:
                    continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(source, target)


def build(programs, jobs):
    done = subprocess.run(["cmake", "--build", BUILD, "-j", str(jobs), "--target", *programs], capture_output=True,
                          text=True)
    return done.returncode == 0, done.stdout + done.stderr


def failure(program, jobs, limit):
    """None if the program passes, else the name of a test that failed, or `timeout`."""
    environment = {**os.environ, "RC_PARAMS": "seed=1", "GTEST_TOTAL_SHARDS": str(jobs), "GTEST_BRIEF": "1",
                   "GTEST_FAIL_FAST": "1"}
    shards = [subprocess.Popen([os.path.join(BUILD, "tests", program)], cwd=BUILD, text=True,
                               env={**environment, "GTEST_SHARD_INDEX": str(i)}, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT) for i in range(jobs)]
    end, found = time.monotonic() + limit, None
    for shard in shards:
        try:
            output, _ = shard.communicate(timeout=max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            shard.kill()
            output, _ = shard.communicate()
            found = found or "timeout"
            continue
        if shard.returncode != 0:
            name = re.search(r"\[  FAILED  \] ([\w/.]+)", output)
            found = found or (name[1] if name else f"status {shard.returncode}")
    return found


def baseline(programs, jobs):
    """Seconds of each program on the sources as they are; they must pass."""
    print(f"building {', '.join(programs)} in build-mutate/tree", flush=True)
    subprocess.run(["cmake", "--preset", "release", "-DREIN_TESTS=ON"], cwd=TREE, check=True,
                   stdout=subprocess.DEVNULL)
    built, output = build(programs, jobs)
    if not built:
        raise SystemExit(output + "\nmutate.py: the sources do not build")
    seconds = {}
    for program in programs:
        start = time.monotonic()
        failed = failure(program, jobs, 3600)
        if failed:
            raise SystemExit(f"mutate.py: {program} fails without any mutant: {failed}")
        seconds[program] = time.monotonic() - start
    print("without a mutant: " + ", ".join(f"{name} {took:.0f} s" for name, took in seconds.items()), flush=True)
    return seconds


def verdict(mutant, seconds, jobs):
    """What happened to one mutant: `invalid` (does not compile), `noticed by ...` or `survived`."""
    path = os.path.join(TREE, mutant.path)
    with open(path, encoding="utf-8") as file:
        original = file.read()
    lines = original.split("\n")
    lines[mutant.line] = mutant.after
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
        for program in PROGRAMS[mutant.room]:
            built, _ = build([program], jobs)
            if not built:
                return "invalid"
            failed = failure(program, jobs, 30 + 4 * seconds[program])
            if failed:
                return f"noticed by {program}: {failed}"
        return "survived"
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(original)


# --- Results --------------------------------------------------------------------------------------

def results():
    if not os.path.exists(RESULTS):
        return {}
    with open(RESULTS, encoding="utf-8") as file:
        return {row["key"]: row["verdict"] for row in map(json.loads, file)}


def record(mutant, found, took):
    with open(RESULTS, "a", encoding="utf-8") as file:
        file.write(json.dumps({"key": mutant.key, "verdict": found, "seconds": round(took, 1), "path": mutant.path,
                               "before": mutant.before, "after": mutant.after}) + "\n")


def known():
    """Keys of scripts/mutants.txt: changes of no consequence, each with its reason."""
    if not os.path.exists(KNOWN):
        return {}
    with open(KNOWN, encoding="utf-8") as file:
        rows = [line.split(maxsplit=1) for line in file if line.strip() and not line.startswith("#")]
    return {key: reason.strip() for key, reason in rows}


def chosen(count, done, rooms):
    """Those of the first `count` candidates that are in `rooms`. What does not compile does not count."""
    valid = (mutant for mutant in candidates() if done.get(mutant.key) != "invalid")
    return [mutant for mutant in itertools.islice(valid, count) if mutant.room in rooms]


def report(mutants, rooms, done, excused):
    survivors = []
    for room in rooms:
        mine = [m for m in mutants if m.room == room and m.key in done]
        lived = [m for m in mine if done[m.key] == "survived"]
        survivors += [m for m in lived if m.key not in excused]
        print(f"{room:10} {len(mine):3} mutants, {len(mine) - len(lived):3} noticed, {len(lived):2} survived, "
              f"{len([m for m in lived if m.key in excused]):2} of them of no consequence")
    for mutant in survivors:
        print(f"\nnobody notices {mutant}")
    left = len([m for m in mutants if m.key not in done])
    if left:
        print(f"\n{left} mutants are still to be tried: run it again")
    return 1 if survivors else 0


def main():
    parser = argparse.ArgumentParser(description="break lines of src one at a time and see whether tests notice")
    parser.add_argument("--count", type=int, default=60, help="mutants in all [60]")
    parser.add_argument("--limit", type=int, help="mutants to try now [all that are left]")
    parser.add_argument("--only", metavar="KEY", help="try this one, again if need be")
    parser.add_argument("--list", action="store_true", help="print the mutants and try none")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rooms", metavar="NAMES", help="folders of src, with commas [" + ",".join(PROGRAMS) + "]")
    options = parser.parse_args()
    rooms = options.rooms.split(",") if options.rooms else list(PROGRAMS)
    if unknown := set(rooms) - set(PROGRAMS):
        parser.error(f"--rooms: found {', '.join(sorted(unknown))}; accepted: {', '.join(PROGRAMS)}")
    done = results()
    if options.list:
        for mutant in chosen(options.count, done, rooms):
            print(mutant, f"    {done[mutant.key]}" if mutant.key in done else "    not tried yet", sep="\n")
        return 0
    copy_sources()
    seconds = {}
    tried = 0
    while options.limit is None or tried < options.limit:
        if options.only:
            todo = [m for m in candidates() if m.key.startswith(options.only)]
        else:
            todo = [m for m in chosen(options.count, done, rooms) if m.key not in done]
        if not todo or (options.only and tried):
            break
        needed = [name for name in PROGRAMS[todo[0].room] if name not in seconds]
        if needed:
            seconds |= baseline(needed, options.jobs)
        start = time.monotonic()
        found = done[todo[0].key] = verdict(todo[0], seconds, options.jobs)
        took = time.monotonic() - start
        record(todo[0], found, took)
        print(f"{todo[0]}\n    {found} ({took:.0f} s, {len(todo) - 1} left)", flush=True)
        tried += 1
    return report(chosen(options.count, done, rooms), rooms, done, known())


if __name__ == "__main__":
    sys.exit(main())
