"""Plants bugs in the program and looks whether the simulated worlds find each of them alone.

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

# What each bug is, its file, the text in the place of which it stands, and the text with the bug in it, which is
# there where PLANTED is true. So all bugs are compiled at once, and REIN_BUG says which one is alive.
BUGS = [
    ("answers go out before the commit", "src/serve/writer.cc",
     "  commit();\n  if (stopped()) return;\n  send();\n",
     "  if (PLANTED) send();\n  commit();\n  if (stopped()) return;\n  send();\n"),
    ("a commit that failed is not noticed", "src/serve/writer.cc",
     "  if (auto done = model_->commit(); !done) return stop(done.error());\n",
     "  if (PLANTED) return static_cast<void>(model_->commit());\n"
     "  if (auto done = model_->commit(); !done) return stop(done.error());\n"),
    ("answers that wait for a commit go out although it failed", "src/serve/writer.cc",
     "for (Answered& each : answers_) each.reply->send(answer);",
     "for (Answered& each : answers_) each.reply->send(PLANTED ? each.response : answer);"),
    ("the state of a writer that stopped is used again", "src/serve/writer.cc",
     "  if (stopped_) return nullptr;\n  stopped_ =", "  if (stopped_ && !(PLANTED)) return nullptr;\n  stopped_ ="),
    ("what is not known counts as committed", "src/journal/log_journal.cc",
     "    auto done = log_->append(model_, group);\n",
     "    auto done = log_->append(model_, group);\n    if (PLANTED && !done && done.reason() == Reason::kFailed) return {};\n"),
    ("what was fenced counts as committed", "src/journal/log_journal.cc",
     "    if (done || done.reason() != Reason::kFailed) return done;\n",
     "    if (PLANTED && !done && done.reason() == Reason::kFenced) return {};\n"
     "    if (done || done.reason() != Reason::kFailed) return done;\n"),
    ("what is not known is appended once more, at the end", "src/journal/log_journal.cc",
     "  const auto start = std::chrono::steady_clock::now();\n  while (true) {\n",
     "  const auto start = std::chrono::steady_clock::now();\n  while (PLANTED) {\n"
     "    LogGroup again = group;\n    const auto end = log_->head(model_);\n"
     "    if (end) again.last = end.value().last;\n    if (end) again.chain = end.value().chain;\n"
     "    auto done = log_->append(model_, again);\n"
     "    if (done || done.reason() != Reason::kFailed) return done;\n    options_.pause(kResendPause);\n  }\n"
     "  while (true) {\n"),
    ("a snapshot is taken for one entry younger", "src/journal/log_journal.cc",
     "{.position = position, .bytes = std::string(bytes), .chain = chain});",
     "{.position = position + (PLANTED ? 1 : 0), .bytes = std::string(bytes),\n"
     "                                .chain = PLANTED ? std::optional<std::uint64_t>() : chain});"),
    ("an old snapshot is taken for the newest", "src/journal/log_journal.cc",
     "      latest.snapshot = std::move(snapshot).value();\n",
     "      if (const auto old = read(found.value().back()); PLANTED && old) snapshot.value().bytes = old.value().bytes;\n"
     "      latest.snapshot = std::move(snapshot).value();\n"),
    ("a node goes by its own clock, however wrong", "src/cluster/member.cc",
     "return options_.seconds() - (believed ? 0 : skew);", "return options_.seconds() - (believed || PLANTED ? 0 : skew);"),
    ("the time of a model goes back with the clock of its owner", "src/serve/model.cc",
     "  now_ = std::max(now_, clock_.read(wall, options_.steady()));\n",
     "  now_ = PLANTED ? wall : std::max(now_, clock_.read(wall, options_.steady()));\n"),
    ("time goes on without an entry", "src/serve/model.cc",
     "  if (ticked) push_record(0, {}, {});\n", "  if (ticked && !(PLANTED)) push_record(0, {}, {});\n"),
    ("a takeover leaves one entry out", "src/serve/model.cc",
     "      position + 1, [&](std::int64_t number, std::string_view bytes) -> Result<bool> {\n",
     "      position + (PLANTED ? 2 : 1), [&](std::int64_t number, std::string_view bytes) -> Result<bool> {\n"),
    ("a repeated request is not known again", "src/serve/model.cc",
     "  if (mark.empty()) return false;\n", "  if (mark.empty() || PLANTED) return false;\n"),
    ("entries are committed again with the next group", "src/serve/model.cc",
     "  auto done = journal_->append(views_);\n  pending_count_ = 0;\n",
     "  auto done = journal_->append(views_);\n  if (!(PLANTED) || journal_->last() % 5 != 0) pending_count_ = 0;\n"),
    ("only the first entry of a group is committed", "src/serve/model.cc",
     "  for (const std::string_view entry : views_) {\n", "  if (PLANTED) views_.resize(1);\n"
     "  for (const std::string_view entry : views_) {\n"),
    ("entries of a group are committed in another order", "src/serve/model.cc",
     "  auto done = journal_->append(views_);\n", "  if (PLANTED) std::ranges::reverse(views_);\n"
     "  auto done = journal_->append(views_);\n"),
    ("a change leaves no entry", "src/serve/model.cc",
     "  if (record.empty()) return;  // nothing changed\n",
     "  if (record.empty() || (PLANTED && mark.empty() && id % 5 == 1)) return;\n"),
    ("the number of a request's entry is one too low", "src/serve/model.cc",
     "  state_.follow(entries(), event);\n", "  state_.follow(entries() - (PLANTED ? 1 : 0), event);\n"),
    ("a follower forgets which requests came", "src/serve/model_state.cc",
     "  if (!event.mark.empty()) requests.add(event.mark, number, event.at);",
     "  if (!event.mark.empty() && (number % 3 != 0 || !(PLANTED))) requests.add(event.mark, number, event.at);"),
    ("a snapshot forgets which requests came", "src/serve/model_state.cc",
     "  if (auto ok = state.requests.load(in); !ok) return ok.failure();\n",
     "  if (auto ok = state.requests.load(in); !ok) return ok.failure();\n"
     "  if (PLANTED) state.requests = Requests(state.engine.options().remember);\n"),
    ("requests are forgotten after a second", "src/serve/requests.cc",
     "  while (size() > remember_ && order_.front().at < now - kRequestSeconds) {\n",
     "  while (PLANTED ? size() > 0 && order_.front().at < now - 1\n"
     "                 : size() > remember_ && order_.front().at < now - kRequestSeconds) {\n"),
    ("a follower leaves entries out", "src/cluster/follower.cc",
     "        if (auto done = folded_.state.fold(number, event.value()); !done) return done.failure();\n",
     "        const bool out = PLANTED && number % 7 == 0;\n"
     "        if (auto done = out ? Result<>() : folded_.state.fold(number, event.value()); !done) return done.failure();\n"),
    ("a follower begins at the end of the journal", "src/cluster/follower.cc",
     "  journal.value()->stand_at(folded.value().position, chain.value());\n",
     "  if (!(PLANTED)) journal.value()->stand_at(folded.value().position, chain.value());\n"),
    ("who gave a model away follows from the end of the journal", "src/cluster/follower.cc",
     "  journal.value()->stand_at(folded.position, chain);\n",
     "  if (!(PLANTED)) journal.value()->stand_at(folded.position, chain);\n"),
    ("a model is served without a claim", "src/cluster/member.cc",
     "  auto journal = LogJournal::claim(log_, model, options_.node, false, options_.journal);\n",
     "  auto journal = PLANTED ? LogJournal::follow(log_, model)\n"
     "                         : LogJournal::claim(log_, model, options_.node, false, options_.journal);\n"),
    ("money that is held counts as free", "src/money/account.cc",
     "    return {sum.limit, current.spent, current.held};\n",
     "    return {sum.limit, current.spent, PLANTED ? 0 : current.held};\n"),
    ("retention drops one entry more than it archived", "src/serve/archive_job.cc",
     "task.drop(head.last + 1);", "task.drop(head.last + (PLANTED ? 2 : 1));"),
    ("retention does not look at snapshots", "src/serve/archive_job.cc",
     "  const auto to = last_behind_snapshots(*task.snapshots);\n",
     "  const auto to = PLANTED ? Result<std::int64_t>(task.last) : last_behind_snapshots(*task.snapshots);\n"),
    ("archive and journal leave an entry between them", "src/journal/archived_journal.cc",
     "archive_.read(from, kept - 1, chain, each);", "archive_.read(from, kept - (PLANTED ? 2 : 1), chain, each);"),
]


def with_bugs(tree):
    """The files of the bugs, as they are and with all bugs in them."""
    sound, planted = {}, {}
    for number, (name, path, before, after) in enumerate(BUGS):
        if path not in sound:
            with open(os.path.join(tree, path), encoding="utf-8") as opened:
                sound[path] = planted[path] = opened.read()
        if planted[path].count(before) != 1:
            sys.exit(f"bugs.py: {name}: {path} has this {planted[path].count(before)} times: {before}")
        planted[path] = planted[path].replace(before, after.replace("PLANTED", f"planted_bug({number})"))
    header = os.path.join(tree, "src/base", HEADER_NAME)
    return sound, {path: f'#include "{header}"\n' + text for path, text in planted.items()}


HEADER_NAME = "planted_bug.h"  # in src/base, while the bugs are planted
HEADER = """#pragma once
#include <cstdlib>
// Which bug of tests/cluster/bugs.py is alive.
inline bool planted_bug(int number) {
  static const char* const text = std::getenv("REIN_BUG");
  return text != nullptr && std::atoi(text) == number;
}
"""


def write_files(tree, files):
    for path, text in files.items():
        with open(os.path.join(tree, path), "w", encoding="utf-8") as opened:
            opened.write(text)


def run(words, cwd, **more):
    return subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, **more)


def found_by_worlds(program, seeds, bug):
    variables = os.environ | {"REIN_SEEDS": str(seeds)} | ({} if bug is None else {"REIN_BUG": str(bug)})
    try:
        done = run([program, "--gtest_filter=SimulationTest.Nothing*", "--gtest_fail_fast"], ROOT,
                   env=variables, timeout=900)
    except subprocess.TimeoutExpired:
        return "found: it never ends"
    if done.returncode == 0:
        return ""
    first = next((line for line in done.stdout.splitlines() if line.startswith("seed ")), "it ends by itself")
    return "found: " + first[:140]


def build(tree):
    """The test with all bugs in it, none of them alive."""
    sound, planted = with_bugs(tree)
    header = os.path.join(tree, "src/base", HEADER_NAME)
    try:
        write_files(tree, planted | {os.path.join("src/base", HEADER_NAME): HEADER})
        built = run(["cmake", "--build", "build", "--target", "cluster_test"], tree)
        if built.returncode:
            sys.exit("does not build: " + built.stdout[-3000:])
        program = os.path.join(tree, "build/tests/cluster_test_with_bugs")
        shutil.copy(os.path.join(tree, "build/tests/cluster_test"), program)
    finally:
        write_files(tree, sound)
        os.remove(header)
    return program


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--here", action="store_true")
    words.add_argument("--seeds", type=int, default=300)
    words.add_argument("--first", type=int, default=0)
    words.add_argument("--program", help="the test with the bugs in it, from an earlier call")
    given = words.parse_args()
    tree = ROOT
    if not given.here and not given.program:
        tree = os.path.join(ROOT, "build-bugs/tree")
        shutil.copytree(ROOT, tree, dirs_exist_ok=True, symlinks=True,
                        ignore=shutil.ignore_patterns("build*", ".git", "out", "dist"))
        run(["cmake", "--preset", "release", "-DREIN_TESTS=ON"], tree)
    program = given.program or build(tree)
    if told := found_by_worlds(program, given.seeds, None):
        sys.exit(f"without a bug: {told}")
    missed = 0
    for number, (name, *_) in enumerate(BUGS[given.first:], given.first):
        start = time.monotonic()
        told = found_by_worlds(program, given.seeds, number)
        missed += not told.startswith("found")
        print(f"{name}: {told or 'NOT FOUND'} ({time.monotonic() - start:.0f} s)", flush=True)
    print(f"{len(BUGS) - given.first} bugs, {missed} not found")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
