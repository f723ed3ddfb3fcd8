#include "journal/archive.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <tuple>

#include "base/atomic_file.h"

namespace rein {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kArchiveName = "entries-";

std::string archive_name(std::int64_t first, std::int64_t last) {
  return fmt::format("{}{:012}-{:012}.rein", kArchiveName, first, last);
}

// The span in the name of a file; nothing for other files.
std::optional<ArchiveSpan> archive_span_in(std::string_view name) {
  if (!name.starts_with(kArchiveName)) return {};
  ArchiveSpan span;
  const char* end = name.data() + name.size();
  const auto dash = std::from_chars(name.data() + kArchiveName.size(), end, span.first);
  if (dash.ec != std::errc() || dash.ptr == end) return {};
  std::from_chars(dash.ptr + 1, end, span.last);
  if (span.first < 1 || span.last < span.first || name != archive_name(span.first, span.last)) return {};
  return span;
}

Error folder_failed(const std::string& folder, const std::string& why) {
  return {fmt::format("archive {}: {}", folder, why), Reason::kFailed};
}

// Makes the folder for its owner only, as those of journals, so that it survives a crash of the machine.
Result<> make_archive_folder(const std::string& folder) {
  std::error_code failed;
  if (fs::is_directory(folder, failed)) return {};
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const fs::path parent = (whole.has_filename() ? whole : whole.parent_path()).parent_path();
  if (!fs::is_directory(parent, failed)) {
    if (auto made = make_archive_folder(parent.string()); !made) return made;
  }
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) return folder_failed(folder, std::strerror(errno));
  if (!sync_folder(parent.string())) return folder_failed(parent.string(), std::strerror(errno));
  return {};
}

// Syncs every few megabytes: a commit of the journal on the same disk then waits for one piece at most.
Result<> write_archive_file(const std::string& path, std::string_view bytes) {
  constexpr std::size_t kArchivePieceBytes = std::size_t{2} << 20U;
  auto file = PieceFile::open(path);
  if (!file) return file.failure();
  for (; bytes.size() > kArchivePieceBytes; bytes.remove_prefix(kArchivePieceBytes)) {
    if (auto done = file.value().write(bytes.substr(0, kArchivePieceBytes)); !done) return done;
    if (auto done = file.value().sync(); !done) return done;
  }
  if (auto done = file.value().write(bytes); !done) return done;
  return file.value().finish();
}

// What is on the disk must be what was to be written, before an entry leaves the journal for it.
Result<> check_archive_file(const std::string& path, const ArchiveHead& expected) {
  const auto file = ArchiveFile::open(path);
  if (!file) return file.failure();
  const ArchiveHead& head = file.value().head();
  std::uint64_t chain = 0;
  const auto read = file.value().read(expected.first, expected.last, &expected.before, chain,
                                      [](auto, auto) -> Result<bool> { return true; });
  if (!read) return read.failure();
  if (head.first == expected.first && head.last == expected.last && chain == expected.chain) return {};
  return Error{fmt::format("{} does not have what was written into it", path), Reason::kCorrupt};
}

bool archive_order(const ArchiveSpan& a, const ArchiveSpan& b) {
  return std::tie(a.first, a.last) < std::tie(b.first, b.last);
}

}  // namespace

std::string Archive::path_of(const ArchiveSpan& span) const {
  return folder_ + "/" + archive_name(span.first, span.last);
}

Result<Archive> Archive::open(std::string folder) {
  Archive archive(std::move(folder));
  std::error_code failed;
  if (!fs::exists(archive.folder_, failed) && !failed) return archive;
  fs::directory_iterator entries(archive.folder_, failed);
  for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
    auto span = archive_span_in(entries->path().filename().string());
    std::error_code ignored;
    if (!span) continue;
    const auto bytes = entries->file_size(ignored);
    if (!ignored) span->file_bytes = static_cast<std::int64_t>(bytes);
    archive.spans_.push_back(*span);
  }
  if (failed) return folder_failed(archive.folder_, failed.message());
  std::ranges::sort(archive.spans_, archive_order);
  return archive;
}

void Archive::note(const ArchiveSpan& span) {
  const auto at = std::ranges::lower_bound(spans_, span, archive_order);
  if (at == spans_.end() || at->first != span.first || at->last != span.last) spans_.insert(at, span);
}

std::int64_t Archive::file_bytes() const {
  std::int64_t bytes = 0;
  for (const ArchiveSpan& span : spans_) bytes += span.file_bytes;
  return bytes;
}

// The file that has this entry and reaches furthest.
const ArchiveSpan* Archive::span_with(std::int64_t number) const {
  const ArchiveSpan* found = nullptr;
  for (const ArchiveSpan& span : spans_) {
    if (span.first > number) break;
    if (span.last >= number && (found == nullptr || span.last > found->last)) found = &span;
  }
  return found;
}

std::int64_t Archive::first_up_to(std::int64_t to) const {
  std::int64_t first = to + 1;
  // A file that begins earlier may reach further, so all of them are looked at until nothing changes.
  for (bool changed = true; changed && first > 1;) {
    changed = false;
    for (auto span = spans_.rbegin(); span != spans_.rend(); ++span) {
      if (span->first >= first || span->last < first - 1) continue;
      first = span->first;
      changed = true;
    }
  }
  return first;
}

Result<ArchiveSpan> Archive::write(const std::string& folder, ArchivePacker packer) {
  if (auto made = make_archive_folder(folder); !made) return made.failure();
  const ArchiveHead head = packer.head();
  const std::string bytes = packer.finish();
  const std::string path = folder + "/" + archive_name(head.first, head.last);
  if (auto done = write_archive_file(path, bytes); !done) return done.failure();
  if (auto same = check_archive_file(path, head); !same) return same.failure();
  return ArchiveSpan{.first = head.first, .last = head.last, .file_bytes = static_cast<std::int64_t>(bytes.size())};
}

Result<std::uint64_t> Archive::chain_before(std::int64_t first) const {
  const auto span = std::ranges::find(spans_, first, &ArchiveSpan::first);
  const auto file = ArchiveFile::open(path_of(*span));
  if (!file) return file.failure();
  return file.value().head().before;
}

Result<bool> Archive::read(std::int64_t from, std::int64_t to, std::uint64_t& chain,
                           const Journal::Each& each) const {
  for (bool begun = false; from <= to; begun = true) {
    const ArchiveSpan* span = span_with(from);
    if (span == nullptr) {
      return Error{fmt::format("entry {} is gone: it is in no file of the archive {}", from, folder_)};
    }
    const auto file = ArchiveFile::open(path_of(*span));
    if (!file) return file.failure();
    if (file.value().head().first != span->first || file.value().head().last != span->last) {
      return Error{fmt::format("{} is damaged: it has other entries than its name says", path_of(*span)),
                   Reason::kCorrupt};
    }
    const std::int64_t last = std::min(to, span->last);
    const std::uint64_t before = chain;
    auto more = file.value().read(from, last, begun ? &before : nullptr, chain, each);
    if (!more || !more.value()) return more;
    from = last + 1;
  }
  return true;
}

}  // namespace rein
