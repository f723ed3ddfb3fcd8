#include "tools/backup.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/atomic_file.h"
#include "journal/sqlite_journal.h"
#include "serve/backup_door.h"
#include "serve/data_folder.h"
#include "tools/recover.h"

namespace rein::serve {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kAddedAtOnce = 256;  // entries per commit

// What a source says before its entries.
struct BackupHead {
  std::int64_t last = 0;
  std::uint64_t chain = 0;   // of the last
  std::uint64_t before = 0;  // of the entry before the first that is given
  std::int64_t gone_to = 0;  // not 0: the journal begins here, after what was asked for
};

// Entries of a journal: of its file, or of the service that has it open.
class BackupSource {
 public:
  virtual ~BackupSource() = default;
  virtual Result<BackupHead> begin(std::int64_t from) = 0;
  virtual Result<> read(std::int64_t from, const BackupHead& head, const Journal::Each& each) = 0;
};

class FileSource final : public BackupSource {
 public:
  explicit FileSource(std::unique_ptr<Journal> journal) : journal_(std::move(journal)) {}
  Result<BackupHead> begin(std::int64_t from) override {
    if (from < journal_->first()) return BackupHead{.gone_to = journal_->first()};
    const auto before = journal_->chain_at(from - 1);
    if (!before) return before.failure();
    return BackupHead{.last = journal_->last(), .chain = journal_->chain(), .before = before.value()};
  }
  Result<> read(std::int64_t from, const BackupHead& /*head*/, const Journal::Each& each) override {
    return journal_->read(from, each);
  }

 private:
  std::unique_ptr<Journal> journal_;
};

class DoorSource final : public BackupSource {
 public:
  explicit DoorSource(const ModelFolder& folder) : folder_(folder) {}
  ~DoorSource() override {
    if (door_ >= 0) ::close(door_);
  }
  DoorSource(const DoorSource&) = delete;
  DoorSource& operator=(const DoorSource&) = delete;

  // False: nobody serves this model.
  bool connects() {
    const std::string data = fs::path(folder_.path).lexically_normal().parent_path().string();
    if (door_ >= 0) ::close(door_);
    at_ = 0;
    rest_.clear();
    return (door_ = connect_to_door(data.empty() ? "." : data)) >= 0;
  }
  Result<BackupHead> begin(std::int64_t from) override {
    if (!connects()) return lost();
    const std::string question = fmt::format("{} {}\n", folder_.name, from);
    if (::send(door_, question.data(), question.size(), MSG_NOSIGNAL) < 0) return lost();
    std::string line;
    for (char c = 0; c != '\n'; line += c) {
      if (!take(&c, 1)) return lost();
    }
    BackupHead head;
    const char* end = line.data() + line.size();
    if (line.starts_with("gone ")) {
      std::from_chars(line.data() + 5, end, head.gone_to);
      return head;
    }
    if (!line.starts_with("entries ")) {
      return Error{fmt::format("{}: the service says: {}", folder_.path, line.substr(0, line.size() - 1)),
                   Reason::kFailed};
    }
    const char* at = std::from_chars(line.data() + 8, end, head.last).ptr;
    at = std::from_chars(std::min(at + 1, end), end, head.chain, 16).ptr;
    std::from_chars(std::min(at + 1, end), end, head.before, 16);
    return head;
  }
  Result<> read(std::int64_t from, const BackupHead& head, const Journal::Each& each) override {
    std::string entry;
    for (std::int64_t number = from; number <= head.last; ++number) {
      std::array<unsigned char, 4> size{};
      if (!take(reinterpret_cast<char*>(size.data()), size.size())) return lost();
      entry.resize(static_cast<std::size_t>(size[0]) | static_cast<std::size_t>(size[1]) << 8U |
                   static_cast<std::size_t>(size[2]) << 16U | static_cast<std::size_t>(size[3]) << 24U);
      if (!take(entry.data(), entry.size())) return lost();
      const auto goes_on = each(number, entry);
      if (!goes_on) return goes_on.failure();
      if (!goes_on.value()) return {};
    }
    return {};
  }

