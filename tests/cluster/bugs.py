"""Plants bugs in the program, one at a time, and looks whether the simulated worlds find each.

    python3 tests/cluster/bugs.py             in a copy of the sources, build-bugs/tree; the first build takes long
    python3 tests/cluster/bugs.py --here      in these sources, which are mended afterwards: for a copy that nobody edits

Bugs of the store are planted by tests/cluster/simulation_test.cc itself.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

BUGS = [
    ("answers go out before the commit", "src/serve/writer.cc",
     "  commit();\n  if (stopped()) return;\n  send();\n", "  send();\n  commit();\n  if (stopped()) return;\n"),
    ("a commit that failed is not noticed", "src/serve/writer.cc",
     "  if (auto done = model_->commit(); !done) return stop(done.error());\n  if (model_->committed() == before) {\n",
     "  static_cast<void>(model_->commit());\n  if (model_->committed() == before) {\n    return;\n"),
    ("the state of a writer that stopped is used again", "src/serve/writer.cc",
     "  if (stopped_) return nullptr;\n  stopped_ =", "  stopped_ ="),
    ("what is not known counts as committed", "src/journal/log_journal.cc",
     "if (done || done.reason() != Reason::kFailed) return done;",
     "if (!done && done.reason() == Reason::kFailed) return {};\n    if (done || done.reason() != Reason::kFailed) return done;"),
    ("what was fenced counts as committed", "src/journal/log_journal.cc",
     "if (done || done.reason() != Reason::kFailed) return done;",
     "if (!done && done.reason() == Reason::kFenced) return {};\n    if (done || done.reason() != Reason::kFailed) return done;"),
    ("a node goes by its own clock, however wrong", "src/cluster/member.cc",
     "return options_.seconds() - (believed ? 0 : skew);", "return options_.seconds() - (believed ? 0 : 0);"),
    ("a snapshot is taken for one entry younger", "src/journal/log_journal.cc",
     "{.position = position, .bytes = std::string(bytes), .chain = chain});",
     "{.position = position + 1, .bytes = std::string(bytes), .chain = chain ? std::optional<std::uint64_t>() : chain});"),
    ("a repeated request is not known again", "src/serve/model.cc",
     "  if (mark.empty()) return false;\n", "  if (mark.empty() || !answer.body.empty() || answer.status == 200) return false;\n"),
    ("a follower forgets which requests came", "src/serve/model_state.cc",
     "  if (!event.mark.empty()) requests.add(event.mark, number, event.at);",
     "  if (!event.mark.empty() && number % 3 != 0) requests.add(event.mark, number, event.at);"),
    ("a follower leaves entries out", "src/cluster/follower.cc",
     "if (auto done = folded_.state.fold(number, event.value()); !done) return done.failure();",
     "if (number % 7 == 0) {\n          folded_.position = number;\n          return true;\n        }\n"
     "        if (auto done = folded_.state.fold(number, event.value()); !done) return done.failure();"),
    ("entries are committed again with the next group", "src/serve/model.cc",
     "  auto done = journal_->append(views_);\n  pending_count_ = 0;\n",
     "  auto done = journal_->append(views_);\n  if (journal_->last() % 5 != 0) pending_count_ = 0;\n"),
    ("a model is served without a claim", "src/cluster/member.cc",
     "LogJournal::claim(log_, model, options_.node, false, options_.journal);", "LogJournal::follow(log_, model);"),
]


def run(words, cwd, **more):
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, **more)


def found_by_worlds(tree, seeds):
    built = run(["cmake", "--build", "build", "--target", "cluster_test"], tree)
    if built.returncode:
        return "does not build: " + built.stdout[-800:]
    variables = os.environ | {"REIN_SEEDS": str(seeds)}
    try:
        done = run(["build/tests/cluster_test", "--gtest_filter=SimulationTest.Nothing*", "--gtest_fail_fast"], tree,
                   env=variables, timeout=600)
    except subprocess.TimeoutExpired:
        return "found: it never ends"
    if done.returncode == 0:
        return ""
    first = next((line for line in done.stdout.splitlines() if line.startswith("seed ")), "it ends by itself")
    return "found: " + first[:140]


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--here", action="store_true")
    words.add_argument("--seeds", type=int, default=300)
    words.add_argument("--first", type=int, default=0)
    given = words.parse_args()
    tree = ROOT
    if not given.here:
        tree = os.path.join(ROOT, "build-bugs/tree")
        shutil.copytree(ROOT, tree, dirs_exist_ok=True, symlinks=True,
                        ignore=shutil.ignore_patterns("build*", ".git", "out", "dist"))
        run(["cmake", "--preset", "release", "-DREIN_TESTS=ON"], tree)
    missed = 0
    for name, path, before, after in BUGS[given.first:]:
        file = os.path.join(tree, path)
        with open(file, encoding="utf-8") as opened:
            sound = opened.read()
        if sound.count(before) != 1:
            sys.exit(f"bugs.py: {path} has this {sound.count(before)} times: {before}")
        start = time.monotonic()
        try:
            with open(file, "w", encoding="utf-8") as opened:
                opened.write(sound.replace(before, after))
            told = found_by_worlds(tree, given.seeds)
        finally:
            with open(file, "w", encoding="utf-8") as opened:
                opened.write(sound)
        missed += not told.startswith("found")
        print(f"{name}: {told or 'NOT FOUND'} ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{len(BUGS) - given.first} bugs, {missed} not found")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
