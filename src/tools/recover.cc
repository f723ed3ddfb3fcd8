#include "tools/recover.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/atomic_file.h"
#include "journal/file_lock.h"
#include "journal/sqlite_journal.h"

namespace rein::serve {
namespace fs = std::filesystem;
namespace {

// Entries that are copied per commit.
constexpr std::size_t kCopiedAtOnce = 256;

std::string journal_path(const ModelFolder& folder) { return folder.path + "/journal"; }

// Where a journal is made before it takes the place of the damaged one.
std::string new_path(const ModelFolder& folder) { return journal_path(folder) + "-new"; }

Error disk_error(const std::string& path, const std::error_code& code) {
  return {fmt::format("{}: {}", path, code.message()), Reason::kFailed};
}

// Entries that may have been lost are not known where the end mark is. More decisions than any journal
// has are therefore left out; there are 2^62 numbers.
constexpr std::uint64_t kSkippedIds = std::uint64_t{1} << 32U;

// Commits an entry after which decisions get ids that no lost decision had.
Result<> append_skip(Journal& journal, std::int64_t at) {
  Event event{.kind = Event::Kind::kRecord, .at = at};
  encode(SkipRecord{.ids = kSkippedIds}, event.record);
  std::string entry;
  encode(event, entry);
  const std::string_view view = entry;
  return journal.append({&view, 1});
}

// The time of the last entry.
Result<std::int64_t> last_time(const Journal& journal) {
  std::int64_t at = 0;
  auto read = journal.read(journal.last(), [&](std::int64_t, std::string_view bytes) -> Result<bool> {
    const auto event = decode_event(bytes);
    if (!event) return event.failure().in(fmt::format("journal entry {}: ", journal.last()));
    at = event.value().at;
    return true;
  });
  if (!read) return read.failure();
  return at;
}

// ... or of the snapshot, where no entry is left.
Result<std::int64_t> last_time(const ModelFolder& folder, const Remains& remains, const Journal& journal) {
  if (remains.kept_from <= remains.end) return last_time(journal);
  const auto snapshot = SnapshotFiles(folder.path).read(remains.snapshot);
  if (!snapshot) return snapshot.failure();
  const auto state = ModelState::restore(snapshot.value().bytes, true);
  if (!state) return state.failure();
  return state.value().engine.state().now;
}

// The last entry from `from` on that can be read, and its chain value. `damage` gets what is wrong
// with the next entry.
Result<std::int64_t> readable_to(const Journal& journal, std::int64_t from,
                                 std::vector<std::string>& damage) {
  std::int64_t last = from - 1;
  auto read = journal.read(from, [&](std::int64_t number, std::string_view) {
    last = number;
    return Result<bool>(true);
  });
  if (!read && read.reason() == Reason::kFailed) return read.failure();
  if (!read) damage.push_back(read.error());
  return last;
}

// The place from which the model can go on, of what a snapshot (null: entry 1) and the entries after
// it give. False if that is not further than the place that was found before.
Result<bool> try_start(const Journal* journal, const Snapshot* snapshot, Remains& remains) {
  const std::int64_t base = snapshot == nullptr ? 0 : snapshot->position;
  Remains found = remains;
  if (journal != nullptr && journal->first() <= base + 1 && base <= journal->last()) {
    const auto end = readable_to(*journal, base + 1, found.damage);
    if (!end) return end.failure();
    const auto chain = journal->chain_at(end.value());
    if (!chain) return false;
    found.end = end.value();
    found.chain = chain.value();
    // Entries before the snapshot stay if all of them can be read.
    std::vector<std::string> before;
    const auto whole = readable_to(*journal, journal->first(), before);
    if (!whole) return whole.failure();
    if (whole.value() < base) found.damage.insert(found.damage.end(), before.begin(), before.end());
    found.kept_from = whole.value() >= base ? journal->first() : base + 1;
  } else if (snapshot != nullptr && snapshot->chain) {
    found.end = base;
    found.chain = *snapshot->chain;
    found.kept_from = base + 1;
  } else {
    return false;
  }
  if (found.end < 1 || (remains.usable && found.end <= remains.end)) return false;
  remains = std::move(found);
  remains.usable = true;
  remains.snapshot = base;
  return true;
}

Result<> look_at_snapshots(const ModelFolder& folder, const Journal* journal, Remains& remains) {
  const SnapshotFiles files(folder.path);
  const auto positions = files.positions();
  if (!positions) return positions.failure();
  for (const std::int64_t position : positions.value()) {
    const auto snapshot = files.read(position);
    if (!snapshot && snapshot.reason() == Reason::kFailed) return snapshot.failure();
    auto belongs = snapshot ? Result<>() : Result<>(snapshot.failure());
    if (belongs && journal != nullptr) belongs = check_continues(*journal, snapshot.value());
    if (!belongs) remains.damage.push_back(belongs.error());
    // A snapshot that is newer than the journal may be all that is left.
    const bool newer = journal == nullptr || position > journal->last();
    Result<bool> started = false;
    if (snapshot && (belongs || newer)) started = try_start(journal, &snapshot.value(), remains);
    if (!started) return started.failure();
    if (!belongs && !started.value()) remains.foreign.push_back(position);
  }
  return {};
}

// A journal that an earlier accept_loss() had made reaches further than what is left now, if that was cut
// off when it had removed the log of commits and not yet replaced the journal.
Result<> look_at_unfinished(const ModelFolder& folder, Remains& remains) {
  const auto made = open_for_reading(new_path(folder));
  if (!made) return {};
  const Journal& journal = *made.value();
  std::vector<std::string> damage;
  const auto end = readable_to(journal, journal.first(), damage);
  if (!end) return end.failure();
  if (!damage.empty() || (remains.usable && journal.last() <= remains.end)) return {};
  const SnapshotFiles files(folder.path);
  const auto positions = files.positions();
  if (!positions) return positions.failure();
  std::vector<std::int64_t> foreign;
  std::int64_t base = 0;
  for (const std::int64_t position : positions.value()) {
    const auto snapshot = files.read(position);
    const bool fits = snapshot && position >= journal.first() - 1 && check_continues(journal, snapshot.value());
    if (fits) base = std::max(base, position);
    if (!fits) foreign.push_back(position);
  }
  if (journal.first() > 1 && base == 0) return {};
  remains.damage.push_back(fmt::format("{}: an earlier `rein recover --accept-loss` was cut off; it had kept entries "
                                       "{} to {}",
                                       new_path(folder), journal.first(), journal.last()));
  remains.usable = remains.unfinished = true;
  remains.snapshot = base;
  remains.kept_from = journal.first();
  remains.end = journal.last();
  remains.chain = journal.chain();
  remains.foreign = std::move(foreign);
  return {};
}

std::string free_folder(const ModelFolder& folder) {
  for (int number = 1;; ++number) {
    std::string path = fmt::format("{}/damaged-{}", folder.path, number);
    if (!fs::exists(path)) return path;
  }
}

// Copies; the journal itself gets a second name, because it may be large and is replaced as a whole.
Result<> keep_files(const ModelFolder& folder, const std::string& kept) {
  if (::mkdir(kept.c_str(), S_IRWXU) != 0) {
    return Error{fmt::format("{}: {}", kept, std::strerror(errno)), Reason::kFailed};
  }
  std::error_code failed;
  for (const char* name : {"journal", "journal-wal", "journal-end"}) {
    const fs::path from = fs::path(folder.path) / name;
    const fs::path to = fs::path(kept) / name;
    if (!fs::exists(from)) continue;
    failed.clear();
    if (std::string_view(name) == "journal") fs::create_hard_link(from, to, failed);
    if (std::string_view(name) != "journal" || failed) fs::copy_file(from, to, failed);
    if (failed) return disk_error(to, failed);
  }
  return {};
}

Result<> copy_entries(const Journal& from, Journal& to, const Remains& remains) {
  std::vector<std::string> entries;
  const auto commit = [&]() -> Result<> {
    const std::vector<std::string_view> views(entries.begin(), entries.end());
    auto done = to.append(views);
    entries.clear();
    return done;
  };
  auto read = from.read(remains.kept_from, [&](std::int64_t number, std::string_view bytes) {
    entries.emplace_back(bytes);
    if (entries.size() < kCopiedAtOnce && number < remains.end) return Result<bool>(true);
    if (auto done = commit(); !done) return Result<bool>(done.failure());
    return Result<bool>(number < remains.end);
  });
  if (!read) return read;
  if (to.last() == remains.end && to.chain() == remains.chain) return {};
  return Error{"the entries that were copied are not those that were read before", Reason::kCorrupt};
}

// Makes a journal of the entries that can be read.
Result<> make_new(const ModelFolder& folder, const std::string& kept, const Remains& remains) {
  const std::string path = new_path(folder);
  std::error_code failed;
  for (const char* end : {"", "-wal", "-end", "-lock"}) fs::remove(path + end, failed);
  std::unique_ptr<Journal> old;
  SqliteOptions options;
  if (remains.kept_from > 1) options.first = remains.kept_from;
  if (remains.kept_from <= remains.end) {
    auto opened = open_for_reading(kept + "/journal", Wanted::kWhatIsLeft);
    if (!opened) return opened.failure();
    old = std::move(opened).value();
  }
  const auto before = old == nullptr ? Result<std::uint64_t>(remains.chain)
                                     : old->chain_at(remains.kept_from - 1);
  if (!before) return before.failure();
  options.before = before.value();
  auto made = open_sqlite_journal(path, options);
  if (!made) return made.failure();
  if (old != nullptr) {
    if (auto copied = copy_entries(*old, *made.value(), remains); !copied) return copied;
  }
  const auto at = last_time(folder, remains, *made.value());
  if (!at) return at.failure();
  return append_skip(*made.value(), at.value());
}

// Uses the one that an earlier try made. Whether it had come to its last entry is not known.
Result<> go_on_with_new(const ModelFolder& folder, const Remains& remains) {
  auto journal = open_sqlite_journal(new_path(folder), {.create = false});
  if (!journal) return journal.failure();
  const auto at = last_time(folder, remains, *journal.value());
  if (!at) return at.failure();
  return append_skip(*journal.value(), at.value());
}

// Puts it in the place of the damaged journal. The log of commits goes first: it belongs to the old file,
// and must never be read beside the new one. A crash after that leaves a journal that is refused, and the
// new one beside it (look_at_unfinished).
Result<> replace_journal(const ModelFolder& folder) {
  const std::string path = new_path(folder);
  std::error_code failed;
  fs::remove(journal_path(folder) + "-wal", failed);
  if (!sync_folder(folder.path)) return disk_error(folder.path, {errno, std::generic_category()});
  for (const char* end : {"", "-end"}) {
    fs::rename(path + end, journal_path(folder) + end, failed);
    if (failed) return disk_error(path + end, failed);
  }
  fs::remove(path + "-lock", failed);
  return {};
}

// Snapshots that no longer lead to the end of the journal go where the damaged files are.
Result<> put_aside(const ModelFolder& folder, const std::string& kept, const Remains& remains) {
  const SnapshotFiles files(folder.path);
  const auto positions = files.positions();
  if (!positions) return positions.failure();
  for (const std::int64_t position : positions.value()) {
    const bool foreign = std::ranges::find(remains.foreign, position) != remains.foreign.end();
    if (!foreign && position >= remains.kept_from - 1) continue;
    std::error_code failed;
    const std::string name = fs::path(files.path_of(position)).filename();
    fs::rename(files.path_of(position), fs::path(kept) / name, failed);
    if (failed) return disk_error(files.path_of(position), failed);
  }
  return {};
}

}  // namespace

Result<Remains> remains_of(const ModelFolder& folder) {
  Remains remains;
  const std::string path = journal_path(folder);
  const auto mark = read_end_mark(path + "-end", nullptr);
  if (!mark && mark.reason() == Reason::kFailed) return mark.failure();
  if (mark) remains.mark = mark.value();
  auto opened = open_for_reading(path, Wanted::kWhatIsLeft);
  const bool there = fs::exists(path);
  if (!opened && opened.reason() == Reason::kFailed && there) return opened.failure();
  const Journal* journal = opened ? opened.value().get() : nullptr;
  remains.has_journal = journal != nullptr;
  if (journal != nullptr) {
    remains.first = journal->first();
    remains.last = journal->last();
  } else {
    remains.damage.push_back(there ? opened.error() : path + " is missing");
  }
  if (const auto whole = open_for_reading(path); journal != nullptr && !whole) {
    remains.damage.push_back(whole.error());
  }
  if (auto looked = look_at_snapshots(folder, journal, remains); !looked) return looked.failure();
  if (auto tried = try_start(journal, nullptr, remains); !tried) return tried.failure();
  if (!remains.damage.empty()) {
    if (auto looked = look_at_unfinished(folder, remains); !looked) return looked.failure();
  }
  return remains;
}

Result<std::string> accept_loss(const ModelFolder& folder, const Remains& remains) {
  if (!remains.usable) {
    return Error{fmt::format("{}: nothing is left that the model could go on from; restore the folder "
                             "from a backup",
                             folder.path),
                 Reason::kCorrupt};
  }
  const auto lock = FileLock::take(journal_path(folder) + "-lock");
  if (!lock) return lock.failure();
  const std::string kept = free_folder(folder);
  if (auto done = keep_files(folder, kept); !done) return done.failure();
  auto made = remains.unfinished ? go_on_with_new(folder, remains) : make_new(folder, kept, remains);
  if (!made) return made.failure();
  if (auto done = replace_journal(folder); !done) return done.failure();
  if (auto done = put_aside(folder, kept, remains); !done) return done.failure();
  for (const std::string& path : {kept, folder.path}) {
    if (!sync_folder(path)) return disk_error(path, {errno, std::generic_category()});
  }
  return kept;
}

Result<std::int64_t> give_new_ids(const ModelFolder& folder) {
  auto journal = open_sqlite_journal(journal_path(folder), {.create = false});
  if (!journal) return journal.failure();
  const auto at = last_time(*journal.value());
  if (!at) return at.failure();
  if (auto done = append_skip(*journal.value(), at.value()); !done) return done.failure();
  return journal.value()->last();
}

}  // namespace rein::serve