 private:
  bool take(char* to, std::size_t size) {
    while (size > 0) {
      if (at_ == rest_.size()) {
        rest_.resize(kPieceBytes);
        const ssize_t n = ::recv(door_, rest_.data(), rest_.size(), 0);
        if (n < 0 && errno == EINTR) continue;
        rest_.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        at_ = 0;
        if (n <= 0) return false;
      }
      const std::size_t n = std::min(size, rest_.size() - at_);
      std::memcpy(to, rest_.data() + at_, n);
      at_ += n;
      to += n;
      size -= n;
    }
    return true;
  }
  Error lost() const {
    return {fmt::format("{}: the service ended, or its model stopped, before all entries were read; call it again",
                        folder_.path),
            Reason::kFailed};
  }

  static constexpr std::size_t kPieceBytes = 64 << 10;
  ModelFolder folder_;
  int door_ = -1;
  std::string rest_;
  std::size_t at_ = 0;
};

// The file, unless it is open elsewhere; then the service.
Result<std::unique_ptr<BackupSource>> source_of(const ModelFolder& from) {
  auto journal = open_journal_of(from);
  if (journal) return std::unique_ptr<BackupSource>(new FileSource(std::move(journal).value()));
  if (journal.reason() != Reason::kFailed) return journal.failure();
  auto door = std::make_unique<DoorSource>(from);
  if (!door->connects()) return journal.failure();
  return std::unique_ptr<BackupSource>(std::move(door));
}

// The newest intact snapshot from `least` to `most`; nothing if there is none.
Result<std::optional<Snapshot>> snapshot_between(const std::string& folder, std::int64_t least,
                                                 std::int64_t most) {
  const SnapshotFiles files(folder);
  const auto positions = files.positions();
  if (!positions) return positions.failure();
  for (const std::int64_t position : positions.value()) {
    if (position < least || position > most) continue;
    auto snapshot = files.read(position);  // a service may have removed it meanwhile
    if (snapshot) return std::optional<Snapshot>(std::move(snapshot).value());
  }
  return std::optional<Snapshot>();
}

// A journal that has no entry 1 any more is backed up from its newest snapshot on.
Result<SqliteOptions> begin_at_snapshot(const ModelFolder& from, const std::string& to, std::int64_t first) {
  const auto base = snapshot_between(from.path, first - 1, kMostSnapshotPosition);
  if (!base) return base.failure();
  if (!base.value() || !base.value()->chain) {
    return Error{fmt::format("{}: its journal begins with entry {}, and there is no snapshot to begin with",
                             from.path, first),
                 Reason::kCorrupt};
  }
  const Snapshot& snapshot = *base.value();
  auto written = SnapshotFiles(to).write(snapshot.position, snapshot.bytes, snapshot.chain);
  if (!written) return written.failure();
  return SqliteOptions{.first = snapshot.position + 1, .before = *snapshot.chain};
}

Result<> add_entries(BackupSource& source, const BackupHead& head, Journal& to) {
  std::vector<std::string> entries;
  const auto commit = [&]() -> Result<> {
    const std::vector<std::string_view> views(entries.begin(), entries.end());
    auto done = to.append(views);
    entries.clear();
    return done;
  };
  auto read = source.read(to.last() + 1, head, [&](std::int64_t number, std::string_view entry) -> Result<bool> {
    entries.emplace_back(entry);
    if (entries.size() >= kAddedAtOnce) {
      if (auto done = commit(); !done) return done.failure();
    }
    return number < head.last;
  });
  const auto rest = commit();  // also after a failure: the next call goes on from there
  if (!read) return read;
  if (!rest) return rest;
  if (to.last() == head.last && to.chain() == head.chain) return {};
  return Error{"the entries that were read are not those of the journal", Reason::kCorrupt};
}

Error another_history(const std::string& to, std::int64_t entry) {
  return {fmt::format("{}: its entries up to {} are not those of the model, which was recovered, renewed or made "
                      "anew since; accepted: an empty folder, or a backup of this model",
                      to, entry),
          Reason::kConflict};
}

Result<BackedUp> copy_model(BackupSource& source, const ModelFolder& from, const std::string& to) {
  const auto there = has_journal(to);
  if (!there) return there.failure();
  SqliteOptions options;
  std::unique_ptr<Journal> journal;
  std::int64_t from_entry = 1;
  if (there.value()) {
    auto opened = open_sqlite_journal(to + "/journal", {.create = false});
    if (!opened) return opened.failure();
    journal = std::move(opened).value();
    from_entry = journal->last() + 1;
  }
  auto head = source.begin(from_entry);
  if (head && head.value().gone_to > 0 && journal == nullptr) {
    const auto begins = begin_at_snapshot(from, to, head.value().gone_to);
    if (!begins) return begins.failure();
    options = begins.value();
    head = source.begin(options.first);
  }
  if (!head) return head.failure().reason == Reason::kInvalid ? another_history(to, from_entry - 1) : head.failure();
  const std::uint64_t before = journal == nullptr ? options.before : journal->chain();
  if (head.value().gone_to > 0 || head.value().before != before) return another_history(to, from_entry - 1);
  if (journal == nullptr) {
    auto made = open_sqlite_journal(to + "/journal", options);
    if (!made) return made.failure();
    journal = std::move(made).value();
  }
  BackedUp done{.first = journal->first(), .last = head.value().last, .added = head.value().last - journal->last()};
  if (auto added = add_entries(source, head.value(), *journal); !added) return added.failure();
  const auto snapshot = snapshot_between(from.path, done.first - 1, done.last);
  if (!snapshot) return snapshot.failure();
  if (snapshot.value() && check_continues(*journal, *snapshot.value())) {
    const Snapshot& newest = *snapshot.value();
    auto written = SnapshotFiles(to).write(newest.position, newest.bytes, newest.chain);
    if (!written) return written.failure();
  }
  return done;
}

Error not_synced(const std::string& path) {
  return {fmt::format("{}: cannot sync it: {}", path, std::strerror(errno)), Reason::kFailed};
}

}  // namespace

