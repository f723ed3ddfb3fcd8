// The files of the service: a snapshot, and the database of a journal, which is opened for reading.
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "fuzz/targets.h"
#include "journal/snapshot_files.h"
#include "journal/sqlite_journal.h"

namespace rein::fuzz {
namespace {

constexpr std::int64_t kEntries = 14;

std::string entry(std::int64_t number) {
  return std::string(static_cast<std::size_t>(number * 29 % 97), 'e') + std::to_string(number);
}

// In memory where that is possible, because every input is written to it.
std::string path_of(const char* name) {
  const char* folder = std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp";
  return std::string(folder) + "/rein_fuzz_" + name + "_" + std::to_string(::getpid());
}

void remove_all(const std::string& path) {
  for (const char* end : {"", "-wal", "-lock", "-end"}) std::filesystem::remove(path + end);
}

std::string journal_file(std::int64_t entries, std::int64_t drop_before) {
  const std::string path = path_of("seed");
  remove_all(path);
  {
    const auto made = open_sqlite_journal(path, {.page_bytes = 512}).value();
    for (std::int64_t number = 1; number <= entries; ++number) {
      const std::string bytes = entry(number);
      const std::string_view group[] = {bytes};
      made->append(group).check();
    }
    made->drop_before(drop_before).check();
  }
  std::ifstream in(path, std::ios::binary);
  std::string file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  remove_all(path);
  return file;
}

// A damaged length can ask SQLite for more memory than it takes. That is refused as a failure.
bool is_refusal(const Error& error) {
  return error.reason == Reason::kCorrupt ||
         (error.reason == Reason::kFailed && error.message.ends_with("out of memory"));
}

void expect_exact(const Journal& found) {
  std::int64_t next = found.first();
  const auto read = found.read(found.first(), [&](std::int64_t number, std::string_view bytes) {
    expect(number == next++, "entries come in order, without gaps");
    expect(number <= kEntries && bytes == entry(number), "an entry is as it was written");
    return Result<bool>(true);
  });
  if (read.ok()) {
    expect(next == found.last() + 1, "all entries were read");
  } else {
    expect(is_refusal(read.failure()), "damage is called so");
    expect(read.error().find("entry ") != std::string::npos, "a refusal names the entry");
  }
}

}  // namespace

void snapshot_file(Bytes bytes) {
  const auto snapshot = read_snapshot_file(bytes);
  if (snapshot.ok()) {
    expect(snapshot_file_of(snapshot.value().position, snapshot.value().bytes,
                            snapshot.value().chain) == bytes,
           "an accepted snapshot is written again as it was");
  } else {
    expect(snapshot.reason() == Reason::kCorrupt && !snapshot.error().empty(),
           "a refusal says why");
  }
  // The same bytes as a state: with the right header they come back, and without one byte they do not.
  const auto position = static_cast<std::int64_t>(bytes.size() * 7919);
  const std::uint64_t chain = bytes.size() * 6007;
  const std::string file = snapshot_file_of(position, bytes, chain);
  const auto again = read_snapshot_file(file);
  expect(again.ok() && again.value().bytes == bytes && again.value().position == position &&
             again.value().chain == chain,
         "what was written is read");
  expect(!read_snapshot_file(std::string_view(file).substr(0, file.size() - 1)).ok(),
         "a snapshot that was cut off is refused");
}

void journal(Bytes bytes) {
  const std::string path = path_of("journal");
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  const auto opened = open_for_reading(path, Wanted::kWhatIsLeft);
  if (opened.ok()) {
    expect_exact(*opened.value());
  } else {
    expect(is_refusal(opened.failure()), "a refusal says why");
  }
  std::filesystem::remove(path);
}

std::vector<std::string> snapshot_file_seeds() {
  return {snapshot_file_of(0, "", {}), snapshot_file_of(1234, "state", {}),
          snapshot_file_of(1234, "state", 99),
          snapshot_file_of(kMostSnapshotPosition, std::string(300, '\0'), 0)};
}

std::vector<std::string> journal_seeds() {
  return {journal_file(0, 1), journal_file(kEntries, 1), journal_file(kEntries, 5),
          journal_file(kEntries, kEntries + 1)};
}

}  // namespace rein::fuzz
