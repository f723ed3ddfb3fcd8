#include "tools/journal_check.h"

#include <fmt/format.h>

#include <map>

namespace rein::serve {
namespace {

// The fold compares both kinds with its state.
bool has_hash(const Event& event) {
  return event.kind == Event::Kind::kHash || event.kind == Event::Kind::kHashAt;
}

// Snapshots that can be read. What is wrong with the others goes into `damage`.
Result<std::vector<Snapshot>> intact_snapshots(const ModelFolder& folder, const Journal& journal,
                                               std::vector<std::string>& damage) {
  const SnapshotFiles files(folder.path);
  const auto positions = files.positions();
  if (!positions) return positions.failure();
  std::vector<Snapshot> found;
  for (const std::int64_t position : positions.value()) {
    auto snapshot = files.read(position);
    if (!snapshot) {
      damage.push_back(snapshot.error());
    } else if (auto continues = check_continues(journal, snapshot.value()); !continues) {
      damage.push_back(fmt::format("{}: {}", files.path_of(position), continues.error()));
    } else {
      found.push_back(std::move(snapshot).value());
    }
  }
  return found;
}

// An error of damage becomes a line of the result; any other is passed on.
Result<> note(const Error& error, JournalCheck& check) {
  if (error.reason == Reason::kFailed) return error;
  check.damage.push_back(error.message);
  return {};
}

// The hash of the state at each of these positions, as the fold from the beginning has it.
Result<std::map<std::int64_t, std::uint64_t>> fold_all(const Journal& journal,
                                                       std::span<const Snapshot> snapshots,
                                                       JournalCheck& check) {
  std::map<std::int64_t, std::uint64_t> hashes;
  for (const Snapshot& snapshot : snapshots) hashes[snapshot.position] = 0;
  const Snapshot* oldest = snapshots.empty() ? nullptr : &snapshots.back();
  const FoldRange range{.from = journal.first() > 1 ? oldest : nullptr};
  const auto state =
      fold_journal(journal, range,
                   [&](std::int64_t number, const Event& event, const ModelState& at) -> Result<> {
                     check.hashes += has_hash(event) ? 1 : 0;
                     if (const auto found = hashes.find(number); found != hashes.end()) {
                       found->second = at.hash();
                     }
                     return {};
                   });
  if (!state) return state.failure();
  check.hash = state.value().hash();
  if (range.from != nullptr) hashes.erase(oldest->position);  // it is the beginning
  return hashes;
}

Result<> check_snapshot(const Journal& journal, const Snapshot& snapshot, std::uint64_t expected,
                        JournalCheck& check) {
  const std::string name = fmt::format("snapshot at entry {}", snapshot.position);
  const auto state = ModelState::restore(snapshot.bytes);
  if (!state) return note(state.failure().in(name + ": "), check);
  if (state.value().hash() != expected) {
    check.damage.push_back(
        fmt::format("{}: its state has the hash {:016x}; the journal up to there gives {:016x}",
                    name, state.value().hash(), expected));
    return {};
  }
  const auto end = replay(journal, {.from = &snapshot});
  if (!end) return note(end.failure().in(fmt::format("from the {}: ", name)), check);
  if (end.value().hash != check.hash) {
    check.damage.push_back(
        fmt::format("{}: from it the last state has the hash {:016x}; from the "
                    "beginning it has {:016x}",
                    name, end.value().hash, check.hash));
    return {};
  }
  check.snapshots.push_back(snapshot.position);
  return {};
}

}  // namespace

Result<Replayed> replay(const Journal& journal, const FoldRange& range) {
  Replayed done{.from = range.from == nullptr ? 0 : range.from->position};
  done.last = range.from == nullptr ? 1 : done.from;
  done.entries = range.from == nullptr ? 1 : 0;
  const auto state = fold_journal(
      journal, range, [&](std::int64_t number, const Event& event, const ModelState&) -> Result<> {
        done.last = number;
        ++done.entries;
        done.hashes += has_hash(event) ? 1 : 0;
        return {};
      });
  if (!state) return state.failure();
  done.hash = state.value().hash();
  return done;
}

Result<JournalCheck> check_journal(const ModelFolder& folder) {
  JournalCheck check;
  const auto failed = [&](const Error& error) -> Result<JournalCheck> {
    if (auto noted = note(error, check); !noted) return noted.failure();
    return check;
  };
  const auto opened = open_journal_of(folder);
  if (!opened) return failed(opened.failure());
  const Journal& journal = *opened.value();
  const auto snapshots = intact_snapshots(folder, journal, check.damage);
  if (!snapshots) return snapshots.failure();
  // All checksums first: damage has one place, whatever it does to a fold.
  auto read = journal.read(journal.first(), [&](auto, auto) -> Result<bool> {
    ++check.entries;
    return true;
  });
  if (!read) return failed(read.failure());
  const auto hashes = fold_all(journal, snapshots.value(), check);
  if (!hashes && hashes.reason() == Reason::kMeaning) {
    check.unknown_policy = error_in(folder.path, hashes.failure()).message;
    const Snapshot* oldest = snapshots.value().empty() ? nullptr : &snapshots.value().back();
    const auto blind =
        fold_journal(journal, {.from = journal.first() > 1 ? oldest : nullptr, .blind = true});
    return blind ? check : failed(blind.failure());
  }
  if (!hashes) return failed(hashes.failure());
  for (const Snapshot& snapshot : snapshots.value()) {
    const auto expected = hashes.value().find(snapshot.position);
    const std::uint64_t hash = expected == hashes.value().end()
                                   ? ModelState::restore(snapshot.bytes).value().hash()
                                   : expected->second;
    if (auto done = check_snapshot(journal, snapshot, hash, check); !done) return done.failure();
  }
  return check;
}

}  // namespace rein::serve