Result<> check_backup_place(const ModelFolder& from, const std::string& to) {
  if (to.empty()) return Error{"--to: found nothing; accepted: a folder for the backups"};
  std::error_code failed;
  const fs::path data = fs::weakly_canonical(fs::absolute(fs::path(from.path)), failed).parent_path();
  const fs::path place = fs::weakly_canonical(fs::absolute(fs::path(to)), failed);
  const auto apart = std::mismatch(data.begin(), data.end(), place.begin(), place.end());
  if (failed || apart.first != data.end()) return {};  // what is wrong with it shows when it is written
  return Error{fmt::format("--to: {} is inside the data folder {}, and would be lost with it; accepted: another folder",
                           to, data.string())};
}

Result<BackedUp> back_up(const ModelFolder& from, const std::string& to) {
  const auto source = source_of(from);
  if (!source) return source.failure();
  const fs::path whole = fs::absolute(to).lexically_normal();
  std::error_code failed;
  fs::create_directories(whole.parent_path(), failed);
  if (failed) return Error{fmt::format("{}: {}", to, failed.message()), Reason::kFailed};
  auto made = make_model_folder(whole.parent_path().string(), whole.filename().string());
  if (!made) return made.failure();
  auto done = copy_model(*source.value(), from, whole.string());
  if (done && !sync_folder(whole.string())) return not_synced(to);
  return done;
}

Result<BackedUp> restore_backup(const ModelFolder& from, const TrainedPlace& to) {
  std::error_code failed;
  if (!fs::exists(to.data, failed)) {
    if (const auto made = take_data_folder(to.data); !made) return made.failure();
  }
  const fs::path unfinished = fs::path(to.data) / ("." + to.name + ".new");
  const fs::path finished = fs::path(to.data) / to.name;
  fs::remove_all(unfinished, failed);
  auto done = back_up(from, unfinished.string());
  if (done) {
    const auto skipped = give_new_ids({to.name, unfinished.string()});
    if (!skipped) done = skipped.failure();
  }
  if (done && !sync_folder(unfinished.string())) done = not_synced(unfinished.string());
  if (done) {
    fs::rename(unfinished, finished, failed);  // refused if a model came there meanwhile
    if (failed) {
      done = Error{fmt::format("{}: cannot give it its name: {}", finished.string(), failed.message()),
                   Reason::kFailed};
    }
  }
  if (!done) {
    fs::remove_all(unfinished, failed);
    return done;
  }
  if (!sync_folder(to.data)) return not_synced(to.data);
  return done;
}

}  // namespace rein::serve
